"""What an index takes, as a score: so that storage and time stand in the log's sample summaries, beside hit@k and MRR.

Like `cost`, which does the same for what bridges do.
"""

import math

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState

from bridgebench.store import Ranking

FIGURES = ("vectors", "texts", "text_bytes", "bytes", "build_seconds", "truncated", "papers", "without_text")
"""Of the index, so the same for every question of a run; nan where an index has none (rank-bm25 keeps no file)."""


@scorer(metrics={name: [mean()] for name in (*FIGURES, "milliseconds", "candidates_truncated")})
def retrieval_cost() -> Scorer:
    """Figures of the sample's `Ranking`; they judge nothing.

    Values: `FIGURES`, see `Ranking.index`; ``milliseconds`` of this question; ``candidates_truncated``, the texts of
    which a cross-encoder read only the beginning. Metadata: ``facts``, with the ``devices``. A sample that nobody
    ranked for, or whose solver says nothing of its index, is unscored (``no_figures``).
    """

    async def score(state: TaskState, target: Target) -> Score:
        ranking = state.store_as(Ranking)
        if ranking.ranked is None or not ranking.index:
            return Score.unscored(reason="no_figures", explanation="the solver says nothing of its index")
        value = {name: float(ranking.index.get(name, math.nan)) for name in FIGURES}
        value["milliseconds"] = math.nan if ranking.seconds is None else 1000 * ranking.seconds
        value["candidates_truncated"] = float(ranking.truncated)
        device = ranking.index.get("device")
        return Score(value=dict(value), metadata={"facts": {"devices": [device] if device else []}})

    return score
