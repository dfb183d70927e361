"""Averages over benchmarks, each benchmark with the same weight."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bridgebench.leaderboard import statistics
from bridgebench.leaderboard.statistics import Floats
from bridgebench.leaderboard.tables import NAIVE, Row, Table


@dataclass(frozen=True)
class MacroRow:
    """One chain's average.

    Attributes:
        key: Identity across tables.
        label: Name shown.
        control: As in `Row`.
        scores: Mean on each benchmark, in `Macro.benchmarks`' order; None where the cell is not complete.
        mean: Unweighted mean over the benchmarks; None unless it is complete on all of them.
        difference: Paired difference to naive, averaged the same way; None where a benchmark has no paired question.
        low: Lower end of its 95 % bootstrap interval, stratified by benchmark.
        high: Upper end.
        p: Of the stratified permutation test.
        adjusted: Holm's p over the bridges of this table.
    """

    key: str
    label: str
    control: str | None
    scores: tuple[float | None, ...]
    mean: float | None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    adjusted: float | None = None


@dataclass(frozen=True)
class Macro:
    """One generator and one metric over all benchmarks that have it: the shape of R2U's Table 1."""

    generator: str
    metric: str
    benchmarks: tuple[str, ...]
    rows: tuple[MacroRow, ...]


def build_macros(tables: Sequence[Table], resamples: int = statistics.RESAMPLES) -> tuple[list[Macro], list[str]]:
    """Average over benchmarks for each generator and metric.

    Returns:
        The averages, and a line for each benchmark that could not be averaged because it stands in several
        settings (they are never mixed).
    """
    macros, notes = [], []
    for generator in dict.fromkeys(table.generator for table in tables):
        of_generator = [table for table in tables if table.generator == generator]
        names = [table.benchmark for table in of_generator]
        single = [table for table in of_generator if names.count(table.benchmark) == 1]
        for name in dict.fromkeys(names):
            if names.count(name) > 1:
                notes.append(f"{name} with {generator} has {names.count(name)} settings: left out of averages")
        # What the papers average: the headline metrics, and exact match beside F1.
        for metric in dict.fromkeys([*(table.headline for table in single), "em"]):
            having = [table for table in single if metric in table.metrics]
            if len(having) > 1:
                macros.append(_macro(generator, metric, having, resamples))
    return macros, notes


def _macro(generator: str, metric: str, tables: Sequence[Table], resamples: int) -> Macro:
    columns = [{row.key: position for position, row in enumerate(table.rows)} for table in tables]
    first = {row.key: row for table in reversed(tables) for row in table.rows}
    keys = list(dict.fromkeys(row.key for table in tables for row in table.rows))
    everywhere = [
        key
        for key in keys
        if all(
            key in column and table.questions.scored(metric, column[key])
            for table, column in zip(tables, columns, strict=True)
        )
    ]
    naive = next((key for key in everywhere if first[key].control == NAIVE), None)
    compared = [key for key in everywhere if key != naive and _paired(tables, metric, columns, key, naive)]
    bridges = [key for key in compared if first[key].control is None]
    tested: dict[str, tuple[float, ...]] = {}
    if naive is not None and compared:
        strata = [
            _differences(table, metric, column, compared, naive) for table, column in zip(tables, columns, strict=True)
        ]
        replicates = statistics.macro_replicates(
            [
                statistics.bootstrap_means(matrix, table.questions.clusters, resamples, seed=seed)
                for seed, (matrix, table) in enumerate(zip(strata, tables, strict=True))
            ]
        )
        ends = statistics.interval(replicates)
        p = statistics.permutation_test(statistics.macro_differences(strata), _clusters(tables), resamples)
        adjusted = statistics.holm(np.where([key in bridges for key in compared], p, np.nan))
        means = np.mean([np.nanmean(matrix, axis=0) for matrix in strata], axis=0)
        tested = {key: (means[i], ends[0, i], ends[1, i], p[i], adjusted[i]) for i, key in enumerate(compared)}
    return Macro(
        generator,
        metric,
        tuple(table.benchmark for table in tables),
        tuple(_row(first[key], metric, tables, columns, key in everywhere, tested.get(key)) for key in keys),
    )


def _row(
    row: Row,
    metric: str,
    tables: Sequence[Table],
    columns: Sequence[dict[str, int]],
    complete: bool,
    tested: tuple[float, ...] | None,
) -> MacroRow:
    scores = tuple(
        table.rows[column[row.key]].estimates[metric].mean
        if row.key in column and table.questions.scored(metric, column[row.key])
        else None
        for table, column in zip(tables, columns, strict=True)
    )
    mean = float(np.mean([score for score in scores if score is not None])) if complete else None
    if tested is None:
        return MacroRow(row.key, row.label, row.control, scores, mean)
    difference, low, high, p, adjusted = map(float, tested)
    return MacroRow(
        row.key,
        row.label,
        row.control,
        scores,
        mean,
        difference,
        low,
        high,
        p,
        None if np.isnan(adjusted) else adjusted,
    )


def _differences(table: Table, metric: str, column: dict[str, int], keys: Sequence[str], naive: str) -> Floats:
    values = table.questions.values[metric]
    return values[:, [column[key] for key in keys]] - values[:, [column[naive]]]


def _paired(
    tables: Sequence[Table], metric: str, columns: Sequence[dict[str, int]], key: str, naive: str | None
) -> bool:
    """Whether each benchmark has a question that both were scored on."""
    return naive is not None and all(
        not np.isnan(_differences(table, metric, column, [key], naive)).all()
        for table, column in zip(tables, columns, strict=True)
    )


def _clusters(tables: Sequence[Table]) -> np.ndarray:
    """Cluster numbers over all benchmarks, none shared between two of them."""
    numbers, start = [], 0
    for table in tables:
        clusters = table.questions.clusters
        own = np.arange(len(table.questions.ids)) if clusters is None else clusters
        numbers.append(own + start)
        start += int(own.max()) + 1
    return np.concatenate(numbers)
