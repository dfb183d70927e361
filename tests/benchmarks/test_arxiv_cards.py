"""Retrieval over papers: the corpus, the questions, and BM25 over them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval

from bridgebench.benchmarks._fields import Record
from bridgebench.benchmarks.arxiv_cards.arxiv_cards import arxiv_cards
from bridgebench.benchmarks.arxiv_cards.papers import read_paper, read_questions
from bridgebench.corpus import Corpus, Paper, publish, published
from bridgebench.errors import BridgebenchError, RecordError
from bridgebench.solvers.retrieval_bm25 import Bm25Index, bm25

Upstream = dict[str, dict[str, Any]]
AsRecord = Callable[..., Record]
TOPICS = ["lamps", "rivers", "trains", "gardens", "bells"]


def library(paper: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        paper
        | {
            "id": f"p{i}",
            "abstract": f"We study {topic}.",
            "qas": [{"question": f"What is said of {topic}?", "question_id": f"q{i}"}],
        }
        for i, topic in enumerate(TOPICS)
    ]


def hub_shape(paper: dict[str, Any]) -> dict[str, Any]:
    return paper | {
        key: {column: [row[column] for row in paper[key]] for column in paper[key][0]} for key in ("full_text", "qas")
    }


def test_paper(upstream: Upstream, as_record: AsRecord) -> None:
    paper = read_paper(as_record(upstream["arxiv_cards"]))
    assert (paper.id, paper.title, len(paper.sections)) == ("2001.00001", "On Lamps", 3)
    assert (paper.sections[1].name, paper.sections[2].text) == ("", "Oil burns.\nSlowly.")
    assert paper.full_text.startswith("On Lamps\n\nWe light lamps.\n\nIntroduction\nLamps are lit.")
    hub = as_record(hub_shape(upstream["arxiv_cards"]))
    assert read_paper(hub) == paper
    assert [record.values["query"] for record in read_questions(hub)] == ["Which oil do they burn?"]


def test_paper_of_the_summarisation_data(as_record: AsRecord) -> None:
    row = {
        "article_id": "0708.1",
        "abstract_text": ["<S> we light lamps . </S>", "<S> slowly . </S>"],
        "section_names": ["introduction", ""],
        "sections": [["lamps .", "oil ."], []],
    }
    paper = read_paper(as_record(row))
    assert (paper.title, paper.abstract) == ("", "we light lamps . slowly .")
    assert [section.text for section in paper.sections] == ["lamps .\noil .", ""]
    with pytest.raises(RecordError, match="has 1 entries for 2 sections"):
        read_paper(as_record(row | {"section_names": ["introduction"]}))


def test_task_ranks_with_bm25_by_default(upstream: Upstream, write_lines: Callable[..., str]) -> None:
    task = arxiv_cards(source=write_lines(library(upstream["arxiv_cards"])), papers=None)
    (log,) = inspect_eval(task, model="none/none", display="none")
    assert log.status == "success"
    assert log.results is not None
    scores = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert (scores["hit@1"], scores["mrr@10"]) == (1.0, 1.0)
    assert log.eval.headline_metric is not None
    assert [entry.name for entry in log.results.scores if entry.scorer == "cost"] == []


def test_raw_release_is_an_object_of_papers(upstream: Upstream, tmp_path: Path) -> None:
    papers = {paper["id"]: {k: v for k, v in paper.items() if k != "id"} for paper in library(upstream["arxiv_cards"])}
    path = tmp_path / "qasper-dev-v0.3.json"
    path.write_text(json.dumps(papers))
    assert [sample.target for sample in arxiv_cards(source=str(path)).dataset] == ["p0", "p1", "p2", "p3", "p4"]


def test_corpus_is_drawn_by_seed_and_shared(upstream: Upstream, write_lines: Callable[..., str]) -> None:
    rows = library(upstream["arxiv_cards"])
    rows[0] = rows[0] | {"full_text": rows[0]["full_text"][:2]}
    task = arxiv_cards(source=write_lines(rows), papers=3, seed=1)
    assert task.metadata is not None
    assert task.metadata["paper_records"]["excluded"] == {"few sections": 1}
    corpus = published((task.dataset[0].metadata or {})["corpus"])
    assert {paper.id for paper in corpus.papers} == {sample.target for sample in task.dataset}
    assert len(corpus.papers) == 3


def test_bad_papers_are_counted(upstream: Upstream, write_lines: Callable[..., str]) -> None:
    rows = library(upstream["arxiv_cards"])
    path = write_lines([*rows, rows[0], rows[1] | {"id": "p9", "title": 3}])
    with pytest.raises(RecordError, match='"p0" is also the id of line 1'):
        arxiv_cards(source=path)
    task = arxiv_cards(source=path, on_bad_record="skip")
    assert (task.metadata or {})["paper_records"]["skipped"] == 2


def test_queries_of_ones_own(upstream: Upstream, write_lines: Callable[..., str]) -> None:
    source = write_lines(library(upstream["arxiv_cards"]))
    queries = [
        {"id": "a", "query": "Lamps and bells", "paper": "p0", "kind": "technical"},
        {"id": "b", "query": "lamps  and bells", "paper": "p4", "kind": "technical"},
    ]
    task = arxiv_cards(source=source, queries=write_lines(queries, "queries.jsonl"))
    assert [sample.id for sample in task.dataset] == ["a", "b"]
    assert {(sample.metadata or {})["question_type"] for sample in task.dataset} == {"technical"}
    assert (task.metadata or {})["counts"] == {"ambiguous_queries": 2}
    elsewhere = write_lines([queries[0] | {"paper": "p7"}], "elsewhere.jsonl")
    with pytest.raises(RecordError, match="field 'paper': \"p7\" is not in the corpus"):
        arxiv_cards(source=source, queries=elsewhere)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"papers": 0}, "argument 'papers' must be a whole number of 1 or more"),
        ({"min_sections": True}, "argument 'min_sections'"),
        ({"budget": 5}, "no generator reads documents here; leave out budget"),
        ({"queries": "absent.jsonl"}, "queries 'absent.jsonl'"),
        ({"min_sections": 9}, "no usable paper"),
    ],
)
def test_wrong_arguments(
    upstream: Upstream, write_lines: Callable[..., str], arguments: dict[str, Any], problem: str
) -> None:
    with pytest.raises(BridgebenchError, match=problem):
        arxiv_cards(source=write_lines(library(upstream["arxiv_cards"])), **arguments)


def test_bm25_index() -> None:
    papers = (
        Paper("a", "t", "cats and dogs", ()),
        Paper("b", "t", "cats", ()),
        Paper("c", "t", "birds birds fish", ()),
        Paper("d", "t", "", ()),
        *(Paper(f"e{i}", "t", "stones", ()) for i in range(3)),
    )
    index = Bm25Index(papers, "abstract")
    assert index.search("Cats?", 10) == ["b", "a"]
    assert index.search("dogs cats", 1) == ["a"]
    assert index.search("whales", 10) == []
    assert index.search("", 10) == []
    assert Bm25Index(papers[3:4], "abstract").search("cats", 3) == []
    assert Bm25Index(papers[:1], "abstract").search("cats", 3) == ["a"]


def test_bm25_arguments() -> None:
    with pytest.raises(BridgebenchError, match="'field' must be one of abstract, full_text"):
        bm25(field="title")  # type: ignore[arg-type]
    with pytest.raises(BridgebenchError, match="'depth'"):
        bm25(depth=0)


def test_unpublished_corpus_is_an_error() -> None:
    with pytest.raises(BridgebenchError, match="retrieval solvers run on retrieval tasks"):
        published(None)
    corpus = Corpus((Paper("a", "t", "x", ()),))
    assert published(publish(corpus)) is corpus
