"""What the bridge did to the context, measured without a model."""

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from bridgebench.document import Document
from bridgebench.scorers.context_measures import context_measures
from bridgebench.store import BridgeStore

_MEASURES = tuple(context_measures([], [], [], []))


@scorer(metrics={name: [mean(), stderr(cluster="cluster")] for name in _MEASURES})
def context() -> Scorer:
    """Compare what the generator was given (`BridgeStore.documents`) with what was retrieved.

    Values: see `context_measures`; one that does not apply to a sample is nan there and counts as unscored for
    that measure. A sample whose context never reached the generator is unscored (``no_context``).
    """

    async def score(state: TaskState, target: Target) -> Score:
        store = state.store_as(BridgeStore)
        if not store.prompt:
            return Score.unscored(reason="no_context", explanation="no context reached the generator")
        retrieved = [Document.from_dict(document) for document in state.metadata["documents"]]
        read = [Document.from_dict(document) for document in store.documents]
        golds = [gold for gold in target if gold]
        value = context_measures(retrieved, read, golds, state.metadata.get("gold_documents", ()))
        return Score(value=dict(value))

    return score
