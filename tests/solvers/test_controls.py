"""The controls keep the contract that they are a yardstick for."""

from collections.abc import Callable
from typing import Any

import pytest

from bridgebench.solvers.controls import naive, no_documents, shuffle, truncate
from bridgebench.testing import check_bridge


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
