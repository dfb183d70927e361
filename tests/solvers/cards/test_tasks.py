"""The tasks: what a model is asked, what it fails at, and what papers they read."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog

from bridgebench.benchmarks.arxiv_cards.arxiv_cards import arxiv_cards
from bridgebench.errors import BridgebenchError, RecordError
from bridgebench.models.fake import calls
from bridgebench.solvers.cards.tasks import card_queries, cards
from bridgebench.solvers.cards.writer import CardParts
from tests.solvers.cards.conftest import CARD_SCRIPT, QUERY_SCRIPT, SUMMARY

Written = Callable[..., EvalLog]
SHARED = Path(__file__).parents[3].parent / "shared" / "data"


def parts(log: EvalLog) -> list[CardParts]:
    assert log.status == "success", log.error
    return [sample.store_as(CardParts) for sample in log.samples or []]


def test_a_paper_is_asked_for_ten_questions_and_a_summary(written: Written) -> None:
    (paper, _) = parts(written(cards(source="sample", papers=2), CARD_SCRIPT))
    assert [question["kind"] for question in paper.questions] == ["conceptual"] * 5 + ["technical"] * 5
    assert paper.questions[0]["section"] == "Abstract"
    assert paper.questions[-1]["section"] == "Conclusion"
    assert all(question["section"] in question["text"] for question in paper.questions)
    assert (paper.summary["problem"], paper.summary["parse"]) == ("Data are scarce.", "ok")
    assert [(call["parse"], call["failure"]) for call in paper.calls] == [("ok", None)] * 11
    assert paper.cost["calls"] == 11


def test_the_papers_are_those_of_the_retrieval_task(written: Written) -> None:
    retrieval = arxiv_cards(source="sample", papers=7, seed=3)
    log = written(card_queries(source="sample", papers=7, seed=3), QUERY_SCRIPT)
    assert (log.eval.metadata or {})["corpus"] == (retrieval.metadata or {})["corpus"]


def test_cards_and_queries_read_other_sections(written: Written) -> None:
    card_log = written(cards(source="sample", papers=5, questions=9), CARD_SCRIPT)
    query_log = written(card_queries(source="sample", papers=5, questions=9), QUERY_SCRIPT)
    for card, query in zip(parts(card_log), parts(query_log), strict=True):
        read = {question["section"] for question in card.questions}
        asked = {question["section"] for question in query.questions}
        assert {"Implementation", "Use in Practice"} <= asked
        assert not read & asked
        assert not query.summary


def test_failures_are_retried_then_named_and_never_text(written: Written) -> None:
    calls.clear()
    refusal = "I'm sorry, but question generation failed."
    log = written(cards(source="sample", papers=1, questions=1, attempts=3), {"answer": refusal}, "fake/refuses")
    (paper,) = parts(log)
    assert (paper.questions, paper.summary, calls["refuses"]) == ([], {}, 9)
    assert [call["part"] for call in paper.calls] == ["conceptual", "technical", "summary"]
    assert {(call["parse"], call["attempts"]) for call in paper.calls} == {("empty", 3)}
    assert all("could be read" in call["failure"] for call in paper.calls)
    assert refusal not in json.dumps([paper.calls, paper.questions])


def test_a_greedy_model_is_asked_once(written: Written) -> None:
    calls.clear()
    written(cards(source="sample", papers=1, questions=1, temperature=0.0), {"answer": ""}, "fake/greedy")
    assert calls["greedy"] == 3


def test_a_withheld_reply_is_a_failure_of_its_part(written: Written) -> None:
    script = {**CARD_SCRIPT, "stop_reason": "content_filter", "when": "four lines"}
    (paper,) = parts(written(cards(source="sample", papers=1), script))
    assert len(paper.questions) == 10
    assert "content filter" in paper.calls[-1]["failure"]
    assert (paper.calls[-1]["parse"], paper.summary) == (None, {})


def test_a_broken_model_loses_its_paper_only(written: Written) -> None:
    first = written(cards(source="sample", papers=3), CARD_SCRIPT)
    broken = (first.samples or [])[1]
    title = str(broken.input).split(":")[0].split("?")[0]
    log = written(cards(source="sample", papers=3), {**CARD_SCRIPT, "fail": "disk full", "when": title})
    assert log.status == "success"
    assert [sample.error is not None for sample in log.samples or []] == [False, True, False]


def test_long_texts_are_cut_and_counted(written: Written) -> None:
    (paper,) = parts(written(cards(source="sample", papers=1, budget=20), CARD_SCRIPT))
    assert all(call["kept"] <= 20 for call in paper.calls)
    assert [call["size"] > 20 for call in paper.calls if call["part"] == "summary"] == [True]


def test_a_folder_of_markdown(written: Written, tmp_path: Path) -> None:
    folder = tmp_path / "papers" / "2020"
    folder.mkdir(parents=True)
    (folder / "lamps.md").write_text(
        "# On Lamps\n\nWe light lamps.\n\n## 1 Introduction\n\nLamps are lit.\n\n```\n# no heading\n```\n\n"
        "## Experiments\n\n### Results\n\nThey burn.\n\n## Oil\n\nOil burns.\n"
    )
    log = written(cards(source=str(tmp_path / "papers"), min_sections=2), CARD_SCRIPT)
    (sample,) = log.samples or []
    assert (sample.id, sample.metadata["title"]) == ("2020/lamps", "On Lamps")
    sections = {section["title"]: section["text"] for section in sample.metadata["documents"]}
    assert list(sections) == ["Abstract", "1 Introduction", "Experiments ::: Results"]
    assert "# no heading" in sections["1 Introduction"]
    (query,) = written(card_queries(source=str(tmp_path / "papers"), min_sections=2), QUERY_SCRIPT).samples or []
    assert [section["title"] for section in query.metadata["documents"]] == ["Oil"]
    (folder / "broken.md").write_bytes(b"# T\n\n\xff")
    with pytest.raises(RecordError, match=r"broken\.md: file: field '\(text\)': is not UTF-8"):
        cards(source=str(tmp_path / "papers"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"source": "sample", "budget": 0}, "task 'cards': argument 'budget'"),
        ({"source": "sample", "budgte": 3}, "task 'cards': argument 'budgte'"),
        ({"source": "sample", "sections": "all"}, "argument 'sections'"),
        ({"source": "sample", "min_sections": 99}, "no paper in 'sample' with a section to read"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(BridgebenchError, match=message):
        cards(**arguments)


@pytest.mark.shared
@pytest.mark.parametrize(("file", "papers"), [("qasper.jsonl", 1), ("scientific_papers_arxiv.jsonl", 3)])
def test_real_records(written: Written, file: str, papers: int) -> None:
    if not (SHARED / file).exists():
        pytest.skip(f"needs the real records: {SHARED / file}")
    answers = {"four lines": SUMMARY, "conceptual": "Question: Why is that so?\nKeywords: why"}
    script = {"answers": answers, "answer": "Question: How many are there?\nKeywords: number"}
    made = parts(written(cards(source=str(SHARED / file), min_sections=0), script))
    assert len(made) == papers
    for paper in made:
        assert paper.questions
        assert sum(call["asked"] for call in paper.calls) == 10
        assert not any(call["failure"] for call in paper.calls)
    asked = parts(written(card_queries(source=str(SHARED / file), min_sections=0), script))
    assert asked
    assert all(len(paper.questions) == 2 for paper in asked)
