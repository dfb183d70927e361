"""CRAG: pages to documents, types and splits, and who is told the time."""

from collections.abc import Callable
from typing import Any

import pytest

from bridgebench.benchmarks._fields import Record
from bridgebench.benchmarks._html import PAGE_HTML, PAGE_TEXT, page_text, snippet_text
from bridgebench.benchmarks.crag.crag import crag, record_to_sample
from bridgebench.errors import RecordError

Upstream = dict[str, dict[str, Any]]
AsRecord = Callable[..., Record]


def documents(sample: Any) -> list[tuple[str, str]]:
    return [(document["id"], document["text"]) for document in (sample.metadata or {})["documents"]]


def test_snippets(upstream: Upstream, as_record: AsRecord) -> None:
    sample = record_to_sample(as_record(upstream["crag"]))
    # 0 has no snippet; 1 and 3 are one page, as are 2 and 4
    assert documents(sample) == [
        ("0", "Lamps by Ada"),
        ("1", "Made by Ada Brin 'herself'"),
        ("2", "Made by Ada Brin 'herself'"),
    ]
    assert (sample.metadata or {})["counts"] == {"snippets_replaced_by_page": 1, "repeated_pages": 2}
    assert sample.target == ["ada brin", "a. brin"]
    assert (sample.metadata or {})["crag_split"] == "validation"


def test_pages(upstream: Upstream, as_record: AsRecord) -> None:
    sample = record_to_sample(as_record(upstream["crag"]), documents="page")
    assert documents(sample) == [("0", "Lamps by Ada"), ("1", "Lamps by Ada")]
    assert (sample.metadata or {})["counts"] == {"repeated_pages": 2, "empty_pages": 1}
    none = record_to_sample(as_record(upstream["crag"] | {"search_results": []}))
    assert (documents(none), (none.metadata or {})["counts"]) == ([], {"questions_without_pages": 1})


def test_query_time(upstream: Upstream, as_record: AsRecord) -> None:
    asked = "(asked on 02/28/2024, 10:04:54 PT)"
    both = record_to_sample(as_record(upstream["crag"]))
    assert both.input == f"who makes the tall lamp? {asked}"
    assert (both.metadata or {})["reader"] == {}
    generator = record_to_sample(as_record(upstream["crag"]), query_time="generator")
    assert generator.input == "who makes the tall lamp?"
    assert (generator.metadata or {})["reader"] == {"note": asked}


def test_the_note_and_the_prompt_reach_the_reader(upstream: Upstream, write_lines: Callable[..., str]) -> None:
    (sample,) = crag(source=write_lines([upstream["crag"]]), query_time="generator").dataset
    reader = (sample.metadata or {})["reader"]
    assert (reader["note"], reader["prompt"]) == ("(asked on 02/28/2024, 10:04:54 PT)", "qa_unsure")


@pytest.mark.parametrize(
    ("own", "group"),
    [("multi-hop", "multi-hop"), ("post-processing", "post-processing-heavy"), ("false_premise", "others")],
)
def test_question_types(upstream: Upstream, as_record: AsRecord, own: str, group: str) -> None:
    metadata = record_to_sample(as_record(upstream["crag"] | {"question_type": own})).metadata or {}
    assert (metadata["question_type"], metadata["crag_type"]) == (group, own)


def test_splits(upstream: Upstream, write_lines: Callable[..., str]) -> None:
    path = write_lines([upstream["crag"], upstream["crag"] | {"interaction_id": "c2", "split": 1}])
    assert len(crag(source=path).dataset) == 2
    test = crag(source=path, split="test")
    assert [sample.id for sample in test.dataset] == ["c2"]
    assert (test.metadata or {})["records"]["excluded"] == {"split validation": 1}


def test_answers_of_the_older_data(upstream: Upstream, as_record: AsRecord) -> None:
    record = {key: value for key, value in upstream["crag"].items() if key != "alt_ans"}
    for written, expected in (("[]", ["ada brin"]), ('["ada"]', ["ada brin", "ada"])):
        sample = record_to_sample(as_record(record | {"alternative_answers": written}))
        assert sample.target == expected
    with pytest.raises(RecordError, match="field 'split': must be 0"):
        record_to_sample(as_record(record | {"split": 2}))


def test_page_text() -> None:
    page = page_text(
        "<html><head><title>No</title><style>p{}</style></head><body><script>no()</script>"
        "<p>One <i>two</i>&nbsp;three</p>\n\n\n<ul><li>four</li><li>five</li></ul><noscript>no</noscript></body></html>"
    )
    assert page.text == "One two three\nfour five"
    assert not page.cut
    assert page_text("").text == ""
    assert page_text("plain & simple <").text == "plain & simple <"
    assert snippet_text("The <b>a</b> &lt;b&gt;\n&amp;amp; c") == "The a <b> &amp; c"


def test_pages_are_bounded() -> None:
    real = page_text("<p>word word word word</p>\n" * 55_000)  # 1.5 MB
    assert (real.cut, real.text) == (True, ("word word word word\n" * 55_000)[:PAGE_TEXT])
    exact = page_text("<p>" + "word " * (PAGE_TEXT // 5) + "w</p>\n\n<p> </p>")
    assert (exact.cut, len(exact.text)) == (True, PAGE_TEXT)
    whole = page_text("<p>" + "word " * (PAGE_TEXT // 5) + "</p>\n\n<p> </p>")
    assert (whole.cut, len(whole.text)) == (False, PAGE_TEXT - 1)
    huge = page_text("<p>a</p>" + " " * PAGE_HTML + "<p>b</p>")
    assert (huge.cut, huge.text) == (True, "a")
    deep = page_text("<div>" * 300_000 + "deep")  # parsing it takes minutes
    assert (deep.too_deep, deep.text) == (True, "")
    assert page_text("<div>" * 3_000 + "deep" + "</div>" * 3_000).text == "deep"
