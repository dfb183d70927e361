"""The card paper's multi-hop measure, under its own name: it is not F1, and never stands in F1's column."""

from collections import defaultdict
from collections.abc import Sequence

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer, stderr
from inspect_ai.solver import TaskState

from bridgebench.errors import BridgebenchError
from bridgebench.scorers.answers import unanswered
from bridgebench.scorers.qa_f1 import acceptable_answers
from bridgebench.scorers.qa_metrics import normalise_answer

SAMPLES = 3


def contains_all_words(prediction: str, gold: str) -> bool:
    """Whether every normalised word of the gold occurs in the prediction, in any order; a gold without words never."""
    words = set(normalise_answer(gold).split())
    return bool(words) and words <= set(normalise_answer(prediction).split())


def any_of_3(predictions: Sequence[str], gold: str) -> bool:
    """The card paper's measure: any of exactly three sampled answers holds every word of the first gold.

    Source: its released evaluation (arXiv 2506.13778), which prints the rate as precision, recall and F1. A
    longer or a more random answer can only gain by it.

    Raises:
        BridgebenchError: When there are not three answers.
    """
    if len(predictions) != SAMPLES:
        raise BridgebenchError(f"containment: needs exactly {SAMPLES} answers to a question, got {len(predictions)}")
    return any(contains_all_words(prediction, gold) for prediction in predictions)


@metric(scores="unreduced")
def any_of_3_word_containment() -> Metric:
    """Share of questions where any of three epochs contains the gold; nan unless each has exactly three."""

    def any_of_three(scores: list[SampleScore]) -> float:
        epochs: defaultdict[str, list[float]] = defaultdict(list)
        for score in scores:
            epochs[str(score.sample_id)].append(score.score.as_float())
        if not epochs or any(len(values) != SAMPLES for values in epochs.values()):
            return float("nan")
        return sum(map(max, epochs.values())) / len(epochs)

    return any_of_three


@scorer(metrics={"word_containment": [mean(), stderr(cluster="cluster"), any_of_3_word_containment()]})
def containment() -> Scorer:
    """Whether the answer contains all words of the first gold; over three epochs, the card paper's measure."""

    async def score(state: TaskState, target: Target) -> Score:
        gold = acceptable_answers(state, target)[0]
        if (no_answer := unanswered(state)) is not None:
            return no_answer
        answer = state.output.completion
        return Score(value={"word_containment": float(contains_all_words(answer, gold))}, answer=answer)

    return score
