"""Tables of retrieval tasks: hit@k and MRR@k, the fall from technical to conceptual queries, what the index takes."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bridgebench.leaderboard import statistics
from bridgebench.leaderboard.estimates import Estimate, estimates_of
from bridgebench.leaderboard.grids import DASH, Column, Field, Grid, Line, count_fields, mark_list, table_grid
from bridgebench.leaderboard.tables import Row, Table
from bridgebench.leaderboard.text import ends, metric_title, number, percent, places, rank_text, setting_text

COST = "retrieval_cost"
"""The scorer whose values describe the index."""

SCORES = ("hit@1", "hit@3", "hit@5", "hit@10", "mrr@3", "mrr@5", "mrr@10")
"""mrr@1 is hit@1."""

FROM, TO = "technical", "conceptual"
"""Kinds of queries between which a lexical index falls."""


def is_retrieval(table: Table) -> bool:
    """Whether its rows rank a corpus."""
    return any(f"{COST}.texts" in row.figures for row in table.rows)


def main_grid(table: Table) -> Grid:
    """The table as it is first seen."""
    return retrieval_grid(table) if is_retrieval(table) else table_grid(table)


def main_notes(table: Table) -> list[str]:
    """What stands with it: its setting, and what must be known of its queries."""
    return [setting_text(table), *query_notes(table)]


def retrieval_grid(table: Table) -> Grid:
    """Scores over all queries, the fall from one kind to the other, storage and time."""
    falls = falls_of(table)
    columns = [*_score_columns(table)]
    if falls:
        columns.append(Column(f"{TO} − {FROM}", metric_title(table.headline), opens=True))
    columns += [Column(title, unit, opens=not i) for i, (title, unit, _) in enumerate(_STORAGE)]
    columns += [Column("rank", opens=True), Column("n"), Column("unscored")]
    scores = _score_fields(table, {metric: [row.estimates[metric] for row in table.rows] for metric in _metrics(table)})
    lines = []
    for position, row in enumerate(table.rows):
        fields = [column[position] for column in scores]
        fields += [falls[position]] if falls else []
        fields += [field(row) for _, _, field in _STORAGE]
        fields += [Field(rank_text(row), sort=row.rank[0] if row.rank else None), *count_fields(row, table.headline)]
        lines.append(Line(row.label, tuple(fields), row.control is not None, mark_list(row)))
    return Grid(f"{table.benchmark}, {table.generator}", tuple(columns), tuple(lines))


def kind_grids(table: Table) -> list[Grid]:
    """The scores by kind of query, a table each; none where there is one kind."""
    kinds = [str(kind) for kind in np.unique(table.questions.types) if kind]
    return [_kind_grid(table, kind) for kind in kinds] if len(kinds) > 1 else []


def _kind_grid(table: Table, kind: str) -> Grid:
    asked = table.questions.types == kind
    estimates = {
        metric: estimates_of(table.questions.values[metric][asked], table.questions.asked[asked])
        for metric in _metrics(table)
    }
    scores = _score_fields(table, estimates)
    lines = [
        Line(row.label, tuple(column[position] for column in scores), row.control is not None)
        for position, row in enumerate(table.rows)
    ]
    return Grid(f"{table.benchmark}: {kind}, n = {np.count_nonzero(asked)}", tuple(_score_columns(table)), tuple(lines))


def mean_of_kind(table: Table, position: int, metric: str, kind: str) -> float:
    """Mean of a row's scores on one kind of query; NaN where it has none."""
    values = table.questions.values[metric][table.questions.types == kind, position]
    return float(np.nanmean(values)) if np.any(~np.isnan(values)) else float("nan")


def falls_of(table: Table) -> list[Field]:
    """Of each row, its headline score on conceptual queries less that on technical ones; empty without both kinds.

    The interval resamples papers, each with its queries of both kinds.
    """
    types = table.questions.types
    if not {FROM, TO} <= set(types.tolist()):
        return []
    before, after = (_of_kind(table, kind) for kind in (FROM, TO))
    clusters = table.questions.clusters
    replicates = statistics.bootstrap_means(after, clusters) - statistics.bootstrap_means(before, clusters)
    low, high = statistics.interval(replicates)
    fields = []
    for position in range(len(table.rows)):
        first, second = (mean_of_kind(table, position, table.headline, kind) for kind in (FROM, TO))
        hint = f"{FROM} {percent(first)}, {TO} {percent(second)}"
        interval = ends(float(low[position]), float(high[position]), True)
        fields.append(Field(percent(second - first, True), interval, second - first, hint=hint))
    return fields


