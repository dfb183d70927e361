"""What a run prints: the plan before it, and at its end the table and what failed."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from bridgebench.leaderboard.report import read_report
from bridgebench.leaderboard.terminal import terminal_table
from bridgebench.suites.cells import Cell
from bridgebench.suites.plan import bridge_runs, plan
from bridgebench.suites.schema import Suite
from bridgebench.suites.status import read_statuses


def show_plan(console: Console, suite: Suite, cells: Sequence[Cell], log_dir: Path) -> None:
    """Print the cells, the calls they will make, and what these cost where prices are known."""
    statuses = read_statuses(log_dir, {cell.id for cell in cells})
    planned = plan(suite, cells, {id for id, status in statuses.items() if status.done})
    for item in planned:
        begun = "begun" if item.cell.id in statuses else "to run"
        state = "no data" if item.problem else "done" if item.done else begun
        dollars = "" if item.dollars is None else f"  ${item.dollars:.2f}"
        console.print(f"{state:8}{item.calls:7} calls{dollars}  {escape(item.cell.label)}", soft_wrap=True)
    _show_problems(console, "no data", [(item.cell, item.problem) for item in planned if item.problem])
    for work, samples in bridge_runs(planned):
        console.print(f"bridge stage: {escape(work.label)}: up to {samples} samples", soft_wrap=True)
    priced = [item.dollars for item in planned if item.dollars is not None]
    cost = f", at most about ${sum(priced):.2f} for {len(priced)} cells with a price" if priced else ""
    calls = sum(item.calls for item in planned)
    done = sum(item.done for item in planned)
    console.print(f"{len(planned)} cells, {done} done; {calls} generator calls{cost}", soft_wrap=True)


def show_results(console: Console, cells: Sequence[Cell], log_dir: Path, failed: Mapping[str, str]) -> bool:
    """Print the leaderboard's table of the log folder, and which of the cells failed and why.

    Returns:
        Whether all of the cells are done.
    """
    statuses = read_statuses(log_dir, {cell.id for cell in cells})
    problems = []
    for cell in cells:
        status = statuses.get(cell.id)
        if status is None or not status.done:
            problems.append((cell, failed.get(cell.id) or (status.problem if status else "it did not run")))
    if len(problems) < len(cells):
        console.print(terminal_table(read_report([log_dir])))
    _show_problems(console, "failed", problems)
    console.print(f"{len(cells) - len(problems)} of {len(cells)} cells done")
    return not problems


def _show_problems(console: Console, title: str, problems: Sequence[tuple[Cell, str]]) -> None:
    """One line a problem, with the cells that share it below."""
    for problem in dict.fromkeys(problem for _, problem in problems):
        console.print(f"[red]{title}:[/] {escape(problem)}", soft_wrap=True)
        for cell, own in problems:
            if own == problem:
                console.print(f"    {escape(cell.label)}", soft_wrap=True)
