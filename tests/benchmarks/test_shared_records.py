"""The real records beside the checkout go through their tasks."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task

from bridgebench.benchmarks.ambigqa.ambigqa import ambigqa
from bridgebench.benchmarks.arxiv_cards.arxiv_cards import arxiv_cards
from bridgebench.benchmarks.crag.crag import crag
from bridgebench.benchmarks.hotpotqa.hotpotqa import hotpotqa
from bridgebench.benchmarks.longbench.longbench import longbench
from bridgebench.benchmarks.msmarco.msmarco import msmarco
from bridgebench.benchmarks.musique.musique import musique
from bridgebench.benchmarks.twowiki.twowiki import twowiki
from bridgebench.errors import RecordError

pytestmark = pytest.mark.shared


def metadata(task: Task) -> list[dict[str, Any]]:
    return [dict(sample.metadata or {}) for sample in task.dataset]


@pytest.mark.parametrize(
    ("make", "file", "used"),
    [
        (hotpotqa, "hotpotqa.jsonl", 20),
        (hotpotqa, "hotpotqa_train.jsonl", 10),
        (twowiki, "2wikimultihopqa.jsonl", 20),
        (musique, "musique.jsonl", 20),
        (musique, "musique_train.jsonl", 5),
        (ambigqa, "ambigqa_full.jsonl", 5),
        (msmarco, "msmarco_v1.1.jsonl", 18),
        (msmarco, "msmarco_raw_v1.1_jsonl_upstream.jsonl", 1),
        (crag, "crag_trunc20k.jsonl", 4),
        (lambda **k: longbench(subset="2wikimqa", **k), "longbench_2wikimqa.reconstructed.jsonl", 5),
        (lambda **k: longbench(subset="hotpotqa", **k), "longbench_hotpotqa.reconstructed.jsonl", 4),
        (lambda **k: longbench(subset="musique", **k), "longbench_musique.reconstructed.jsonl", 2),
        (lambda **k: longbench(subset="multifieldqa_en", **k), "longbench_multifieldqa_en.reconstructed.jsonl", 3),
        (lambda **k: longbench(subset="multifieldqa_zh", **k), "longbench_multifieldqa_zh.jsonl", 4),
        (lambda **k: longbench(subset="qasper", **k), "longbench_qasper.reconstructed.jsonl", 3),
        (arxiv_cards, "qasper.jsonl", 4),
    ],
)
def test_every_record_is_read(shared: Path, make: Callable[..., Task], file: str, used: int) -> None:
    task = make(source=str(shared / "data" / file))
    assert task.metadata is not None
    records = task.metadata["records"]
    assert (records["skipped"], records["used"], len(task.dataset)) == (0, used, used)
    for sample in task.dataset:
        json.dumps(sample.model_dump()).encode()
        assert all((sample.id, sample.input, sample.target))


def test_multihop_gold(shared: Path) -> None:
    for make, file in ((hotpotqa, "hotpotqa.jsonl"), (twowiki, "2wikimultihopqa.jsonl")):
        task = make(source=str(shared / "data" / file))
        for sample in metadata(task):
            assert len(sample["gold_documents"]) in ((4,) if sample["question_type"] == "bridge_comparison" else (2,))
        assert (task.metadata or {})["counts"] == {}
    hops = {"2hop": 2, "3hop1": 3, "3hop2": 3, "4hop1": 4, "4hop2": 4, "4hop3": 4}
    for sample in metadata(musique(source=str(shared / "data" / "musique.jsonl"), documents="all")):
        assert len(sample["documents"]) == 20
        assert len(sample["gold_documents"]) == sample["hops"] == hops[sample["question_type"]]


def test_one_space_between_sentences(shared: Path) -> None:
    for make, file in ((hotpotqa, "hotpotqa.jsonl"), (twowiki, "2wikimultihopqa.jsonl")):
        path = shared / "data" / file
        gaps: Counter[str] = Counter()
        for line, sample in zip(path.read_text().splitlines(), metadata(make(source=str(path))), strict=True):
            for (_, sentences), document in zip(json.loads(line)["context"], sample["documents"], strict=True):
                end = None
                for sentence in filter(None, map(str.strip, sentences)):
                    start = document["text"].index(sentence, end or 0)
                    if end is not None:
                        gaps[document["text"][end:start]] += 1
                    end = start + len(sentence)
        assert set(gaps) <= {" ", ""}
        assert gaps[" "] / gaps.total() > 0.98


def test_ambigqa(shared: Path) -> None:
    with pytest.raises(RecordError, match="configuration 'light'"):
        ambigqa(source=str(shared / "data" / "ambigqa.jsonl"))
    task = ambigqa(source=str(shared / "data" / "ambigqa_full.jsonl"))
    assert [len(sample["documents"]) for sample in metadata(task)] == [10] * 5
    assert (task.metadata or {})["counts"] == {"results_beyond_10": 10}
    texts = [document["text"] for sample in metadata(task) for document in sample["documents"]]
    assert not any(mark in text for text in texts for mark in ("<b>", "&#39;", "&quot;", "\n"))


def test_msmarco(shared: Path) -> None:
    task = msmarco(source=str(shared / "data" / "msmarco_v1.1.jsonl"))
    assert (task.metadata or {})["records"]["excluded"] == {"unanswerable": 2}
    assert (task.metadata or {})["counts"] == {"nothing_selected": 2}
    assert set(Counter(sample["answer_type"] for sample in metadata(task))) == {"extractive", "abstractive"}


def test_crag(shared: Path) -> None:
    for documents, counts in (
        ("snippet", {"repeated_pages": 5, "empty_pages": 2}),
        # cut to 20,000 characters, most of these pages end before their body begins
        ("page", {"repeated_pages": 2, "empty_pages": 14, "questions_without_pages": 1}),
    ):
        task = crag(source=str(shared / "data" / "crag_trunc20k.jsonl"), documents=documents)
        assert (task.metadata or {})["counts"] == counts
        texts = [document["text"] for sample in metadata(task) for document in sample["documents"]]
        assert not any(mark in text for text in texts for mark in ("&#x27;", "<strong>", "<script", "<div"))


def test_longbench_passages(shared: Path) -> None:
    for subset in ("2wikimqa", "hotpotqa", "musique"):
        file = shared / "data" / f"longbench_{subset}.reconstructed.jsonl"
        contexts = [json.loads(line)["context"] for line in file.read_text().splitlines()]
        samples = metadata(longbench(source=str(file), subset=subset))
        for context, sample in zip(contexts, samples, strict=True):
            assert len(sample["documents"]) == context.count("Passage ")  # in these rows, only headers say it
            joined = "".join(document["title"] + document["text"] for document in sample["documents"])
            headers = sum(len(f"Passage {number + 1}:") for number in range(len(sample["documents"])))
            assert len("".join(joined.split())) == len("".join(context.split())) - headers + len(sample["documents"])


def test_papers_of_the_summarisation_data(shared: Path, write_lines: Callable[..., str]) -> None:
    query = {"id": "q", "question": "phase behavior of a nematic liquid crystal", "paper_id": "0708.1996"}
    queries = write_lines([query], "queries.jsonl")
    task = arxiv_cards(source=str(shared / "data" / "scientific_papers_arxiv.jsonl"), queries=queries)
    assert (task.metadata or {})["paper_records"]["used"] == 3
