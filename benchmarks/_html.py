"""Text out of HTML: of a search result's snippet, and of a whole page.

Tasks call this while they load, before Inspect's event loop has any sample in flight, record by record as the file
streams: nothing waits for it, and no more than one record's pages are in memory. A pool of processes would gain
nothing: a page of 1.5 million characters takes 13 ms, a tenth of what decompressing it from CRAG's ``.bz2`` takes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from selectolax.lexbor import LexborHTMLParser

PAGE_HTML = 2_000_000
"""Characters of a page that are parsed; pages of 1.5 million are real."""

PAGE_TEXT = 50_000
"""Characters of a page's text that are kept."""

_UNREAD = ["head", "script", "style", "noscript", "template", "svg"]
_DEEPEST = 20_000
_TAG = re.compile(r"<(/?)[a-zA-Z]")


@dataclass(frozen=True)
class PageText:
    """Text of a page, one line a block of upstream's source.

    Attributes:
        text: Empty when the page shows none.
        cut: Whether `PAGE_HTML` or `PAGE_TEXT` cut something off.
        too_deep: Whether it was not parsed, because nesting this deep would take minutes.
    """

    text: str
    cut: bool = False
    too_deep: bool = False


def snippet_text(snippet: str) -> str:
    """A snippet without its markup and entities, on one line."""
    body = LexborHTMLParser(snippet).body
    return " ".join(body.text().split()) if body else ""


def page_text(html: str) -> PageText:
    """What a reader of the page would see."""
    source = html[:PAGE_HTML]
    if _too_deep(source):
        return PageText("", too_deep=True)
    tree = LexborHTMLParser(source)
    tree.strip_tags(_UNREAD)
    shown = tree.body.text(separator=" ") if tree.body else ""
    text = "\n".join(_first_lines(shown))
    return PageText(text[:PAGE_TEXT], cut=len(html) > PAGE_HTML or len(text) > PAGE_TEXT)


def _first_lines(shown: str) -> Iterator[str]:
    """Lines with single spaces, without blank ones, until they are more than is kept."""
    length = 0
    for line in shown.splitlines():
        if line := " ".join(line.split()):
            yield line
            length += len(line)
            if length > PAGE_TEXT:
                return


def _too_deep(html: str) -> bool:
    """Whether elements nest so deep that the parser, quadratic in depth, would seem to hang."""
    if html.count("<") - html.count("</") <= _DEEPEST:  # no more tags open than this: a count is ten times as fast
        return False
    depths = accumulate(-1 if tag.group(1) else 1 for tag in _TAG.finditer(html))
    return max(depths, default=0) > _DEEPEST
