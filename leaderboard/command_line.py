"""The command that runs one cell alone."""

import json
import shlex

from bridgebench.leaderboard.cells import Cell


def command_of(cell: Cell) -> str:
    """The manifest's command, or the same run as a call of ``inspect eval``."""
    if cell.planned is not None and cell.planned.command:
        return cell.planned.command
    words = ["inspect", "eval", str(cell.about["task"]), "--solver", "bridgebench/rag"]
    bridges = [{name: dict(args)} for name, args in cell.chain]
    words += ["-S", f"bridges={json.dumps(bridges)}"]
    if cell.on_empty != "empty":
        words += ["-S", f"on_empty={cell.on_empty}"]
    for name, value in cell.setting["reader"].items():
        words += ["-S", f"{name}={value}"]
    for name, value in cell.setting["task arguments"].items():
        words += ["-T", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
    words += ["--model", cell.generator]
    for name, value in cell.about["model_args"].items():
        words += ["-M", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
    for role, model in cell.roles.items():
        words += ["--model-role", f"{role}={model}"]
    if cell.setting["limit"] is not None:
        words += ["--limit", str(cell.setting["limit"])]
    if cell.setting["epochs"] != 1:
        words += ["--epochs", str(cell.setting["epochs"])]
    return shlex.join(words)
