"""Which of a suite's cells one run takes: those that match names, and the part of one job."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from bridgebench.errors import BridgebenchError
from bridgebench.suites.cells import Cell, short

AXES = ("benchmark", "bridge", "generator", "control")


def choose(cells: Sequence[Cell], only: Sequence[str]) -> list[Cell]:
    """Cells that match any of the patterns of an axis, on every axis that is given.

    Args:
        cells: All cells of a suite.
        only: ``axis=pattern``; ``*`` stands for anything. A bridge matches wherever it stands in a chain.

    Raises:
        BridgebenchError: When an axis does not exist, or nothing matches.
    """
    patterns: dict[str, list[str]] = {}
    for choice in only:
        axis, sign, pattern = choice.partition("=")
        if not sign or axis not in AXES:
            raise BridgebenchError(f"--only takes AXIS=NAME with an axis of {', '.join(AXES)}, got '{choice}'")
        patterns.setdefault(axis, []).append(pattern)
    chosen = [cell for cell in cells if all(_matches(_names(cell)[axis], patterns[axis]) for axis in patterns)]
    if not chosen:
        known = {
            axis: dict.fromkeys(name for cell in cells for name in _names(cell)[axis] if name) for axis in patterns
        }
        shown = "; ".join(f"{axis}: {', '.join(names)}" for axis, names in known.items())
        raise BridgebenchError(f"--only {' '.join(only)}: no cell of the suite matches; there are {shown}")
    return chosen


def take_shard(cells: Sequence[Cell], shard: str) -> list[Cell]:
    """The part of the cells that one of several jobs runs.

    Cells that share bridge work stay together, so that no two jobs run the same bridge on the same questions.

    Raises:
        BridgebenchError: When it is not ``I/N`` with 1 <= I <= N.
    """
    index, _, count = shard.partition("/")
    if not (index.isdecimal() and count.isdecimal() and 1 <= int(index) <= int(count)):
        raise BridgebenchError(f"--shard takes I/N with I from 1 to N, got '{shard}'")
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(cell.work.id if cell.work.chain else cell.id, []).append(cell)
    return [cell for group in list(groups.values())[int(index) - 1 :: int(count)] for cell in group]


def _names(cell: Cell) -> dict[str, list[str]]:
    return {
        "benchmark": [short(cell.task)],
        "bridge": [cell.row, *(short(name) for item in cell.chain for name in item)],
        "generator": [cell.generator.model],
        "control": [cell.control or "none"],
    }


def _matches(names: Sequence[str], patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)
