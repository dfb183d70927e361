"""ROUGE-L and BLEU of MS MARCO's answers, by ``rouge-score`` and ``sacrebleu``, which download nothing.

The official script combines its figures the same way but cuts words with spaCy; here ROUGE-L is over lower-cased
runs of ASCII letters and digits (``rouge-score``), BLEU over sacrebleu's 13a tokens in lower case. So
figures are comparable within this suite, and only roughly with published ones.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from bridgebench.errors import BridgebenchError, require

NO_ANSWER = "No Answer Present."
"""Gold of an unanswerable question; the official script leaves such questions out of ROUGE and BLEU."""

_BETA = 1.2  # weight of recall over precision in the official script
_ORDERS = (1, 2, 3, 4)


def rouge_l(prediction: str, references: Sequence[str]) -> float:
    """ROUGE-L as the official script combines it: (1 + b²)PR / (R + b²P), b = 1.2.

    P and R are the highest precision and the highest recall over the references, each by itself.

    Raises:
        BridgebenchError: When there is no reference.
    """
    if not references:
        raise BridgebenchError("ROUGE-L: no reference")
    scores = [_rouge().score(reference, prediction)["rougeL"] for reference in references]
    precision, recall = max(score.precision for score in scores), max(score.recall for score in scores)
    return (1 + _BETA**2) * precision * recall / (recall + _BETA**2 * precision) if precision else 0.0


def sentence_bleu(prediction: str, references: Sequence[str]) -> float:
    """BLEU-4 of one answer, smoothed and over the orders it has: for comparing questions, not for quoting."""
    return float(_bleu(4, True).sentence_score(prediction, list(references)).score) / 100


def corpus_bleu(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, float]:
    """BLEU-1 to BLEU-4 over all answers together, unsmoothed, against the closest reference length.

    Returns:
        ``bleu_1`` to ``bleu_4`` as fractions.

    Raises:
        BridgebenchError: When there is no prediction, or a prediction without a reference.
    """
    if not predictions or len(predictions) != len(references) or not all(references):
        raise BridgebenchError("BLEU: every prediction needs at least one reference")
    most = max(map(len, references))
    columns = [[row[i] if i < len(row) else None for row in references] for i in range(most)]
    return {f"bleu_{n}": float(_bleu(n, False).corpus_score(predictions, columns).score) / 100 for n in _ORDERS}


@cache
def _rouge() -> Any:
    return require("rouge_score.rouge_scorer", "metrics").RougeScorer(["rougeL"])


@cache
def _bleu(order: int, sentence: bool) -> Any:
    bleu = require("sacrebleu", "metrics").BLEU
    return bleu(
        lowercase=True,
        max_ngram_order=order,
        smooth_method="exp" if sentence else "none",
        effective_order=sentence,
    )
