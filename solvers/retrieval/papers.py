"""The texts of papers and of their cards."""

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from bridgebench.cards import Card, Kind, read_cards
from bridgebench.corpus import Corpus, Paper
from bridgebench.errors import BridgebenchError
from bridgebench.solvers.retrieval.texts import Texts, gather

logger = logging.getLogger(__name__)

Field = Literal["abstract", "full_text", "cards"]


def paper_texts(corpus: Corpus, field: Literal["abstract", "full_text"]) -> Texts:
    """The abstract or the full text of each paper."""
    return gather((paper.id, [paper.abstract if field == "abstract" else paper.full_text]) for paper in corpus.papers)


def card_texts(corpus: Corpus, folder: str, texts_of: Callable[[Card], list[str]]) -> Texts:
    """Texts out of the card of each paper.

    Args:
        corpus: Papers without a card cannot be found: they are counted, and a warning says so.
        folder: Folder of cards.
        texts_of: Which texts of a card.

    Raises:
        RecordError: When a card cannot be read.
        BridgebenchError: When there is no such folder, or no card of these papers in it.
    """
    cards = read_cards(Path(folder).expanduser())
    if not any(paper.id in cards for paper in corpus.papers):
        raise BridgebenchError(f"'{folder}' has cards of {len(cards)} papers, none of them in the task's corpus")
    texts = gather(_of(paper, cards, texts_of) for paper in corpus.papers)
    if texts.without:
        logger.warning("'%s' has nothing of %d of the corpus's papers", folder, texts.without)
    return texts


def _of(paper: Paper, cards: Mapping[str, Card], texts_of: Callable[[Card], list[str]]) -> tuple[str, list[str]]:
    return paper.id, texts_of(cards[paper.id]) if paper.id in cards else []


def whole_card(card: Card) -> list[str]:
    """The card as it stands in its file."""
    return [card.markdown]


def questions_of_kind(card: Card, kind: Kind) -> str:
    """Questions and queries of one kind, one a line."""
    asked = [question for question in card.questions if question.kind == kind]
    return "\n".join(line for question in asked for line in (question.text, question.query) if line)


def abstract_and_introduction(paper: Paper) -> list[str]:
    """Abstract, and introduction: the section of that name, or the first."""
    named = [section for section in paper.sections if "introduction" in section.name.lower()]
    introduction = [section.text for section in [*named, *paper.sections][:1]]
    return [paper.abstract, *introduction]
