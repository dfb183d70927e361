"""The tables for spreadsheets and programs."""

import csv
import dataclasses
import io
import json
import math
from typing import Any

from bridgebench.leaderboard.report import Report
from bridgebench.leaderboard.tables import REFERENCES, Row, Table
from bridgebench.leaderboard.text import setting_text


def tidy_csv(report: Report) -> str:
    """One line a row and metric, in fractions, for spreadsheets and data frames; `setting` tells tables apart."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    versus = [
        f"{reference}_{field}" for reference in REFERENCES for field in ("difference", "low", "high", "p", "pairs")
    ]
    writer.writerow(
        ["benchmark", "generator", "setting", "bridge", "control", "metric"]
        + ["mean", "low", "high", "questions", "unscored"]
        + ["worst", "best", *versus, "holm_p", "won", "lost", "unpaired", "detectable", "rank_low", "rank_high"]
        + ["words", "seconds", "log"]
    )
    for table in report.tables:
        shared = [table.benchmark, table.generator, setting_text(table)]
        for row in table.rows:
            for metric in table.metrics:
                writer.writerow([_guarded(value) for value in [*shared, *_csv_fields(table, row, metric)]])
    return out.getvalue()


def _csv_fields(table: Table, row: Row, metric: str) -> list[Any]:
    estimate, differences = row.estimates[metric], row.differences[metric]
    fields: list[Any] = [row.label, row.control or "", metric]
    fields += [estimate.mean, estimate.low, estimate.high, estimate.questions, estimate.unscored]
    fields += [estimate.worst, estimate.best]
    for reference in REFERENCES:
        found = differences.get(reference)
        fields += [found.mean, found.low, found.high, found.p, found.pairs] if found else [""] * 5
    naive = differences.get("naive")
    fields += [naive.adjusted, naive.won, naive.lost, naive.unpaired, naive.detectable] if naive else [""] * 5
    fields += list(row.rank) if row.rank and metric == table.headline else ["", ""]
    return [*fields, row.figures.get("cost.words", ""), row.figures.get("cost.seconds", ""), row.cell.log]


def _guarded(value: Any) -> Any:
    """A spreadsheet must not run a name from a log as a formula."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return "'" + value
    return "" if isinstance(value, float) and math.isnan(value) else value


def as_json(report: Report) -> str:
    """Everything but the per-question columns; numbers as fractions, what is no finite number as null."""
    return json.dumps(_plain(report), indent=1, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        shown = [field for field in dataclasses.fields(value) if field.repr]
        return {field.name: _plain(getattr(value, field.name)) for field in shown}
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
