"""What rows are called, which of them are controls, and what a reader must know of how they came about."""

from collections.abc import Sequence
from dataclasses import dataclass

from bridgebench import _registry  # importing it also makes the bridges' descriptions known
from bridgebench.leaderboard.cells import Cell
from bridgebench.leaderboard.cut import cut
from bridgebench.solvers.bridge import BridgeInfo, bridge_info

MOST_CHARACTERS = 100
"""Characters of an argument that a row's name shows; the row's details hold all."""


@dataclass(frozen=True)
class Marks:
    """Warnings that belong beside a number.

    Attributes:
        sees_labels: Its context was chosen with the gold labels: an upper bound, not a method.
        non_commercial: A licence in the chain forbids commercial use.
        trained_here: A bridge learned from this benchmark's training split.
        distilled: A bridge was distilled from a larger model.
        utility: Utility signal that it learned from: the strongest in the chain.
        parameters: Sizes of the chain's checkpoints.
        licences: Their licences.
        papers: Their papers.
        given: Checkpoints that were given in place of published ones: nothing is known of them here.
        unknown: Bridges that no installed package describes.
    """

    sees_labels: bool
    non_commercial: bool
    trained_here: bool
    distilled: bool
    utility: str
    parameters: tuple[str, ...]
    licences: tuple[str, ...]
    papers: tuple[str, ...]
    given: tuple[str, ...]
    unknown: tuple[str, ...]


def marks(cell: Cell) -> Marks:
    """Collect them from the descriptions of the chain's bridges."""
    published = [(info, args) for name, args in cell.chain if (info := bridge_info(name)) is not None]
    infos = [info.described(args) for info, args in published]
    signals = [info.utility for info in infos]
    return Marks(
        sees_labels=cell.gold_documents,
        non_commercial=any(info.non_commercial for info in infos),
        trained_here=any(cell.benchmark in info.training_data for info in infos),
        distilled=any(info.distilled for info in infos),
        utility=next((signal for signal in ("process", "outcome") if signal in signals), "none"),
        parameters=tuple(info.parameters for info in infos if info.parameters),
        licences=tuple(info.licence for info in infos if info.licence),
        papers=tuple(info.paper for info in infos if info.paper),
        given=tuple(
            str(args["model"]) for (known, args), info in zip(published, infos, strict=True) if info is not known
        ),
        unknown=tuple(
            name for name, _ in cell.chain if bridge_info(name) is None and not hasattr(_registry, short(name))
        ),
    )


def control_of(cell: Cell) -> str | None:
    """Which control a cell is, by the suite's word or else by its chain; None for a bridge."""
    if cell.planned is not None and cell.planned.control is not None:
        return cell.planned.control
    if cell.gold_documents:
        return "gold_documents"
    if not cell.chain:
        return "naive"
    infos = _infos(cell)
    if len(infos) == len(cell.chain) and all(info.family == "control" for info in infos):
        return short(cell.chain[-1][0])
    return None


def calls_model(cell: Cell) -> bool:
    """Whether a bridge of the chain asks the model in the ``bridge`` role: what equal compute compares with."""
    return "bridge" in cell.roles and any("bridge" in info.roles for info in _infos(cell))


def row_labels(cells: Sequence[Cell]) -> list[str]:
    """Names of rows, with just the arguments that tell equal chains apart."""
    plain = [_plain(cell) for cell in cells]
    return [
        label
        if plain.count(label) == 1
        else _told_apart(cell, [c for c, p in zip(cells, plain, strict=True) if p == label])
        for cell, label in zip(cells, plain, strict=True)
    ]


def _plain(cell: Cell) -> str:
    label = cell.planned.label if cell.planned is not None else ""
    if not label:
        label = " → ".join(short(name) for name, _ in cell.chain) or "naive"
        label += " (originals when empty)" if cell.on_empty == "originals" else ""
    return f"{label} (gold documents)" if cell.gold_documents else label


def _told_apart(cell: Cell, twins: Sequence[Cell]) -> str:
    arguments = []  # none where the row has no twin
    for position, (_, args) in enumerate(cell.chain):
        for name, value in args.items():
            if len({repr(twin.chain[position][1].get(name)) for twin in twins}) > 1:
                arguments.append(f"{name}={cut(str(value), MOST_CHARACTERS)}")
    for role, model in cell.roles.items():
        if len({twin.roles.get(role) for twin in twins}) > 1:
            arguments.append(f"{role}={model}")
    return f"{_plain(cell)} [{', '.join(arguments)}]" if arguments else _plain(cell)


def short(name: str) -> str:
    """A registry name without our own prefix."""
    return name.removeprefix("bridgebench/")


def _infos(cell: Cell) -> list[BridgeInfo]:
    return [info for name, _ in cell.chain if (info := bridge_info(name)) is not None]