def _of_kind(table: Table, kind: str) -> NDArray[np.float64]:
    values = table.questions.values[table.headline]
    return np.where((table.questions.types == kind)[:, None], values, np.nan)


def query_notes(table: Table) -> list[str]:
    """What a reader must know of the queries: who wrote them, and how much of them the cards give away."""
    about = table.rows[0].cell.about
    report, ambiguous = about.get("query report") or {}, (about.get("counts") or {}).get("ambiguous_queries")
    notes = []
    if report:
        notes.append(f"queries by {report.get('model')}; cards by {(report.get('cards') or {}).get('model')}")
        leaks = ["the cards' own model"] * bool(report.get("same_model"))
        leaks += ["sections that the cards were made of"] * bool(report.get("same_sections"))
        if leaks:
            notes.append(f"LEAKY: queries were made with {' and '.join(leaks)}")
        for name, shared in (report.get("overlap") or {}).items():
            notes.append(
                f"{name} queries: {percent(shared['equal'])} % equal a question of the gold card, "
                f"{percent(shared['near_equal'])} % nearly; mean token overlap with the nearest "
                f"{shared['token_overlap']['mean']:.2f}"
            )
    if ambiguous:
        notes.append(f"{ambiguous} queries are asked word for word of several papers; only one counts as right")
    return notes


def index_facts(row: Row) -> list[tuple[str, str]]:
    """What an index leaves out or reads only in part."""
    figures = {name.removeprefix(f"{COST}."): value for name, value in row.figures.items()}
    if "texts" not in figures:
        return []
    facts = [
        ("papers that cannot be found", "without_text", "papers"),
        ("texts cut by the embedding model", "truncated", "texts"),
    ]
    lines = [(name, f"{figures[part]:,.0f} of {figures[whole]:,.0f}") for name, part, whole in facts if part in figures]
    cut = figures.get("candidates_truncated", 0)
    return [*lines, ("candidates cut by the cross-encoder", f"{number(cut)} a question" if cut else "")]


def _metrics(table: Table) -> list[str]:
    return [metric for metric in SCORES if metric in table.metrics]


def _score_columns(table: Table) -> list[Column]:
    return [Column(metric_title(metric), opens=metric == "mrr@3") for metric in _metrics(table)]


def _score_fields(table: Table, estimates: dict[str, list[Estimate]]) -> list[list[Field]]:
    """Columns of scores, the best and second of each marked."""
    columns = []
    for metric in _metrics(table):
        shown = places([estimate.mean for estimate in estimates[metric]])
        columns.append(
            [
                Field(percent(estimate.mean), sort=estimate.mean, place=place, hint=_interval(estimate))
                for estimate, place in zip(estimates[metric], shown, strict=True)
            ]
        )
    return columns


def _interval(estimate: Estimate) -> str:
    return "" if np.isnan(estimate.low) else f"95 % interval {ends(estimate.low, estimate.high)}"


def _figure(name: str, scale: float = 1.0, whole: bool = False) -> Callable[[Row], Field]:
    def field(row: Row) -> Field:
        value = row.figures.get(f"{COST}.{name}")
        if value is None:
            return DASH
        return Field(f"{value:,.0f}" if whole else number(value / scale), sort=value)

    return field


def _texts(row: Row) -> Field:
    field, cut = _figure("texts", whole=True)(row), row.figures.get(f"{COST}.truncated")
    return replace(field, small=f"{cut:,.0f} cut") if cut else field


_STORAGE: Sequence[tuple[str, str, Callable[[Row], Field]]] = (
    ("vectors", "", _figure("vectors", whole=True)),
    ("texts", "", _texts),
    ("texts", "kB", _figure("text_bytes", 1000)),
    ("index", "kB", _figure("bytes", 1000)),
    ("build", "s", _figure("build_seconds")),
    ("query", "ms", _figure("milliseconds")),
)
"""Columns of storage and time: title, unit, field of a row."""
