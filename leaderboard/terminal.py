"""The tables in a terminal, for the end of a run."""

from collections.abc import Sequence
from dataclasses import replace

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from bridgebench.leaderboard.grids import SIGNS, Column, Field
from bridgebench.leaderboard.report import Report
from bridgebench.leaderboard.retrieval import is_retrieval, main_grid
from bridgebench.leaderboard.tables import Table
from bridgebench.leaderboard.text import remarks, setting_text

_SHOWN = ("words", "seconds", "unscored")
_SHOWN_OF_RETRIEVAL = ("hit@3", "MRR@10", "vectors", "index", "unscored")


def terminal_table(report: Report) -> RenderableType:
    """One table a benchmark and generator and the remarks below, to be printed with rich."""
    parts: list[RenderableType] = []
    names = [(table.benchmark, table.generator) for table in report.tables]
    for table, name in zip(report.tables, names, strict=True):
        parts.append(_table(table))
        if names.count(name) > 1:  # then the title does not tell them apart
            parts.append(Text(_printable(setting_text(table)), "dim"))
    parts += [Text(f"- {_printable(line)}") for line in remarks(replace(report, superseded=()))]
    if report.superseded:
        parts.append(Text(f"- superseded logs, not used: {len(report.superseded)}"))
    if report.tables:
        parts.append(Text("Differences are paired, with 95 % intervals; * stands after Holm's correction.", "dim"))
        parts.append(Text(SIGNS, "dim"))
    return Group(*parts)


def _shown(table: Table, columns: Sequence[Column]) -> list[int]:
    """Columns that fit a terminal: two scores, the difference to naive, costs and counts."""
    if is_retrieval(table):
        return [i for i, column in enumerate(columns) if column.title in _SHOWN_OF_RETRIEVAL]
    wanted = {*range(min(len(table.columns), 2)), len(table.columns)}
    return [i for i, column in enumerate(columns) if i in wanted or column.title in _SHOWN]


def _table(table: Table) -> RichTable:
    grid = main_grid(table)
    shown = _shown(table, grid.columns)
    drawn = RichTable(
        title=Text(_printable(grid.title)), title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1)
    )
    drawn.add_column("", overflow="fold", min_width=16)
    for position in shown:
        drawn.add_column(Text(_printable(grid.columns[position].title)), justify="right", no_wrap=True)
    for line in grid.lines:
        name = Text(_printable(line.name), "dim" if line.control else "")
        drawn.add_row(name, *(_text(line.fields[position]) for position in shown))
    return drawn


def _text(field: Field) -> Text:
    style = {"best": "bold", "second": "underline"}.get(field.place, "")
    return Text(f"{field.text} {field.small}".strip() + (" *" if field.sure else ""), style)


def _printable(text: str) -> str:
    """Names come from logs: no control characters reach the terminal."""
    return "".join(character if character.isprintable() else "�" for character in text)
