"""Each folder says the same as its code, and its example is one that its loader reads."""

import importlib
import json
import re
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest
import yaml

from bridgebench.benchmarks._build import Benchmark
from bridgebench.benchmarks._fields import Record

NAMES = ("hotpotqa", "twowiki", "musique", "ambigqa", "msmarco", "crag", "longbench", "arxiv_cards")


def benchmark(name: str) -> Benchmark:
    module = importlib.import_module(f"bridgebench.benchmarks.{name}.{name}")
    found = getattr(module, name.upper())
    assert isinstance(found, Benchmark)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_eval_yaml(name: str) -> None:
    about = yaml.safe_load((files("bridgebench.benchmarks") / name / "eval.yaml").read_text(encoding="utf-8"))
    spec = benchmark(name)
    assert about["tasks"][0]["name"] == spec.name == name
    assert about["version"].split("-")[0] == str(spec.version)
    (asset,) = about["external_assets"]
    assert asset["source"] == spec.hub.id
    assert asset.get("revision") == spec.hub.revision
    pinned = spec.hub.revision is not None and re.fullmatch(r"[0-9a-f]{40}", spec.hub.revision) is not None
    assert asset["state"] == ("pinned" if pinned else "floating")
    assert {"title", "description", "arxiv", "group", "metadata"} <= set(about)


@pytest.mark.parametrize("name", NAMES)
def test_readme_example(name: str, loaders: dict[str, Callable[[Record], Any]]) -> None:
    text = (files("bridgebench.benchmarks") / name / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    loaders[name](Record(json.loads(example), "README.md", "example"))
    for heading in ("## Example", "## Scoring", "## Deviations, and why", "## Known defects", "## Licence"):
        assert heading in text


@pytest.mark.parametrize("name", NAMES)
def test_samples_are_whole(name: str) -> None:
    lines = (files("bridgebench.benchmarks") / name / "sample.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) >= 60
