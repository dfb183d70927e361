"""The official scripts' own output on real answers, where the records lie beside the checkout."""

import json
from pathlib import Path
from typing import Any

import pytest

from bridgebench.scorers.qa_metrics import normalise_answer, qa_scores

VECTORS = Path(__file__).parents[2].parent / "shared" / "data" / "metric_vectors.jsonl"

pytestmark = [pytest.mark.shared, pytest.mark.skipif(not VECTORS.exists(), reason=f"no golden vectors at {VECTORS}")]


def vectors() -> list[dict[str, Any]]:
    return [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()] if VECTORS.exists() else []


@pytest.mark.parametrize("vector", vectors(), ids=lambda vector: f"{vector['pred']!r}-{vector['gold']!r}")
def test_official_values(vector: dict[str, Any]) -> None:
    prediction, golds = vector["pred"], [vector["gold"]]
    assert normalise_answer(prediction) == vector["norm_pred"]
    assert normalise_answer(golds[0]) == vector["norm_gold"]
    for metric in ("hotpotqa", "twowiki"):
        assert qa_scores(metric, prediction, golds) == pytest.approx(
            {"f1": vector["hotpot_2wiki_f1"], "em": vector["em"]}, abs=5e-7
        )
    assert qa_scores("musique", prediction, golds) == pytest.approx(
        {"f1": vector["musique_f1"], "em": vector["musique_em"]}, abs=5e-7
    )
    assert qa_scores("longbench", prediction, golds) == pytest.approx({"f1": vector["longbench_qa_f1"]}, abs=5e-7)


def test_all_vectors_are_read() -> None:
    assert len(vectors()) == 26
