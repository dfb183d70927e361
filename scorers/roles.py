"""Model roles that scorers call: missing ones stop a run before it generates, not after.

A scorer names them in its registration, ``@scorer(metrics=..., roles=["grader"])``.
"""

from collections.abc import Collection, Sequence

from inspect_ai.model import model_roles
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import registry_info

from bridgebench.errors import BridgebenchError


def scorer_roles(scorers: Sequence[Scorer]) -> list[str]:
    """The roles that any of the scorers calls, each once, in alphabetical order."""
    return sorted({role for scorer in scorers for role in registry_info(scorer).metadata.get("roles", ())})


def missing_roles(needed: Collection[str], named: Collection[str]) -> str | None:
    """What to tell a user who names no model for a role that is needed; None when all are named."""
    missing = ", ".join(f"'{role}'" for role in needed if role not in named)
    return f"its scorers call the model role {missing}, and no model is named for it" if missing else None


@solver
def require_roles(roles: list[str]) -> Solver:
    """A task's setup, which Inspect runs before any solver: raises `BridgebenchError` when a role has no model."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        problem = missing_roles(roles, model_roles())
        if problem:
            raise BridgebenchError(f"{problem}; nothing was generated: add --model-role {roles[0]}=<model>")
        return state

    return solve
