"""A vector or two of each paper: of its questions, of its card, and controls of equal size."""

from collections.abc import Awaitable, Callable
from typing import Literal

from bridgebench.cards import Card
from bridgebench.corpus import Corpus
from bridgebench.solvers.retrieval.dense import DenseIndex, Encode, of_texts, vector_build
from bridgebench.solvers.retrieval.papers import (
    abstract_and_introduction,
    card_texts,
    questions_of_kind,
    whole_card,
)
from bridgebench.solvers.retrieval.retriever import Build, retriever
from bridgebench.solvers.retrieval.texts import Texts, gather

Parts = Literal["kinds", "questions_and_card"]


@retriever
def question_vectors(cards: str, parts: Parts = "kinds", model: str = "minilm", revision: str | None = None) -> Build:
    """Rank papers by their questions: two vectors a paper (arXiv 2506.13778, section 4.3).

    The paper does not say which two. A paper's score is the higher of its two similarities.

    Args:
        cards: Folder of cards.
        parts: ``kinds`` is conceptual questions with their queries, and technical ones with theirs;
            ``questions_and_card`` is all questions with their queries, and the card.
        model: Hub id or folder of any sentence-transformers model; ``minilm`` is the packaged all-MiniLM-L6-v2. What
            it truncates is counted.
        revision: Branch, tag or commit of a hub id.
    """
    return question_build(cards, parts, model, revision)


def question_build(
    cards: str, parts: Parts, model: str, revision: str | None
) -> Callable[[Corpus], Awaitable[DenseIndex]]:
    """How the index of `question_vectors` is built."""
    of_card = _kinds if parts == "kinds" else _questions_and_card
    return vector_build(_of_cards(cards, of_card), "question_vectors", {"parts": parts}, model, revision, cards)


@retriever
def card_vectors(cards: str, model: str = "minilm", revision: str | None = None) -> Build:
    """Rank papers by their card: one vector a paper.

    Args:
        cards: Folder of cards.
        model: As in `question_vectors`.
        revision: Branch, tag or commit of a hub id.
    """
    return vector_build(_of_cards(cards, whole_card), "card_vectors", {}, model, revision, cards)


@retriever
def abstract_introduction_vectors(model: str = "minilm", revision: str | None = None) -> Build:
    """Control of equal size: two vectors a paper that no model wrote anything for, of its abstract and introduction.

    Args:
        model: As in `question_vectors`.
        revision: Branch, tag or commit of a hub id.
    """

    def texts_of(corpus: Corpus) -> Texts:
        return gather((paper.id, abstract_and_introduction(paper)) for paper in corpus.papers)

    return vector_build(of_texts(texts_of), "abstract_introduction_vectors", {}, model, revision)


def _of_cards(folder: str, texts_of: Callable[[Card], list[str]]) -> Encode:
    return of_texts(lambda corpus: card_texts(corpus, folder, texts_of))


def _kinds(card: Card) -> list[str]:
    return [questions_of_kind(card, "conceptual"), questions_of_kind(card, "technical")]


def _questions_and_card(card: Card) -> list[str]:
    return ["\n".join(_kinds(card)), card.markdown]
