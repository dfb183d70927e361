"""LongBench: passages, subsets, length buckets, and the mirrors that are refused."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridgebench.benchmarks._fields import Record
from bridgebench.benchmarks.longbench.context import split_context, split_triviaqa
from bridgebench.benchmarks.longbench.longbench import SUBSETS, length_bucket, longbench, record_to_sample
from bridgebench.errors import BridgebenchError, RecordError

Upstream = dict[str, dict[str, Any]]
AsRecord = Callable[..., Record]


def test_sample(upstream: Upstream, as_record: AsRecord) -> None:
    sample = record_to_sample(as_record(upstream["longbench"]))
    metadata = sample.metadata or {}
    assert (sample.id, sample.target, metadata["question_type"]) == ("a" * 48, ["Orland"], "4-8k")
    assert [(d["title"], d["text"]) for d in metadata["documents"]] == [
        ("Tall Lamp", "Made by Ada.\nPassage 7:\nnot a header"),
        ("Ada", "Lives in Orland."),
    ]


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ("Passage 1:\nT\nx\nPassage 2:\nU\ny", [("T", "x"), ("U", "y")]),
        ("\nPassage 1:\nT\nx Passage 2:\nU", [("T", "x Passage 2:\nU")]),
        ("Passage 1:\nalone\nPassage 2:\n\nPassage 3:\nT\nx\n\n", [("", "alone"), ("", ""), ("T", "x")]),
        ("Passage 1:\nT\nx\nPassage 3:\ny\nPassage 2:\nU\nz", [("T", "x\nPassage 3:\ny"), ("U", "z")]),
        ("文章1\n标题：灯\n很高\n文章2\n标题：油\n很贵", [("灯", "很高"), ("油", "很贵")]),
        ("Some text.\nPassage 1:\nT\nx", [("", "Some text.\nPassage 1:\nT\nx")]),
        (f"Passage {'9' * 5000}:\nT", [("", f"Passage {'9' * 5000}:\nT")]),
        ("One long text {with} braces", [("", "One long text {with} braces")]),
    ],
)
def test_split_context(context: str, expected: list[tuple[str, str]]) -> None:
    documents = split_context(context)
    assert [(document.title, document.text) for document in documents] == expected
    assert [document.id for document in documents] == [str(index) for index in range(len(expected))]


@pytest.mark.parametrize(
    ("length", "bucket"), [(0, "0-4k"), (3999, "0-4k"), (4000, "4-8k"), (7999, "4-8k"), (8000, "8k+")]
)
def test_length_bucket(length: int, bucket: str) -> None:
    assert length_bucket(length) == bucket


@pytest.mark.parametrize(
    "change",
    [
        {"question": "q", "input": None},
        {"answer_prefix": "Answer:"},
        {"context": "Answer the question based on the given passages. Only give me\n\nPassage 1:\nT\nx"},
        {"context": "阅读以下文字并用中文简短回答：\n\n文"},
    ],
)
def test_mirrors_with_the_prompt_baked_in_are_refused(
    upstream: Upstream, as_record: AsRecord, change: dict[str, Any]
) -> None:
    with pytest.raises(RecordError, match="hold.* instruction already.*data.zip of zai-org/LongBench"):
        record_to_sample(as_record(upstream["longbench"] | change))


def test_triviaqa_keeps_its_passage_in_the_input(upstream: Upstream, as_record: AsRecord) -> None:
    row = upstream["longbench"] | {"dataset": "triviaqa", "context": "Passage:\nexample\nQuestion:\nq\nAnswer:\na"}
    row["input"] = "Passage:\nThe lamp.\nQuestion: inside\nIt is tall.\nQuestion:\nHow tall?\nAnswer:\n"
    question, documents = split_triviaqa(as_record(row))
    assert (question, documents[0].text) == ("How tall?", "The lamp.\nQuestion: inside\nIt is tall.")
    sample = record_to_sample(as_record(row))
    assert (sample.input, len((sample.metadata or {})["documents"])) == ("How tall?", 1)
    with pytest.raises(RecordError, match="field 'input': must be 'Passage:'"):
        record_to_sample(as_record(row | {"input": "How tall?"}))


def test_rows_without_an_id_get_a_stable_one(upstream: Upstream, as_record: AsRecord) -> None:
    row = upstream["longbench"] | {"_id": None}
    first, second = (record_to_sample(as_record(row)) for _ in range(2))
    assert first.id == second.id != record_to_sample(as_record(row | {"answers": ["x"]})).id


def test_questions_about_one_text_are_one_cluster(upstream: Upstream, as_record: AsRecord) -> None:
    row = upstream["longbench"] | {"dataset": "qasper", "context": "One paper."}
    changes: list[dict[str, Any]] = [{"_id": "1", "input": "Why?"}, {"_id": "2"}, {"_id": "3", "context": "Another."}]
    clusters = [(record_to_sample(as_record(row | change)).metadata or {})["cluster"] for change in changes]
    assert clusters[0] == clusters[1] != clusters[2]


def test_triviaqa_questions_that_share_examples_are_no_cluster(upstream: Upstream, as_record: AsRecord) -> None:
    inputs = [f"Passage:\nLamp {n}.\nQuestion:\nHow tall?\nAnswer:\n" for n in (1, 2)]
    rows = [upstream["longbench"] | {"dataset": "triviaqa", "input": text} for text in inputs]
    first, second = ((record_to_sample(as_record(row)).metadata or {})["cluster"] for row in rows)
    assert first != second


@pytest.mark.parametrize("subset", SUBSETS)
def test_subsets_of_the_released_zip(upstream: Upstream, tmp_path: Path, subset: str) -> None:
    path = tmp_path / "data.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in (*SUBSETS, "gov_report"):
            row = upstream["longbench"] | {"dataset": name.removesuffix("_e"), "_id": name}
            if name == "triviaqa":
                row["input"] = "Passage:\nx\nQuestion:\nq\nAnswer:\n"
            archive.writestr(f"data/{name}.jsonl", json.dumps(row) + "\n")
    task = longbench(subset=subset, source=str(path))
    assert [sample.id for sample in task.dataset] == [subset]
    assert task.config.max_tokens == SUBSETS[subset].max_tokens
    reader = (task.dataset[0].metadata or {})["reader"]
    assert (reader["cut"], reader["prompt"]) == (
        "middle",
        "qa_zh" if subset in ("multifieldqa_zh", "dureader") else "qa",
    )
    assert reader["answer"] == ("first_line" if subset == "triviaqa" else "as_is")
    assert task.headline_metric is not None
    assert task.headline_metric.score == ("rouge_l" if subset == "dureader" else "f1")


def test_other_subsets_are_left_out_and_counted(upstream: Upstream, write_lines: Callable[..., str]) -> None:
    rows = [upstream["longbench"] | {"dataset": name, "_id": name} for name in ("2wikimqa", "2wikimqa_e", "musique")]
    task = longbench(source=write_lines(rows), subset="2wikimqa_e")
    assert [sample.id for sample in task.dataset] == ["2wikimqa_e"]
    assert (task.metadata or {})["records"]["excluded"] == {"subset 2wikimqa": 1, "subset musique": 1}
    with pytest.raises(BridgebenchError, match="1 subset 2wikimqa_e"):
        longbench(source=write_lines(rows[:1], "2wikimqa_e.jsonl"), subset="2wikimqa")
    with pytest.raises(BridgebenchError, match="2 subset"):
        longbench(source=write_lines([upstream["longbench"]] * 2, "x.jsonl"), subset="qasper")
    with pytest.raises(BridgebenchError, match="argument 'subset' must be one of 2wikimqa"):
        longbench(subset="musique_e")
