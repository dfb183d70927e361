r"""The tables for a paper: `booktabs` tables to be read by ``\input``."""

from bridgebench.leaderboard.grids import SIGNS, Field, Grid, averages_grid
from bridgebench.leaderboard.report import Report
from bridgebench.leaderboard.retrieval import main_grid, main_notes

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "−": "$-$",
    "–": "--",
    "→": r"$\rightarrow$",
}


def latex(report: Report) -> str:
    """All averages and tables; intervals in small type, the best bold, the second underlined."""
    tables = [_table(averages_grid(macros)) for macros in report.averages]
    for table in report.tables:
        notes = "".join(f"% {_inert(note)}\n" for note in main_notes(table))
        tables.append(notes + _table(main_grid(table)))
    head = "% Needs \\usepackage{booktabs}. Scores are percentages; * stands after Holm's correction at 0.05.\n"
    return head + f"% {SIGNS}\n" + "\n".join(tables)


def _table(grid: Grid) -> str:
    shown = [position for position, column in enumerate(grid.columns) if not column.drawn]
    names = [_inert(f"{grid.columns[i].title} {grid.columns[i].unit}".strip()) for i in shown]
    lines = [
        r"\begin{table}",
        r"\centering\small",
        rf"\caption{{{_inert(grid.title)}}}",
        rf"\begin{{tabular}}{{l{'r' * len(shown)}}}",
        r"\toprule",
        _line(["", *names]),
        r"\midrule",
        *(_line([_first(line.name), *(_text(line.fields[i]) for i in shown)]) for line in grid.lines),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
        "",
    ]
    return "\n".join(lines)


def _first(text: str) -> str:
    """The first field of a row: the end of the row before it would read ``[`` and ``*`` as its own options."""
    inert = _inert(text)
    return "{}" + inert if inert.lstrip().startswith(("[", "*")) else inert


def _line(fields: list[str]) -> str:
    return " & ".join(fields) + r" \\"


def _text(field: Field) -> str:
    text = _inert(field.text) + ("*" if field.sure else "")
    text = {"best": rf"\textbf{{{text}}}", "second": rf"\underline{{{text}}}"}.get(field.place, text)
    return rf"{text} {{\scriptsize {_inert(field.small)}}}" if field.small else text


def _inert(text: str) -> str:
    """Text that can start no command: names in logs are not trusted."""
    return "".join(_SPECIAL.get(c, c) if c.isprintable() else " " for c in text)
