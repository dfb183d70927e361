"""AmbigQA: annotations of every shape, and search results as documents."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from bridgebench.benchmarks._fields import Record
from bridgebench.benchmarks.ambigqa.ambigqa import ambigqa, record_to_sample
from bridgebench.errors import RecordError
from bridgebench.scorers.ambigqa_metrics import ambigqa_f1

Upstream = dict[str, dict[str, Any]]
AsRecord = Callable[..., Record]


def hub_shape(record: dict[str, Any]) -> dict[str, Any]:
    """The same record as the hub's dicts of lists, with empty lists for what a row lacks."""
    hub = copy.deepcopy(record)
    annotations = record["annotations"]
    pairs = [annotation.get("qaPairs", []) for annotation in annotations]
    hub["annotations"] = {
        "type": [annotation["type"] for annotation in annotations],
        "answer": [annotation.get("answer", []) for annotation in annotations],
        "qaPairs": [{key: [pair[key] for pair in listed] for key in ("question", "answer")} for listed in pairs],
    }
    queries = record["used_queries"]
    hub["used_queries"] = {
        "query": [query["query"] for query in queries],
        "results": [
            {key: [result[key] for result in query["results"]] for key in ("title", "snippet")} for query in queries
        ],
    }
    return hub


def test_sample(upstream: Upstream, as_record: AsRecord) -> None:
    sample = record_to_sample(as_record(upstream["ambigqa"]))
    metadata = sample.metadata or {}
    assert (sample.id, sample.target) == ("-12", ["1901", "in 1901", "May 1950"])
    assert [(d["id"], d["title"], d["text"]) for d in metadata["documents"]] == [
        ("0", "Lamp & Co", "The lamp was lit in 1901 'at last'"),
        ("1", "Lamp", ""),
    ]
    assert metadata["question_type"] == "mixed"
    assert metadata["counts"] == {"repeated_results": 1, "empty_documents": 1}
    # both annotations want one of theirs: 1/1 and 1/2 groups
    assert ambigqa_f1(metadata["annotations"], ["1901"]) == 1.0


def test_hub_shape_gives_the_same_sample(upstream: Upstream, as_record: AsRecord) -> None:
    raw = upstream["ambigqa"]
    assert record_to_sample(as_record(hub_shape(raw))) == record_to_sample(as_record(raw))


def test_first_ten_results_of_all_queries(upstream: Upstream, as_record: AsRecord) -> None:
    queries = [
        {"query": f"q{n}", "results": [{"title": f"t{n}{i}", "snippet": f"s{n}{i}"} for i in range(7)]}
        for n in range(3)
    ]
    metadata = record_to_sample(as_record(upstream["ambigqa"] | {"used_queries": queries})).metadata or {}
    titles = [document["title"] for document in metadata["documents"]]
    assert titles == [f"t0{i}" for i in range(7)] + ["t10", "t11", "t12"]
    assert metadata["counts"] == {"results_beyond_10": 11}
    empty = record_to_sample(as_record(upstream["ambigqa"] | {"used_queries": []})).metadata or {}
    assert (empty["documents"], empty["counts"]) == ([], {"questions_without_results": 1})


def test_light_configuration(upstream: Upstream, write_lines: Callable[..., str]) -> None:
    light = {key: value for key, value in upstream["ambigqa"].items() if key != "used_queries"}
    path = write_lines([light])
    with pytest.raises(RecordError, match="configuration 'light', which has no documents"):
        ambigqa(source=path)
    run = write_lines([{"id": "-12", "documents": [{"id": "d", "title": "", "text": "Lit in 1901."}]}], "run.jsonl")
    (sample,) = ambigqa(source=path, retrieved=run).dataset
    assert (sample.metadata or {})["documents"][0]["text"] == "Lit in 1901."


@pytest.mark.parametrize(
    ("annotations", "problem"),
    [
        ([], "field 'annotations': is empty"),
        ([{"type": "single_answer", "answer": ["a"]}], r"annotations\[0\]\.type': must be one of singleAnswer"),
        ([{"type": "singleAnswer", "answer": []}], r"annotations\[0\]\.answer': is empty"),
        ([{"type": "singleAnswer"}], r"annotations\[0\]\.answer': is missing"),
        ([{"type": "multipleQAs", "qaPairs": []}], r"annotations\[0\]\.qaPairs': is empty"),
        ([{"type": "multipleQAs", "qaPairs": [{"question": "q"}]}], r"qaPairs\[0\]\.answer': is missing"),
    ],
)
def test_bad_annotations(upstream: Upstream, as_record: AsRecord, annotations: list[Any], problem: str) -> None:
    with pytest.raises(RecordError, match=problem):
        record_to_sample(as_record(upstream["ambigqa"] | {"annotations": annotations}))
