"""`bridgebench bridges`: every registered bridge, with what a reader must know of it."""

import json
import logging
from importlib.metadata import EntryPoint

import pytest

from bridgebench import _registry
from bridgebench.cli import main
from bridgebench.solvers import command
from bridgebench.solvers.bridge import bridge_info


def test_every_registered_bridge_is_listed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bridges", "--json"]) == 0
    listed = {bridge["name"]: bridge for bridge in json.loads(capsys.readouterr().out)}
    registered = {name for name in _registry.__all__ if bridge_info(f"bridgebench/{name}")}
    assert registered == {name.removeprefix("bridgebench/") for name in listed if name.startswith("bridgebench/")}
    zephyr = listed["bridgebench/rank_zephyr"]
    assert (zephyr["parameters"], zephyr["training_data"], zephyr["distilled"]) == ("7B", ["msmarco"], True)
    assert zephyr["sampling"] == "depends on the arguments"
    assert listed["bridgebench/naive"]["roles"] == []


def test_the_table_names_what_is_needed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["bridges"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (row,) = [line for line in lines if " r2u_teacher " in line]
    for cell in ("rewriter", "70B", "role 'bridge'", "process"):
        assert cell in row
    (row,) = [line for line in lines if " bge_reranker " in line]
    assert "extra 'local'" in row


def test_names_stay_whole_in_a_narrow_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["bridges"]) == 0
    output = capsys.readouterr().out
    names = [info.name.removeprefix("bridgebench/") for info in command.installed_bridges()]
    assert [name for name in names if f" {name} " not in output] == []
    assert max(map(len, output.splitlines())) <= 80


def test_a_package_that_cannot_be_imported_is_named(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken = EntryPoint("theirs", "no_such_package_here", "inspect_ai")
    monkeypatch.setattr(command, "entry_points", lambda group: [broken])
    with caplog.at_level(logging.WARNING):
        assert command.installed_bridges()
    assert "theirs (no_such_package_here) cannot be imported" in caplog.text


@pytest.mark.parametrize("info", command.installed_bridges(), ids=lambda info: info.name)
def test_every_bridge_of_a_paper_says_what_a_reader_must_know(info: command.BridgeInfo) -> None:
    if info.family == "control" or not info.checkpoint:
        return
    assert info.paper
    assert info.licence
    assert info.parameters
    assert info.roles or info.extra
