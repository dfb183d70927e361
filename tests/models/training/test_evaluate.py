"""The last step: checkpoints beside their controls, and the card of each."""

import json
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from bridgebench.models.training.card import base_licence
from bridgebench.models.training.evaluate import run_evaluate, suite_of
from bridgebench.models.training.provenance import write_provenance
from bridgebench.models.training.recipe import load_recipe
from bridgebench.models.training.settings import SftSettings

SKIPPED = "\n\n".join(f"Document {n}:\n[NO_REWRITE]" for n in range(1, 5))


@pytest.fixture
def trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the earlier steps leave, as far as cards tell of it."""
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "out"
    for step in ("supervision", "sft-data", "sft", "preferences", "pairs", "dpo"):
        (out / step).mkdir(parents=True)
        losses = {"before": {"eval_loss": 2.0}, "after": {"eval_loss": 0.5}}
        write_provenance(out / step, step, SftSettings(), {}, losses if step in ("sft", "dpo") else {})
    for step in ("sft-data", "pairs"):
        (out / step / "report.json").write_text(json.dumps({"gold_filtered": step == "pairs"}))
    for step in ("sft", "dpo"):
        (out / step / "model").mkdir()
        (out / step / "model" / "weights").write_text(step)
    return out


def evaluated(out: Path, answer: str, limit: int = 2) -> list[dict[str, Any]]:
    changes = [
        "evaluate.benchmarks=[{hotpotqa: {source: 'world:size=40,seed=3,distractors=2'}}]",
        "evaluate.generator={model: fake/reader}",
        "evaluate.provider=fake",
        f"evaluate.provider_args={json.dumps({'answer': answer})}",
        f"evaluate.limit={limit}",
    ]
    run_evaluate(load_recipe("smoke", changes), out)
    rows: list[dict[str, Any]] = json.loads((out / "sft" / "card.json").read_text())["evaluation"]
    return rows


def test_outputs_without_the_format_are_counted(trained: Path) -> None:
    rows = evaluated(trained, "I cannot rewrite this.")
    valid = {row["row"]: row["valid_format"] for row in rows if row["valid_format"] is not None}
    assert len(valid) == 3, "prompted, after SFT, after DPO; neither naive nor the documents cut to their length"
    assert all(label.startswith("r2u") for label in valid)
    assert set(valid.values()) == {0.0}


def test_each_checkpoint_has_a_card_of_its_own(trained: Path) -> None:
    rows = evaluated(trained, SKIPPED)
    cards = {name: (trained / name / "README.md").read_text() for name in ("sft", "dpo")}
    assert "are not filtered" in cards["sft"]
    assert "are gold-filtered" in cards["dpo"], "pairs were"
    for card in cards.values():
        assert "| loss | 2.0000 | 0.5000 |" in card
        table = [line for line in card.splitlines() if line.startswith("| hotpotqa, ")]
        assert len(table) == len(rows) == 5
        assert sum(line.endswith("| 1.000 |") for line in table) == 3, "skipping every document is in the format"
    assert (trained / "evaluate" / "leaderboard" / "leaderboard.html").is_file()


def test_one_question_has_no_interval(trained: Path) -> None:
    rows = evaluated(trained, SKIPPED, limit=1)
    assert {(row["low"], row["high"]) for row in rows} == {(None, None)}
    assert "nan" not in (trained / "sft" / "README.md").read_text().lower()
    assert "NaN" not in (trained / "sft" / "card.json").read_text()


def test_the_untrained_student_is_the_one_that_training_began_with(tmp_path: Path) -> None:
    suite = suite_of(load_recipe("smoke", ["sft.revision=abc"]), tmp_path / "out")
    revisions = {row.roles["bridge"].model: row.roles["bridge"].args.get("revision") for row in suite.bridges}
    assert revisions.pop("local/smollm2") == "abc"
    assert set(revisions.values()) == {None}, "checkpoints are folders"


def test_the_licence_of_a_base_on_the_hub_is_in_the_readme_of_its_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def download(name: str, revision: str | None, allow_patterns: list[str], **_: Any) -> str:
        assert (name, revision) == ("someone/chat", "abc")
        if any(fnmatch("README.md", pattern) for pattern in allow_patterns):
            (tmp_path / "README.md").write_text("---\nlicense: llama3.2\n---\n# Chat\n")
        return str(tmp_path)

    monkeypatch.setattr("bridgebench.models.weights.snapshot_download", download)
    assert base_licence("someone/chat", "abc") == "llama3.2"
