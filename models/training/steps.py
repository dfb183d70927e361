"""The steps of a training run, in order: where each lies, what it reads, and how it is run."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel
from rich.console import Console

from bridgebench.models.training.evaluate import run_evaluate
from bridgebench.models.training.launch import launch
from bridgebench.models.training.pairs import write_pairs
from bridgebench.models.training.preferences import run_preferences
from bridgebench.models.training.provenance import PROVENANCE, begin, read_provenance, refuse_other_settings
from bridgebench.models.training.recipe import Recipe
from bridgebench.models.training.sft_data import write_sft_data
from bridgebench.models.training.supervision import run_supervision

MODEL = "model"
RECIPE = "recipe.json"


@dataclass(frozen=True)
class Step:
    """A step.

    Attributes:
        section: Of the recipe.
        inputs: Names of what it reads, and the path of each below the run's folder.
        run: Does it, given the recipe and the run's folder.
    """

    section: str
    inputs: Mapping[str, str]
    run: Callable[[Recipe, Path], object]


STEPS: dict[str, Step] = {
    "supervision": Step("supervision", {}, lambda r, out: run_supervision(r.supervision, out / "supervision")),
    "sft-data": Step(
        "sft_data",
        {"supervision": "supervision"},
        lambda r, out: write_sft_data(r.sft_data, out / "supervision", out / "sft-data"),
    ),
    "sft": Step("sft", {"data": "sft-data"}, lambda r, out: launch("sft", out / RECIPE, out, r.launcher)),
    "preferences": Step(
        "preferences",
        {"supervision": "supervision"},
        lambda r, out: run_preferences(r.preferences, out / "supervision", out / "preferences"),
    ),
    "pairs": Step(
        "pairs", {"preferences": "preferences"}, lambda r, out: write_pairs(r.pairs, out / "preferences", out / "pairs")
    ),
    "dpo": Step(
        "dpo",
        {"start": f"sft/{MODEL}", "pairs": "pairs"},
        lambda r, out: launch("dpo", out / RECIPE, out, r.launcher),
    ),
    "evaluate": Step(
        "evaluate",
        {"sft": f"sft/{MODEL}", "dpo": f"dpo/{MODEL}"},
        run_evaluate,
    ),
}


def folder_of(out: Path, step: str) -> Path:
    """Folder of a step."""
    return out / step


def _inputs(step: str) -> list[str]:
    return [path.split("/")[0] for path in STEPS[step].inputs.values()]


def _ancestors(step: str) -> Iterator[str]:
    for earlier in _inputs(step):
        yield from _ancestors(earlier)
        yield earlier


def run_steps(names: list[str], recipe: Recipe, out: Path, console: Console) -> None:
    """Run those of the steps that are not done, in the order given.

    Raises:
        BridgebenchError: When a step fails, its input is not complete, or its folder or that of a step before it was
            made otherwise.
    """
    out.mkdir(parents=True, exist_ok=True)
    (out / RECIPE).write_text(json.dumps(recipe.model_dump(mode="json"), indent=1) + "\n", encoding="utf-8")
    for name in names:
        step, folder = STEPS[name], folder_of(out, name)
        for earlier in _inputs(name):
            read_provenance(folder_of(out, earlier))
        for earlier in _ancestors(name):
            if (folder_of(out, earlier) / PROVENANCE).is_file():  # logs may be gone once rows are made of them
                refuse_other_settings(folder_of(out, earlier), getattr(recipe, STEPS[earlier].section))
        settings: BaseModel = getattr(recipe, step.section)
        if begin(folder, name, settings, {key: out / path for key, path in step.inputs.items()}):
            console.rule(f"[bold]{name}")
            step.run(recipe, out)
            read_provenance(folder)  # a step that ended without it has failed without saying so
        else:
            console.print(f"{name}: done before", highlight=False)
