"""Answers graded by a language model, after CRAG's protocol (arXiv 2406.04744)."""

from collections.abc import Sequence
from dataclasses import dataclass

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    GenerateConfig,
    Model,
    get_model,
    model_roles,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from bridgebench.errors import BridgebenchError
from bridgebench.scorers.answers import unanswered
from bridgebench.scorers.by_type import by_question_type
from bridgebench.scorers.families import same_family
from bridgebench.scorers.judging import READERS, REMINDER, Verdict, decide_by_rule, majority, render
from bridgebench.scorers.qa_f1 import acceptable_answers

_MEASURES = (
    "accuracy",
    "hallucination",
    "missing",
    "crag_score",
    "official_accuracy",
    "official_crag_score",
    "upper_accuracy",
)


@dataclass(frozen=True)
class Vote:
    """One reading of a judge's reply; the reply is the last one, after a retry where there was one."""

    verdict: Verdict | None
    reply: str
    retried: bool


@scorer(
    metrics={name: [mean(), stderr(cluster="cluster"), by_question_type()] for name in _MEASURES},
    roles=["grader"],
)
def judge(votes: int = 1, prompt: str = "judge", invalid_questions: bool = True) -> Scorer:
    """Grade the completion against the target (a question's answer and its ``alt_ans``, all acceptable).

    The model of role ``grader`` decides what no rule does (`decide_by_rule`). It must be named: without one the
    tasks here refuse to start (`require_roles`), and the scorer raises rather than let the model under test grade
    itself. It runs at temperature 0 unless its role
    says otherwise.

    Values: ``accuracy``, ``hallucination`` and ``missing`` are the shares of correct, incorrect and missing
    answers, ``crag_score`` is accuracy minus hallucination. A reply that stays unreadable after one retry leaves
    these four unscored (nan, reason ``grader_failed``). It counts as wrong in ``official_accuracy`` and
    ``official_crag_score``, as in CRAG's script, and as right in ``upper_accuracy``: the official accuracy is
    the lower bound, that is the upper. Deviations from the script: it trims answers to 75 tokens and asks once
    for each gold; here the benchmark's token limit holds, and all golds stand in one prompt.

    Metadata: ``decided_by`` (``rule`` or ``model``), ``grader``, ``same_family`` (judge and generator are of one
    model family), ``votes``, ``retries``.

    Args:
        votes: Gradings by each grader model (with seeds and temperature 0.7, unless its role says otherwise);
            the strict majority decides, and without one the sample is unscored. Odd.
        prompt: ``judge``: verdict on the last line, which no answer can forge. ``judge_crag_json``: CRAG's JSON
            reply, read as its script reads it.
        invalid_questions: CRAG's rule on "invalid question"; off for datasets without false premises.

    Raises:
        BridgebenchError: When `votes` is not odd and positive, or there is no such prompt.
    """
    if votes < 1 or votes % 2 == 0:
        raise BridgebenchError(f"judge: 'votes' must be odd and positive, got {votes}")
    if prompt not in READERS:
        raise BridgebenchError(f"judge: no prompt '{prompt}'; there are: {', '.join(READERS)}")

    async def score(state: TaskState, target: Target) -> Score:
        golds = acceptable_answers(state, target)
        graders = _graders()
        if (no_answer := unanswered(state)) is not None:
            return no_answer
        answer, generator = state.output.completion, str(state.model)
        metadata = {
            "grader": [str(grader) for grader in graders],
            "same_family": any(same_family(grader.name, generator) for grader in graders),
        }
        verdict = decide_by_rule(answer, golds, invalid_questions)
        if verdict is not None:
            return Score(value=_values(verdict), answer=answer, metadata=metadata | {"decided_by": "rule"})
        text, code = render(prompt, state.input_text, golds, answer)
        cast = [await _vote(grader, text, code, prompt, votes, seed) for grader in graders for seed in range(votes)]
        verdict = majority([vote.verdict for vote in cast])
        return Score(
            value=_values(verdict),
            answer=answer,
            explanation="\n\n".join(vote.reply for vote in cast),
            reason="grader_failed" if verdict is None else None,
            metadata=metadata
            | {
                "decided_by": "model",
                "votes": [vote.verdict for vote in cast],
                "retries": sum(vote.retried for vote in cast),
            },
        )

    return score


def _graders() -> Sequence[Model]:
    bound = model_roles().get("grader")
    return bound if isinstance(bound, list) else [get_model(role="grader", required=True)]


async def _vote(grader: Model, text: str, code: str, prompt: str, votes: int, seed: int) -> Vote:
    """Ask once, and once more when the reply cannot be read."""
    sampled = GenerateConfig(temperature=0.7, seed=seed) if votes > 1 else GenerateConfig(temperature=0.0)
    config = GenerateConfig(max_tokens=512).merge(sampled).merge(grader.config)
    first = (await grader.generate([ChatMessageUser(content=text)], config=config)).completion
    verdict = READERS[prompt](first, code)
    if verdict is not None:
        return Vote(verdict, first, retried=False)
    turns: list[ChatMessage] = [
        ChatMessageUser(content=text),
        ChatMessageAssistant(content=first),
        ChatMessageUser(content=REMINDER),
    ]
    second = (await grader.generate(turns, config=config)).completion
    return Vote(READERS[prompt](second, code), second, retried=True)


def _values(verdict: Verdict | None) -> dict[str, float]:
    nan = float("nan")
    correct, incorrect, missing = (float(verdict == kind) for kind in ("correct", "incorrect", "missing"))
    return {
        "accuracy": nan if verdict is None else correct,
        "hallucination": nan if verdict is None else incorrect,
        "missing": nan if verdict is None else missing,
        "crag_score": nan if verdict is None else correct - incorrect,
        "official_accuracy": correct,
        "official_crag_score": -1.0 if verdict is None else correct - incorrect,
        "upper_accuracy": 1.0 if verdict is None else correct,
    }
