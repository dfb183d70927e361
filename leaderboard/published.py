"""Published numbers beside measured ones: only what the data files in ``published/`` state."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import numpy as np

from bridgebench.leaderboard.grids import DASH, Column, Field, Grid, Line
from bridgebench.leaderboard.labels import short
from bridgebench.leaderboard.report import Report
from bridgebench.leaderboard.tables import Row, Table
from bridgebench.leaderboard.text import percent

METHODS = {
    "naive": ("Naive", "Naive RAG"),
    "bge_reranker": ("BGE-Reranker",),
    "rank_zephyr": ("RankZephyr",),
    "provence": ("Provence",),
    "compact": ("ComPACT",),
    "refiner": ("Refiner",),
    "exit_compressor": ("EXIT",),
    "r2u": ("R2U",),
    "summarize": ("ComPACT (70B)",),
    "r2u_teacher": ("R2U (70B)",),
}
"""Our bridges to the paper's names of them."""

CHECKPOINTS = {"r2u-sft": ("w/o DPO",), "r2u-dpo-naive": ("w/ DPO_naive",)}
"""Ends of the model name in the ``bridge`` role that are ablations of R2U (its Table 4)."""

BENCHMARKS = {
    "AmbigQA": "ambigqa",
    "HotpotQA": "hotpotqa",
    "2WIKI": "twowiki",
    "MuSiQue": "musique",
    "MS MARCO": "msmarco",
    "CRAG": "crag",
}
METRICS = {"EM": "em", "F1": "f1", "ACC": "accuracy"}

MAIN_TABLES = ("Table 1", "Table 2")
"""Shown where no table has the generator that was measured."""

REMARKS = {
    "Table 1": "R2U's gap between F1 and EM on AmbigQA is 18.1; in every other row it is 6 to 14. The number of "
    "questions is not stated. The text gives R2U's gain in F1 as +8.8 in one place and as +9.8 in another.",
    "Table 2": "The number of questions is not stated.",
    "Table 3": "R2U's MuSiQue F1 of 37.1 is out of line with the paper's other tables. The caption names "
    "Llama-3.1-70B-Instruct, the text Llama-3.3-70B-Instruct.",
    "Table 5": "At 500 questions, 0.2 is one question. Naive's mean is 69.8 here.",
    "Table 6": "No model is named.",
    "Table 9": "R2U's average is printed as 40.6 / 53.9; its four benchmarks average to 39.6 / 52.4.",
}
"""What is odd in the numbers themselves."""


@dataclass(frozen=True)
class Value:
    """One published number, in percent as printed."""

    table: str
    method: str
    benchmark: str
    metric: str
    value: float
    generator: str
    note: str


@dataclass(frozen=True)
class Published:
    """One published table beside what was measured.

    Attributes:
        grid: Published values; measured ones and their difference in small type.
        differs: What is known to differ between the two.
    """

    grid: Grid
    differs: tuple[str, ...]


@lru_cache(maxsize=1)
def published_values() -> tuple[Value, ...]:
    """All numbers of the tables of arXiv 2509.15577."""
    return tuple(Value(**{**row, "value": float(row["value"])}) for row in _rows("r2u.csv"))  # type: ignore[arg-type]


@lru_cache(maxsize=1)
def published_cards() -> tuple[dict[str, str], ...]:
    """All numbers of arXiv 2506.13778, as it words them."""
    return tuple(_rows("cards.csv"))


def published_tables(report: Report) -> list[Published]:
    """Published tables that this report can be held against.

    Those that the suites name; else those of the generators measured; else the paper's main tables, if any of
    their benchmarks was measured.
    """
    measured = set(report.benchmarks)
    named = {name for suite in report.published for name in re.findall(r"R2U (Table \d+)", suite)}
    matching = {value.table for value in published_values() if any(same(value.generator, g) for g in report.generators)}
    wanted = named or (matching & _PLAIN) or set(MAIN_TABLES)
    tables = []
    for name in dict.fromkeys(value.table for value in published_values()):
        values = [value for value in published_values() if value.table == name]
        if name in wanted and any(BENCHMARKS.get(_parts(value.benchmark)[0]) in measured for value in values):
            tables.append(_beside(name, values, report))
    return tables


_PLAIN = frozenset(("Table 1", "Table 2", *(f"Table {number}" for number in range(8, 14))))
"""Tables of all bridges in the standard setting; others vary the rewriter, the training or the questions."""


def same(published: str, generator: str) -> bool:
    """Whether a model's name is the published generator's."""
    return generator.split("/")[-1].lower() == published.lower()


