"""`bridgebench run`: run a suite, or go on with it."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from bridgebench.cache import bridge_cache
from bridgebench.errors import BridgebenchError, require
from bridgebench.suites.expand import expand
from bridgebench.suites.files import load_suite, packaged_suites
from bridgebench.suites.manifest import write_manifest
from bridgebench.suites.report import show_plan, show_results
from bridgebench.suites.run import SuiteRun
from bridgebench.suites.selection import AXES, choose, take_shard


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("suite", help=f"a YAML file, or one of: {', '.join(packaged_suites())}")
    parser.add_argument("--log-dir", type=Path, help="where logs go (default: logs/<suite>)")
    parser.add_argument("--limit", type=int, help="questions of each benchmark")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change a key of the suite")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="AXIS=NAME",
        help=f"run some of the cells; axis is one of {', '.join(AXES)}, the name may hold * (may be given again)",
    )
    parser.add_argument("--smoke", action="store_true", help="the suite's small form, which needs no network")
    parser.add_argument("--shard", metavar="I/N", help="run the I-th of N parts (from 1), which share no bridge work")
    parser.add_argument(
        "--merge-cache", action="append", default=[], type=Path, metavar="FILE", help="take over another bridge cache"
    )
    parser.add_argument("--dry-run", action="store_true", help="show cells, calls and cost; run nothing")


def run(args: Namespace) -> int:
    """Run it, and say what failed; 0 when every cell that was asked for is done.

    Raises:
        BridgebenchError: When the suite or an argument is wrong; before anything runs.
    """
    changes = [*args.set, *([f"limit={args.limit}"] if args.limit is not None else [])]
    suite = load_suite(args.suite, smoke=args.smoke, changes=changes)
    if suite.tiny_checkpoints:  # before their contents become part of what cells are
        require("torch", "local")
        from bridgebench.models.tiny_checkpoints import CHECKPOINTS

        write_once(Path(suite.tiny_checkpoints), CHECKPOINTS)
    if suite.rule_cards:
        _write_rule_cards(Path(suite.rule_cards))
    cells = expand(suite)
    chosen = choose(cells, args.only)
    if args.shard:
        chosen = take_shard(chosen, args.shard)
    log_dir = args.log_dir or Path("logs") / suite.name
    console = Console(highlight=False)
    if args.dry_run:
        show_plan(console, suite, chosen, log_dir)
        return 0
    for path in args.merge_cache:
        console.print(f"{escape(str(path))}: {_merge_cache(path)} results taken over")
    try:
        write_manifest(log_dir, suite, cells)
    except OSError as error:
        raise BridgebenchError(f"--log-dir {log_dir}: {error}") from None
    console.print(escape(f"{suite.name}: {len(chosen)} cells, logs in {log_dir}"), soft_wrap=True)
    suite_run = SuiteRun(suite, log_dir, console)
    suite_run.run(chosen)
    complete = show_results(console, chosen, log_dir, suite_run.failed)
    console.print(escape(f"the page: bridgebench leaderboard {log_dir} -o out/{log_dir.name}"), soft_wrap=True)
    return 0 if complete else 1


def _merge_cache(path: Path) -> int:
    cache = bridge_cache()
    if cache is None:
        raise BridgebenchError("--merge-cache: the bridge cache is off")
    if not path.is_file():
        raise BridgebenchError(f"--merge-cache: there is no file {path}")
    return cache.merge(path)


def write_once(folder: Path, writers: Mapping[str, Callable[[Path], object]]) -> None:
    """Write the subfolders that are not whole: absent, or begun by a run that was stopped."""
    for name, write in writers.items():
        whole = folder / name / ".whole"  # hidden: no part of the checkpoint's hash
        if not whole.is_file():
            write(folder / name)
            whole.touch()


def _write_rule_cards(folder: Path) -> None:
    from bridgebench.benchmarks.world.rule_cards import write_rule_cards

    write_rule_cards(folder)
