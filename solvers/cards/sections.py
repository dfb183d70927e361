"""Which sections of a paper a card is made of, and which are left for the questions that test it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bridgebench.corpus import Paper, Section
from bridgebench.document import Document
from bridgebench.solvers.fit import fit

Rule = Literal["any_word", "last_word"]
"""How a heading is compared with the list: any word or phrase in it, or its last word alone (the released code, which
never finds names of several words)."""

KEY_HEADINGS = (
    *("abstract", "introduction", "background", "method", "methods", "methodology", "approach", "approaches"),
    *("setup", "main results", "results", "evaluation", "evaluations", "analysis", "discussion"),
    *("limitations", "conclusion", "conclusions"),
)
"""Headings of "key sections that address the research hypotheses": the released code's list."""

_NUMERAL = re.compile(r"^(?:\d+(?:\.\d+)*[.)]?|[IVXLC]+(?:\.\d+)*[.)]|[A-Z](?:\.\d+)*[.)])\s+")


@dataclass(frozen=True)
class Selection:
    """Sections of a paper.

    Attributes:
        sections: In the order of the paper; a document's id is its place in there (``abstract``: before the first),
            its title the heading.
        matched: Whether headings decided; else no heading was on the list, and the text was taken from its beginning.
    """

    sections: tuple[Document, ...]
    matched: bool


def normalise_heading(heading: str) -> str:
    """A heading in lower case, without numbering and punctuation; parts of a nested one (``:::``) are joined."""
    parts = (_NUMERAL.sub("", part.strip()) for part in heading.split(":::"))
    return " ".join(re.findall(r"\w+", " ".join(parts).lower()))


def is_key(heading: str, rule: Rule = "any_word") -> bool:
    """Whether a heading is on the list."""
    normal = normalise_heading(heading)
    if rule == "last_word":
        return normal.rpartition(" ")[2] in KEY_HEADINGS
    return any(f" {key} " in f" {normal} " for key in KEY_HEADINGS)


def key_sections(paper: Paper, rule: Rule, budget: int, tokenizer: str | None = None) -> Selection:
    """The sections a card is made of: abstract and key sections; the text's beginning where no heading is on the list.

    Args:
        paper: The paper.
        rule: How headings are compared.
        budget: Most of the text that is taken when no heading is on the list, in words or tokens of `tokenizer`.
        tokenizer: Counts tokens; None counts words.
    """
    chosen = [section for section in _documents(paper) if is_key(section.title, rule)]
    if any(section.id != "abstract" for section in chosen):
        return Selection(tuple(chosen), matched=True)
    return Selection(fit(_documents(paper), budget, tokenizer=tokenizer).documents, matched=False)


def other_sections(paper: Paper, rule: Rule, budget: int, tokenizer: str | None = None) -> Selection:
    """The sections no card of the same arguments has read."""
    key = key_sections(paper, rule, budget, tokenizer)
    read = {section.id for section in key.sections}
    return Selection(tuple(section for section in _documents(paper) if section.id not in read), key.matched)


def deal(questions: int, sections: Sequence[Document], *, last_first: bool = False) -> list[tuple[Document, int]]:
    """How many questions are asked of which section: as evenly as can be.

    With fewer questions than sections, those asked are spread over the paper, from its first section, or from its last.
    """
    order = list(reversed(sections)) if last_first else list(sections)
    if len(order) > questions:
        order = [order[place * len(order) // questions] for place in range(questions)]
    dealt = [
        (section, questions // len(order) + (place < questions % len(order))) for place, section in enumerate(order)
    ]
    return list(reversed(dealt)) if last_first else dealt


def share(sizes: Sequence[int], budget: int) -> list[int]:
    """Share a budget among texts so that short ones stay whole and no long one gets more than another.

    Returns:
        What each text gets; they sum up to no more than `budget`.
    """
    given = [0] * len(sizes)
    shortest_first = sorted(range(len(sizes)), key=lambda place: sizes[place])
    for done, place in enumerate(shortest_first):
        given[place] = min(sizes[place], (budget - sum(given)) // (len(sizes) - done))
    return given


def _documents(paper: Paper) -> list[Document]:
    """Abstract and sections that have text; upstream keeps headings of parents without any."""
    numbered = [("abstract", Section("Abstract", paper.abstract)), *((str(n), s) for n, s in enumerate(paper.sections))]
    return [Document(id, section.name, section.text) for id, section in numbered if section.text.strip()]