def _beside(name: str, values: Sequence[Value], report: Report) -> Published:
    columns = list(dict.fromkeys((value.benchmark, value.metric) for value in values))
    methods = list(dict.fromkeys(value.method for value in values))
    stated = {(value.method, value.benchmark, value.metric): value.value for value in values}
    tables = _candidates(values[0].generator, report)
    lines = []
    for method in methods:
        fields = []
        for benchmark, metric in columns:
            value = stated.get((method, benchmark, metric))
            found = _measured(method, benchmark, metric, [c for c in columns if c[1] == metric], tables)
            fields.append(DASH if value is None else _field(value, found))
        lines.append(Line(method, tuple(fields)))
    heads = tuple(
        Column(benchmark, metric, opens=position == 0 or columns[position - 1][0] != benchmark)
        for position, (benchmark, metric) in enumerate(columns)
    )
    return Published(Grid(f"{name}, {values[0].generator}", heads, tuple(lines)), _differs(name, values, tables))


def _candidates(generator: str, report: Report) -> list[Table]:
    """Tables, those of the published generator first."""
    return sorted(report.tables, key=lambda table: not same(generator, table.generator))


def _measured(
    method: str, benchmark: str, metric: str, columns: Sequence[tuple[str, str]], tables: Sequence[Table]
) -> float | None:
    """Percent; None where it was not measured.

    An average needs all benchmarks that the published one has, with one generator.
    """
    if benchmark == "Average":
        names = [name for name, _ in columns if name != "Average"]
        others = [_measured(method, name, metric, (), tables) for name in names]
        generators = {table.generator for name in names for table in [_table_of(name, tables)[0]] if table}
        known = [value for value in others if value is not None]
        return float(np.mean(known)) if len(generators) == 1 and len(known) == len(others) else None
    table, kind = _table_of(benchmark, tables)
    row = next((row for row in table.rows if method in _published_names(row)), None) if table else None
    if row is None or METRICS[metric] not in row.estimates:
        return None
    estimate = row.by_type.get(kind) if kind else row.estimates[METRICS[metric]]
    return 100 * estimate.mean if estimate is not None and estimate.questions else None


def _table_of(benchmark: str, tables: Sequence[Table]) -> tuple[Table | None, str]:
    """The table that a published column is held against, and the question type to look at in it.

    A subset (``MS MARCO extractive``) is a table of its own where it was asked alone.
    """
    name, kind = _parts(benchmark)
    of_benchmark = [table for table in tables if table.benchmark == BENCHMARKS.get(name)]
    alone = next((t for t in of_benchmark if kind and t.setting["task arguments"].get("subset") == kind), None)
    if alone is not None:
        return alone, ""
    return next((t for t in of_benchmark if t.setting["task arguments"].get("subset", "all") == "all"), None), kind


def _published_names(row: Row) -> tuple[str, ...]:
    """The paper's names of a row; a chain of several bridges has none, and neither has a control but naive."""
    if row.control not in (None, "naive") or len(row.cell.chain) > 1:
        return ()
    model = row.cell.roles.get("bridge", "")
    ablation = next((names for end, names in CHECKPOINTS.items() if model.endswith(end)), None)
    name = short(row.cell.chain[0][0]) if row.cell.chain else "naive"
    return ablation if name == "r2u" and ablation else METHODS.get(name, ())


def _field(value: float, measured: float | None) -> Field:
    if measured is None:
        return Field(f"{value:.1f}", sort=value)
    difference = percent((measured - value) / 100, True)
    hint = f"published {value:.1f}, measured {measured:.1f}"
    return Field(f"{value:.1f}", f"{measured:.1f} ({difference})", value, hint=hint)


def _differs(name: str, values: Sequence[Value], tables: Sequence[Table]) -> tuple[str, ...]:
    lines = []
    for benchmark in dict.fromkeys(value.benchmark for value in values):
        table, _ = _table_of(benchmark, tables)
        if table is None:
            continue
        asked = f"{benchmark}: measured on {len(table.questions.ids)} questions"
        if str(table.setting["task arguments"].get("source", "")).split(":")[0] in ("sample", "world"):
            asked += " of the fictional world, not of the benchmark itself"
        if not same(values[0].generator, table.generator) or table.generator.startswith("fake/"):
            asked += f", with {table.generator} in place of {values[0].generator}"
        lines.append(asked)
    lines += [note for note in dict.fromkeys(value.note for value in values) if note]
    lines.append("The paper's prompts and decoding are not published; ours are in the commands.")
    return tuple([*lines, REMARKS[name]] if name in REMARKS else lines)


def _parts(benchmark: str) -> tuple[str, str]:
    """``MS MARCO extractive`` is the benchmark ``MS MARCO`` and its question type ``extractive``."""
    for name in BENCHMARKS:
        if benchmark.startswith(f"{name} "):
            return name, benchmark.removeprefix(f"{name} ")
    return benchmark, ""


def _rows(name: str) -> list[dict[str, str]]:
    text = resources.files("bridgebench.leaderboard").joinpath("published", name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
