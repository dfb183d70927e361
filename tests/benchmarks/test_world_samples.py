"""The bundled samples: what ships is what the generator writes, and it stays small."""

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from bridgebench.benchmarks.world import BENCHMARKS, records
from bridgebench.cli import main

SHIPPED = {benchmark: files("bridgebench.benchmarks") / benchmark / "sample.jsonl" for benchmark in BENCHMARKS}


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_command_writes_the_shipped_bytes(benchmark: str, tmp_path: Path) -> None:
    shipped = SHIPPED[benchmark].read_bytes()
    size = len(shipped.splitlines())
    status = main(["sample", "--benchmark", benchmark, "--size", str(size), "-o", str(tmp_path)])
    assert status == 0
    assert (tmp_path / f"{benchmark}.jsonl").read_bytes() == shipped
    assert list(tmp_path.iterdir()) == [tmp_path / f"{benchmark}.jsonl"]


def test_samples_are_small() -> None:
    sizes = {benchmark: len(path.read_bytes()) for benchmark, path in SHIPPED.items()}
    assert sum(sizes.values()) < 6_000_000, sizes
    assert max(sizes.values()) < 1_500_000, sizes


def test_python_hash_seed_does_not_matter() -> None:
    code = (
        "import json, sys; from bridgebench.benchmarks.world import BENCHMARKS, records\n"
        "json.dump([list(records(benchmark, size=3)) for benchmark in BENCHMARKS], sys.stdout)"
    )
    environment = os.environ | {"PYTHONHASHSEED": "1"}
    other = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True).stdout
    assert json.loads(other) == [list(records(benchmark, size=3)) for benchmark in BENCHMARKS]


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_no_question_twice(benchmark: str) -> None:
    written = list(records(benchmark, size=120))
    for key in {"_id", "id", "query_id", "interaction_id"} & written[0].keys():
        assert len({record[key] for record in written}) == 120
    for key in {"question", "query"} & written[0].keys():
        assert len({record[key].removeprefix(". ") for record in written}) == 120


def test_bad_arguments_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sample", "--benchmark", "hotpotqa", "--size", "0", "-o", str(tmp_path)]) == 2
    assert "size must be at least 1, got 0" in capsys.readouterr().err
    assert (
        main(["sample", "--benchmark", "hotpotqa", "--distractors", "2", "--near-duplicates", "3", "-o", str(tmp_path)])
        == 2
    )
    assert "do not fit among 2 distractors" in capsys.readouterr().err
    assert not (tmp_path / "hotpotqa.jsonl").exists()
