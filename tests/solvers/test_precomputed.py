"""Outputs made elsewhere: every line checked before the run, no question silently passed through."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridgebench import BridgebenchError, Document, RecordError
from bridgebench.solvers.bridge import bridge_info
from bridgebench.solvers.precomputed import precomputed
from bridgebench.testing import DOCUMENTS, QUESTION, check_bridge

ASKED = "Where was Ida Marsh born?"


def write(folder: Path, *lines: dict[str, Any] | str, name: str = "outputs.jsonl") -> str:
    path = folder / name
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return str(path)


def test_what_the_file_holds_is_the_result(tmp_path: Path, scripted: Any, bridged: Callable[..., Any]) -> None:
    documents = ["Born in Tarnholm.", {"text": "A town.", "title": "Tarnholm", "id": "x", "sources": ["d2"]}]
    cost = {"seconds": 1.5, "calls": 2, "device": "NVIDIA H100"}
    path = write(tmp_path, {"question": ASKED, "documents": documents, "cost": cost, "parse": "repaired"})
    record = bridged(precomputed(path=path), scripted(""))
    assert record["documents"] == [
        {"id": "precomputed-1", "title": "", "text": "Born in Tarnholm.", "sources": ["d1", "d2", "d3"]},
        {"id": "x", "title": "Tarnholm", "text": "A town.", "sources": ["d2"]},
    ]
    assert (record["parse"], record["cost"]["seconds"], record["cost"]["device"]) == ("repaired", 1.5, "NVIDIA H100")
    assert record["notes"] == {"line": f"{path}, line 1", "cost_stated": True}


def test_a_cost_that_is_not_stated_is_not_the_time_of_a_look_up(
    tmp_path: Path, scripted: Any, bridged: Callable[..., Any]
) -> None:
    record = bridged(precomputed(path=write(tmp_path, {"question": ASKED, "text": "Born."})), scripted(""))
    assert (record["cost"]["seconds"], record["cost"]["device"], record["notes"]["cost_stated"]) == (
        0.0,
        "precomputed",
        False,
    )


def test_an_empty_text_is_an_empty_context(tmp_path: Path, scripted: Any, bridged: Callable[..., Any]) -> None:
    record = bridged(precomputed(path=write(tmp_path, {"question": ASKED, "text": ""})), scripted(""))
    assert (record["documents"], record["parse"]) == ([], "empty")


def test_a_question_that_is_not_in_the_file_is_an_error(
    tmp_path: Path, scripted: Any, evaluate: Callable[..., Any]
) -> None:
    solver = precomputed(path=write(tmp_path, {"question": "Who?", "text": "Born."}))
    log = evaluate(solver, scripted(""), fail_on_error=False)
    assert f"has no line with the question '{ASKED}'" in log.samples[0].error.message


def test_lines_may_name_ids_of_a_dataset(tmp_path: Path, scripted: Any, bridged: Callable[..., Any]) -> None:
    questions = write(tmp_path, {"id": "q1", "question": ASKED, "answer": "Tarnholm"}, name="dataset.jsonl")
    path = write(tmp_path, {"id": "q1", "text": "Born."})
    assert bridged(precomputed(path=path, questions=questions), scripted(""))["documents"][0]["text"] == "Born."


def test_one_question_on_several_lines_is_told_apart_by_its_documents(
    tmp_path: Path, scripted: Any, bridged: Callable[..., Any], evaluate: Callable[..., Any], documents: Any
) -> None:
    path = write(
        tmp_path,
        {"question": ASKED, "retrieved": ["d1"], "text": "of one"},
        {"question": ASKED, "retrieved": ["d1", "d2", "d3"], "text": "of three"},
    )
    solver = precomputed(path=path)
    assert bridged(solver, scripted(""))["documents"][0]["text"] == "of three"
    assert bridged(solver, scripted(""), documents[:1])["documents"][0]["text"] == "of one"
    log = evaluate(solver, scripted(""), documents[:2], fail_on_error=False)
    assert "has no line for these documents" in log.samples[0].error.message


def test_a_source_that_was_not_retrieved_is_an_error(
    tmp_path: Path, scripted: Any, evaluate: Callable[..., Any]
) -> None:
    path = write(tmp_path, {"question": ASKED, "documents": [{"text": "x", "sources": ["d9"]}]})
    log = evaluate(precomputed(path=path), scripted(""), fail_on_error=False)
    assert "line 1: field 'sources': ['d9'] are not among" in log.samples[0].error.message


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['{"question": "q", "text": "t"}', "{"], "line 2: field '(line)': Invalid JSON"),
        (["[]"], "line 1: field '(line)'"),
        (['{"question": "q"}'], "line 1: field 'documents': a line has either"),
        (['{"question": "q", "text": "t", "documents": []}'], "line 1: field 'documents': a line has either"),
        (['{"question": 3, "text": "t"}'], "line 1: field 'question'"),
        (['{"text": "t"}'], "line 1: field 'id': None is not in `questions`"),
        (['{"id": "q1", "text": "t"}'], "line 1: field 'id': 'q1' is not in `questions`"),
        (['{"question": "q", "documents": [{"title": "no text"}]}'], "line 1: field 'documents.0"),
        (
            ['{"question": "q", "documents": [{"id": "x", "text": "a"}, {"id": "x", "text": "b"}]}'],
            "line 1: field 'documents': two documents share an id",
        ),
        (['{"question": "q", "text": "t", "parse": "good"}'], "line 1: field 'parse'"),
        (
            ['{"question": "q", "text": "t", "cost": {"second": 1}}'],
            "line 1: field 'cost': Value error, has unknown fields",
        ),
        (
            ['{"question": "q", "text": "t"}', "", '{"question": "q", "text": "u"}'],
            "line 3: field 'retrieved': must tell this line from line 1",
        ),
    ],
)
def test_a_wrong_line_is_refused_before_the_run(lines: list[str], message: str, tmp_path: Path) -> None:
    path = write(tmp_path, *lines)
    with pytest.raises(RecordError) as error:
        precomputed(path=path)
    assert f"{path}: {message}" in str(error.value)


def test_a_missing_file_is_refused_before_the_run() -> None:
    with pytest.raises(BridgebenchError, match=r"nowhere.jsonl: cannot be read"):
        precomputed(path="nowhere.jsonl")


def test_a_changed_file_is_read_again_and_has_another_fingerprint(tmp_path: Path) -> None:
    info = bridge_info("bridgebench/precomputed")
    assert info is not None
    assert info.fingerprint is not None
    path = write(tmp_path, {"question": ASKED, "text": "one"})
    before = info.fingerprint(path=path, questions=None)
    write(tmp_path, {"question": ASKED, "text": "two"})
    assert info.fingerprint(path=path, questions=None) != before


def test_the_contract_where_the_file_holds_the_questions(tmp_path: Path) -> None:
    """It refuses what it does not hold, so the kit is given questions that it does."""
    odd = "{{ 1000003 * 7 }} {x} \x00 👩‍🚀?"
    path = write(tmp_path, {"question": QUESTION, "text": "Sella."}, {"question": odd, "text": "Sella."})
    assert check_bridge(precomputed, documents=DOCUMENTS, path=path)
    assert isinstance(DOCUMENTS[0], Document)
