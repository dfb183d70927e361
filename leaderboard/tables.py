"""Cells that may be compared become a table: estimates, paired differences, ranks, costs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bridgebench.leaderboard import statistics
from bridgebench.leaderboard.cells import Cell
from bridgebench.leaderboard.estimates import Difference, Estimate, differences_of, estimates_of
from bridgebench.leaderboard.labels import Marks, calls_model, control_of, marks, row_labels
from bridgebench.leaderboard.questions import Questions, align

NAIVE, CLOSED_BOOK, EQUAL_COMPUTE = "naive", "no_documents", "answer_directly"
REFERENCES = (NAIVE, CLOSED_BOOK, EQUAL_COMPUTE)
"""What every bridge is compared with, where the suite ran it."""

LOWER_IS_BETTER = frozenset({"hallucination", "missing"})

WORST = {"crag_score": -1.0, "official_crag_score": -1.0}
"""What a wrong answer is worth, where it is not 0."""

MOST_COLUMNS = 4
"""Metrics in a table; further ones are folded below it."""


@dataclass(frozen=True)
class Row:
    """One chain of bridges in a table.

    Attributes:
        key: Identity across tables.
        label: Name shown.
        control: Which control it is; None for a bridge.
        marks: What a reader must know of how it came about.
        cell: Its log, for command, versions and date.
        estimates: By metric.
        differences: By metric, then by reference (`REFERENCES`, and ``best``, which is post hoc).
        rank: Lowest and highest rank it may hold by the headline metric; None for controls but naive, and where
            no answer was scored.
        figures: Means of the diagnostics (``cost.words``, ...) over samples.
        unscored: Reasons of the headline metric and their numbers of samples.
        by_type: Question type to its estimate of the headline metric.
    """

    key: str
    label: str
    control: str | None
    marks: Marks
    cell: Cell
    estimates: Mapping[str, Estimate]
    differences: Mapping[str, Mapping[str, Difference]]
    rank: tuple[int, int] | None
    figures: Mapping[str, float]
    unscored: Mapping[str, int]
    by_type: Mapping[str, Estimate]

    @property
    def devices(self) -> tuple[str, ...]:
        """Where the bridges' time was spent; time axes never mix devices."""
        return self.cell.samples.facts.get("devices", ()) if self.cell.samples else ()


@dataclass(frozen=True)
class Table:
    """One benchmark and one generator under one setting.

    Rows: naive, then the bridges in the suite's order, then the other controls.

    Attributes:
        metrics: Columns, the headline first.
        questions: The matrix behind it.
        clusters: Number of clusters where questions share context, else None.
    """

    benchmark: str
    generator: str
    setting: Mapping[str, Any]
    metrics: tuple[str, ...]
    rows: tuple[Row, ...]
    questions: Questions = field(repr=False)
    clusters: int | None = None

    @property
    def headline(self) -> str:
        """The metric that ranks."""
        return self.metrics[0]

    @property
    def columns(self) -> tuple[str, ...]:
        """The metrics shown in the table itself."""
        return self.metrics[:MOST_COLUMNS]


