"""The cost scorer on stores as the solvers leave them."""

from typing import Any

import anyio
import pytest
from inspect_ai.model import ModelName
from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from bridgebench.scorers.cost import cost
from bridgebench.store import BridgeStore

RETRIEVED = [
    {"id": "a", "title": "One title", "text": "three more words", "sources": ["a"]},
    {"id": "b", "title": "", "text": "two words", "sources": ["b"]},
]


def step(**changes: Any) -> dict[str, Any]:
    spent = {"seconds": 0.5, "calls": 2, "input_tokens": 7, "output_tokens": 3, "tokenizer": "t", "device": "cpu"}
    return {"version": 1, "cache": "miss", "parse": "ok", "used_originals": False, "cost": spent} | changes


def scored(steps: list[dict[str, Any]], **store: Any) -> Score:
    state = TaskState(
        model=ModelName("fake/m"), sample_id="q", epoch=1, input="?", messages=[], metadata={"documents": RETRIEVED}
    )
    defaults = {"documents": RETRIEVED[:1], "prompt": "qa@0", "fit": {"size": 5, "kept": 5, "unit": "words"}}
    typed = state.store_as(BridgeStore)
    for name, value in {**defaults, "steps": steps, **store}.items():
        setattr(typed, name, value)
    found = anyio.run(cost(), state, Target("x"))
    assert isinstance(found, Score)
    return found


def test_figures_of_a_chain() -> None:
    score = scored([step(), step(parse="repaired", cache="hit")], fit={"size": 9, "kept": 5, "unit": "words"})
    assert score.value == {
        "words": 5, "words_retrieved": 7, "documents": 1, "seconds": 1.0, "calls": 4, "cut": 1, "originals": 0,
        "malformed": 1, "empty": 0, "answered": 0,
    }  # fmt: skip
    assert score.metadata is not None
    facts = score.metadata["facts"]
    assert (facts["input_tokens"], facts["output_tokens"], facts["tokenizer"]) == (14, 6, "t")
    assert (facts["devices"], facts["cache"], facts["cut_size"]) == (["cpu"], ["miss", "hit"], 4)


def test_tokens_of_two_tokenizers_are_not_added() -> None:
    other = step()
    other["cost"] = {**other["cost"], "tokenizer": "other"}
    score = scored([step(), other])
    assert score.metadata is not None
    assert "input_tokens" not in score.metadata["facts"]


@pytest.mark.parametrize(
    ("store", "figure"),
    [
        ({"documents": []}, "empty"),
        ({"documents": [{"id": "a", "title": "t", "text": " ", "sources": ["a"]}]}, "empty"),
        ({"answered_by": "bridgebench/answer_directly"}, "answered"),
        ({"steps": [step(used_originals=True)]}, "originals"),
        ({"steps": [step(parse="fallback")]}, "malformed"),
    ],
)
def test_shares(store: dict[str, Any], figure: str) -> None:
    value = scored(store.pop("steps", [step()]), **store).value
    assert isinstance(value, dict)
    assert value[figure] == 1


def test_a_sample_without_a_context_is_unscored() -> None:
    score = scored([], prompt="")
    assert score.value != score.value
    assert score.reason == "no_context"
