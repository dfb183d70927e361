"""Retrieval over papers: the corpus, the questions, and BM25 over them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval

from bridgebench.benchmarks._fields import Record
from bridgebench.benchmarks.arxiv_cards.arxiv_cards import arxiv_cards, open_papers
from bridgebench.benchmarks.arxiv_cards.papers import read_paper, read_questions
from bridgebench.corpus import Corpus, Paper, publish, published
from bridgebench.errors import BridgebenchError, RecordError

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
    assert [record.values["question"] for record in read_questions(hub)] == ["Which oil do they burn?"]


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


def test_sample_is_the_bundled_one_beside_a_folder_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sample").mkdir()
    (tmp_path / "sample" / "README.md").write_text("# Samples\n")
    monkeypatch.chdir(tmp_path)
    assert open_papers("sample").provenance["kind"] == "sample"
    assert open_papers("./sample").provenance["kind"] == "markdown"


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
        {"id": "a", "question": "Lamps and bells", "paper_id": "p0", "kind": "technical"},
        {"id": "b", "question": "lamps  and bells", "paper_id": "p4", "kind": "technical"},
        {"id": "c", "question": "What glows?", "paper_id": "p0", "kind": "conceptual"},
    ]
    file = write_lines(queries, "queries.jsonl")
    task = arxiv_cards(source=source, queries=file)
    metadata = [sample.metadata or {} for sample in task.dataset]
    assert [sample.id for sample in task.dataset] == ["a", "b", "c"]
    assert [about["question_type"] for about in metadata] == ["technical", "technical", "conceptual"]
    assert [about["ambiguous"] for about in metadata] == [True, True, False]
    assert (task.metadata or {})["counts"] == {"ambiguous_queries": 2}
    assert (task.metadata or {})["query_report"] == {}
    one = arxiv_cards(source=source, queries=file, kind="conceptual")
    assert [sample.id for sample in one.dataset] == ["c"]
    assert (one.metadata or {})["records"]["excluded"] == {"other kind": 2}
    elsewhere = write_lines([queries[0] | {"paper_id": "p7"}], "elsewhere.jsonl")
    with pytest.raises(RecordError, match="field 'paper_id': \"p7\" is not in the corpus"):
        arxiv_cards(source=source, queries=elsewhere)


def test_what_is_said_of_queries_stands_in_the_log(
    upstream: Upstream, write_lines: Callable[..., str], tmp_path: Path
) -> None:
    source = write_lines(library(upstream["arxiv_cards"]))
    file = Path(write_lines([{"id": "a", "question": "Lamps?", "paper_id": "p0"}], "queries.jsonl"))
    report = file.with_name("queries.report.json")
    report.write_text('{"same_model": true}')
    (log,) = inspect_eval(arxiv_cards(source=source, queries=str(file)), model="none/none", display="none")
    assert log.eval.metadata is not None
    assert log.eval.metadata["query_report"] == {"same_model": True}
    assert log.results is not None
    figures = {entry.name: entry for entry in log.results.scores if entry.scorer == "retrieval_cost"}
    assert figures["texts"].metrics["mean"].value == 5
    assert figures["milliseconds"].metrics["mean"].value > 0
    for text, problem in (("[]", "must be a JSON object"), ("{", "not JSON")):
        report.write_text(text)
        with pytest.raises(BridgebenchError, match=problem):
            arxiv_cards(source=source, queries=str(file))


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"papers": 0}, "argument 'papers' must be a whole number of 1 or more"),
        ({"min_sections": True}, "argument 'min_sections'"),
        ({"budget": 5}, "no generator reads documents here; leave out budget"),
        ({"queries": "absent.jsonl"}, "queries 'absent.jsonl': there is no such file; .*solvers/cards/README.md"),
        ({"queries": __file__}, "queries '.*': must be a .json"),
        ({"min_sections": 9}, "no usable paper"),
    ],
)
def test_wrong_arguments(
    upstream: Upstream, write_lines: Callable[..., str], arguments: dict[str, Any], problem: str
) -> None:
    with pytest.raises(BridgebenchError, match=problem):
        arxiv_cards(source=write_lines(library(upstream["arxiv_cards"])), **arguments)


def test_papers_without_questions_need_queries(upstream: Upstream, write_lines: Callable[..., str]) -> None:
    source = write_lines([row | {"qas": []} for row in library(upstream["arxiv_cards"])])
    with pytest.raises(BridgebenchError, match="no questions in .*-T queries=FILE.jsonl"):
        arxiv_cards(source=source)


def test_unpublished_corpus_is_an_error() -> None:
    with pytest.raises(BridgebenchError, match="retrieval solvers run on retrieval tasks"):
        published(None)
    corpus = Corpus((Paper("a", "t", "x", ()),))
    assert published(publish(corpus)) is corpus
