"""What a suite file may say, and what the errors say."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from bridgebench.errors import BridgebenchError
from bridgebench.suites.files import load_suite
from bridgebench.suites.schema import parse_suite


def test_short_forms_stand_for_the_whole_ones(suite: dict[str, Any]) -> None:
    suite["bridges"] = ["naive", "naive, shuffle", ["naive", {"shuffle": {"seed": 2}}], {"shuffle": None}]
    suite["generators"] = ["fake/x", {"fake/y": {"a": 1}}, {"model": "fake/z", "config": {"temperature": 0.5}}]
    parsed = parse_suite(suite, "s.yaml")
    assert [row.chain for row in parsed.bridges] == [
        ["naive"],
        ["naive", "shuffle"],
        ["naive", {"shuffle": {"seed": 2}}],
        [{"shuffle": None}],
    ]
    assert [(model.model, model.args) for model in parsed.generators] == [
        ("fake/x", {}),
        ("fake/y", {"a": 1}),
        ("fake/z", {}),
    ]
    assert parsed.benchmarks[0].task == "hotpotqa"
    assert parsed.benchmarks[0].args == {"source": "sample"}


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"bridge": ["naive"]}, "s.yaml: bridge: there is no such key"),
        ({"limit": 0}, "s.yaml: limit: "),
        ({"limit": "many"}, "s.yaml: limit: "),
        ({"controls": "some"}, "s.yaml: controls: "),
        ({"controls": ["naive", "nothing"]}, "s.yaml: controls.1: "),
        ({"prompt": []}, "s.yaml: prompt"),
        ({"generators": []}, "s.yaml: the suite: there must be at least one generator"),
        ({"retrievers": ["bm25"]}, "s.yaml: the suite: retrievers rank a corpus"),
        ({"generators": [{"model": "m", "configs": {}}]}, "s.yaml: generators.0.configs: there is no such key"),
        ({"generators": [{"args": {}, "model": 3}]}, "s.yaml: generators.0.model: "),
        ({"generation": {"max_token": 3}}, "s.yaml: generation: Inspect has no generation setting named max_token"),
        ({"bridges": ["naive", {"chain": []}]}, "s.yaml: bridges.1.chain: "),
        ({"bridges": [{"chain": ["naive"], "on_empty": "none"}]}, "s.yaml: bridges.0.on_empty: "),
        ({"roles": {"bridge": {"url": "x", "model": "m"}}}, "s.yaml: roles.bridge.url: there is no such key"),
        ({"bridges": [], "controls": "none"}, "s.yaml: the suite: without controls there must be"),
        ({"benchmarks": [{"task": "hotpotqa", "arg": {}}]}, "s.yaml: benchmarks.0.arg: there is no such key"),
    ],
)
def test_an_error_names_file_and_place(suite: dict[str, Any], change: dict[str, Any], place: str) -> None:
    with pytest.raises(BridgebenchError) as caught:
        parse_suite(suite | change, "s.yaml")
    assert place in str(caught.value)


def test_every_wrong_place_is_named(suite: dict[str, Any]) -> None:
    with pytest.raises(BridgebenchError, match=r"limit(.|\n)*epochs"):
        parse_suite(suite | {"limit": -1, "epochs": -1}, "s.yaml")


def write(folder: Path, suite: dict[str, Any]) -> str:
    path = folder / "mine.yaml"
    path.write_text(yaml.safe_dump(suite))
    return str(path)


def test_changes_from_the_command_line(tmp_path: Path, suite: dict[str, Any]) -> None:
    path = write(tmp_path, suite)
    changed = load_suite(path, changes=["generators=[fake/b]", "generation.max_tokens=7", "bridges.0=shuffle"])
    assert [model.model for model in changed.generators] == ["fake/b"]
    assert changed.generation == {"max_tokens": 7}
    assert changed.bridges[0].chain == ["shuffle"]


@pytest.mark.parametrize(
    "change",
    [
        "limit",
        "bridges.7=naive",
        "bridges.x=naive",
        "bridges.²=naive",
        "limits=3",
        "limit=[",
        "limit.x=3",
        "benchmarks.0.hotpotqa.source=2024-01-01",
    ],
)
def test_a_change_that_fits_nowhere_is_refused(tmp_path: Path, suite: dict[str, Any], change: str) -> None:
    with pytest.raises(BridgebenchError):
        load_suite(write(tmp_path, suite), changes=[change])


def test_smoke_replaces_keys_and_has_a_folder_of_its_own(tmp_path: Path, suite: dict[str, Any]) -> None:
    path = write(tmp_path, suite | {"smoke": {"limit": 1}})
    assert (load_suite(path).name, load_suite(path).limit) == ("small", 3)
    smoke = load_suite(path, smoke=True)
    assert (smoke.name, smoke.limit) == ("small-smoke", 1)
    with pytest.raises(BridgebenchError, match="no 'smoke' section"):
        load_suite(write(tmp_path, suite), smoke=True)


def test_the_file_names_a_suite_without_a_name(tmp_path: Path, suite: dict[str, Any]) -> None:
    del suite["name"]
    assert load_suite(write(tmp_path, suite)).name == "mine"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name: a\nname: b\n", "the key 'name' stands twice"),
        ("bridges:\n  - {naive: , naive: }\n", "the key 'naive' stands twice"),
        ("1: a\n", "a key must be a string"),
        ("a: [\n", "line 2"),
        ("generators: [{model: m, args: {revision: 2024-01-01}}]\n", "2024-01-01 is read as a date.*quotes"),
        ("!!python/object/apply:os.getcwd []\n", "python/object/apply"),
        ("- a\n", "a suite is a mapping"),
        ("", "a suite is a mapping"),
    ],
)
def test_unsafe_or_ambiguous_yaml_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(BridgebenchError, match=problem) as caught:
        load_suite(str(path))
    assert "bad.yaml" in str(caught.value)


def test_an_unknown_suite_lists_the_packaged_ones() -> None:
    with pytest.raises(BridgebenchError, match="demo"):
        load_suite("nowhere")


def test_a_circle_of_extends_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("extends: b.yaml\n")
    (tmp_path / "b.yaml").write_text("extends: a.yaml\n")
    with pytest.raises(BridgebenchError, match="it extends itself"):
        load_suite(str(tmp_path / "a.yaml"))
    (tmp_path / "a.yaml").write_text("extends: 3\n")
    with pytest.raises(BridgebenchError, match="must name a suite"):
        load_suite(str(tmp_path / "a.yaml"))


@pytest.mark.parametrize("base", ["- a\n", "", "smoke:\n", "smoke: [a]\n"])
def test_a_suite_that_cannot_be_extended_is_an_error(tmp_path: Path, base: str) -> None:
    (tmp_path / "base.yaml").write_text(base)
    (tmp_path / "a.yaml").write_text("extends: base.yaml\n")
    with pytest.raises(BridgebenchError, match=r"base\.yaml: "):
        load_suite(str(tmp_path / "a.yaml"))
