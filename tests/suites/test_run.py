"""Suites that run: what is called, what is kept, what fails."""

import argparse
import json
import re
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from inspect_ai.log import list_eval_logs, read_eval_log

from bridgebench.document import Bridge, Document
from bridgebench.errors import BridgebenchError, MissingExtraError
from bridgebench.leaderboard.curves import stress_curves
from bridgebench.leaderboard.logs import read_logs
from bridgebench.leaderboard.manifest import read_manifest
from bridgebench.leaderboard.report import read_report
from bridgebench.solvers.bridge import bridge
from bridgebench.suites import command

Calls = list[tuple[str, str]]

RUNS: list[str] = []
"""Questions that `suite_head` was run on."""


@bridge(family="pruner")
def suite_head(n: int = 2) -> Bridge:
    async def run(question: str, documents: Sequence[Document]) -> Sequence[Document]:
        RUNS.append(question)
        if n == 13:
            raise RuntimeError("no such weights")
        return documents[:n]

    return run


@pytest.fixture(autouse=True)
def _no_runs() -> None:
    RUNS.clear()


def run(folder: Path, suite: dict[str, Any], *arguments: str) -> int:
    path = folder / "small.yaml"
    path.write_text(yaml.safe_dump(suite))
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args([str(path), "--log-dir", str(folder / "logs"), *arguments]))


def test_a_finished_suite_makes_no_call_and_a_changed_bridge_reruns_alone(
    tmp_path: Path, suite: dict[str, Any], calls: Calls, capsys: pytest.CaptureFixture[str]
) -> None:
    suite["bridges"] = ["suite_head"]
    suite["generators"] = ["recorded/a", "recorded/b"]
    assert run(tmp_path, suite) == 0
    assert len(calls) == 2 * 3 * 3
    assert len(RUNS) == 3, "one bridge run a question, whatever the number of generators"

    assert run(tmp_path, suite) == 0
    assert len(calls) == 2 * 3 * 3
    assert len(RUNS) == 3

    suite["bridges"] = [{"suite_head": {"n": 1}}]
    assert run(tmp_path, suite) == 0
    assert len(calls) == 2 * 3 * 3 + 2 * 3
    assert len(RUNS) == 6

    found = read_logs([tmp_path / "logs"], workers=1)
    assert (len(found.cells), len(found.superseded), found.missing) == (6, 2, ())
    assert {dict(cell.chain)["suite_head"]["n"] for cell in found.superseded} == {2}
    assert "6 of 6 cells done" in capsys.readouterr().out


def test_the_manifest_is_what_the_leaderboard_reads(tmp_path: Path, suite: dict[str, Any], calls: Calls) -> None:
    assert run(tmp_path, suite, "--only", "bridge=naive") == 0
    manifest = read_manifest(tmp_path / "logs" / "manifest.json")
    assert (manifest.suite, manifest.controls, len(manifest.cells)) == ("small", "naive, no_documents", 3)
    assert manifest.cells[0].bridges == ({"bridgebench/naive": {}},)
    assert manifest.cells[0].command.startswith(
        "inspect eval bridgebench/hotpotqa -T limit=3 -T seed=0 -T source=sample"
    )
    found = read_logs([tmp_path / "logs"], workers=1)
    assert [cell.id for cell in found.cells] == [manifest.cells[0].id]
    assert len(found.missing) == 2, "cells that were not asked for are planned, not done"


def test_a_cell_that_fails_stops_no_other(
    tmp_path: Path, suite: dict[str, Any], calls: Calls, capsys: pytest.CaptureFixture[str]
) -> None:
    suite["benchmarks"] += [{"musique": {"source": str(tmp_path / "absent.jsonl")}}]
    suite["generators"] = ["recorded/broken", "no_such_provider/x", "recorded/a"]
    suite["bridges"] = [{"suite_head": {"n": 13}}, "suite_head"]
    assert run(tmp_path, suite) == 1
    output = capsys.readouterr().out
    assert "3 of 24 cells done" in output
    for reason in ("3 of 3 samples failed, the first with", "no such checkpoint", "no_such_provider", "absent.jsonl"):
        assert reason in output
    assert "its bridge failed" in output
    assert "no such weights" in output
    complete = [cell for cell in read_logs([tmp_path / "logs"], workers=1).cells if cell.complete]
    assert {cell.generator for cell in complete} == {"recorded/a"}
    assert len([call for call in calls if call[0] == "a"]) == 9

    suite["generators"] = ["recorded/a"]  # what failed is tried again, what succeeded is not
    suite["bridges"] = ["suite_head"]
    suite["benchmarks"] = suite["benchmarks"][:1]
    assert run(tmp_path, suite) == 0
    assert len([call for call in calls if call[0] == "a"]) == 9


