"""The generator's prompt and how its answer is taken."""

from pathlib import Path

import pytest

from bridgebench import BridgebenchError, Document
from bridgebench.solvers.generate import extract_answer, load_prompt


def test_documents_come_first_and_are_never_templates() -> None:
    prompt = load_prompt("qa").render(
        "Who {{ x }}?", [Document("0", "A {% b %}", "c {{ 1 + 1 }} {d}"), Document("1", "", "e")]
    )
    assert (
        prompt.index("Document 1 (A {% b %}):\nc {{ 1 + 1 }} {d}")
        < prompt.index("Document 2:\ne")
        < prompt.index("Question: Who {{ x }}?")
    )


def test_without_documents_the_prompt_does_not_mention_them() -> None:
    assert "ocument" not in load_prompt("qa").render("Who?", [])


def test_a_template_is_identified_by_its_content(tmp_path: Path) -> None:
    own = tmp_path / "own.jinja"
    own.write_text("{{ question }} {{ documents | length }}")
    prompt = load_prompt(str(own))
    assert prompt.render("Why?", []) == "Why? 0"
    assert str(prompt) == f"{own}@{prompt.hash}"
    assert prompt.hash != load_prompt("qa").hash


@pytest.mark.parametrize(("source", "message"), [(None, "neither a packaged template"), ("{{ question", "line 1")])
def test_a_bad_template_is_named(tmp_path: Path, source: str | None, message: str) -> None:
    path = tmp_path / "bad.jinja"
    if source is not None:
        path.write_text(source)
    with pytest.raises(BridgebenchError, match=message):
        load_prompt(str(path))


@pytest.mark.parametrize(
    ("completion", "answer", "expected"),
    [
        (" Paris \n", "as_is", "Paris"),
        ("Paris\nbecause", "as_is", "Paris\nbecause"),
        ("\n\nParis\nbecause", "first_line", "Paris"),
        ("<think>Rome?\nNo.</think>\nParis", "as_is", "Paris"),
        ("a </think> b </think> Paris", "as_is", "Paris"),
        ("", "first_line", ""),
    ],
)
def test_the_answer_in_a_completion(completion: str, answer: str, expected: str) -> None:
    assert extract_answer(completion, answer) == expected  # type: ignore[arg-type]
