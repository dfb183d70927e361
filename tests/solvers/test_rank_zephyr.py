"""RankZephyr: windows, text as the checkpoint saw it, and the template of the package rank-llm."""

import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import get_model

from bridgebench import BridgebenchError, Document
from bridgebench.solvers.neutralise import Guard
from bridgebench.solvers.rank_zephyr import listing_tokens, passage, rank_zephyr
from bridgebench.testing import check_bridge

SINGLE = """method: singleturn_listwise
system_message: You sort.
prefix: |
  {num} passages for {query}:
body: |
  [{rank}] {candidate}
suffix: Sort for {query}.
output_validation_regex: r"x"
output_extraction_regex: r"x"
"""


def ids(record: dict[str, Any]) -> list[str]:
    return [document["id"] for document in record["documents"]]


def write(folder: Path, text: str) -> str:
    path = folder / "template.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.fixture(scope="session")
def wheel_template(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The authors' YAML, out of the wheel (its Python is newer than ours, so it is not installed)."""
    folder = tmp_path_factory.mktemp("rank_llm")
    options = ["--no-deps", "--python-version", "3.12", "--only-binary=:all:", "--dest", str(folder)]
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--retries",
        "0",
        "--timeout",
        "10",
        "rank-llm==0.26.0",
        *options,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        pytest.skip(f"the wheel of rank-llm 0.26.0 cannot be had: {done.stderr.strip().splitlines()[-1:]}")
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        name = "rank_llm/rerank/prompt_templates/rank_zephyr_template.yaml"
        return wheel.extract(name, folder)


def test_contract() -> None:
    check_bridge(rank_zephyr, roles={"bridge": get_model("fake/zephyr", answer="[2] > [1]")})


def test_documents_are_reordered_and_untouched(
    scripted: Callable[..., Any], bridged: Callable[..., Any], documents: tuple[Document, ...]
) -> None:
    record = bridged(rank_zephyr(), scripted("[3] > [1] > [2]"))
    assert ids(record) == ["d3", "d1", "d2"]
    assert [document["text"] for document in record["documents"]] == [documents[i].text for i in (2, 0, 1)]
    assert record["parse"] == "ok"
    assert record["notes"] | {"template": ""} == {
        "prompt": "reworded",
        "template": "",
        "windows": 1,
        "windows_repaired": 0,
        "windows_fallback": 0,
        "ties": 0,
        "passages_cut": 0,
        "neutralised": 0,
        "truncated": 0,
        "thinking_truncated": 0,
    }


def test_an_unreadable_reply_keeps_the_order_and_says_so(
    scripted: Callable[..., Any], bridged: Callable[..., Any]
) -> None:
    record = bridged(rank_zephyr(top_k=2), scripted("I would rather not."))
    assert (ids(record), record["parse"], record["notes"]["windows_fallback"]) == (["d1", "d2"], "fallback", 1)


def test_a_long_list_takes_sliding_windows(scripted: Callable[..., Any], bridged: Callable[..., Any]) -> None:
    """The model always puts the same passage first: the last of the list rises to the top."""
    many = [Document(f"d{number}", "", f"text {number}") for number in range(30)]
    model = scripted(lambda messages: re.search(r"\[\d+\](?= text 29\n)", messages[-1].text)[0])
    record = bridged(rank_zephyr(), model, many)
    assert ids(record)[0] == "d29"
    assert sorted(ids(record)) == sorted(document.id for document in many)
    assert (record["cost"]["calls"], record["notes"]["windows"], record["parse"]) == (2, 2, "repaired")
    assert [config.max_tokens for config in model.configs] == [listing_tokens(20)] * 2


def test_one_document_needs_no_call(
    scripted: Callable[..., Any], bridged: Callable[..., Any], documents: tuple[Document, ...]
) -> None:
    model = scripted("[1]")
    record = bridged(rank_zephyr(), model, documents[:1])
    assert (ids(record), model.prompts, record["cost"]["calls"]) == (["d1"], [], 0)


def test_a_passage_is_cut_mended_and_freed_of_citation_marks() -> None:
    document = Document("d", "Caf\u00c3\u00a9", "one\n two [12] three &lt;|im_end|&gt; five")
    assert passage(document, 300, Guard()) == "Title: Café Content: one two (12) three < |im_end|> five"
    assert passage(document, 5, Guard()) == "Title: Café Content: one two"
    assert passage(Document("d", "", "only [3] text"), 300, Guard()) == "only (3) text"


def test_passages_that_stand_shortened_in_the_prompt_are_counted(
    scripted: Callable[..., Any], bridged: Callable[..., Any]
) -> None:
    model = scripted("[1]")
    record = bridged(rank_zephyr(passage_words=6), model)
    assert record["notes"]["passages_cut"] == 2
    assert "[3] The Sella rises in the hills.\n" in model.texts()[0]
    assert "painter" not in model.texts()[0]


@pytest.mark.parametrize(("n", "tokens"), [(1, 3), (2, 7), (3, 11), (10, 40), (20, 90)])
def test_length_of_a_full_list(n: int, tokens: int) -> None:
    """[1] is three tokens, " > " one, and every digit one."""
    assert listing_tokens(n) == tokens


def test_a_full_list_is_forced_where_asked_for(scripted: Callable[..., Any], bridged: Callable[..., Any]) -> None:
    forced, free = scripted("[1]"), scripted("[1]")
    bridged(rank_zephyr(full_list=True), forced)
    bridged(rank_zephyr(), free)  # not served by vLLM
    assert forced.configs[0].extra_body == {"min_tokens": 11}
    assert free.configs[0].extra_body is None


def test_a_template_of_rank_llm_is_rendered_byte_for_byte(
    tmp_path: Path, scripted: Callable[..., Any], bridged: Callable[..., Any]
) -> None:
    model = scripted("[1]")
    record = bridged(rank_zephyr(template=write(tmp_path, SINGLE)), model, question="Who {x}?")
    system, user = model.prompts[0]
    assert (system.role, system.text) == ("system", "You sort.")
    assert user.text == (
        "3 passages for Who {x}?:\n"
        "[1] Title: Ida Marsh Content: Ida Marsh is a painter. She was born in Tarnholm.\n"
        "[2] Title: Tarnholm Content: Tarnholm is a town. The river Sella flows through it.\n"
        "[3] The Sella rises in the hills.\n"
        "Sort for Who {x}?."
    )
    assert record["notes"]["prompt"] == "given"
    assert record["notes"]["template"].startswith("template.yaml@")


@pytest.mark.network
def test_the_template_of_the_wheel_is_the_authors(
    wheel_template: str, scripted: Callable[..., Any], bridged: Callable[..., Any]
) -> None:
    model = scripted("[1]")
    record = bridged(rank_zephyr(template=wheel_template), model)
    assert record["notes"]["prompt"] == "authors'"
    system, user = model.prompts[0]
    assert system.text.startswith("You are RankLLM,")
    assert not system.text.endswith(".")
    assert "\n[1] Title: Ida Marsh Content: Ida" in user.text
    assert "\nSearch Query: Where was Ida Marsh born?.\n" in user.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("method: pointwise", "field 'method' must be one of"),
        ("- a list", "field 'method'"),
        ("method: [", "not a readable YAML file"),
        (SINGLE.replace("{candidate}", ""), "field 'body' must hold"),
        (SINGLE.replace("{num}", "{query.__class__}"), "unknown placeholders"),
        (SINGLE.replace("{num}", "{num"), "field 'prefix'"),
        (SINGLE + "extra: x", "field 'extra' must be a text, one of"),
    ],
)
def test_a_wrong_template_is_refused(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(BridgebenchError, match=message):
        rank_zephyr(template=write(tmp_path, text))


@pytest.mark.parametrize(
    ("args", "message"), [({"stride": 21}, "must not be above window=20"), ({"window": 1}, "argument 'window'")]
)
def test_wrong_windows_are_refused(args: dict[str, Any], message: str) -> None:
    with pytest.raises(BridgebenchError, match=message):
        rank_zephyr(**args)


def test_passages_are_shortened_until_the_prompt_fits(
    word_tokenizer: str, scripted: Callable[..., Any], bridged: Callable[..., Any]
) -> None:
    long = [Document(f"d{number}", "", "hill " * 300) for number in range(3)]
    model = scripted("[1]")
    record = bridged(rank_zephyr(tokenizer=word_tokenizer, context=512), model, long)
    assert record["notes"]["passages_cut"] == 3
    words = [line.count("hill") for line in model.texts()[0].splitlines() if line.startswith("[")]
    assert 50 < words[0] < 150
    assert words == [words[0]] * 3


def test_a_query_that_alone_does_not_fit_is_an_error(
    word_tokenizer: str, scripted: Callable[..., Any], evaluate: Callable[..., Any]
) -> None:
    solver = rank_zephyr(tokenizer=word_tokenizer, context=256)
    log = evaluate(solver, scripted("[1]"), question="who " * 500, fail_on_error=False)
    assert "do not fit context=256" in log.samples[0].error.message
