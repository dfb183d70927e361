"""``bridgebench leaderboard``: logs in, one page and the same figures as data out."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.console import Console

from bridgebench.errors import BridgebenchError
from bridgebench.leaderboard import statistics
from bridgebench.leaderboard.data import as_json, tidy_csv
from bridgebench.leaderboard.drilldown import Comparison, compare
from bridgebench.leaderboard.latex import latex
from bridgebench.leaderboard.markdown import markdown
from bridgebench.leaderboard.render import pages
from bridgebench.leaderboard.report import Report, read_report

FORMS: Mapping[str, Callable[[Report], str]] = {
    "leaderboard.md": markdown,
    "leaderboard.csv": tidy_csv,
    "leaderboard.json": as_json,
    "leaderboard.tex": latex,
}
"""File name to the form it holds, beside the page itself."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("logs", nargs="+", type=Path, help="Inspect logs, or folders of them (searched deeply)")
    parser.add_argument("-o", "--output", type=Path, default=Path("out"), help="folder to write to (default: out)")
    parser.add_argument(
        "--resamples",
        type=int,
        default=statistics.RESAMPLES,
        help="bootstrap replicates and random flips (default: %(default)s)",
    )
    parser.add_argument("--generator", help="whose single questions are shown (default: the first generator)")
    parser.add_argument("--bundle", default="", help="address of an `inspect view bundle` of the logs, to link to")


def run(args: argparse.Namespace) -> int:
    """Write the leaderboard; 0 when it is written.

    Raises:
        BridgebenchError: When a path is no log or folder, or holds no log; when an option has no such value.
    """
    if args.resamples < 1:
        raise BridgebenchError(f"--resamples must be at least 1, got {args.resamples}")
    console = Console(stderr=True)
    with console.status("reading logs and comparing cells"):
        report = read_report(args.logs, args.resamples)
    if args.generator is not None and args.generator not in report.generators:
        raise BridgebenchError(f"no generator '{args.generator}'; there are: {', '.join(report.generators)}")
    with console.status("reading single questions and writing"):
        paths = write(report, args.output, compare(report, args.generator), args.bundle)
    for path in paths:
        console.print(f"wrote {path}", markup=False, highlight=False, soft_wrap=True)
    return 0


def write(report: Report, folder: Path, comparisons: Sequence[Comparison] = (), bundle: str = "") -> list[Path]:
    """Write every form of a report into a folder, made if need be."""
    files = pages(report, comparisons, bundle) | {name: form(report) for name, form in FORMS.items()}
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return [folder / name for name in files]
