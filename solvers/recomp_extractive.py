"""RECOMP, extractive: the sentences whose embedding is nearest to the question's (Xu et al. 2023, arXiv 2310.04408)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from bridgebench.document import Bridge, BridgeResult, Document
from bridgebench.solvers._embedder import Text, embedder_fingerprint, load_embedder
from bridgebench.solvers._ranking import SCORE_DIGITS, require_finite
from bridgebench.solvers._sentences import split_sentences
from bridgebench.solvers._spacy import spacy_fingerprint
from bridgebench.solvers.bridge import bridge

Order = Literal["document", "score"]


def select_top(
    scores: Sequence[Sequence[float]], top_n: int | None, per_document: bool, min_score: float | None
) -> list[tuple[int, int]]:
    """Selected sentences as (document, sentence), by descending score; ties in their order.

    Args:
        scores: Of each document's sentences.
        top_n: How many are selected; None is all.
        per_document: Whether `top_n` counts within each document.
        min_score: Those with less are not selected.
    """
    places = [(number, index) for number, row in enumerate(scores) for index in range(len(row))]
    ranked = sorted(places, key=lambda place: -scores[place[0]][place[1]])
    if min_score is not None:
        ranked = [place for place in ranked if scores[place[0]][place[1]] >= min_score]
    if not per_document:
        return ranked[:top_n]
    taken = [[place for place in ranked if place[0] == number][:top_n] for number in range(len(scores))]
    chosen = {place for row in taken for place in row}
    return [place for place in ranked if place in chosen]


def _fingerprint(model: str, revision: str | None, **_: Any) -> dict[str, Any]:
    return {**embedder_fingerprint(model, revision), "splitter": spacy_fingerprint()}


@bridge(
    family="pruner",
    paper="arXiv 2310.04408",
    checkpoint="fangyuan/nq_extractive_compressor",
    parameters="110M",
    licence="MIT",
    training_data=("nq",),
    utility="outcome",
    extra="local,syntax",
    fingerprint=_fingerprint,
)
def recomp_extractive(
    model: str = "fangyuan/nq_extractive_compressor",
    revision: str | None = None,
    top_n: Annotated[int | None, Field(ge=1)] = 2,
    per_document: bool = False,
    min_score: float | None = None,
    order: Order = "document",
    titles: bool = True,
) -> Bridge:
    """Keep the sentences with the highest dot product with the question.

    Texts are embedded by the mean of their tokens' states, not normalised (Contriever).

    Args:
        model: Hub id or folder, for example ``fangyuan/hotpotqa_extractive_compressor``.
        revision: Branch, tag or commit of a hub id.
        top_n: How many sentences are kept; the paper has 1 (NQ, TriviaQA) and 2 (HotpotQA).
        per_document: Whether `top_n` counts within each document.
        min_score: Least dot product.
        order: Kept sentences as in the documents, one document for each that has any; or one document a sentence, the
            best first.
        titles: Whether a sentence is embedded with its document's title before it.
    """

    async def run(question: str, documents: Sequence[Document]) -> BridgeResult:
        split = await split_sentences([document.text for document in documents])
        sentences = [[found.strip() for found in texts if found.strip()] for texts in split.texts]
        if not any(sentences):
            return BridgeResult(())
        prefixes = [f"{document.title} " if titles and document.title else "" for document in documents]
        embedder = await load_embedder(model, revision)
        texts = [prefix + found for prefix, row in zip(prefixes, sentences, strict=True) for found in row]
        embedded = await embedder.embed([Text(question, True), *(Text(text, False) for text in texts)])
        products = iter([float(embedded.vectors[0] @ vector) for vector in embedded.vectors[1:]])
        scores = [[round(next(products), SCORE_DIGITS) for _ in row] for row in sentences]
        for document, row in zip(documents, scores, strict=True):
            require_finite(document, row, "dot product")
        chosen = select_top(scores, top_n, per_document, min_score)
        if order == "score":
            kept = [
                replace(documents[number], id=f"{documents[number].id}.{index}", text=sentences[number][index])
                for number, index in chosen
            ]
        else:
            kept = [
                replace(document, text=" ".join(row[index] for index in range(len(row)) if (number, index) in chosen))
                for number, (document, row) in enumerate(zip(documents, sentences, strict=True))
                if any(place[0] == number for place in chosen)
            ]
        return BridgeResult(
            tuple(kept),
            cost=replace(embedded.cost, seconds=(embedded.cost.seconds or 0.0) + split.seconds),
            notes={"scores": scores, "truncated": embedded.truncated},
        )

    return run
