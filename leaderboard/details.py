"""What stands folded under a table: question types, and how each row was run."""

import math
from dataclasses import replace

import numpy as np

from bridgebench.leaderboard.command_line import command_of
from bridgebench.leaderboard.estimates import Difference, Estimate
from bridgebench.leaderboard.grids import DASH, Column, Field, Grid, Line, score_fields
from bridgebench.leaderboard.retrieval import index_facts
from bridgebench.leaderboard.tables import NAIVE, Row, Table
from bridgebench.leaderboard.text import ends, metric_title, number, percent, places

_TABLED = ("cost.", "retrieval_cost.")
"""Figures that have their place in the table itself."""


def types_grid(table: Table) -> Grid | None:
    """The headline metric by question type, with the number of questions of each; None where there is one type."""
    kinds = [str(kind) for kind in np.unique(table.questions.types) if kind]
    if len(kinds) < 2:
        return None
    naive = next((row for row in table.rows if row.control == NAIVE), None)
    columns, by_kind = [], []
    for kind in kinds:
        asked = int(np.count_nonzero(table.questions.types == kind))
        columns.append(Column(kind, f"{metric_title(table.headline)}, n = {asked}", opens=True))
        estimates = [row.by_type[kind] for row in table.rows]
        competing = [row.control in (None, NAIVE) for row in table.rows]
        shown = places([e.mean if fair else None for e, fair in zip(estimates, competing, strict=True)])
        fields = []
        for row, estimate, place in zip(table.rows, estimates, shown, strict=True):
            beside = ""
            if naive is not None and row is not naive and estimate.questions and naive.by_type[kind].questions:
                beside = f"({percent(estimate.mean - naive.by_type[kind].mean, True)})"
            hint = f"{estimate.questions} scored"
            fields.append(Field(percent(estimate.mean), beside, estimate.mean, place, hint=hint))
        by_kind.append(fields)
    lines = [
        Line(row.label, tuple(fields[i] for fields in by_kind), row.control is not None)
        for i, row in enumerate(table.rows)
    ]
    return Grid(f"{table.benchmark}, {table.generator}: question types", tuple(columns), tuple(lines))


def metrics_grid(table: Table) -> Grid | None:
    """The metrics that the table has no room for, with their intervals; None where there are no more."""
    metrics = table.metrics[len(table.columns) :]
    if not metrics:
        return None
    columns = [
        [
            replace(field, small=field.hint.removeprefix("95 % interval "), hint="")
            for field in score_fields(table, metric)
        ]
        for metric in metrics
    ]
    lines = [
        Line(row.label, tuple(column[i] for column in columns), row.control is not None)
        for i, row in enumerate(table.rows)
    ]
    heads = tuple(Column(metric_title(metric)) for metric in metrics)
    return Grid(f"{table.benchmark}, {table.generator}: further metrics", heads, tuple(lines))


def measures_grid(table: Table) -> Grid | None:
    """Means of the `context` and `utility` scorers; None where no log has them."""
    names = list(dict.fromkeys(name for row in table.rows for name in row.figures if not name.startswith(_TABLED)))
    if not names:
        return None
    columns = tuple(Column(name.partition(".")[2].replace("_", " "), name.partition(".")[0]) for name in names)
    lines = []
    for row in table.rows:
        fields = [Field(number(row.figures[n]), sort=row.figures[n]) if n in row.figures else DASH for n in names]
        lines.append(Line(row.label, tuple(fields), row.control is not None))
    return Grid(f"{table.benchmark}, {table.generator}: contexts", columns, tuple(lines))


def run_facts(row: Row, headline: str) -> list[tuple[str, str]]:
    """How a row came about and what its figures rest on: names and texts, those that are known."""
    cell, figures = row.cell, row.figures
    facts = cell.samples.facts if cell.samples else {}
    n = len(cell.samples.ids) if cell.samples else 0

    def share(figure: str) -> str:
        values = cell.samples.diagnostics.get(figure) if cell.samples else None
        if values is None:
            return ""
        known = values[~np.isnan(values)]  # a sample that failed before its bridge ended has no figure
        return f"{round(known.sum())} of {len(known)}"

    chain = " → ".join(f"{name} {_arguments(args)}".strip() for name, args in cell.chain)
    lines = [
        ("command", command_of(cell)),
        ("bridges", chain),
        ("bridge versions", ", ".join(facts.get("versions", ()))),
        ("models in roles", ", ".join(f"{role}: {model}" for role, model in cell.roles.items())),
        ("checkpoints", ", ".join(row.marks.parameters)),
        ("licences", ", ".join(row.marks.licences)),
        ("papers", ", ".join(row.marks.papers)),
        ("learned from", "" if row.marks.utility == "none" else f"{row.marks.utility} utility"),
        ("distilled", "yes" if row.marks.distilled else ""),
        ("prompt", ", ".join(facts.get("prompt", ()))),
        ("device", ", ".join(row.devices)),
        ("date", cell.created),
        ("packages", ", ".join(f"{name} {version}" for name, version in cell.about["packages"].items())),
        ("revision", cell.about["revision"] or ""),
        ("samples", str(n)),
        ("unscored", ", ".join(f"{reason}: {count}" for reason, count in row.unscored.items())),
        ("if those were wrong or right", _bounds(row.estimates[headline]) if row.unscored else ""),
        ("against naive", _basis(row.differences[headline].get(NAIVE))),
        ("against the best (post hoc)", _interval(row.differences[headline].get("best"))),
        *index_facts(row),
        ("context cut", share("cost.cut")),
        ("malformed output", share("cost.malformed")),
        ("empty context", share("cost.empty")),
        ("originals used", share("cost.originals")),
        ("bridge calls a question", number(figures["cost.calls"]) if "cost.calls" in figures else ""),
        ("bridge tokens a question", _tokens(row)),
        ("log", cell.log),
    ]
    return [(name, text) for name, text in lines if text]


def _bounds(estimate: Estimate) -> str:
    return f"{percent(estimate.worst)} to {percent(estimate.best)}"


def _basis(difference: Difference | None) -> str:
    if difference is None:
        return ""
    counts = (
        f"{difference.pairs} questions paired, {difference.unpaired} unpaired; {difference.won} won, "
        f"{difference.lost} lost"
    )
    if math.isnan(difference.detectable):
        return counts
    return f"{counts}; a difference of {percent(difference.detectable)} would be found with probability 0.8"


def _interval(difference: Difference | None) -> str:
    if difference is None:
        return ""
    return f"{percent(difference.mean, True)} {ends(difference.low, difference.high, True)} to {difference.against}"


def _arguments(args: object) -> str:
    return "" if not args else str(args)


def _tokens(row: Row) -> str:
    """In and out, where one tokenizer counted all of them."""
    read, written = (row.figures.get(f"cost.{name}_tokens") for name in ("input", "output"))
    tokenizers = row.cell.samples.facts.get("tokenizer", ()) if row.cell.samples else ()
    if read is None or written is None or len(tokenizers) != 1:
        return ""
    return f"{number(read)} in, {number(written)} out ({tokenizers[0]})"
