"""The official set-F1 on real answers, where the records lie beside the checkout."""

import json
from pathlib import Path

import pytest

from bridgebench.scorers.ambigqa_metrics import ambigqa_f1, is_multi, set_f1

DATA = Path(__file__).parents[2].parent / "shared" / "data"
VECTORS = DATA / "metric_vectors_ambigqa_f1.jsonl"

pytestmark = [pytest.mark.shared, pytest.mark.skipif(not VECTORS.exists(), reason=f"no golden vectors at {VECTORS}")]


def test_official_values() -> None:
    vectors = [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]
    assert len(vectors) == 4
    for vector in vectors:
        assert set_f1(vector["answers"], vector["predictions"]) == pytest.approx(vector["f1"], abs=5e-7)


def test_every_real_annotation_is_read() -> None:
    records = [json.loads(line) for line in (DATA / "ambigqa.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(records) == 20
    assert sum(is_multi(record["annotations"]) for record in records) == 9
    for record in records:
        annotation = record["annotations"][0]
        gold = annotation["answer"] if "answer" in annotation else annotation["qaPairs"][0]["answer"]
        assert 0 < ambigqa_f1(record["annotations"], [gold[0]]) <= 1