def test_a_bad_sample_is_an_unscored_error_of_a_cell_that_counts(
    tmp_path: Path, suite: dict[str, Any], calls: Calls
) -> None:
    suite |= {"bridges": [], "controls": ["naive"], "limit": 12}
    assert run(tmp_path, suite) == 0
    question = calls[0][1].split("Question: ")[1].split("\n")[0]
    suite["generators"] = [{"model": "fake/x", "args": {"fail": "overloaded", "when": re.escape(question)}}]
    assert run(tmp_path, suite) == 0
    cell = next(cell for cell in read_logs([tmp_path / "logs"], workers=1).cells if cell.generator == "fake/x")
    assert cell.complete
    assert cell.samples is not None
    assert cell.samples.unscored["f1"] == {"error": 1}
    assert run(tmp_path, suite | {"fail_on_error": 0.05}) == 0, "a cell that is done stays done"


def test_another_version_of_the_benchmark_runs_again(
    tmp_path: Path, suite: dict[str, Any], calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite |= {"bridges": [], "controls": ["naive"]}
    assert run(tmp_path, suite) == 0
    assert run(tmp_path, suite) == 0
    assert len(calls) == 3
    module = sys.modules["bridgebench.benchmarks.hotpotqa.hotpotqa"]
    monkeypatch.setattr(module, "HOTPOTQA", replace(module.HOTPOTQA, version=module.HOTPOTQA.version + 1))
    assert run(tmp_path, suite) == 0
    assert len(calls) == 6
    assert run(tmp_path, suite) == 0
    assert len(calls) == 6


def test_the_users_stop_ends_the_run_and_the_next_one_goes_on(
    tmp_path: Path, suite: dict[str, Any], calls: Calls
) -> None:
    suite |= {"generators": ["recorded/stopped", "recorded/a"], "bridges": [], "max_samples": 1}
    # A shell's background job inherits that Ctrl-C is ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path, suite)
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(calls) == 2, "nothing else was started"
    assert run(tmp_path, suite) == 0
    assert len(calls) <= 2 * 2 * 3 + 1, "what was answered before the stop is not asked again"


def test_a_bridge_on_a_server_that_starts_late_is_asked_once_for_all_generators(
    tmp_path: Path, suite: dict[str, Any], calls: Calls
) -> None:
    suite |= {"bridges": ["summarize"], "roles": {"bridge": "recorded/server"}, "controls": ["on_empty"]}
    suite["max_samples"] = 1  # so that the second question is asked of a server that runs
    suite["generators"] = [f"recorded/{name}" for name in "abcdefg"]
    assert run(tmp_path, suite) == 0
    assert len([call for call in calls if call[0] == "server"]) == 3, "as many as one generator takes"


def test_settings_reach_the_log(tmp_path: Path, suite: dict[str, Any], calls: Calls) -> None:
    suite |= {"generation": {"max_tokens": 7}, "epochs": 2, "budget": 5, "bridges": [], "limit": 2}
    assert run(tmp_path, suite, "--only", "bridge=naive") == 0
    (info,) = list_eval_logs(str(tmp_path / "logs"))
    log = read_eval_log(info)
    assert log.plan.config.max_tokens == 7
    assert log.eval.model_generate_config.max_tokens == 7
    assert log.samples is not None
    assert sorted(sample.epoch for sample in log.samples) == [1, 1, 2, 2]
    assert all(sample.store["BridgeStore:fit"]["kept"] <= 5 for sample in log.samples)
    assert log.eval.metadata is not None
    assert log.eval.metadata["cell"] == log.plan.steps[0].params["revision"]


def test_dry_run_counts_calls_and_cost_and_runs_nothing(
    tmp_path: Path, suite: dict[str, Any], calls: Calls, capsys: pytest.CaptureFixture[str]
) -> None:
    suite |= {"prices": {"recorded/a": {"input": 1, "output": 1000000}}, "bridges": ["suite_head"], "epochs": 2}
    assert run(tmp_path, suite, "--dry-run") == 0
    output = capsys.readouterr().out
    assert "3 cells, 0 done; 18 generator calls, at most about $576.0" in output  # 18 answers of 32 tokens
    assert "bridge stage: hotpotqa  suite_head: up to 6 samples" in output
    assert not calls
    assert not RUNS
    assert not (tmp_path / "logs").exists()


def test_shards_merge_into_one_finished_suite(
    tmp_path: Path, suite: dict[str, Any], calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite["bridges"] = ["suite_head", {"suite_head": {"n": 1}}]
    logs = tmp_path / "logs"
    for shard in ("1", "2"):
        monkeypatch.setenv("BRIDGEBENCH_BRIDGE_CACHE", str(tmp_path / f"cache{shard}"))
        folder = logs / f"shard{shard}"
        assert run(tmp_path, suite, "--shard", f"{shard}/2", "--log-dir", str(folder)) == 0
    assert len(calls) == 4 * 3
    assert len(RUNS) == 2 * 3

    monkeypatch.setenv("BRIDGEBENCH_BRIDGE_CACHE", str(tmp_path / "cache"))
    caches = [str(tmp_path / f"cache{shard}" / "bridges.sqlite") for shard in ("1", "2")]
    suite["generators"].append("recorded/b")
    assert run(tmp_path, suite, "--merge-cache", caches[0], "--merge-cache", caches[1]) == 0
    assert len(calls) == 4 * 3 + 4 * 3, "only the second generator was left to run"
    assert len(RUNS) == 2 * 3, "its documents came from the shards' caches"
    assert len(read_logs([logs], workers=1).cells) == 8


def test_manifest_json_tells_people_more(tmp_path: Path, suite: dict[str, Any], calls: Calls) -> None:
    run(tmp_path, suite, "--only", "bridge=naive")
    cell = json.loads((tmp_path / "logs" / "manifest.json").read_text())["cells"][0]
    assert (cell["label"], cell["control"], cell["versions"]) == ("naive", "naive", {"bridgebench/naive": 1})


def test_the_worlds_knobs_become_curves(tmp_path: Path, suite: dict[str, Any], calls: Calls) -> None:
    suite["benchmarks"] = [
        {"hotpotqa": {"source": f"world:size=2,{knob}={value}"}}
        for knob, values in (("distractors", (2, 4, 6)), ("gold_position", ("first", "middle", "last")))
        for value in values
    ]
    suite |= {"bridges": [], "controls": ["naive"], "limit": None}
    assert run(tmp_path, suite) == 0
    report = read_report([tmp_path / "logs"], resamples=10)
    about = [str(curve) for curve in stress_curves(report)]
    assert len(about) == 2
    assert "against distractors" in about[0]
    assert "gold_position=middle" in about[1]


@pytest.mark.parametrize("arguments", [[], ["--dry-run"]])
def test_a_judge_without_a_model_is_refused_before_anything_is_generated(
    tmp_path: Path, suite: dict[str, Any], calls: Calls, arguments: list[str]
) -> None:
    suite |= {"benchmarks": [{"hotpotqa": {"source": "sample"}}, {"crag": {"source": "sample"}}]}
    suite["bridges"] = ["suite_head"]
    with pytest.raises(BridgebenchError, match="crag.*'grader'.*roles"):
        run(tmp_path, suite, *arguments)
    assert calls == []
    assert RUNS == []
    suite["roles"] = {"grader": "fake/grader"}
    assert run(tmp_path, suite, "--dry-run") == 0


def test_a_log_folder_that_cannot_be_is_one_message(tmp_path: Path, suite: dict[str, Any], calls: Calls) -> None:
    (tmp_path / "logs").touch()
    with pytest.raises(BridgebenchError, match="--log-dir .*logs: "):
        run(tmp_path, suite)
    assert calls == []


def test_tiny_checkpoints_that_were_stopped_half_way_are_written_again(tmp_path: Path, suite: dict[str, Any]) -> None:
    written: list[str] = []

    def write(folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        written.append(folder.name)
        if len(written) == 2:
            raise KeyboardInterrupt

    writers = {"one": write, "two": write}
    with pytest.raises(KeyboardInterrupt):
        command.write_once(tmp_path, writers)
    for _ in range(2):
        command.write_once(tmp_path, writers)
    assert written == ["one", "two", "two"]


def test_a_log_that_was_copied_in_part_is_named(tmp_path: Path, suite: dict[str, Any], calls: Calls) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "2026-01-01T00-00-00-00-00_hotpotqa_cut.eval").write_bytes(b"PK\x03\x04 half of a log")
    with pytest.raises(BridgebenchError, match="hotpotqa_cut.eval: cannot be read as a log"):
        run(tmp_path, suite)
    assert calls == []


def test_brackets_in_a_folders_name_are_no_markup(
    tmp_path: Path, suite: dict[str, Any], calls: Calls, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, suite, "--only", "bridge=naive", "--log-dir", str(tmp_path / "[" / "draft]")) == 0
    assert run(tmp_path, suite, "--only", "bridge=naive", "--log-dir", str(tmp_path / "[draft]")) == 0
    output = capsys.readouterr().out
    assert f"logs in {tmp_path}/[/draft]" in output
    assert f"leaderboard {tmp_path}/[draft]" in output


def test_tiny_checkpoints_without_torch_say_what_to_install(
    tmp_path: Path, suite: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "bridgebench.models.tiny_checkpoints", raising=False)
    with pytest.raises(MissingExtraError, match=r"bridgebench\[local\]"):
        run(tmp_path, suite | {"tiny_checkpoints": str(tmp_path / "tiny")})
