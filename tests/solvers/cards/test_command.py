"""`bridgebench cards`: from logs to cards and query sets, and what it refuses."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog

from bridgebench.benchmarks.arxiv_cards.arxiv_cards import arxiv_cards
from bridgebench.cards import Card, CardQuestion, read_cards
from bridgebench.cli import main
from bridgebench.solvers.cards.assemble import without_title_words
from bridgebench.solvers.cards.overlap import overlap_report, token_overlap
from bridgebench.solvers.cards.tasks import card_queries, cards
from tests.solvers.cards.conftest import CARD_SCRIPT, QUERY_SCRIPT

Written = Callable[..., EvalLog]
Refused = pytest.CaptureFixture[str]


def report(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text()))


def test_cards_from_logs(written: Written, tmp_path: Path) -> None:
    log = written(cards(source="sample", papers=3), CARD_SCRIPT)
    assert main(["cards", str(tmp_path / "logs" / "cards"), "-o", str(tmp_path / "out")]) == 0
    made = read_cards(tmp_path / "out")
    assert set(made) == {sample.id for sample in log.samples or []}
    card = next(iter(made.values()))
    assert [question.kind for question in card.questions] == ["conceptual", "technical"] * 5
    assert card.size < 5_000
    said = report(tmp_path / "out" / "provenance.json")
    assert (said["model"], said["counts"]["cards"], said["counts"]["questions"]) == ("fake/writer", 3, 30)
    assert said["corpus"]["sha256"] == (log.eval.metadata or {})["corpus"]
    assert said["parse"] == {"conceptual": {"ok": 15}, "technical": {"ok": 15}, "summary": {"ok": 3}}
    assert said["cost"]["calls"] == 33
    assert (said["failures"], said["without_card"], said["run"]["arguments"]["budget"]) == ([], [], 6_000)
    assert "Introduction" in said["sections"][card.paper_id]


def test_failures_and_papers_without_a_card_are_listed(written: Written, tmp_path: Path) -> None:
    whole = written(cards(source="sample", papers=3), CARD_SCRIPT)
    title = str((whole.samples or [])[1].input).split(":")[0].split("?")[0]
    script = {**CARD_SCRIPT, "answers": {f'of "{title}': "No.", f'about "{title}': "No.", **CARD_SCRIPT["answers"]}}
    log = written(cards(source="sample", papers=3, attempts=1), script, folder="partly")
    assert main(["cards", str(tmp_path / "logs" / "partly"), "-o", str(tmp_path / "out")]) == 0
    said, bad = report(tmp_path / "out" / "provenance.json"), str((log.samples or [])[1].id)
    assert bad not in read_cards(tmp_path / "out")
    assert said["without_card"] == [{"paper": bad, "reason": "the model wrote no usable part"}]
    assert {failure["paper"] for failure in said["failures"]} == {bad}
    assert len(said["failures"]) == said["counts"]["calls_failed"] == 11


def test_repeated_questions_are_dropped_and_long_cards_trimmed(written: Written, tmp_path: Path) -> None:
    long = "What is so about it " + "indeed " * 50 + "?"
    script = {"answers": {"four lines": "Problem: " + "p" * 4_500}, "answer": f"Question: {long}\nKeywords: a"}
    written(cards(source="sample", papers=1), script)
    assert main(["cards", str(tmp_path / "logs" / "cards"), "-o", str(tmp_path / "out")]) == 0
    (card,) = read_cards(tmp_path / "out").values()
    said = report(tmp_path / "out" / "provenance.json")["counts"]
    assert (said["repeated_questions"], said["trimmed_questions"], len(card.questions)) == (9, 1, 0)
    written(cards(source="sample", papers=1), {"answers": {"four lines": "Problem: " + "p" * 6_000}}, folder="huge")
    assert main(["cards", str(tmp_path / "logs" / "huge"), "-o", str(tmp_path / "out")]) == 0
    (entry,) = report(tmp_path / "out" / "provenance.json")["without_card"]
    assert "bytes without its questions" in entry["reason"]


def test_queries_from_logs(written: Written, tmp_path: Path) -> None:
    written(cards(source="sample", papers=4), CARD_SCRIPT)
    main(["cards", str(tmp_path / "logs" / "cards"), "-o", str(tmp_path / "out")])
    log = written(card_queries(source="sample", papers=4), QUERY_SCRIPT, "fake/other", "queries")
    file = tmp_path / "queries.jsonl"
    command = ["cards", str(tmp_path / "logs" / "queries"), "--cards", str(tmp_path / "out"), "-o", str(file)]
    assert main(command) == 0
    queries = [json.loads(line) for line in file.read_text().splitlines()]
    assert sorted(query["kind"] for query in queries) == ["conceptual"] * 4 + ["technical"] * 4
    titles = {str(sample.id): sample.metadata["title"] for sample in log.samples or []}
    for query in queries:
        assert set(query) >= {"id", "question", "paper_id", "kind", "section", "model"}
        title = titles[query["paper_id"]]
        if query["kind"] == "conceptual":
            assert query["title_words_removed"]
            assert without_title_words(query["question"], title)[1] == []
        else:
            assert title in query["question"]
    said = report(tmp_path / "queries.report.json")
    assert (said["queries"], said["same_model"], said["same_sections"]) == (8, False, [])
    assert said["overlap"]["technical"]["equal"] == 0
    task = arxiv_cards(source="sample", papers=4, queries=str(file), kind="technical")
    assert len(task.dataset) == 4


def test_leaky_queries_are_refused_or_marked(written: Written, tmp_path: Path, capsys: Refused) -> None:
    written(cards(source="sample", papers=3), CARD_SCRIPT)
    main(["cards", str(tmp_path / "logs" / "cards"), "-o", str(tmp_path / "out")])
    common = ["--cards", str(tmp_path / "out"), "-o", str(tmp_path / "q.jsonl")]
    # the cards' model, and (since the rule for headings is another) sections that the cards have read
    task = card_queries(source="sample", papers=3, sections="last_word", questions=9)
    written(task, CARD_SCRIPT, folder="leaky")
    command = ["cards", str(tmp_path / "logs" / "leaky"), *common]
    assert main(command) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert "by the same model, fake/writer" in error
    assert "sections that cards have read" in error
    assert not (tmp_path / "q.jsonl").exists()
    assert main([*command, "--allow-same-model"]) == 0
    said = report(tmp_path / "q.report.json")
    assert said["same_model"]
    assert said["same_sections"]
    assert said["overlap"]["technical"]["equal"] > 0
    assert "LEAKY" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["logs/cards", "logs/queries", "-o", "out"], "logs of 2 runs"),
        (["logs/queries", "-o", "q.jsonl"], "give --cards FOLDER"),
        (["logs/queries", "-o", "q", "--cards", "out"], "give --cards FOLDER"),
        (["logs/queries", "-o", "q.jsonl", "--cards", "out"], "no folder of cards"),
        (["logs/none", "-o", "out"], "no such log or folder"),
        (["logs", "-o", "logs"], "logs of 2 runs"),
    ],
)
def test_what_is_refused(
    written: Written,
    tmp_path: Path,
    capsys: Refused,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    written(cards(source="sample", papers=1, questions=1), CARD_SCRIPT)
    written(card_queries(source="sample", papers=1), QUERY_SCRIPT, "fake/other", "queries")
    assert main(["cards", *arguments]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_cards_of_other_papers_are_refused(written: Written, tmp_path: Path, capsys: Refused) -> None:
    written(cards(source="sample", papers=2, questions=1), CARD_SCRIPT)
    main(["cards", str(tmp_path / "logs" / "cards"), "-o", str(tmp_path / "out")])
    written(card_queries(source="sample", papers=3), QUERY_SCRIPT, "fake/other", "queries")
    arguments = ["--cards", str(tmp_path / "out"), "-o", str(tmp_path / "q.jsonl")]
    assert main(["cards", str(tmp_path / "logs" / "queries"), *arguments]) == 2
    assert "cards of other papers" in " ".join(capsys.readouterr().err.split())


def test_overlap() -> None:
    own = CardQuestion("Why are lamps lit?", "", "technical", "")
    other = CardQuestion("Who sells oil there?", "", "conceptual", "")
    known = {"1": Card("1", "On Lamps", (own,), "", "", "", ()), "2": Card("2", "", (other,), "", "", "", ())}
    queries = [
        {"paper_id": "1", "kind": "technical", "question": "why are LAMPS lit"},
        {"paper_id": "1", "kind": "technical", "question": "Who sells oil there?"},
        {"paper_id": "2", "kind": "conceptual", "question": "Who sells the oil there?"},
        {"paper_id": "3", "kind": "conceptual", "question": "Is there light?"},
    ]
    told = overlap_report(queries, known)
    assert {name: group["queries"] for name, group in told.items()} == {"all": 4, "technical": 2, "conceptual": 2}
    everything = told["all"]
    assert (everything["equal"], everything["near_equal"], everything["equal_to_any"]) == (0.25, 0.5, 0.5)
    assert everything["without_card"] == 1
    assert everything["from_title"] == 0.125  # "lamps lit": one of two words, in one query of four
    assert everything["token_overlap"] == {
        "mean": 0.45,
        "min": 0.0,
        "25%": 0.0,
        "50%": 0.4,
        "75%": 0.85,
        "max": 1.0,
    }
    assert token_overlap("a b", "b c") == pytest.approx(1 / 3)
    assert token_overlap("", "") == 0.0


def test_title_words() -> None:
    title = "Gated span pooling: Better parsing of rare-word data"
    assert without_title_words("Does span-pooling help the parsing of letters?", title) == (
        "Does help the of letters?",
        ["span-pooling", "parsing"],
    )
    assert without_title_words("What gate is better for words?", title) == ("What gate is for?", ["better", "words"])
    assert without_title_words("Why?", "") == ("Why?", [])
