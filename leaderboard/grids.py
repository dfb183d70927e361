"""Tables as columns and fields of text: one form that the page, Markdown, LaTeX and the terminal all write."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from bridgebench.leaderboard.estimates import Difference
from bridgebench.leaderboard.figures import forest, forest_limit
from bridgebench.leaderboard.macro import Macro, MacroRow
from bridgebench.leaderboard.tables import CLOSED_BOOK, EQUAL_COMPUTE, LOWER_IS_BETTER, NAIVE, Row, Table
from bridgebench.leaderboard.text import ends, metric_title, number, p_value, percent, places, rank_text


@dataclass(frozen=True)
class Column:
    """Head of a column.

    Attributes:
        title: Its name.
        unit: What the name needs beside it, in small type.
        opens: Whether a group of columns begins here.
        drawn: Whether it holds drawings, which only the page shows.
    """

    title: str
    unit: str = ""
    opens: bool = False
    drawn: bool = False


@dataclass(frozen=True)
class Field:
    """One entry.

    Attributes:
        text: What is read.
        small: Beside it in small type, an interval as a rule.
        sort: What it is sorted by; None sorts last.
        place: ``best`` or ``second`` of its column.
        sure: Whether a difference stands after correction.
        hint: Shown on request.
        drawing: In the page only.
    """

    text: str
    small: str = ""
    sort: float | None = None
    place: str = ""
    sure: bool = False
    hint: str = ""
    drawing: Markup | None = None


@dataclass(frozen=True)
class Line:
    """A row: its name, the marks beside it (sign and meaning), its fields."""

    label: str
    fields: tuple[Field, ...]
    control: bool = False
    marks: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """The label with its signs, for forms that have no hints."""
        return self.label + "".join(f" ({sign})" for sign, _ in self.marks)


@dataclass(frozen=True)
class Grid:
    """A table to be written; `columns` are those right of the row's name."""

    title: str
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]


DASH = Field("–")


def averages_grid(macros: Sequence[Macro]) -> Grid:
    """One generator over benchmarks x metrics, the shape of R2U's Table 1.

    Args:
        macros: The macro averages of one generator.
    """
    benchmarks = list(dict.fromkeys(name for macro in macros for name in macro.benchmarks))
    columns = [
        Column(name, metric_title(macro.metric), opens=macro is having[0])
        for name in benchmarks
        for having in [[macro for macro in macros if name in macro.benchmarks]]
        for macro in having
    ]
    for macro in macros:
        columns += [
            Column("average", metric_title(macro.metric), opens=True),
            Column("− naive", metric_title(macro.metric)),
        ]
    labels: dict[str, MacroRow] = {}
    for macro in macros:
        for row in macro.rows:
            labels.setdefault(row.key, row)
    by_macro = [_macro_fields(macro) for macro in macros]
    lines = []
    for key, row in labels.items():
        fields = [
            fields.get(key, {}).get(name, DASH)
            for name in benchmarks
            for macro, fields in zip(macros, by_macro, strict=True)
            if name in macro.benchmarks
        ]
        for found in by_macro:
            fields += [found.get(key, {}).get(name, DASH) for name in (_AVERAGE, _DIFFERENCE)]
        lines.append(Line(row.label, tuple(fields), row.control is not None))
    return Grid(macros[0].generator, tuple(columns), tuple(lines))


_AVERAGE, _DIFFERENCE = " average", " difference"  # a benchmark's name cannot begin with a space


def _macro_fields(macro: Macro) -> dict[str, dict[str, Field]]:
    """Row key to benchmark (or average, or difference) to its field."""
    rows = macro.rows
    competing = [row.control in (None, NAIVE) for row in rows]
    columns = {
        **{name: [row.scores[i] for row in rows] for i, name in enumerate(macro.benchmarks)},
        _AVERAGE: [row.mean for row in rows],
    }
    fields: dict[str, dict[str, Field]] = {row.key: {} for row in rows}
    for name, values in columns.items():
        shown = places([value if fair else None for value, fair in zip(values, competing, strict=True)])
        for row, value, place in zip(rows, values, shown, strict=True):
            fields[row.key][name] = Field(percent(value), sort=value, place=place)
    for row in rows:
        if row.mean is None:
            fields[row.key][_AVERAGE] = Field("incomplete")
        if row.difference is not None and row.low is not None and row.high is not None:
            fields[row.key][_DIFFERENCE] = Field(
                percent(row.difference, True),
                ends(row.low, row.high, True),
                sort=row.difference,
                sure=row.adjusted is not None and row.adjusted < 0.05,
            )
    return fields


