"""`bridgebench bridges`: what bridges there are, and what a reader of a table must know of each."""

import json
import logging
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict, replace
from importlib.metadata import entry_points
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bridgebench.solvers.bridge import BridgeInfo, bridge_infos

logger = logging.getLogger(__name__)


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--json", action="store_true", help="everything that is known of them, as JSON")


def run(args: Namespace) -> int:
    """Write the list to standard output."""
    infos = installed_bridges()
    if args.json:
        sys.stdout.write(json.dumps([as_json(info) for info in infos], indent=2) + "\n")
    else:
        Console().print(as_table(infos))
    return 0


def installed_bridges() -> list[BridgeInfo]:
    """The bridges of all installed packages that Inspect finds; one that fails to import is named and left out."""
    for entry in entry_points(group="inspect_ai"):
        try:
            entry.load()
        except Exception as error:  # somebody else's package, whatever its fault
            logger.warning("%s (%s) cannot be imported: %s", entry.name, entry.value, error)
    return [info for info in bridge_infos() if "/" in info.name]


def as_json(info: BridgeInfo) -> dict[str, Any]:
    """All that is known of a bridge, as JSON types."""
    sampling = "depends on the arguments" if callable(info.sampling) else info.sampling
    known = asdict(replace(info, fingerprint=None, sampling=False))
    del known["fingerprint"]
    return known | {"sampling": sampling, "training_data": list(info.training_data), "roles": list(info.roles)}


def as_table(infos: Sequence[BridgeInfo]) -> Table:
    """The columns by which bridges are told apart."""
    table = Table(title=f"{len(infos)} bridges", caption="NC: the licence forbids commercial use")
    table.add_column("bridge", no_wrap=True)  # a name in pieces cannot be searched for, nor copied
    for column in ("family", "parameters", "licence", "needs", "trained on", "distilled", "utility"):
        table.add_column(column, overflow="fold")
    for info in infos:
        needs = [*(f"role '{role}'" for role in info.roles), *([f"extra '{info.extra}'"] if info.extra else [])]
        cells = (
            info.name.removeprefix("bridgebench/"),
            info.family,
            info.parameters or "",
            (info.licence or "") + (" (NC)" if info.non_commercial else ""),
            ", ".join(needs),
            ", ".join(info.training_data),
            "yes" if info.distilled else "",
            info.utility if info.utility != "none" else "",
        )
        table.add_row(*map(escape, cells))
    return table
