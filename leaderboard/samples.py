"""Columns of figures over the samples of one log, from its summaries."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from inspect_ai.log import EvalSampleSummary
from inspect_ai.scorer import Score
from numpy.typing import NDArray

from bridgebench.leaderboard.statistics import Floats

DIAGNOSTICS = ("cost", "context", "utility", "failure", "retrieval_cost")
"""Scorers whose values describe a context or an answer and do not judge it."""

_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_FACTS = ("tokenizer", "devices", "versions", "prompt", "unit")


@dataclass(frozen=True)
class Samples:
    """Columns over the samples of one log, in its order.

    Attributes:
        ids: Question of each sample.
        epochs: Epoch of each sample.
        clusters: Samples that share context share it.
        types: Question type.
        scores: Metric to fractions; NaN is unscored.
        diagnostics: ``scorer.value`` of `DIAGNOSTICS` to figures; NaN where there is none.
        unscored: Metric to reasons and how many samples each left unscored.
        facts: What scorers say in words: tokenizers, devices, bridge versions, prompts, and of the judge.
    """

    ids: NDArray[np.str_]
    epochs: NDArray[np.int64]
    clusters: NDArray[np.str_]
    types: NDArray[np.str_]
    scores: Mapping[str, Floats]
    diagnostics: Mapping[str, Floats]
    unscored: Mapping[str, Mapping[str, int]]
    facts: Mapping[str, tuple[str, ...]]


def read_samples(summaries: Sequence[EvalSampleSummary], headline: tuple[str, str] = ("", "")) -> Samples:
    """Columns of one log's summaries.

    Args:
        summaries: In the log's order.
        headline: Scorer and name of the log's headline score: the column that is there also where no sample was scored.
    """
    scores: dict[str, list[float]] = {}
    diagnostics: dict[str, list[float]] = {}
    unscored: dict[str, dict[str, int]] = {}
    facts: dict[str, set[str]] = {}
    judges = _judges(summaries, *headline)
    names = metric_names(judges)
    for position, summary in enumerate(summaries):
        given = summary.scores or {}
        for scorer, keys in judges.items():
            values, reason = _values(summary, given.get(scorer), keys)
            for key in keys:
                name = names[scorer, key]
                value = values.get(key, math.nan)
                scores.setdefault(name, []).append(value)
                if math.isnan(value):
                    reasons = unscored.setdefault(name, {})
                    reasons[reason] = reasons.get(reason, 0) + 1
        for figure, amount in _diagnostics(given).items():
            column = diagnostics.setdefault(figure, [])
            column.extend([math.nan] * (position - len(column)))
            column.append(amount)
        for scorer in ("cost", "retrieval_cost"):
            for fact, texts in _facts(given.get(scorer)).items():
                facts.setdefault(fact, set()).update(texts)
        if any((score.metadata or {}).get("same_family") for score in given.values()):
            facts.setdefault("judge", set()).add("of the generator's own model family")
    for column in diagnostics.values():
        column.extend([math.nan] * (len(summaries) - len(column)))
    ids = [str(summary.id) for summary in summaries]
    return Samples(
        ids=np.array(ids, dtype=np.str_),
        epochs=np.array([summary.epoch for summary in summaries], dtype=np.int64),
        clusters=np.array([str(s.metadata.get("cluster") or s.id) for s in summaries], dtype=np.str_),
        types=np.array([str(s.metadata.get("question_type") or "") for s in summaries], dtype=np.str_),
        scores={name: np.array(column) for name, column in scores.items()},
        diagnostics={name: np.array(column) for name, column in diagnostics.items()},
        unscored=unscored,
        facts={fact: tuple(sorted(texts)) for fact, texts in facts.items()},
    )


def metric_names(judges: Mapping[str, Sequence[str]]) -> dict[tuple[str, str], str]:
    """Column of each (scorer, key): the key (``f1``), or the scorer's own name where its value is one number.

    A name that two scorers would share is prefixed with its scorer.
    """
    short = {(scorer, key): key or scorer.split("/")[-1] for scorer, keys in judges.items() for key in keys}
    taken = list(short.values())
    return {
        pair: name if taken.count(name) == 1 else f"{pair[0].split('/')[-1]}.{name}" for pair, name in short.items()
    }


def _diagnostics(given: Mapping[str, Score]) -> dict[str, float]:
    """``scorer.value`` to its figure; a plain value goes by the scorer's name, the cost's tokens by theirs."""
    figures: dict[str, float] = {}
    for scorer in DIAGNOSTICS:
        score = given.get(scorer)
        if score is None:
            continue
        if isinstance(score.value, dict):
            figures |= {f"{scorer}.{key}": _number(amount) for key, amount in score.value.items()}
        else:
            figures[scorer] = _number(score.value)
        tokens = {name: _spoken(score).get(name) for name in ("input_tokens", "output_tokens")}
        figures |= {f"{scorer}.{name}": float(count) for name, count in tokens.items() if isinstance(count, int)}
    return figures


def _facts(cost: Score | None) -> dict[str, list[str]]:
    """What a scorer of costs says in words."""
    found = {} if cost is None else {name: _spoken(cost).get(name) for name in _FACTS}
    return {
        name: [str(item) for item in (fact if isinstance(fact, list) else [fact])]
        for name, fact in found.items()
        if fact is not None
    }


def _spoken(score: Score) -> Mapping[str, Any]:
    """The scorer's facts; none where summaries left them out as too large."""
    facts = (score.metadata or {}).get("facts")
    return facts if isinstance(facts, dict) else {}


def _judges(summaries: Sequence[EvalSampleSummary], headline: str, name: str) -> dict[str, tuple[str, ...]]:
    """Scorers that judge, with the keys of their values (an empty key for a plain value).

    Where no sample was scored no value tells the keys: the `headline` scorer then has that of its `name`.
    """
    found: dict[str, dict[str, None]] = {}
    for summary in summaries:
        for scorer, score in (summary.scores or {}).items():
            if scorer in DIAGNOSTICS:
                continue
            keys = found.setdefault(scorer, {})
            if isinstance(score.value, dict):
                keys.update(dict.fromkeys(score.value))
    return {
        scorer: tuple(keys) or (name if scorer == headline and name != scorer else "",)
        for scorer, keys in found.items()
    }


def _values(summary: EvalSampleSummary, score: Score | None, keys: Sequence[str]) -> tuple[dict[str, float], str]:
    """Values by metric, and why there are none: a machine's failure is never a wrong answer."""
    if summary.error is not None:
        return {}, "error"
    if summary.limit is not None:
        return {}, f"limit: {summary.limit}"
    if score is None:
        return {}, "no score"
    value = score.value if isinstance(score.value, dict) else dict.fromkeys(keys, score.value)
    return {key: _number(figure) for key, figure in value.items()}, str(score.reason or "no reason given")


def _number(value: Any) -> float:
    """A score's value as a fraction; NaN for what is no grade (a machine's word, not a zero)."""
    if isinstance(value, str):
        return _GRADES.get(value, math.nan)
    return float(value) if isinstance(value, int | float) else math.nan
