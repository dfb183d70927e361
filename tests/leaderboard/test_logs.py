"""Logs that bridgebench's own tasks, solvers and scorers wrote, read back as cells."""

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from bridgebench.benchmarks.hotpotqa.hotpotqa import hotpotqa
from bridgebench.errors import BridgebenchError
from bridgebench.leaderboard.logs import read_logs
from bridgebench.leaderboard.report import read_report
from bridgebench.solvers.controls import no_documents
from bridgebench.solvers.rag import rag


class LastWord(ModelAPI):
    """Answers with the last word of the prompt's first document; withholds its third answer."""

    calls = 0

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        LastWord.calls += 1
        output = ModelOutput.from_content(self.model_name, input[-1].text.split()[-1])
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        if LastWord.calls == 3:
            output.choices[0].stop_reason = "content_filter"
        return output


@modelapi(name="lastword")
def lastword() -> type[ModelAPI]:
    return LastWord


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    LastWord.calls = 0
    common: dict[str, Any] = {"model": "lastword/m", "log_dir": str(folder), "display": "none", "max_samples": 1}
    task = hotpotqa(source="sample", limit=6)
    eval(task, solver=rag(bridges=["naive"]), epochs=2, **common)
    eval(task, solver=no_documents(), epochs=2, **common)
    eval(task, solver=rag(bridges=[{"truncate": {"words": 40}}], budget=30), epochs=2, **common)
    return folder


def test_cells_of_a_real_run(run: Path) -> None:
    cells = {cell.chain[0][0]: cell for cell in read_logs([run]).cells}
    assert set(cells) == {"bridgebench/naive", "bridgebench/no_documents", "bridgebench/truncate"}
    naive = cells["bridgebench/naive"]
    assert naive.complete
    assert (naive.benchmark, naive.generator, naive.headline, naive.expected) == ("hotpotqa", "lastword/m", "f1", 12)
    assert naive.samples is not None
    assert set(naive.samples.scores) == {"f1", "em"}
    assert naive.samples.unscored["f1"] == {"content_filter": 1}
    assert sorted(set(naive.samples.epochs)) == [1, 2]
    assert cells["bridgebench/truncate"].chain[0][1]["words"] == 40
    assert cells["bridgebench/truncate"].setting["reader"] == {"budget": 30}
    assert naive.table == cells["bridgebench/no_documents"].table != cells["bridgebench/truncate"].table


def test_costs_are_in_the_summaries(run: Path) -> None:
    cells = {cell.chain[0][0]: cell for cell in read_logs([run]).cells}
    naive, closed, short = (cells[f"bridgebench/{name}"].samples for name in ("naive", "no_documents", "truncate"))
    assert naive is not None
    assert closed is not None
    assert short is not None
    assert (naive.diagnostics["cost.words"] == naive.diagnostics["cost.words_retrieved"]).all()
    assert naive.diagnostics["cost.words"].min() > 100
    assert closed.diagnostics["cost.words"].max() == 0
    assert closed.diagnostics["cost.empty"].min() == 1
    assert short.diagnostics["cost.words"].max() <= 30
    assert short.diagnostics["cost.cut"].min() == 1
    assert naive.facts["unit"] == ("words",)


def test_the_report_of_a_real_run(run: Path) -> None:
    report = read_report([run], resamples=200)
    assert [len(table.rows) for table in report.tables] == [2, 1]
    naive, closed = report.tables[0].rows
    assert (naive.control, closed.control) == ("naive", "no_documents")
    assert naive.estimates["f1"].questions == 6, "the other epoch of the withheld answer was scored"
    assert sum(naive.unscored.values()) == 1
    assert closed.differences["f1"]["naive"].pairs == 6
    assert any("settings are kept apart; they differ in reader" in note for note in report.notes)


def test_bridge_stage_logs_are_not_cells(run: Path, tmp_path: Path) -> None:
    from bridgebench.solvers.rag import bridge_stage

    eval(
        hotpotqa(source="sample", limit=1),
        solver=bridge_stage(bridges=["naive"]),
        model="none/none",
        score=False,
        log_dir=str(tmp_path / "bridges"),
        display="none",
    )
    assert len(read_logs([run, tmp_path]).cells) == 3


def test_a_log_that_is_given_twice_is_one(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(run)
    assert read_logs([".", next(run.rglob("*.eval")).relative_to(run)]).superseded == ()


def test_a_log_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken.eval").write_bytes(b"not a zip")
    with pytest.raises(BridgebenchError, match=r"broken\.eval: not a readable Inspect log"):
        read_logs([tmp_path])
    part = tmp_path / "2026-11-29T10-00-00+00-00_hotpotqa_abc.json"
    part.write_text('{"version": 2, "status": "success"}')
    with pytest.raises(BridgebenchError, match=r"abc\.json: not a readable Inspect log"):
        read_logs([part])
    (tmp_path / "empty").mkdir()
    with pytest.raises(BridgebenchError, match="no Inspect logs in"):
        read_logs([tmp_path / "empty"])
    with pytest.raises(BridgebenchError, match="no such log or folder"):
        read_logs([tmp_path / "absent"])


@pytest.mark.parametrize(
    ("manifest", "problem"),
    [
        ("{", "not a readable manifest"),
        ("[]", "a manifest is a JSON object"),
        ({"suite": "s", "created": "now"}, "field 'cells' must be a list"),
        ({"suite": "s", "created": "now", "cells": [{"id": 1}]}, "cell 1: field 'id' must be a str"),
        ({"suite": "s", "created": "now", "cells": ["x"]}, "cell 1: a cell is a JSON object"),
    ],
)
def test_a_bad_manifest_names_the_place(run: Path, tmp_path: Path, manifest: Any, problem: str) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(manifest if isinstance(manifest, str) else json.dumps(manifest))
    with pytest.raises(BridgebenchError, match=problem) as error:
        read_logs([run, tmp_path])
    assert str(path) in str(error.value)
