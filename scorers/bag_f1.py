"""F1 over two bags of tokens: what every benchmark's F1 ends in."""

from collections import Counter
from collections.abc import Sequence


def bag_f1(prediction: Sequence[str], gold: Sequence[str]) -> float:
    """Harmonic mean of precision and recall over two bags of tokens; 0.0 when they share none."""
    common = sum((Counter(prediction) & Counter(gold)).values())
    if common == 0:
        return 0.0
    precision, recall = common / len(prediction), common / len(gold)
    return 2 * precision * recall / (precision + recall)
