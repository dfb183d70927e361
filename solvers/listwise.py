"""Listwise reranking: a model orders the passages of a window, which slides from the bottom of the list to its top.

Sun et al. 2023 (RankGPT, arXiv 2304.09542), section 3.2; the same loop serves RankZephyr and Rank-K.
"""

import re
import unicodedata
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig

from bridgebench.document import Bridge, BridgeResult, Document, Parse
from bridgebench.errors import BridgebenchError
from bridgebench.solvers.llm import Reply, ask, reply_notes, total_cost
from bridgebench.solvers.neutralise import Guard

_LISTING = re.compile(r"\[?\d+\]?(?:\s*[>=]\s*\[?\d+\]?)*")
_IDENTIFIER = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True)
class Order:
    """How one reply orders the passages of a window.

    Attributes:
        indices: Positions in the window, best first; a permutation whatever the reply was.
        parse: ``ok`` when it names every passage once and says nothing else, ``repaired`` when something was missing,
            repeated, unknown or beside the point, ``fallback`` (the incoming order) when it names no passage.
        ties: Pairs that the reply calls equal.
    """

    indices: tuple[int, ...]
    parse: Parse
    ties: int = 0


def windows(n: int, size: int, stride: int) -> list[tuple[int, int]]:
    """Start and end of each window over `n` passages, from the bottom up, the last one holding the first passage.

    A window never reaches outside the list: of 10 passages, a window of 20 holds all, once.

    Raises:
        BridgebenchError: When the stride would leave passages between two windows out.
    """
    if stride > size:
        raise BridgebenchError(f"stride={stride} must not be above window={size}: passages would be left out")
    spans = []
    end = n
    while end > 0:
        start = max(0, end - size)
        spans.append((start, end))
        if start == 0:
            break
        end -= stride
    return spans


def parse_permutation(text: str, n: int) -> Order:
    """Read any digits as identifiers: repeated and unknown ones are dropped, missing ones follow in incoming order.

    Superscript, circled and full-width digits count as digits. Source: RankGPT's and rank-llm's repair.
    """
    digits = "".join(_ascii_digit(character) for character in text)
    return _order(digits.split(), n, clean=bool(_LISTING.fullmatch(text.strip())))


def parse_tied(text: str, n: int) -> Order:
    """Read the last line as ``[3] > [2] = [1]``, up to the first repeated identifier (Rank-K).

    Ties keep the order in which they are listed; whatever is no known identifier is skipped.
    """
    line = text.strip().rpartition("\n")[2]
    named = [part.replace("[", "").replace("]", "").strip() for part in re.split("[>=]", line)]
    known = [part for part in named if _index(part, n) is not None]
    indices = [_index(part, n) for part in known]
    stop = next((position for position, index in enumerate(indices) if index in indices[:position]), len(known))
    order = _order(known[:stop], n, clean=len(named) == stop and bool(_LISTING.fullmatch(line)))
    return Order(order.indices, order.parse, line.count("="))


def _order(named: Sequence[str], n: int, clean: bool) -> Order:
    listed = list(dict.fromkeys(index for name in named if (index := _index(name, n)) is not None))
    complete = len(listed) == len(named) == n
    parse: Parse = "ok" if complete and clean else "repaired" if listed else "fallback"
    return Order((*listed, *(index for index in range(n) if index not in listed)), parse)


def _index(name: str, n: int) -> int | None:
    """Position that an identifier (from 1) names; None when it names none of `n` passages."""
    significant = name.lstrip("0")  # Python refuses to read numbers of thousands of digits
    if not (significant.isascii() and significant.isdigit()) or len(significant) > len(str(n)):
        return None
    return int(significant) - 1 if int(significant) <= n else None


def _ascii_digit(character: str) -> str:
    digit = unicodedata.digit(character, None)
    return " " if digit is None else str(digit)


def labelled_text(document: Document) -> str:
    """Title and text as RankGPT and RankZephyr are shown them."""
    return f"Title: {document.title} Content: {document.text}" if document.title else document.text


def passage_text(text: str, guard: Guard) -> str:
    """A text (or a query) as it stands in a prompt: citation marks like ``[12]`` would be read as identifiers."""
    text, citations = _IDENTIFIER.subn(r"(\1)", guard(text))
    guard.touched += citations
    return text


async def slide(
    documents: Sequence[Document],
    size: int,
    stride: int,
    sort: Callable[[Sequence[Document]], Awaitable[Order]],
) -> tuple[tuple[Document, ...], list[Order]]:
    """Let `sort` order window after window in place.

    Args:
        documents: In retrieval order.
        size: Documents in a window.
        stride: Documents that the next window lies further up.
        sort: Orders the documents of one window; not called for a single document.

    Returns:
        The documents in their new order, and the order of each window.
    """
    ranked, orders = list(documents), []
    for start, end in windows(len(ranked), size, stride) if len(ranked) > 1 else ():
        order = await sort(ranked[start:end])
        ranked[start:end] = [ranked[start + index] for index in order.indices]
        orders.append(order)
    return tuple(ranked), orders


def overall_parse(orders: Sequence[Order]) -> Parse:
    """``ok`` or ``fallback`` when all windows are, else ``repaired``."""
    kinds = {order.parse for order in orders}
    return kinds.pop() if len(kinds) == 1 else "repaired" if kinds else "ok"


@dataclass(frozen=True)
class Window:
    """The prompt for one window.

    Attributes:
        messages: What the model is asked.
        cut: Passages that stand in it shortened.
    """

    messages: list[ChatMessage]
    cut: int


def listwise(
    render: Callable[[str, Sequence[Document], Guard], Window],
    config: Callable[[int], GenerateConfig],
    parse: Callable[[str, int], Order],
    *,
    window: int,
    stride: int,
    top_k: int | None,
    notes: Mapping[str, Any],
) -> Bridge:
    """A listwise reranker.

    Args:
        render: Makes the prompt of a question and the documents of one window.
        config: Generation settings for a window of so many passages.
        parse: Reads a reply about so many passages.
        window: Passages in a window.
        stride: Passages that the next window lies further up.
        top_k: How many documents are kept; None is all.
        notes: What every result says.
    """
    windows(0, window, stride)  # refuses a wrong stride before anything runs

    async def run(question: str, documents: Sequence[Document]) -> BridgeResult:
        guard, replies, cut = Guard("Query:"), list[Reply](), 0

        async def sort(passages: Sequence[Document]) -> Order:
            nonlocal cut
            prompt = render(question, passages, guard)
            replies.append(await ask(prompt.messages, config(len(passages))))
            cut += prompt.cut
            return parse(replies[-1].text, len(passages))

        ranked, orders = await slide(documents, window, stride, sort)
        counts = {
            "windows": len(orders),
            "windows_repaired": sum(order.parse == "repaired" for order in orders),
            "windows_fallback": sum(order.parse == "fallback" for order in orders),
            "ties": sum(order.ties for order in orders),
            "passages_cut": cut,
            "neutralised": guard.touched,
        }
        return BridgeResult(
            ranked[:top_k],
            parse=overall_parse(orders),
            cost=total_cost(replies),
            notes={**notes, **counts, **reply_notes(replies)},
        )

    return run
