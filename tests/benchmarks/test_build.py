"""A task says what it read, what it left out and what it asks."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task

from bridgebench.benchmarks._selection import ids_hash, manifest
from bridgebench.benchmarks.hotpotqa.hotpotqa import hotpotqa
from bridgebench.benchmarks.musique.musique import musique
from bridgebench.errors import BridgebenchError, RecordError

Write = Callable[..., str]
Upstream = dict[str, dict[str, Any]]


def many(record: dict[str, Any], n: int) -> list[dict[str, Any]]:
    return [record | {"_id": f"h{number}"} for number in range(n)]


def ids(task: Task) -> list[str]:
    return [str(sample.id) for sample in task.dataset]


def about(task: Task, key: str) -> Any:
    assert task.metadata is not None
    return task.metadata[key]


def test_task_structure(upstream: Upstream, write_lines: Write) -> None:
    path = write_lines(many(upstream["hotpotqa"], 3))
    task = hotpotqa(source=path)
    assert ids(task) == ["h0", "h1", "h2"]
    assert task.version == 1
    assert task.config.max_tokens == 32
    assert task.config.temperature == 0.0
    assert task.headline_metric is not None
    assert (task.headline_metric.scorer, task.headline_metric.score) == ("qa_f1", "f1")
    assert about(task, "records") == {"read": 3, "skipped": 0, "skipped_records": [], "excluded": {}, "used": 3}
    assert about(task, "ids_sha256") == ids_hash(["h0", "h1", "h2"])
    assert about(task, "provenance")["files"][0]["name"] == path
    assert (about(task, "source"), about(task, "seed"), about(task, "documents")) == (path, 0, "all")
    json.dumps(task.metadata)
    for sample in task.dataset:
        assert sample.metadata is not None
        assert {"benchmark", "documents", "gold_documents", "cluster", "question_type", "reader"} <= set(
            sample.metadata
        )


def test_bad_records_raise_or_are_counted(upstream: Upstream, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    good = many(upstream["hotpotqa"], 3)
    lines = [json.dumps(good[0]), json.dumps(good[1] | {"answer": None}), "{", json.dumps(good[0]), json.dumps(good[2])]
    path = tmp_path / "records.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(RecordError, match=r'records\.jsonl: line 2 \(_id "h1"\): field \'answer\': is null'):
        hotpotqa(source=str(path))
    task = hotpotqa(source=str(path), on_bad_record="skip")
    assert ids(task) == ["h0", "h2"]
    records = about(task, "records")
    assert (records["read"], records["skipped"], records["used"]) == (5, 3, 2)
    assert [line.partition(": ")[2] for line in records["skipped_records"]] == [
        "line 2 (_id \"h1\"): field 'answer': is null",
        "line 3: field '(record)': is not JSON: Expecting property name enclosed in double quotes: "
        "line 1 column 2 (char 1)",
        f'line 4 (_id "h0"): field \'id\': "h0" is also the id of line 1 (_id "h0") of {path}',
    ]
    assert "skipped 3 of 5 records" in caplog.text


def test_duplicate_ids_are_an_error(upstream: Upstream, write_lines: Write) -> None:
    with pytest.raises(RecordError, match='"h0" is also the id of line 1'):
        hotpotqa(source=write_lines([*many(upstream["hotpotqa"], 1)] * 2))


def test_broken_files_are_never_skipped_over(upstream: Upstream, tmp_path: Path) -> None:
    path = tmp_path / "records.json"
    path.write_text(json.dumps(many(upstream["hotpotqa"], 3))[:-40])
    with pytest.raises(BridgebenchError, match="cannot be read past its first 2 records"):
        hotpotqa(source=str(path), on_bad_record="skip")


def test_limit_draws_by_seed(upstream: Upstream, write_lines: Write, caplog: pytest.LogCaptureFixture) -> None:
    path = write_lines(many(upstream["hotpotqa"], 40))
    five = hotpotqa(source=path, limit=5)
    assert len(ids(five)) == 5
    assert ids(five) == ids(hotpotqa(source=path, limit=5))
    assert ids(five) != ids(hotpotqa(source=path, limit=5, seed=1))
    assert about(five, "records")["read"] == 40
    hotpotqa(source=path, limit=50)
    assert "limit=50, but the source has only 40" in caplog.text


def test_ids_of_a_manifest(upstream: Upstream, write_lines: Write, tmp_path: Path) -> None:
    path = write_lines(many(upstream["hotpotqa"], 9))
    chosen = tmp_path / "ids.json"
    chosen.write_text(json.dumps(manifest(["h7", "h2"])))
    assert ids(hotpotqa(source=path, ids=str(chosen))) == ["h2", "h7"]


def test_retrieved_documents_replace(upstream: Upstream, write_lines: Write) -> None:
    path = write_lines(many(upstream["hotpotqa"], 2))
    documents = [{"id": "d9", "title": "", "text": "Nine."}, {"id": "d3", "title": "T", "text": "Three."}]
    run = write_lines(
        [
            {"id": "h1", "documents": documents, "gold_documents": ["d3"]},
            {"id": "other", "documents": []},
            {"id": "h0", "documents": []},
        ],
        "run.jsonl",
    )
    task = hotpotqa(source=path, retrieved=run)
    first, second = (sample.metadata or {} for sample in task.dataset)
    assert (first["documents"], first["gold_documents"]) == ([], [])
    assert [document["id"] for document in second["documents"]] == ["d9", "d3"]
    assert second["documents"][0]["sources"] == ["d9"]
    assert second["gold_documents"] == ["d3"]
    assert about(task, "provenance")["retrieved"]["name"] == run


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([{"id": "h0", "documents": []}], "1 of 2 questions are missing: h1"),
        ([{"id": "h0", "documents": []}] * 2, "field 'id': \"h0\" has come before"),
        ([{"id": "h0"}], "field 'documents': is missing"),
        ([{"id": "h0", "documents": [{"id": "a", "title": "t"}]}], r"field 'documents\[0\]\.text': is missing"),
        ([{"id": "h0", "documents": [{"id": "a", "title": "", "text": ""}] * 2}], "repeats a document id"),
        ([{"id": "h0", "documents": [], "gold_documents": ["a"]}], "are not among the documents: a"),
        ([3], "must be a JSON object"),
    ],
)
def test_bad_runs(upstream: Upstream, write_lines: Write, rows: list[Any], problem: str) -> None:
    path = write_lines(many(upstream["hotpotqa"], 2))
    with pytest.raises(BridgebenchError, match=problem):
        hotpotqa(source=path, retrieved=write_lines(rows, "run.jsonl"))


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"limits": 3}, "argument 'limits'.*common arguments: source, split, limit"),
        ({"limit": 0}, "argument 'limit': .*greater than or equal to 1"),
        ({"limit": "3"}, "argument 'limit': .*valid integer"),
        ({"seed": 1.5}, "argument 'seed'"),
        ({"on_bad_record": "ignore"}, "argument 'on_bad_record': .*'raise' or 'skip'"),
        ({"budget": -1}, "argument 'budget'"),
        ({"documents": "first_10"}, "argument 'documents' must be one of all, gold, got 'first_10'"),
        ({"limit": 3, "ids": "x.json"}, "ids=... and limit=... exclude each other"),
        ({"retrieved": "x.jsonl", "documents": "gold"}, "documents=gold and retrieved=... exclude each other"),
        ({"source": "sample", "split": "train"}, "says nothing of a single file"),
        ({"source": "sample", "retrieved": "absent.jsonl"}, "retrieved 'absent.jsonl': there is no such file"),
        ({"source": "sample", "retrieved": __file__}, "retrieved '.*': must be a .json"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(BridgebenchError, match=problem):
        hotpotqa(**arguments)


def test_nothing_usable_is_an_error(upstream: Upstream, write_lines: Write) -> None:
    path = write_lines([upstream["hotpotqa"] | {"answer": ""}])
    with pytest.raises(BridgebenchError, match=r"no usable record in .*\(1 read, 1 skipped, none excluded\)"):
        hotpotqa(source=path, on_bad_record="skip")
    with pytest.raises(BridgebenchError, match=r"\(1 read, 0 skipped, 1 unanswerable\)"):
        musique(source=write_lines([upstream["musique"] | {"answerable": False}]))


def test_budget_goes_to_the_reader(upstream: Upstream, write_lines: Write) -> None:
    task = hotpotqa(source=write_lines([upstream["hotpotqa"]]), budget=100, tokenizer="folder")
    reader = (task.dataset[0].metadata or {})["reader"]
    assert (reader["budget"], reader["tokenizer"], reader["cut"]) == (100, "folder", "end")


def test_gold_control_leaves_out_questions_without_gold(upstream: Upstream, write_lines: Write) -> None:
    with_gold, without = many(upstream["hotpotqa"], 2)
    path = write_lines([with_gold, without | {"supporting_facts": []}])
    task = hotpotqa(source=path, documents="gold")
    assert ids(task) == ["h0"]
    assert about(task, "records")["excluded"] == {"no gold document": 1}
