"""The command line: ``bridgebench run | leaderboard | bridges | cards | sample | score | calibrate-judge | train``."""

import argparse
import importlib
import logging
import sys

from rich.console import Console
from rich.logging import RichHandler
from rich.markup import escape

from bridgebench.errors import BridgebenchError, MissingExtraError

COMMANDS = {
    "run": ("bridgebench.suites.command", "run a suite: benchmarks x bridges x generators"),
    "leaderboard": ("bridgebench.leaderboard.command", "turn logs into tables and one HTML page"),
    "bridges": ("bridgebench.solvers.command", "list all bridges"),
    "cards": ("bridgebench.solvers.cards.command", "turn logs into a folder of paper cards, or a set of queries"),
    "sample": ("bridgebench.benchmarks.world.command", "write records of the fictional world in an upstream schema"),
    "score": ("bridgebench.scorers.command", "score predictions made elsewhere"),
    "calibrate-judge": ("bridgebench.scorers.calibrate", "compare a judge with labels"),
    "train": ("bridgebench.models.training.command", "train the R2U rewriter: supervision, SFT, preferences, DPO"),
}
"""Each module has ``add_arguments(parser)`` and ``run(args) -> exit status``; only the one asked for is imported."""


def main(argv: list[str] | None = None) -> int:
    """Run one command; an error of the user's is one message and exit status 2, never a traceback."""
    argv = sys.argv[1:] if argv is None else argv
    parser = argparse.ArgumentParser(prog="bridgebench", description=__doc__.split(":")[0] if __doc__ else None)
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for name, (module, summary) in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary)
        if argv[:1] == [name]:
            command.set_defaults(module=importlib.import_module(module))
            command.get_default("module").add_arguments(command)
    args = parser.parse_args(argv)
    console = Console(stderr=True)
    logging.basicConfig(level=logging.WARNING, format="%(message)s", handlers=[RichHandler(console=console)])
    try:
        return int(args.module.run(args))
    except (BridgebenchError, MissingExtraError) as error:
        console.print(f"[bold red]error:[/] {escape(str(error))}", highlight=False, soft_wrap=True)
        return 2
    except KeyboardInterrupt:
        console.print("stopped; run the same command again to go on")
        return 130


if __name__ == "__main__":
    sys.exit(main())