def table_grid(table: Table) -> Grid:
    """One benchmark and generator: scores, differences to the references, rank, cost, counts."""
    headline = table.headline
    naive = [row.differences[headline].get(NAIVE) for row in table.rows]
    limit = forest_limit(naive)
    references = [
        (reference, name)
        for reference, name in ((CLOSED_BOOK, "− closed book"), (EQUAL_COMPUTE, "− equal compute"))
        if any(reference in row.differences[headline] for row in table.rows)
    ]
    columns = [
        *(Column(metric_title(metric), opens=metric == headline) for metric in table.columns),
        Column("− naive", metric_title(headline), opens=True),
        Column("interval", drawn=True),
        Column("p", "Holm"),
        *(Column(name, metric_title(headline)) for _, name in references),
        Column("rank"),
        Column("words", opens=True),
        Column("seconds"),
        Column("n", opens=True),
        Column("unscored"),
    ]
    scores = [score_fields(table, metric) for metric in table.columns]
    lines = []
    for position, row in enumerate(table.rows):
        difference = naive[position]
        fields = [
            *(column[position] for column in scores),
            difference_field(difference),
            replace(DASH, text="", drawing=forest(difference, limit)),
            Field(p_value(difference.adjusted), sort=difference.adjusted) if difference else DASH,
            *(difference_field(row.differences[headline].get(reference)) for reference, _ in references),
            Field(rank_text(row), sort=row.rank[0] if row.rank else None),
            *(figure_field(row, figure) for figure in ("cost.words", "cost.seconds")),
            *count_fields(row, headline),
        ]
        lines.append(Line(row.label, tuple(fields), row.control is not None, mark_list(row)))
    return Grid(f"{table.benchmark}, {table.generator}", tuple(columns), tuple(lines))


def score_fields(table: Table, metric: str) -> list[Field]:
    """One metric of all rows, with its interval as the hint."""
    better = -1 if metric in LOWER_IS_BETTER else 1
    competing = [row.control in (None, NAIVE) for row in table.rows]
    estimates = [row.estimates[metric] for row in table.rows]
    shown = places([better * e.mean if fair else None for e, fair in zip(estimates, competing, strict=True)])
    return [
        Field(
            percent(estimate.mean),
            sort=estimate.mean,
            place=place,
            hint=f"95 % interval {ends(estimate.low, estimate.high)}",
        )
        for estimate, place in zip(estimates, shown, strict=True)
    ]


def difference_field(difference: Difference | None) -> Field:
    """A difference with its interval; what it rests on is the hint."""
    if difference is None:
        return DASH
    hint = (
        f"{difference.pairs} pairs, {difference.won} won, {difference.lost} lost, {difference.unpaired} unpaired; "
        f"detectable {percent(difference.detectable)}"
    )
    interval = ends(difference.low, difference.high, True)
    return Field(percent(difference.mean, True), interval, difference.mean, sure=difference.significant, hint=hint)


def figure_field(row: Row, figure: str) -> Field:
    """A mean of a diagnostic, as a plain number."""
    value = row.figures.get(figure)
    return Field(number(value), sort=value)


def count_fields(row: Row, headline: str) -> tuple[Field, Field]:
    """How many questions were scored, and how many were not, with the reasons as the hint."""
    estimate = row.estimates[headline]
    unscored = sum(row.unscored.values())
    reasons = ", ".join(f"{reason}: {count}" for reason, count in row.unscored.items())
    bounds = f"; {percent(estimate.worst)} to {percent(estimate.best)} if all were wrong or right" if reasons else ""
    return Field(str(estimate.questions), sort=estimate.questions), Field(
        str(unscored), sort=unscored, hint=reasons + bounds
    )


SIGN_MEANINGS = {
    "L": "sees the gold labels",
    "NC": "has a non-commercial licence",
    "T": "was trained on the benchmark’s own training split",
    "C": "runs another checkpoint than the published one, so that neither is known",
    "?": "is described by no installed package",
}
"""What the signs beside a name say."""

SIGNS = f"Beside a name: {'; '.join(f'{sign} {meaning}' for sign, meaning in SIGN_MEANINGS.items())}."
"""The same as a line."""


def mark_list(row: Row) -> tuple[tuple[str, str], ...]:
    """Signs beside a row's name, with what each means."""
    marks = row.marks
    signs = [
        ("L", "sees the gold labels: an upper bound, not a method", marks.sees_labels),
        ("NC", f"non-commercial licence: {', '.join(marks.licences)}", marks.non_commercial),
        ("T", "a bridge was trained on this benchmark's training split", marks.trained_here),
        ("C", f"another checkpoint, of which nothing is known here: {', '.join(marks.given)}", bool(marks.given)),
        ("?", f"not described by any installed package: {', '.join(marks.unknown)}", bool(marks.unknown)),
    ]
    return tuple((sign, meaning) for sign, meaning, applies in signs if applies)
