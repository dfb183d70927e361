"""The rows of a suite: its own, and the controls that a bridge must beat before it is worth its cost."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bridgebench.solvers.bridge import BoundBridge, OnEmpty
from bridgebench.solvers.rag import resolve_chain
from bridgebench.suites.cells import ModelChoice
from bridgebench.suites.schema import Control

Roles = Mapping[str, ModelChoice]

SHUFFLES = 3


@dataclass(frozen=True)
class PlannedRow:
    """A chain that every benchmark and generator gets.

    Attributes:
        chain: Its bridges.
        roles: Models that it may call.
        on_empty: As in `rag`.
        control: Which control it is; None for a row of the suite's own.
        gold: Whether the task is asked for its gold documents.
    """

    chain: tuple[BoundBridge, ...]
    roles: Roles
    on_empty: OnEmpty = "empty"
    control: Control | None = None
    gold: bool = False

    @property
    def bridges(self) -> tuple[BoundBridge, ...]:
        """All that take part: the chain, and what ``truncate(like=...)`` measures."""
        return self.chain + tuple(other for bridge in self.chain for other in _measured(bridge))

    @property
    def work(self) -> tuple[BoundBridge, ...]:
        """What one run can keep for all generators; nothing, where no bridge that takes part goes to the cache."""
        if not any(bridge.info.cached for bridge in self.bridges):
            return ()
        return (len(self.chain) == 1 and _measured(self.chain[0])) or self.chain


def plan_rows(own: Sequence[PlannedRow], roles: Roles, controls: Sequence[Control]) -> list[PlannedRow]:
    """A suite's rows with its controls: baselines first, the other controls last.

    Args:
        own: The suite's rows.
        roles: Its models, for controls that belong to no row.
        controls: Which controls.
    """
    baselines = [_control(name, roles) for name in ("naive", "no_documents") if name in controls]
    others = [row for name in controls for row in _others(name, own, roles)]
    return [*baselines, *own, *others]


def _others(control: Control, own: Sequence[PlannedRow], roles: Roles) -> Iterator[PlannedRow]:
    if control == "answer_directly":
        for model in {row.roles["bridge"].model: row.roles["bridge"] for row in own if _calls_model(row)}.values():
            yield _control("answer_directly", {**roles, "bridge": model})
    elif control == "truncate":
        for row in own:
            if _changes_text(row):
                yield replace(
                    row, chain=resolve_chain([{"truncate": {"like": _as_argument(row.chain)}}]), control="truncate"
                )
    elif control == "shuffle":
        for seed in range(SHUFFLES):
            yield PlannedRow(resolve_chain([{"shuffle": {"seed": seed}}]), roles, control="shuffle")
    elif control == "gold_documents":
        yield replace(_control("naive", roles), control="gold_documents", gold=True)
    elif control == "on_empty":
        for row in own:
            if _changes_text(row):
                flipped: OnEmpty = "originals" if row.on_empty == "empty" else "empty"
                yield replace(row, on_empty=flipped, control="on_empty")


def _control(name: Control, roles: Roles) -> PlannedRow:
    return PlannedRow(resolve_chain([name]), roles, control=name)


def _calls_model(row: PlannedRow) -> bool:
    return any("bridge" in bridge.info.roles for bridge in row.bridges) and "bridge" in row.roles


def _changes_text(row: PlannedRow) -> bool:
    """Whether the row may leave less text than it was given: a pure reordering equals its own truncation."""
    return any(
        bridge.info.family not in ("control", "reranker")
        or (bridge.info.family == "reranker" and bridge.args.get("top_k", ...) is not None)
        for bridge in row.chain
    )


def _measured(bridge: BoundBridge) -> tuple[BoundBridge, ...]:
    """The chain whose length ``truncate(like=...)`` takes."""
    like = bridge.args.get("like") if bridge.info.name == "bridgebench/truncate" else None
    if like is None:
        return ()
    return resolve_chain(like if isinstance(like, list) else [like])


def _as_argument(chain: Sequence[BoundBridge]) -> dict[str, Any] | list[Any]:
    return chain[0].item if len(chain) == 1 else [bridge.item for bridge in chain]
