"""Cards: their text, their size, and the folder they are kept in."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgebench.cards import Card, CardQuestion, file_name, read_cards, trim, write_cards
from bridgebench.errors import BridgebenchError, RecordError

CARD = Card(
    paper_id="hep-th/9901001",
    title="On Lamps",
    questions=(
        CardQuestion("Why is oil scarce?", "oil scarcity", "conceptual", "Introduction"),
        CardQuestion("How hot is the wick?", "", "technical", "Results"),
    ),
    problem="Lamps go out.",
    methods="Longer wicks.",
    results="They burn.",
    keywords=("lamps", "wicks"),
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)


def test_markdown() -> None:
    assert CARD.markdown == (
        "# On Lamps\n\n## Research questions\n\n- Why is oil scarce?\n- How hot is the wick?\n\n"
        "## Problem, methods and results\n\n**Problem:** Lamps go out.\n\n**Methods:** Longer wicks.\n\n"
        "**Results:** They burn.\n\n## Keywords\n\nlamps, wicks\n\n## Id\n\nhep-th/9901001\n"
    )
    assert Card("1", "", (), "", "", "", ()).markdown == "## Id\n\n1\n"


@settings(max_examples=200, deadline=None)
@given(st.lists(TEXT, max_size=30), TEXT, st.integers(1, 6000))
def test_trimmed_cards_keep_the_limit_and_lose_questions_from_the_end(
    texts: list[str], summary: str, limit: int
) -> None:
    questions = tuple(CardQuestion(text, "", "technical", "") for text in texts)
    card = Card("1", "T", questions, summary, "", "", ())
    try:
        trimmed, dropped = trim(card, limit)
    except BridgebenchError:
        assert Card("1", "T", (), summary, "", "", ()).size >= limit
        return
    assert trimmed.size < limit
    assert trimmed.questions == questions[: len(questions) - dropped]
    if dropped:  # no more than needed
        assert Card("1", "T", questions[: len(questions) - dropped + 1], summary, "", "", ()).size >= limit


def test_a_folder_reads_back(tmp_path: Path) -> None:
    other = Card("a/b", "", (), "é — 東京", "", "", ())
    write_cards(tmp_path / "cards", [(CARD, 2), (other, 0)], {"model": "fake/x"})
    assert read_cards(tmp_path / "cards") == {"hep-th/9901001": CARD, "a/b": other}
    line = json.loads((tmp_path / "cards" / "cards.jsonl").read_text().splitlines()[0])
    file = tmp_path / "cards" / line["file"]
    assert (line["trimmed"], line["bytes"], file.read_text()) == (2, len(CARD.markdown.encode()), CARD.markdown)
    write_cards(tmp_path / "cards", [(other, 0)], {})
    assert not file.exists()
    assert list(read_cards(tmp_path / "cards")) == ["a/b"]


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(BridgebenchError, match=r"thesis\.tex"):
        write_cards(tmp_path, [(CARD, 0)], {})
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(BridgebenchError, match="more than one card of 'hep-th/9901001'"):
        write_cards(tmp_path / "new", [(CARD, 0), (CARD, 0)], {})
    (tmp_path / "cards.md").touch()
    with pytest.raises(BridgebenchError, match=r"cards\.md' is not a folder"):
        write_cards(tmp_path / "cards.md", [(CARD, 0)], {})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"title": 3}, r"cards\.jsonl: line 1: field 'title'"),
        ({"questions": [{"text": "Why?", "query": "", "kind": "odd", "section": ""}]}, r"field 'questions\.0\.kind'"),
        ({"keywords": None}, "field 'keywords'"),
        ({"problem": "Something else."}, "field 'file': .* differs from the index"),
    ],
)
def test_what_is_wrong_in_a_folder_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    write_cards(tmp_path, [(CARD, 0)], {})
    index = tmp_path / "cards.jsonl"
    index.write_text(json.dumps(json.loads(index.read_text()) | change) + "\n")
    with pytest.raises(RecordError, match=message):
        read_cards(tmp_path)


def test_a_broken_index_is_named(tmp_path: Path) -> None:
    with pytest.raises(BridgebenchError, match="no folder of cards"):
        read_cards(tmp_path)
    write_cards(tmp_path, [(CARD, 0)], {})
    line = (tmp_path / "cards.jsonl").read_text()
    (tmp_path / "cards.jsonl").write_text(line + line)
    with pytest.raises(RecordError, match="line 2: field 'paper_id'"):
        read_cards(tmp_path)
    (tmp_path / "cards.jsonl").write_text(line + "{")
    with pytest.raises(RecordError, match="line 2: field"):
        read_cards(tmp_path)
    with pytest.raises(BridgebenchError, match="card '1': field 'questions'"):
        Card.from_dict({"paper_id": "1", "title": ""})


def test_file_names_are_safe_and_distinct() -> None:
    names = [file_name(id) for id in ("a/b", "a%2Fb", "..", "x" * 400, "x" * 401, "é", "a b")]
    assert len(set(names)) == len(names)
    assert all("/" not in name and len(name.encode()) < 255 for name in names)
