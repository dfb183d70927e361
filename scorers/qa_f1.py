"""Exact match and token F1 of the generator's answer, by a benchmark's official rules."""

from collections.abc import Sequence
from typing import Literal

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from bridgebench.errors import BridgebenchError
from bridgebench.scorers.answers import unanswered
from bridgebench.scorers.by_type import by_question_type
from bridgebench.scorers.qa_metrics import QA_METRICS, qa_scores

Beside = Literal["aliases", "single"]

_MEASURES = ("f1", "em", "rouge_l", "f1_aliases", "em_aliases", "f1_single", "em_single")


@scorer(metrics={name: [mean(), stderr(cluster="cluster"), by_question_type()] for name in _MEASURES})
def qa_f1(metric: str, beside: Beside | None = None) -> Scorer:
    """Score the completion against the sample's target, all of whose entries are acceptable.

    Samples without an answer (`unanswered`) are unscored with a reason: means, errors and epochs leave them
    out, and every score of the log counts them in ``unscored_samples``.

    Args:
        metric: Whose rules: a key of `bridgebench.scorers.qa_metrics.QA_METRICS`.
        beside: A second set of acceptable answers, shown in columns of its own: ``aliases`` adds
            ``metadata["aliases"]`` to the target (2WikiMultihopQA's script v1.1; columns ``f1_aliases``,
            ``em_aliases``), ``single`` takes the first entry of the target alone (MuSiQue without its aliases;
            columns ``f1_single``, ``em_single``).

    Raises:
        BridgebenchError: When there is no such metric or second set; when a sample has no acceptable answer, or
            no ``aliases`` where they are asked for.
    """
    if metric not in QA_METRICS:
        raise BridgebenchError(f"qa_f1: no metric '{metric}'; there are: {', '.join(QA_METRICS)}")
    if beside not in (None, "aliases", "single"):
        raise BridgebenchError(f"qa_f1: 'beside' must be 'aliases' or 'single', got {beside!r}")

    async def score(state: TaskState, target: Target) -> Score:
        golds = acceptable_answers(state, target)
        if (no_answer := unanswered(state)) is not None:
            return no_answer
        answer = state.output.completion
        value = qa_scores(metric, answer, golds)
        if beside is not None:
            others = golds[:1] if beside == "single" else [*golds, *_aliases(state)]
            value |= {f"{name}_{beside}": figure for name, figure in qa_scores(metric, answer, others).items()}
        return Score(value=value, answer=answer, explanation=f"acceptable: {' | '.join(golds)}")

    return score


def acceptable_answers(state: TaskState, target: Target) -> list[str]:
    """Entries of the target.

    Raises:
        BridgebenchError: When all are blank, as Inspect's target of a sample without one is.
    """
    golds = list(target)
    if not any(gold.strip() for gold in golds):
        raise BridgebenchError(f"sample '{state.sample_id}': no acceptable answer (target is empty)")
    return golds


def _aliases(state: TaskState) -> Sequence[str]:
    aliases = state.metadata.get("aliases")
    if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
        raise BridgebenchError(f"sample '{state.sample_id}': metadata 'aliases' must be a list of strings")
    return aliases
