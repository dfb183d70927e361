"""AmbigQA's own F1: a set of answers against the sets that annotators saw in an ambiguous question."""

from collections.abc import Mapping, Sequence
from typing import Any

from bridgebench.errors import BridgebenchError
from bridgebench.scorers.qa_metrics import normalise_answer


def set_f1(groups: Sequence[Sequence[str]], predictions: Sequence[str]) -> float:
    """F1 between predicted answers and groups of aliases, matched one to one and greedily in order.

    With a = matched groups / groups and b = matched predictions / predictions: 2ab / (a + b), and 0.0 when
    nothing matches. Two groups that hold the same answer need two predictions, as in the official script.

    Raises:
        BridgebenchError: When there is no group or no prediction.
    """
    if not groups or not predictions:
        raise BridgebenchError("ambigqa_f1: needs at least one group of answers and one prediction")
    unmatched = [normalise_answer(prediction) for prediction in predictions]
    matched = 0
    for group in groups:
        aliases = {normalise_answer(alias) for alias in group}
        hit = next((prediction for prediction in unmatched if prediction in aliases), None)
        if hit is not None:
            unmatched.remove(hit)
            matched += 1
    a, b = matched / len(groups), matched / len(predictions)
    return 2 * a * b / (a + b) if matched else 0.0


def ambigqa_f1(annotations: Sequence[Mapping[str, Any]], predictions: Sequence[str]) -> float:
    """`set_f1`, maximised over annotations (upstream's ``F1 answer``).

    Args:
        annotations: In the shape of the raw release: ``{"type": "singleAnswer", "answer": [alias, ...]}`` or
            ``{"type": "multipleQAs", "qaPairs": [{"question": ..., "answer": [alias, ...]}, ...]}``.
        predictions: The answers given, at least one.

    Raises:
        BridgebenchError: When there is no annotation, or one is of another shape.
    """
    if not annotations:
        raise BridgebenchError("ambigqa_f1: needs at least one annotation")
    return max(set_f1(answer_groups(annotation), predictions) for annotation in annotations)


def is_multi(annotations: Sequence[Mapping[str, Any]]) -> bool:
    """Whether no annotator gave a single answer: upstream's "multi only" subset (1,002 of 2,002 in dev)."""
    return all(annotation.get("type") != "singleAnswer" for annotation in annotations)


def answer_groups(annotation: Mapping[str, Any]) -> list[list[str]]:
    """Groups of aliases of one annotation: one for a single answer, one a question otherwise.

    Raises:
        BridgebenchError: When the annotation is of another shape.
    """
    groups: list[Any]
    match annotation:
        case {"type": "singleAnswer", "answer": answer}:
            groups = [answer]
        case {"type": "multipleQAs", "qaPairs": [*pairs]}:
            groups = [pair.get("answer") if isinstance(pair, Mapping) else None for pair in pairs]
        case _:
            raise BridgebenchError(f"annotation: neither a singleAnswer nor multipleQAs: {annotation!r:.120}")
    if not groups or not all(
        isinstance(group, list) and group and all(isinstance(alias, str) for alias in group) for group in groups
    ):
        raise BridgebenchError(f"annotation: answers must be non-empty lists of strings: {annotation!r:.120}")
    return groups
