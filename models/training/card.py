"""The card beside a checkpoint: what it was made of, how, how it did, and under which licences."""

import json
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml

from bridgebench.models.embedded import PACKAGE
from bridgebench.models.training.provenance import content_hash, read_provenance
from bridgebench.models.training.recipe import Recipe
from bridgebench.models.weights import WeightsSpec, checkpoint_folder

_STEPS = {
    "sft": ("supervision", "sft-data", "sft"),
    "dpo": ("supervision", "sft-data", "sft", "preferences", "pairs", "dpo"),
}
_DATA_LICENCES = {
    "world": "invented records, under this package's licence (MIT)",
    "bridgebench/msmarco": "Microsoft's terms, non-commercial research",
}


def write_card(name: str, recipe: Recipe, out: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write ``card.json`` and ``README.md`` beside the checkpoint of a step.

    Args:
        name: ``sft`` or ``dpo``.
        recipe: The run's.
        out: Folder of all steps.
        rows: Figures of the evaluation.
    """
    made = {step: read_provenance(out / step) for step in _STEPS[name]}
    reports = {
        step: json.loads((out / step / "report.json").read_text()) for step in made if step in ("sft-data", "pairs")
    }
    card = {
        "checkpoint": {"folder": "model", "sha256": content_hash(out / name / "model")},
        "base": {
            "model": recipe.sft.model,
            "revision": recipe.sft.revision,
            "licence": base_licence(recipe.sft.model, recipe.sft.revision),
        },
        "prompt": recipe.sft_data.template,
        "data": {
            "benchmark": recipe.supervision.benchmark,
            "source": recipe.supervision.source,
            "split": recipe.supervision.split,
            "licence": _data_licence(recipe),
            "teacher": recipe.supervision.teacher.model,
            "generator": recipe.preferences.generator.model if name == "dpo" else None,
            "gold_filtered": any(report["gold_filtered"] for report in reports.values()),
            "reports": reports,
        },
        "steps": made,
        "evaluation": list(rows),
    }
    folder = out / name
    (folder / "card.json").write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    path = folder / "README.md"
    path.write_text(_markdown(name, card), encoding="utf-8")
    return path


def base_licence(model: str, revision: str | None = None) -> str:
    """What the base says of its licence: its package, or the front matter of the README in its folder."""
    if model == "smollm2":
        return str(metadata.metadata(PACKAGE)["License"])
    readme = checkpoint_folder(WeightsSpec(model, revision).resolve()) / "README.md"
    text = readme.read_text(encoding="utf-8") if readme.is_file() else ""
    front = yaml.safe_load(text.split("---")[1]) if text.startswith("---") else None
    return str((front or {}).get("license", "not stated in its folder: look it up before you pass the checkpoint on"))


def _data_licence(recipe: Recipe) -> str:
    kind = "world" if recipe.supervision.source.startswith(("world", "sample")) else recipe.supervision.benchmark
    return _DATA_LICENCES.get(kind, "see the benchmark's README")


def _markdown(name: str, card: Mapping[str, Any]) -> str:
    base, data, made = card["base"], card["data"], card["steps"]
    trained = made[name]["extra"]
    filtered = (
        "gold-filtered (examples were left out by their gold answers)" if data["gold_filtered"] else "not filtered"
    )
    lines = [
        f"# R2U rewriter, after {name.upper()}",
        "",
        "Trained by `bridgebench train` (method: arXiv 2509.15577). Serve it as the model role `bridge` of "
        "`bridgebench/r2u`" + (f", with `template={card['prompt']}`." if card["prompt"] else "."),
        "",
        f"* Base: {base['model']}; licence: {base['licence']}",
        f"* Data: {data['benchmark']}, {data['source']}, split {data['split']}; licence: {data['licence']}",
        f"* Teacher: {data['teacher']}"
        + (f"; generator of preferences: {data['generator']}" if data["generator"] else ""),
        f"* Data are {filtered}",
        f"* Seed {made[name]['seed']}; versions: "
        + ", ".join(f"{package} {version}" for package, version in made[name]["versions"].items()),
        f"* Checkpoint: sha256 of its files {card['checkpoint']['sha256']}",
        "",
        "| held out | before | after |",
        "|-|-|-|",
    ]
    shown = [key for key in trained["after"] if key.startswith(("eval_loss", "eval_rewards"))]
    lines += [
        f"| {key.removeprefix('eval_')} | {trained['before'][key]:.4f} | {trained['after'][key]:.4f} |" for key in shown
    ]
    lines += ["", "| row | metric | mean | 95 % interval | questions | words | valid format |", "|-|-|-|-|-|-|-|"]
    for row in card["evaluation"]:
        mean = "" if row["mean"] is None else f"{row['mean']:.3f}"
        interval = "" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}"
        words = "" if row["words"] is None else f"{row['words']:.1f}"
        valid = "" if row["valid_format"] is None else f"{row['valid_format']:.3f}"
        lines.append(
            f"| {row['benchmark']}, {row['row']} | {row['metric']} | {mean} | {interval} | "
            f"{row['questions']} | {words} | {valid} |"
        )
    return "\n".join([*lines, "", "All settings, hashes of inputs and reports on the data: `card.json`.", ""])
