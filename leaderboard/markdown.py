"""The tables as GitHub-flavoured Markdown."""

from bridgebench.leaderboard.grids import SIGNS, Field, Grid, averages_grid
from bridgebench.leaderboard.report import Report
from bridgebench.leaderboard.retrieval import main_grid, main_notes
from bridgebench.leaderboard.text import remarks, title


def markdown(report: Report) -> str:
    """All tables of a report and what is not in them."""
    parts = [f"# {_inert(title(report))}", ""]
    for macros in report.averages:
        parts += _section(averages_grid(macros), "Averages: ")
    for table in report.tables:
        parts += [*_section(main_grid(table)), *(f"{_inert(note)}\n" for note in main_notes(table))]
    parts += [f"- {_inert(line)}" for line in remarks(report)]
    parts += [
        "",
        "Scores are percentages. Differences are paired by question, with 95 % bootstrap intervals "
        f"({report.resamples:,} resamples); * stands after Holm's correction at 0.05. Bold is best, italic second. "
        f"{SIGNS}",
        "",
    ]
    return "\n".join(parts)


def _section(grid: Grid, before: str = "") -> list[str]:
    shown = [position for position, column in enumerate(grid.columns) if not column.drawn]
    names = [_inert(f"{column.title} {column.unit}".strip()) for column in grid.columns]
    lines = [["", *(names[position] for position in shown)], ["---", *("---:" for _ in shown)]]
    for line in grid.lines:
        lines.append([_inert(line.name), *(_text(line.fields[position]) for position in shown)])
    return [f"## {before}{_inert(grid.title)}", "", *(f"| {' | '.join(line)} |" for line in lines), ""]


def _text(field: Field) -> str:
    text = f"{field.text} {field.small}".strip() + (" *" if field.sure else "")
    return {"best": f"**{text}**", "second": f"_{text}_"}.get(field.place, text)


def _inert(text: str) -> str:
    """Text that can neither end a table cell nor start markup: names in logs are not trusted."""
    printable = "".join(character if character.isprintable() else " " for character in text)
    for character in "\\`*_{}[]<>#|!":
        printable = printable.replace(character, "\\" + character)
    return printable
