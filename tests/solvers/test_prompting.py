"""Prompts as files: whose they are, how they fail, and that a value is never a template."""

from pathlib import Path

import pytest
from inspect_ai.model import ChatMessageUser

from bridgebench import BridgebenchError
from bridgebench.solvers.prompting import bridge_prompt, prompt_fingerprint, rendering_hash
from bridgebench.solvers.r2u import r2u


def write(folder: Path, text: str, name: str = "mine.jinja") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_blocks_are_messages_and_a_file_without_blocks_is_the_user_message(tmp_path: Path) -> None:
    both = bridge_prompt(
        "r2u", write(tmp_path, "{% block system %}S{% endblock %}\n{% block user %}U {{ x }}{% endblock %}\n")
    )
    assert [(m.role, m.text) for m in both.messages(x="{{ y }}")] == [("system", "S"), ("user", "U {{ y }}")]
    plain = bridge_prompt("r2u", write(tmp_path, " U {{ x }} \n", "plain.jinja"))
    assert [(m.role, m.text) for m in plain.messages(x=1)] == [("user", " U 1 ")]


def test_a_prompt_says_whose_it_is(tmp_path: Path) -> None:
    authors = {rendering_hash([ChatMessageUser(content="the authors'")])}
    packaged, given = bridge_prompt("r2u", None), bridge_prompt("r2u", write(tmp_path, "mine"))
    assert packaged.notes([ChatMessageUser(content="ours")], authors)["prompt"] == "reworded"
    assert given.notes([ChatMessageUser(content="mine")], authors)["prompt"] == "given"
    assert given.notes([ChatMessageUser(content="the authors'")], authors)["prompt"] == "authors'"
    assert packaged.notes([])["template"].startswith("r2u@")


def test_a_changed_template_is_another_fingerprint(tmp_path: Path) -> None:
    fingerprint = prompt_fingerprint("r2u")
    first = fingerprint(template=write(tmp_path, "one"), other=1)
    assert first != fingerprint(template=write(tmp_path, "two", "other.jinja"))
    assert fingerprint(template=None) != first


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{% block user %}{{ nobody }}{% endblock %}", "'nobody' is undefined"),
        ("{% block system %}x{% endblock %}", r"has no block 'user' \(it has: system\)"),
        ("{% block user %}", "line 1"),
    ],
)
def test_a_wrong_template_is_refused_before_the_run(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(BridgebenchError, match=message):
        r2u(template=write(tmp_path, text))


def test_a_missing_template_is_refused_before_the_run() -> None:
    with pytest.raises(BridgebenchError, match="'nowhere.jinja' is neither"):
        r2u(template="nowhere.jinja")
