"""AmbigQA's official set-F1, under its own name beside the EM and F1 that RAG papers report."""

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from bridgebench.errors import BridgebenchError
from bridgebench.scorers import ambigqa_metrics
from bridgebench.scorers.answers import unanswered


@scorer(
    metrics={
        "ambigqa_f1": [mean(), stderr(cluster="cluster")],
        "ambigqa_f1_multi": [mean(), stderr(cluster="cluster")],
    }
)
def ambigqa_f1() -> Scorer:
    """Set-F1 against ``metadata["annotations"]`` (the raw release's shape), maximised over annotations.

    The completion is taken as one answer, so a question with k answers can reach 2 / (1 + k) at most: a
    generator of short answers is bounded well below 1 by this measure. ``ambigqa_f1`` is over all questions,
    ``ambigqa_f1_multi`` over those where no annotator gave a single answer; the others are unscored there, with
    the reason ``not_multi``.
    """

    async def score(state: TaskState, target: Target) -> Score:
        if (no_answer := unanswered(state)) is not None:
            return no_answer
        annotations = state.metadata.get("annotations")
        if not annotations:
            raise BridgebenchError(f"sample '{state.sample_id}': no 'annotations' in its metadata")
        figure = ambigqa_metrics.ambigqa_f1(annotations, [state.output.completion])
        multi = ambigqa_metrics.is_multi(annotations)
        return Score(
            value={"ambigqa_f1": figure, "ambigqa_f1_multi": figure if multi else float("nan")},
            answer=state.output.completion,
            reason=None if multi else "not_multi",
        )

    return score