def build_table(cells: Sequence[Cell], resamples: int = statistics.RESAMPLES) -> Table:
    """Compare complete cells of one setting.

    Args:
        cells: Cells with equal `Cell.table`, all complete.
        resamples: Bootstrap replicates and random flips.
    """
    cells = sorted(cells, key=_place)
    questions = align(cells)
    labels = row_labels(cells)
    controls = [control_of(cell) for cell in cells]
    headline = cells[0].headline
    metrics = (headline, *(name for name in questions.values if name != headline))
    family = [position for position, control in enumerate(controls) if control is None]
    ranked = [
        position
        for position, control in enumerate(controls)
        if control in (None, NAIVE) and questions.scored(headline, position)
    ]
    estimates = {
        metric: estimates_of(
            questions.values[metric],
            questions.asked,
            questions.clusters,
            resamples,
            questions.missing[metric],
            *_worth(metric),
        )
        for metric in metrics
    }
    references = _references(cells, controls)
    differences = {
        metric: _differences(questions, metric, references, labels, family, resamples, headline=metric == headline)
        for metric in metrics
    }
    best = _best(questions, headline, ranked, labels, resamples)
    ranks = statistics.rank_intervals(questions.values[headline][:, ranked], questions.clusters, resamples=resamples)
    rank_of = dict(zip(ranked, ranks, strict=True))
    types = {
        kind: estimates_of(
            questions.values[headline][of_kind],
            questions.asked[of_kind],
            None,
            0,
            questions.missing[headline][of_kind],
            *_worth(headline),
        )
        for kind in np.unique(questions.types)
        for of_kind in [questions.types == kind]
        if kind
    }
    rows = tuple(
        Row(
            key=cell.row,
            label=labels[position],
            control=controls[position],
            marks=marks(cell),
            cell=cell,
            estimates={metric: estimates[metric][position] for metric in metrics},
            differences={
                metric: differences[metric][position] | (best.get(position, {}) if metric == headline else {})
                for metric in metrics
            },
            rank=rank_of.get(position),
            figures=_figures(cell),
            unscored=dict(cell.samples.unscored.get(headline, {})) if cell.samples else {},
            by_type={str(kind): column[position] for kind, column in types.items()},
        )
        for position, cell in enumerate(cells)
    )
    clusters = None if questions.clusters is None else len(np.unique(questions.clusters))
    return Table(cells[0].benchmark, cells[0].generator, cells[0].setting, metrics, rows, questions, clusters)


def _worth(metric: str) -> tuple[float, float]:
    """What a wrong and a right answer are worth."""
    return (1.0, 0.0) if metric in LOWER_IS_BETTER else (WORST.get(metric, 0.0), 1.0)


def _place(cell: Cell) -> int:
    """Naive, the bridges, then what only helps to read them."""
    control = control_of(cell)
    return 0 if control == NAIVE else 1 if control is None else 2


def _references(cells: Sequence[Cell], controls: Sequence[str | None]) -> dict[str, list[int | None]]:
    """For each reference, the column that each row is compared with; None where there is none."""
    columns: dict[str, list[int | None]] = {}
    for reference in (NAIVE, CLOSED_BOOK):
        column = next((i for i, control in enumerate(controls) if control == reference), None)
        columns[reference] = [column if i != column else None for i in range(len(cells))]
    direct = {cell.roles.get("bridge"): i for i, cell in enumerate(cells) if controls[i] == EQUAL_COMPUTE}
    columns[EQUAL_COMPUTE] = [
        direct.get(cell.roles["bridge"]) if controls[i] is None and calls_model(cell) else None
        for i, cell in enumerate(cells)
    ]
    return columns


def _differences(
    questions: Questions,
    metric: str,
    references: Mapping[str, Sequence[int | None]],
    labels: Sequence[str],
    family: Sequence[int],
    resamples: int,
    headline: bool,
) -> list[dict[str, Difference]]:
    """Of every row to every reference; Holm's family is the bridges against naive, by the headline metric."""
    found: list[dict[str, Difference]] = [{} for _ in labels]
    for reference, columns in references.items():
        pairs = [(row, column) for row, column in enumerate(columns) if column is not None]
        if not pairs:
            continue
        members = family if reference == NAIVE else ()
        computed = differences_of(questions, metric, pairs, labels, resamples, members, test=headline)
        for (row, _), difference in zip(pairs, computed, strict=True):
            found[row][reference] = difference
    return found


def _best(
    questions: Questions, metric: str, ranked: Sequence[int], labels: Sequence[str], resamples: int
) -> dict[int, dict[str, Difference]]:
    """Of every ranked row to the best one: post hoc, since the data chose it, and so without a p value."""
    means = {i: float(np.nanmean(questions.values[metric][:, i])) for i in ranked if questions.scored(metric, i)}
    if not means:
        return {}
    top = max(means, key=lambda i: means[i])
    pairs = [(row, top) for row in means if row != top]
    computed = differences_of(questions, metric, pairs, labels, resamples, (), test=False) if pairs else []
    return {row: {"best": difference} for (row, _), difference in zip(pairs, computed, strict=True)}


def _figures(cell: Cell) -> dict[str, float]:
    """Means over the samples that have the figure."""
    if cell.samples is None:
        return {}
    return {
        name: float(np.nanmean(column))
        for name, column in cell.samples.diagnostics.items()
        if not np.isnan(column).all()
    }
