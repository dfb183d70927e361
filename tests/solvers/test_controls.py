"""The controls keep the contract that they are a yardstick for."""

from collections.abc import Callable, Sequence
from typing import Any

import anyio
import pytest

from bridgebench import Bridge, Document, bridge
from bridgebench.solvers.controls import naive, no_documents, shuffle, truncate
from bridgebench.testing import DOCUMENTS, QUESTION, check_bridge


@pytest.mark.parametrize(
    ("control", "args"),
    [
        (naive, {}),
        (no_documents, {}),
        (shuffle, {"seed": 7}),
        (truncate, {"words": 12}),
        (truncate, {"like": "naive"}),
    ],
)
def test_controls_keep_the_contract(control: Callable[..., Any], args: dict[str, Any]) -> None:
    check_bridge(control, **args)


@bridge(cached=False)
def slow(seconds: float = 0.5) -> Bridge:
    async def run(question: str, documents: Sequence[Document]) -> Sequence[Document]:
        await anyio.sleep(seconds)
        return documents[:1]

    return run


def test_what_truncate_measures_is_not_its_own_cost() -> None:
    result = anyio.run(truncate(like="slow").bridge, QUESTION, DOCUMENTS)
    assert result.documents == DOCUMENTS[:1]
    assert 0 < (result.cost.seconds or 0) < 0.5
