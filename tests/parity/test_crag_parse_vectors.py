"""CRAG's own parser on judge replies, where the records lie beside the checkout."""

import json
from pathlib import Path

import pytest

from bridgebench.scorers.crag_parse import parse_crag_reply

VECTORS = Path(__file__).parents[2].parent / "shared" / "data" / "metric_vectors_crag_parse.jsonl"

pytestmark = [pytest.mark.shared, pytest.mark.skipif(not VECTORS.exists(), reason=f"no golden vectors at {VECTORS}")]


def test_official_values() -> None:
    vectors = [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]
    assert len(vectors) == 7
    for vector in vectors:
        assert parse_crag_reply(vector["response"]) == (vector["score"], vector["explanation"])
