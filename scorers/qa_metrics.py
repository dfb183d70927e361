"""Exact match and token F1 as each benchmark's own evaluation script computes them.

Pure functions. All scripts share SQuAD's normaliser; they differ in what they do with yes/no answers and with
answers that normalise to nothing, and those differences move published numbers:

================  ==============================================  =============================
metric            F1 rule                                         acceptable answers
================  ==============================================  =============================
``hotpotqa``      a yes/no/noanswer on one side only scores 0     the one gold
``twowiki``       as ``hotpotqa`` (2WikiMultihopQA's script)      the gold; v1.1 adds aliases
``musique``       nothing on either side: 1 if both, else 0       the gold and its aliases
``ambigqa``       as ``hotpotqa`` (what RAG papers report; the    answers of all annotations
                  official set-F1 is `ambigqa_f1`)
``longbench``     no special case; nothing on a side scores 0     any of the listed answers
``longbench_zh``  as ``longbench``, over jieba's words            any of the listed answers
``dureader``      ROUGE-L over jieba's words, no F1               any of the listed answers
================  ==============================================  =============================

EM is the same everywhere: equality after normalisation, so "the" equals "a" (both normalise to nothing).
EM and F1 are maximised over the acceptable answers independently of each other. All values are fractions, 0 to 1.
"""

import re
import string
from collections.abc import Callable, Mapping, Sequence

from bridgebench.errors import BridgebenchError
from bridgebench.scorers.bag_f1 import bag_f1
from bridgebench.scorers.chinese import f1_chinese, rouge_l_chinese

Measure = Callable[[str, str], float]
"""(prediction, gold) to a fraction."""

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)  # ASCII only, as in every official script
_CLOSED_ANSWERS = frozenset({"yes", "no", "noanswer"})


def normalise_answer(text: str) -> str:
    """SQuAD's normaliser: lower case, drop ASCII punctuation, drop English articles, collapse whitespace.

    The order matters: article boundaries act on text whose punctuation is already gone.
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(prediction: str, gold: str) -> float:
    """1.0 when both normalise to the same string, else 0.0."""
    return float(normalise_answer(prediction) == normalise_answer(gold))


def f1(prediction: str, gold: str) -> float:
    """Token F1 without special cases (LongBench)."""
    return bag_f1(normalise_answer(prediction).split(), normalise_answer(gold).split())


def f1_closed_answers(prediction: str, gold: str) -> float:
    """Token F1 where a yes, no or noanswer must be met exactly (HotpotQA, 2WikiMultihopQA)."""
    sides = {normalise_answer(prediction), normalise_answer(gold)}
    return 0.0 if len(sides) == 2 and sides & _CLOSED_ANSWERS else f1(prediction, gold)


def f1_empty_answers(prediction: str, gold: str) -> float:
    """Token F1 where two empty answers agree and one alone does not (SQuAD 2.0, MuSiQue)."""
    sides = {normalise_answer(prediction), normalise_answer(gold)}
    return float(len(sides) == 1) if "" in sides else f1(prediction, gold)


QA_METRICS: Mapping[str, Mapping[str, Measure]] = {
    "hotpotqa": {"f1": f1_closed_answers, "em": exact_match},
    "twowiki": {"f1": f1_closed_answers, "em": exact_match},
    "musique": {"f1": f1_empty_answers, "em": exact_match},
    "ambigqa": {"f1": f1_closed_answers, "em": exact_match},
    "longbench": {"f1": f1},
    "longbench_zh": {"f1": f1_chinese},
    "dureader": {"rouge_l": rouge_l_chinese},
}
"""Name of a metric to its measures, the headline first."""


def qa_scores(metric: str, prediction: str, golds: Sequence[str]) -> dict[str, float]:
    """Every measure of one metric, each maximised over the acceptable answers.

    Args:
        metric: A key of `QA_METRICS`.
        prediction: The answer as given; it is normalised here.
        golds: Acceptable answers, at least one.

    Returns:
        Name of the measure to a fraction, the headline first.

    Raises:
        BridgebenchError: When there is no such metric, or no acceptable answer.
    """
    if metric not in QA_METRICS:
        raise BridgebenchError(f"no metric '{metric}'; there are: {', '.join(QA_METRICS)}")
    if not golds:
        raise BridgebenchError(f"metric '{metric}': a question without an acceptable answer cannot be scored")
    return {name: max(measure(prediction, gold) for gold in golds) for name, measure in QA_METRICS[metric].items()}
