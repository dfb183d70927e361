"""What all rerankers share: documents by score, ids and sources kept."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bridgebench.document import BridgeResult, Cost, Document
from bridgebench.errors import BridgebenchError

SCORE_DIGITS = 4
"""Decimals that count. A batch's padding moves a float32 score by less; without rounding, the order of equal
passages would depend on which other samples are in flight."""


def require_finite(document: Document, values: Iterable[float], what: str) -> None:
    """Refuse what a broken checkpoint or an overflow leaves: no comparison with NaN is true, so it would drop all.

    Args:
        document: That the values are of.
        values: What a network says of it.
        what: One of them, for the message.

    Raises:
        BridgebenchError: When one is not a finite number.
    """
    for value in values:
        if not math.isfinite(value):
            raise BridgebenchError(f"the {what} of document '{document.id}' is {value}")


def reranked(
    documents: Sequence[Document],
    scores: Sequence[float],
    top_k: int | None = None,
    cost: Cost = Cost(),
    notes: Mapping[str, Any] | None = None,
) -> BridgeResult:
    """Documents by descending score; ties keep the order in which they came.

    Args:
        documents: As given to the bridge.
        scores: One a document; logged in this order as ``notes["scores"]``.
        top_k: How many are kept; None is all.
        cost: What the scores took.
        notes: Further diagnostics.

    Raises:
        BridgebenchError: When a score is not a finite number.
    """
    for document, score in zip(documents, scores, strict=True):
        require_finite(document, [score], "score")
    rounded = [round(float(score), SCORE_DIGITS) for score in scores]
    order = sorted(range(len(documents)), key=lambda index: -rounded[index])[:top_k]
    kept = tuple(documents[index] for index in order)
    return BridgeResult(kept, cost=cost, notes={"scores": rounded, **(notes or {})})
