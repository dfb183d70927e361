"""All that the leaderboard says, before it is written in any form."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bridgebench.leaderboard import statistics
from bridgebench.leaderboard.cells import Cell
from bridgebench.leaderboard.logs import Logs, read_logs
from bridgebench.leaderboard.macro import Macro, build_macros
from bridgebench.leaderboard.manifest import ManifestCell
from bridgebench.leaderboard.tables import Table, build_table


@dataclass(frozen=True)
class Report:
    """Tables, averages, and what is not in them.

    Attributes:
        suites: Names of the suites whose manifests were found.
        published: Tables and figures of papers that those suites say they repeat.
        controls: Whether those suites ran the controls (``default``, ``none``, ``unknown`` without a manifest).
        tables: One a benchmark, generator and setting.
        macros: Averages over benchmarks.
        incomplete: Cells that did not finish: shown, never ranked or averaged.
        missing: The manifests' cells that have no log.
        superseded: Logs that were left out because another replaced them, or no manifest plans them.
        notes: Lines a reader must see: settings kept apart, benchmarks left out of averages.
        resamples: Bootstrap replicates and random flips behind every interval and p.
    """

    suites: tuple[str, ...]
    published: tuple[str, ...]
    controls: str
    tables: tuple[Table, ...]
    macros: tuple[Macro, ...]
    incomplete: tuple[Cell, ...]
    missing: tuple[ManifestCell, ...]
    superseded: tuple[Cell, ...]
    notes: tuple[str, ...]
    resamples: int

    @property
    def averages(self) -> list[list[Macro]]:
        """Macro averages by generator."""
        generators = dict.fromkeys(macro.generator for macro in self.macros)
        return [[macro for macro in self.macros if macro.generator == generator] for generator in generators]

    @property
    def ranked(self) -> int:
        """Number of cells in the tables."""
        return sum(len(table.rows) for table in self.tables)

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """Benchmarks in the suite's order."""
        return tuple(dict.fromkeys(table.benchmark for table in self.tables))

    @property
    def generators(self) -> tuple[str, ...]:
        """Generators in the suite's order."""
        return tuple(dict.fromkeys(table.generator for table in self.tables))


def read_report(
    paths: Iterable[str | Path], resamples: int = statistics.RESAMPLES, workers: int | None = None
) -> Report:
    """Read logs and compare their cells.

    Raises:
        BridgebenchError: When a path is no log or folder, or holds no log.
    """
    return build_report(read_logs(paths, workers), resamples)


def build_report(logs: Logs, resamples: int = statistics.RESAMPLES) -> Report:
    """Compare cells within their settings; what is incomplete or unscored is listed, never averaged."""
    ranked = [cell for cell in logs.cells if rankable(cell)]
    tables = [build_table(cells, resamples) for cells in group_cells(ranked)]
    macros, notes = build_macros(tables, resamples)
    controls = {manifest.controls for manifest in logs.manifests}
    return Report(
        suites=tuple(manifest.suite for manifest in logs.manifests),
        published=tuple(name for manifest in logs.manifests for name in manifest.published),
        controls=" and ".join(sorted(controls)) or "unknown",
        tables=tuple(tables),
        macros=tuple(macros),
        incomplete=tuple(cell for cell in logs.cells if not rankable(cell)),
        missing=logs.missing,
        superseded=logs.superseded,
        notes=tuple(_kept_apart(tables) + notes + _own_judges(tables)),
        resamples=resamples,
    )


def rankable(cell: Cell) -> bool:
    """Whether it ran to its end and has a score."""
    return cell.complete and bool(cell.headline)


def group_cells(cells: Sequence[Cell]) -> list[list[Cell]]:
    """Cells by setting; the gold-documents control joins the tables that differ from it in the documents alone."""
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        if not cell.gold_documents:
            groups.setdefault(cell.table, []).append(cell)
    for cell in cells:
        if cell.gold_documents:
            joined = [group for group in groups.values() if group[0].table_but_documents == cell.table_but_documents]
            for group in joined or [groups.setdefault(cell.table, [])]:
                group.append(cell)
    return list(groups.values())


def _own_judges(tables: Sequence[Table]) -> list[str]:
    """Where the judge may favour the generator."""
    return [
        f"{table.benchmark} with {table.generator}: the judge is of the generator's own model family"
        for table in tables
        if any(row.cell.samples and "judge" in row.cell.samples.facts for row in table.rows)
    ]


def _kept_apart(tables: Sequence[Table]) -> list[str]:
    """Which settings of one benchmark and generator were not mixed, and in what they differ."""
    notes = []
    pairs = dict.fromkeys((table.benchmark, table.generator) for table in tables)
    for benchmark, generator in pairs:
        settings = [t.setting for t in tables if (t.benchmark, t.generator) == (benchmark, generator)]
        if len(settings) > 1:
            differing = [
                name
                for name in settings[0]
                if len({json.dumps(s.get(name), sort_keys=True, default=str) for s in settings}) > 1
            ]
            notes.append(
                f"{benchmark} with {generator}: {len(settings)} settings are kept apart; they differ in "
                + ", ".join(differing)
            )
    return notes
