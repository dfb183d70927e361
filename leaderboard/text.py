"""Figures and names as people read them."""

import math
import re
from collections.abc import Sequence

from bridgebench.leaderboard.cells import Cell
from bridgebench.leaderboard.labels import row_labels
from bridgebench.leaderboard.report import Report
from bridgebench.leaderboard.tables import Row, Table

_METRICS = {"em": "EM", "f1": "F1", "accuracy": "ACC", "rouge_l": "ROUGE-L", "mrr": "MRR", "crag_score": "CRAG score"}


def metric_title(metric: str) -> str:
    """A metric as papers print it: ``f1_aliases`` is ``F1 aliases``."""
    first = re.split(r"[_@]", metric)[0]
    rest = metric.removeprefix(first).replace("_", " ")
    return _METRICS.get(metric) or _METRICS.get(first, first) + rest


def setting_text(table: Table) -> str:
    """What holds for all rows of a table."""
    parts = [f"{len(table.questions.ids)} questions"]
    if table.clusters is not None:
        parts.append(f"{table.clusters} clusters of shared context")
    for name, value in table.setting.items():
        if name != "questions" and value not in (None, {}, [], [None, None]):
            parts.append(f"{name} {_flat(value)}")
    return " · ".join(parts)


def _flat(value: object) -> str:
    """Nested values in one line: without what is not set, hashes by their first digits."""
    if isinstance(value, dict):
        return ", ".join(f"{n}={_flat(item)}" for n, item in value.items() if item is not None and n != "bytes")
    if isinstance(value, list):
        return "; ".join(_flat(item) for item in value if item is not None)
    text = str(value)
    return text[:12] if re.fullmatch(r"[0-9a-f]{32,}", text) else text


def percent(value: float | None, signed: bool = False) -> str:
    """A fraction times 100 with one decimal, as the papers print scores; a dash for none."""
    if value is None or math.isnan(value):
        return "–"
    figure = f"{100 * value:{'+' if signed else ''}z.1f}"
    return figure.replace("-", "−")


def number(value: float | None) -> str:
    """A count, an amount of words or of seconds, with three significant digits below 1,000."""
    if value is None or math.isnan(value):
        return "–"
    if value == 0:
        return "0"
    if abs(value) < 0.001:
        return "<0.001" if value > 0 else ">−0.001"
    return (f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}").replace("-", "−")


def ends(low: float, high: float, signed: bool = False) -> str:
    """An interval."""
    return "–" if math.isnan(low) else f"[{percent(low, signed)}, {percent(high, signed)}]"


def p_value(p: float | None) -> str:
    """A p value with two significant digits."""
    if p is None or math.isnan(p):
        return "–"
    return "<0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def places(values: Sequence[float | None]) -> list[str]:
    """``best`` and ``second`` for the two highest of the values as shown; ties share a place, all alike have none."""
    shown = [None if value is None or math.isnan(value) else round(100 * value, 1) for value in values]
    ranked = sorted({value for value in shown if value is not None}, reverse=True)[:2]
    names = dict(zip(ranked, ("best", "second"), strict=True)) if len(ranked) == 2 else {}
    return ["" if value is None else names.get(value, "") for value in shown]


def title(report: Report) -> str:
    """Name of the page."""
    return " and ".join(dict.fromkeys(report.suites)) or "Leaderboard"


def remarks(report: Report) -> list[str]:
    """What is not in the tables, one line each."""
    lines = list(report.notes)
    if report.controls == "none":
        lines.append("this suite was run without its controls")
    lines += [f"incomplete ({cell.status}), not ranked: {_name(cell)} ({cell.log})" for cell in report.incomplete]
    lines += [f"planned, without a log: {c.benchmark}, {c.label or c.id}, {c.generator}" for c in report.missing]
    lines += [f"superseded, not used: {_name(cell)} ({cell.log})" for cell in report.superseded]
    return lines


def _name(cell: Cell) -> str:
    return f"{cell.benchmark}, {row_labels([cell])[0]}, {cell.generator}"


def rank_text(row: Row) -> str:
    """A rank as the interval it is known to."""
    if row.rank is None:
        return "–"
    low, high = row.rank
    return str(low) if low == high else f"{low}–{high}"
