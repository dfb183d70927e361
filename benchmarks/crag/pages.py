"""The pages of a CRAG record as documents: empty ones left out, repeated ones kept once, and all of it counted."""

from collections import Counter
from typing import Literal

from bridgebench.benchmarks._fields import Record
from bridgebench.benchmarks._html import page_text, snippet_text
from bridgebench.document import Document

Documents = Literal["snippet", "page"]


def read_pages(record: Record, documents: Documents) -> tuple[list[Document], Counter[str]]:
    """Documents of ``search_results``, with their position as id.

    A page without a snippet is shown by its text. One without text either is left out, and so is one whose URL and
    text have come before.
    """
    counts: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()
    shown: list[Document] = []
    for index, result in enumerate(
        record.rows("search_results", "page_name", "page_url", "page_snippet", "page_result")
    ):
        text = _text(result, documents, counts)
        key = (result.text("page_url", blank=True), text)
        if not text:
            counts["empty_pages"] += 1
        elif key in seen:
            counts["repeated_pages"] += 1
        else:
            seen.add(key)
            shown.append(Document(str(index), snippet_text(result.text("page_name", blank=True)), text))
    counts["questions_without_pages"] += not shown
    return shown, counts


def _text(result: Record, documents: Documents, counts: Counter[str]) -> str:
    snippet = snippet_text(result.text("page_snippet", blank=True))
    html = result.text("page_result", blank=True)
    if documents == "snippet" and snippet:
        return snippet
    page = page_text(html)
    counts["pages_cut"] += page.cut
    counts["pages_nested_too_deep"] += page.too_deep
    counts["snippets_replaced_by_page"] += documents == "snippet" and bool(page.text)
    return page.text
