"""MS MARCO: three upstream shapes, unanswerable questions, and the extractive split."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task

from bridgebench.benchmarks._fields import Record
from bridgebench.benchmarks.msmarco.msmarco import NO_ANSWER, answer_type, msmarco, record_to_sample
from bridgebench.errors import RecordError

Upstream = dict[str, dict[str, Any]]
AsRecord = Callable[..., Record]


def hub_shape(record: dict[str, Any]) -> dict[str, Any]:
    passages = record["passages"]
    columns = {key: [passage[key] for passage in passages] for key in passages[0]}
    return record | {"passages": columns, "wellFormedAnswers": []}


def records(task: Task) -> dict[str, Any]:
    assert task.metadata is not None
    return dict(task.metadata["records"])


def test_sample(upstream: Upstream, as_record: AsRecord) -> None:
    sample = record_to_sample(as_record(upstream["msmarco"]))
    metadata = sample.metadata or {}
    assert (sample.id, sample.target) == ("77", ["Nine feet"])
    assert [d["title"] for d in metadata["documents"]] == ["", ""]
    assert (metadata["gold_documents"], metadata["question_type"]) == (["1"], "NUMERIC")
    assert (metadata["answer_type"], metadata["counts"]) == ("extractive", {})


def test_hub_shape_gives_the_same_sample(upstream: Upstream, as_record: AsRecord) -> None:
    assert record_to_sample(as_record(hub_shape(upstream["msmarco"]))) == record_to_sample(
        as_record(upstream["msmarco"])
    )


def test_raw_release_by_columns(upstream: Upstream, tmp_path: Path) -> None:
    rows = [upstream["msmarco"] | {"query_id": number} for number in range(3)]
    rows[1] |= {"answers": [NO_ANSWER]}
    path = tmp_path / "dev_v2.1.json"
    path.write_text(json.dumps({key: {str(i): row[key] for i, row in enumerate(rows)} for key in rows[0]}))
    task = msmarco(source=str(path))
    assert [sample.id for sample in task.dataset] == ["0", "2"]
    assert records(task)["excluded"] == {"unanswerable": 1}


@pytest.mark.parametrize("answers", [[], [NO_ANSWER]])
def test_unanswerable(upstream: Upstream, write_lines: Callable[..., str], answers: list[str]) -> None:
    path = write_lines([upstream["msmarco"], upstream["msmarco"] | {"query_id": 78, "answers": answers}])
    assert records(msmarco(source=path))["excluded"] == {"unanswerable": 1}
    kept = msmarco(source=path, unanswerable="include")
    assert [sample.target for sample in kept.dataset] == [["Nine feet"], [NO_ANSWER]]
    assert (kept.metadata or {})["counts"] == {"unanswerable": 1}


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (["Nine feet"], "extractive"),
        (["the NINE feet!"], "extractive"),
        (["nine fee"], "abstractive"),
        (["feet nine"], "abstractive"),
        (["eight", "all told"], "extractive"),
        (["the"], "abstractive"),
    ],
)
def test_answer_type(answers: list[str], expected: str) -> None:
    assert answer_type(answers, ["It is nine feet, all told.", "It is tall."]) == expected


def test_subsets(upstream: Upstream, write_lines: Callable[..., str]) -> None:
    extractive, abstractive, none = (upstream["msmarco"] | {"query_id": number} for number in range(3))
    path = write_lines([extractive, abstractive | {"answers": ["A tall one"]}, none | {"answers": []}])
    for subset, id, excluded in (
        ("extractive", "0", {"abstractive": 1, "unanswerable": 1}),
        ("abstractive", "1", {"extractive": 1, "unanswerable": 1}),
    ):
        task = msmarco(source=path, subset=subset, unanswerable="include")  # type: ignore[arg-type]
        assert [sample.id for sample in task.dataset] == [id]
        assert records(task)["excluded"] == excluded


def test_gold_passages(upstream: Upstream, as_record: AsRecord) -> None:
    sample = record_to_sample(as_record(upstream["msmarco"]), documents="gold")
    assert [d["id"] for d in (sample.metadata or {})["documents"]] == ["1"]


def test_unlabelled_test_split_has_no_selection(upstream: Upstream, as_record: AsRecord) -> None:
    record = upstream["msmarco"]
    hidden = [passage | {"is_selected": -1} for passage in record["passages"]]
    sample = record_to_sample(as_record(record | {"passages": hidden}))
    assert ((sample.metadata or {})["gold_documents"], (sample.metadata or {})["counts"]) == (
        [],
        {"nothing_selected": 1},
    )
    absent = [{"passage_text": "x"}]
    with pytest.raises(RecordError, match=r"field 'passages\[0\]\.is_selected': is missing"):
        record_to_sample(as_record(record | {"passages": absent}))
