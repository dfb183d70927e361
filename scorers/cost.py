"""What a sample's context cost, as a score: so that the figures stand in the log's sample summaries.

Summaries drop metadata over 1 kB and hold no store, and a leaderboard that opened every sample of every log
would read gigabytes. A score's values always stay.
"""

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState

from bridgebench.document import Document, count_words
from bridgebench.store import BridgeStore


@scorer(metrics={"*": [mean()]})
def cost() -> Scorer:
    """Figures of `BridgeStore`; they judge nothing.

    Values: ``words`` and ``documents`` that the generator was given, ``words_retrieved``, ``seconds`` and
    ``calls`` of all bridges, and as 0 or 1 whether `fit` ``cut`` the context, the ``originals`` replaced an
    empty result, any bridge's output was ``malformed`` (repaired or fallen back), the context is ``empty``, a
    bridge ``answered`` in the generator's place. Metadata holds one mapping, ``facts`` (summaries are read by the
    hundred thousand, and each key of theirs takes its time): ``input_tokens`` and ``output_tokens`` with their
    ``tokenizer`` (absent unless all steps that count tokens use one), ``devices``, ``cache``, ``versions``,
    ``prompt``, ``cut_size`` and its ``unit``.

    A sample that no bridge solver ran on (or that an error or a limit stopped first) is unscored.
    """

    async def score(state: TaskState, target: Target) -> Score:
        store = state.store_as(BridgeStore)
        if not store.prompt:
            return Score.unscored(reason="no_context", explanation="no context reached the generator")
        retrieved = [Document.from_dict(document) for document in state.metadata["documents"]]
        read = [Document.from_dict(document) for document in store.documents]
        costs = [step["cost"] for step in store.steps]
        value = {
            "words": count_words(read),
            "words_retrieved": count_words(retrieved),
            "documents": len(read),
            "seconds": sum(spent["seconds"] or 0.0 for spent in costs),
            "calls": sum(spent["calls"] for spent in costs),
            "cut": int(store.fit["kept"] < store.fit["size"]),
            "originals": int(any(step["used_originals"] for step in store.steps)),
            "malformed": int(any(step["parse"] in ("repaired", "fallback") for step in store.steps)),
            "empty": int(not any(document.text.strip() for document in read)),
            "answered": int(store.answered_by != "generator"),
        }
        facts = {
            "devices": sorted({spent["device"] for spent in costs if spent["device"]}),
            "cache": [step["cache"] for step in store.steps],
            "versions": [step["version"] for step in store.steps],
            "prompt": store.prompt,
            "cut_size": store.fit["size"] - store.fit["kept"],
            "unit": store.fit["unit"],
        }
        counted = [spent for spent in costs if spent["tokenizer"]]
        if len({spent["tokenizer"] for spent in counted}) == 1:
            facts |= {
                "tokenizer": counted[0]["tokenizer"],
                "input_tokens": sum(spent["input_tokens"] or 0 for spent in counted),
                "output_tokens": sum(spent["output_tokens"] or 0 for spent in counted),
            }
        return Score(value=value, metadata={"facts": facts})

    return score
