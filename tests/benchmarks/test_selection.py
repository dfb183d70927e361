"""Draws are the same for every copy of a dataset; manifests are checked."""

import json
import random
from pathlib import Path

import pytest
from inspect_ai.dataset import Sample

from bridgebench.benchmarks._selection import draw, ids_hash, manifest, read_manifest, sample_by_ids
from bridgebench.errors import BridgebenchError

IDS = [f"q{number}" for number in range(1000)]


def test_draw_does_not_depend_on_order_and_nests() -> None:
    shuffled = random.Random(1).sample(IDS, len(IDS))
    small, large = draw(IDS, 20, 0, str), draw(shuffled, 200, 0, str)
    assert set(small) == set(draw(shuffled, 20, 0, str)) < set(large)
    assert len(small) == 20
    assert small == sorted(small, key=IDS.index)
    assert large == sorted(large, key=shuffled.index)


def test_draw_depends_on_the_seed_and_is_even() -> None:
    counts = dict.fromkeys(IDS, 0)
    for seed in range(200):
        for id in draw(IDS, 100, seed, str):
            counts[id] += 1
    assert set(draw(IDS, 100, 0, str)) != set(draw(IDS, 100, 1, str))
    # 200 draws of a tenth: 20 of each, standard deviation 4.2
    assert min(counts.values()) > 2
    assert max(counts.values()) < 42
    assert len(draw(IDS, 5000, 0, str)) == 1000


def test_manifest_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "ids.json"
    path.write_text(json.dumps(manifest(IDS[:3])))
    assert read_manifest(str(path)) == IDS[:3]
    path.write_text(json.dumps(IDS[:3]))
    assert read_manifest(str(path)) == IDS[:3]
    assert ids_hash(IDS) == ids_hash(reversed(IDS)) != ids_hash(IDS[1:])


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{", "manifest"),
        ("[]", "at least one"),
        ("[1]", "list of strings"),
        ('{"id": ["a"]}', "list of strings"),
        ('["a", "a"]', "repeats an id"),
        ('{"ids": ["a"], "sha256": "0"}', "does not match its ids"),
    ],
)
def test_bad_manifests(tmp_path: Path, content: str, problem: str) -> None:
    path = tmp_path / "ids.json"
    path.write_text(content)
    with pytest.raises(BridgebenchError, match=problem):
        read_manifest(str(path))
    with pytest.raises(BridgebenchError, match="No such file"):
        read_manifest(str(tmp_path / "absent.json"))


def test_ids_absent_from_the_source() -> None:
    samples = [Sample(input="q", id=id) for id in IDS[:5]]
    assert [sample.id for sample in sample_by_ids(samples, ["q3", "q1"], "m")] == ["q1", "q3"]
    with pytest.raises(BridgebenchError, match="1 of 2 ids are not in the source: q7"):
        sample_by_ids(samples, ["q3", "q7"], "m")
