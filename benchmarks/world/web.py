"""Passages as the web shows them: search snippets and HTML pages."""

import html
import re
from collections.abc import Sequence
from random import Random

_STYLE = "body{font-family:serif;margin:0} nav li{display:inline} .ad{display:none}"
_SCRIPT = "window.dataLayer=window.dataLayer||[];function track(a,b){if(a<b&&b>0){dataLayer.push([a,b])}}track(1,2);"
_SITES = ("almanac", "chronicle", "gazetteer", "archive", "library", "review", "guide")


def slug(title: str) -> str:
    """A title as part of a URL."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def url(title: str, rng: Random) -> str:
    """An address under the reserved top-level domain ``example``."""
    return f"https://www.{rng.choice(_SITES)}.example/{slug(title)}"


def bold_snippet(text: str, query: str) -> str:
    """A search engine's snippet: HTML-escaped, the query's words in bold, one line break."""
    asked = {word for word in re.findall(r"\w+", query.lower()) if len(word) > 3}
    words = [
        f"<b>{word}</b>" if re.sub(r"\W", "", word).lower() in asked else word
        for word in html.escape(text, quote=False).replace("'", "&#39;").split()
    ]
    middle = len(words) // 2
    return " ".join([*words[:middle], f"\n{words[middle]}", *words[middle + 1 :]]) + "&nbsp;..."


def plain_snippet(text: str) -> str:
    """A snippet as CRAG has it: entities, no markup, pieces joined by a middle dot."""
    sentences = html.escape(text).split(". ")
    return ". ".join(sentences[:2]) + "".join(f" · {sentence}" for sentence in sentences[2:])


def page(title: str, paragraphs: Sequence[str], related: Sequence[str], rng: Random) -> str:
    """An HTML page with what surrounds the text of real ones: scripts, styles, navigation, a table, a footer."""
    name = html.escape(title)
    items = "".join(f'<li><a href="/{slug(other)}">{html.escape(other)}</a></li>' for other in related)
    body = "\n".join(f"<p>{html.escape(text)}</p>" for text in paragraphs[1:])
    visits = rng.randrange(100, 100_000)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"/><title>{name}</title>\n'
        f"<style>{_STYLE}</style>\n<script>{_SCRIPT}</script></head>\n"
        f"<body><!-- page {visits} -->\n<nav><ul>{items}</ul></nav>\n"
        f"<article><h1>{name}</h1>\n<p>{html.escape(paragraphs[0])}</p>\n"
        f'<div class="ad"><script>track({visits}, 3);</script></div>\n{body}\n</article>\n'
        f"<table><tr><th>Visits</th><td>{visits:,}</td></tr></table>\n"
        f"<footer><p>&copy; The editors &amp; contributors &#8211; all rights reserved</p></footer></body></html>\n"
    )
