"""``bridgebench leaderboard``: logs in, one page and the same figures as data out."""

import argparse
import logging
from collections.abc import Callable, Mapping
from pathlib import Path

from bridgebench.leaderboard import statistics
from bridgebench.leaderboard.data import as_json, tidy_csv
from bridgebench.leaderboard.markdown import markdown
from bridgebench.leaderboard.render import html
from bridgebench.leaderboard.report import Report, read_report

logger = logging.getLogger(__name__)

WRITERS: Mapping[str, Callable[[Report], str]] = {
    "leaderboard.html": html,
    "leaderboard.md": markdown,
    "leaderboard.csv": tidy_csv,
    "leaderboard.json": as_json,
}
"""File name to the form it holds."""


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


def run(args: argparse.Namespace) -> int:
    """Write the leaderboard; 0 when it is written.

    Raises:
        BridgebenchError: When a path is no log or folder, or holds no log.
    """
    report = read_report(args.logs, args.resamples)
    for path in write(report, args.output):
        logger.info("wrote %s", path)
    return 0


def write(report: Report, folder: Path) -> list[Path]:
    """Write every form of a report into a folder, made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, form in WRITERS.items():
        path = folder / name
        path.write_text(form(report), encoding="utf-8")
        paths.append(path)
    return paths
