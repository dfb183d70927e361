"""The page as a file: self-contained, inert, within its size, with everything it must say."""

import base64
import hashlib
import json
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bridgebench.leaderboard.command import write
from bridgebench.leaderboard.drilldown import compare
from bridgebench.leaderboard.report import read_report

HOSTILE = (
    "<script>window.pwned=1</script></script><img src=x onerror=window.pwned=1>"
    "\"'{{ 7*7 }}|`*_\\input{x}\u202eevil\u2066\x00\x1b[31m"
)


class Elements(HTMLParser):
    """Names of elements and all attributes, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def elements(html: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Elements()
    parser.feed(html)
    return parser.found


def build(folder: Path, out: Path, bundle: str = "") -> dict[str, str]:
    report = read_report([folder], resamples=100)
    paths = write(report, out, compare(report), bundle)
    return {str(path.relative_to(out)): path.read_text(encoding="utf-8") for path in paths}


@pytest.fixture(scope="module")
def hostile(synthetic: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Pages of logs whose every text is hostile."""
    logs, out = tmp_path_factory.mktemp("logs"), tmp_path_factory.mktemp("out")
    retrieved = [
        {"id": "d0", "title": HOSTILE, "text": f"{HOSTILE} {'x' * 1_000_000} tail", "sources": ["d0"]},
        {"id": "d1", "title": "t", "text": "word " * 200_000, "sources": ["d1"]},
    ]
    read = [{"id": "d0", "title": HOSTILE, "text": f"{HOSTILE} added", "sources": ["d0"]}]
    options: dict[str, Any] = {
        "sample_options": {
            "question": HOSTILE, "target": [HOSTILE], "answer": HOSTILE + "y" * 1_000_000, "retrieved": retrieved,
            "read": read, "metadata": {"question_type": HOSTILE, "cluster": HOSTILE},
        },
        "ids": lambda i: f"<b>{i}</b>\"'",
        "benchmark": f"theirs/{HOSTILE}".replace("/script", "script"),
        "generator": f"api/{HOSTILE}",
    }  # fmt: skip
    synthetic.write_cell(logs, "naive", values=[0.0, 1.0, 0.0], name="naive", **options)
    synthetic.write_cell(logs, HOSTILE, values=[1.0, 1.0, float("nan")], name="bridge", args={"x": HOSTILE}, **options)
    synthetic.write_cell(logs, HOSTILE, values=[1.0, 1.0, 0.0], name="twin", args={"x": "<i>"}, **options)
    return build(logs, out)


def test_text_from_logs_makes_no_element_and_no_handler(hostile: dict[str, str]) -> None:
    for name, html in hostile.items():
        if name.endswith(".html"):
            found = elements(html)
            tags = [tag for tag, _ in found]
            assert tags.count("script") == 1, name
            assert "img" not in tags
            assert "i" not in tags
            assert not [a for _, attributes in found for a in attributes if a.startswith("on")], name
            assert not [attributes for _, attributes in found if "style" in attributes], "the policy forbids them"


def test_the_page_asks_for_nothing_outside_itself(hostile: dict[str, str]) -> None:
    html = hostile["leaderboard.html"]
    for tag, attributes in elements(html):
        for attribute in ("src", "href", "action", "data", "srcset"):
            address = attributes.get(attribute) or ""
            assert address.startswith(("#", "data:,", "questions/")) or not address, (tag, attribute, address)
    assert "@import" not in html
    assert "url(" not in html


