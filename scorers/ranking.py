"""Where the relevant ids stand in a ranked list."""

from collections.abc import Collection, Sequence

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from bridgebench.errors import BridgebenchError
from bridgebench.scorers.by_type import by_question_type
from bridgebench.scorers.qa_f1 import acceptable_answers
from bridgebench.store import Ranking

CUTOFFS = (1, 3, 5, 10)


def ranking_scores(ranked: Sequence[str], relevant: Collection[str]) -> dict[str, float]:
    """Hit rate and reciprocal rank of the first relevant id at each of `CUTOFFS`; ids must match exactly.

    With one relevant id, hit@k is what some papers call accuracy@k or recall@k. An id beyond the cut-off, or
    absent, has reciprocal rank 0; mrr@1 equals hit@1.

    Raises:
        BridgebenchError: When the list names an id twice (it would push others down), or nothing is relevant.
    """
    if len(set(ranked)) != len(ranked):
        raise BridgebenchError("ranking: an id is listed twice; keep its best rank only")
    if not relevant:
        raise BridgebenchError("ranking: no relevant id")
    rank = next((position for position, id in enumerate(ranked, start=1) if id in relevant), None)
    hits = {k: rank is not None and rank <= k for k in CUTOFFS}
    return {f"mrr@{k}": 1 / rank if hit and rank else 0.0 for k, hit in sorted(hits.items(), reverse=True)} | {
        f"hit@{k}": float(hit) for k, hit in hits.items()
    }


@scorer(
    metrics={
        f"{measure}@{k}": [mean(), stderr(cluster="cluster"), by_question_type()]
        for measure, cutoffs in (("mrr", CUTOFFS[::-1]), ("hit", CUTOFFS))
        for k in cutoffs
    }
)
def ranking() -> Scorer:
    """hit@k and MRR@k of the sample's `Ranking` against the target's ids; mrr@10 is the headline.

    A sample that nobody ranked for is unscored (``no_ranking``); an empty ranking is a miss.
    """

    async def score(state: TaskState, target: Target) -> Score:
        relevant = acceptable_answers(state, target)
        ranked = state.store_as(Ranking).ranked
        if ranked is None:
            return Score.unscored(reason="no_ranking", explanation="no solver left a ranking in the store")
        return Score(value=ranking_scores(ranked, relevant), answer=" ".join(ranked[: max(CUTOFFS)]))

    return score