def test_the_policy_allows_exactly_the_pages_own_style_and_script(hostile: dict[str, str]) -> None:
    html = hostile["leaderboard.html"]
    policy = next(a["content"] for tag, a in elements(html) if tag == "meta" and "http-equiv" in a)
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        source = re.search(f"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        assert source is not None
        assert base64.b64encode(hashlib.sha256(source.group(1).encode()).digest()).decode() in policy


def test_invisible_characters_are_made_visible(hostile: dict[str, str]) -> None:
    for name, html in hostile.items():
        if name.endswith(".html"):
            assert not set(html) & set("\x00\x1b\u202e\u2066"), name


def test_a_megabyte_of_text_is_cut_and_said_to_be(hostile: dict[str, str]) -> None:
    html = hostile["leaderboard.html"]
    assert len(html) < 400_000
    assert "(1,000,000 characters)" in html
    assert "199,400 more words, not shown" in html


def test_other_forms_are_inert_too(hostile: dict[str, str]) -> None:
    markdown = hostile["leaderboard.md"]
    assert not re.search(r"(?<!\\)<", markdown.replace("<0.001", ""))
    assert all(line.count(" | ") == markdown.splitlines()[4].count(" | ") for line in markdown.splitlines()[4:7])
    assert "\\input" not in hostile["leaderboard.tex"]
    assert r"\textbackslash{}input\{x\}" in hostile["leaderboard.tex"]
    assert json.loads(hostile["leaderboard.json"])["tables"][0]["generator"].startswith("api/<script>")


def test_spreadsheets_run_no_formula(synthetic: ModuleType, tmp_path: Path) -> None:
    synthetic.write_cell(tmp_path / "logs", "naive", n=2, generator="=cmd()")
    csv = build(tmp_path / "logs", tmp_path / "out")["leaderboard.csv"]
    assert "'=cmd()" in csv


@pytest.fixture(scope="module")
def two_benchmarks(synthetic: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    logs, out = tmp_path_factory.mktemp("logs"), tmp_path_factory.mktemp("out")
    for benchmark in ("hotpotqa", "musique"):
        for bridge, skill in (("naive", 0.3), ("no_documents", 0.1), ("r2u", 0.9), ("provence", 0.3)):
            synthetic.write_cell(
                logs, bridge, skill=skill, n=40, benchmark=f"bridgebench/{benchmark}", words_each=20, documents_each=3
            )
    synthetic.write_cell(logs, "exit", n=4, planned=40, name="broken")
    return logs, out


def test_everything_is_said(two_benchmarks: tuple[Path, Path]) -> None:
    html = build(*two_benchmarks)["leaderboard.html"]
    for said in (
        "Averages over benchmarks", "− naive", "− closed book", "By question type", "How each row was run",
        "inspect eval bridgebench/hotpotqa", "Why answers came out right or wrong", "Table 1, Llama-3.1-8B-Instruct",
        "5 differ most, 10 at random", "incomplete (success), not ranked", "words the generator reads", "abc1234",
    ):  # fmt: skip
        assert said in html, said
    assert '<th scope="row">no_<wbr>documents' in html, "a name breaks at its underscores, not within a word"
    assert re.search(r'<span class="sure">\+\d', html), "a large difference stands after correction"


def test_questions_link_to_the_bundle(two_benchmarks: tuple[Path, Path], tmp_path: Path) -> None:
    html = build(two_benchmarks[0], tmp_path, bundle="viewer")["leaderboard.html"]
    links = [a["href"] or "" for tag, a in elements(html) if tag == "a" and (a.get("href") or "").startswith("viewer")]
    assert len(links) == 2 * 15 * 4
    assert all(re.fullmatch(r"viewer/#/logs/[\w.-]+\.eval/samples/sample/q\d+/1", link) for link in links)


def test_what_does_not_fit_goes_to_side_files(
    two_benchmarks: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridgebench.leaderboard.render.ROOM", 60_000)
    files = build(two_benchmarks[0], tmp_path)
    page = files["leaderboard.html"]
    inside = sum(attributes.get("class") == "case" for _, attributes in elements(page))
    assert 4 * 5 <= inside < 4 * 15, "those that differ most come first"
    sides = [name for name in files if name.startswith("questions/")]
    assert sides
    for name in sides:
        assert f'href="{name}"' in page
        assert sum(attributes.get("class") == "case" for _, attributes in elements(files[name])) == 15
    for bundle, below in (
        ("../view", "../../view/#"),
        ("/srv/view", "/srv/view/#"),
        ("https://x.y/v", "https://x.y/v/#"),
    ):
        side = next(html for name, html in build(two_benchmarks[0], tmp_path, bundle).items() if name in sides)
        links = [a["href"] or "" for tag, a in elements(side) if tag == "a" and "/samples/" in (a.get("href") or "")]
        assert len(links) == 15 * 2
        assert all(link.startswith(below) for link in links)


def test_the_same_logs_give_the_same_page(two_benchmarks: tuple[Path, Path], tmp_path: Path) -> None:
    first, second = build(two_benchmarks[0], tmp_path / "a"), build(two_benchmarks[0], tmp_path / "b")
    assert first == second


@pytest.mark.parametrize(
    ("foreign", "problem"),
    [
        ({"documents": ["a passage"]}, "document: must be a mapping, got str"),
        ({"documents": 3}, "'documents' must be a list, got int"),
        ({"gold_documents": 7}, "'gold_documents' must be a list, got int"),
    ],
)
def test_another_tasks_documents_are_left_out_and_said_to_be(
    synthetic: ModuleType, tmp_path: Path, foreign: dict[str, Any], problem: str
) -> None:
    for bridge in ("naive", "r2u"):
        options = {"metadata": foreign}
        synthetic.write_cell(tmp_path / "logs", bridge, values=[1.0, 0.0], sample_options=options)
    html = unescape(build(tmp_path / "logs", tmp_path / "out")["leaderboard.html"])
    assert html.count(f"The log's documents cannot be shown: {problem}") == 2
    assert html.count('class="case"') == 2, "question and answers are shown all the same"
