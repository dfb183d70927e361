"""Step 6: the checkpoints as ``bridgebench/r2u`` beside their controls, in a suite made from the recipe."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inspect_ai.log import list_eval_logs, read_eval_log
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bridgebench.errors import BridgebenchError
from bridgebench.leaderboard.command import write
from bridgebench.leaderboard.drilldown import compare
from bridgebench.leaderboard.report import Report, read_report
from bridgebench.models.training.card import write_card
from bridgebench.models.training.provenance import write_provenance
from bridgebench.models.training.recipe import Recipe
from bridgebench.store import BridgeStore
from bridgebench.suites.cells import Cell
from bridgebench.suites.expand import expand
from bridgebench.suites.manifest import write_manifest
from bridgebench.suites.report import show_results
from bridgebench.suites.run import SuiteRun
from bridgebench.suites.schema import Suite, parse_suite

CHECKPOINTS = ("sft", "dpo")
_VALID = ("ok", "empty")
"""Outputs in the format as specified; ``empty`` is one that skips every document."""


def run_evaluate(recipe: Recipe, out: Path) -> Path:
    """Run the suite, write its leaderboard and a card beside each checkpoint.

    Args:
        recipe: The run's.
        out: Folder of all steps; logs go to ``evaluate/logs``, the page to ``evaluate/leaderboard``.

    Raises:
        BridgebenchError: When a cell of the suite failed.
    """
    folder, console = out / "evaluate", Console(highlight=False)
    logs = folder / "logs"
    suite = suite_of(recipe, out)
    cells = expand(suite)
    write_manifest(logs, suite, cells)
    run = SuiteRun(suite, logs, console)
    run.run(cells)
    if not show_results(console, cells, logs, run.failed):
        raise BridgebenchError("evaluate: not all cells are done; run it again")
    report = read_report([logs])
    write(report, folder / "leaderboard", compare(report, None))
    shares = format_shares(logs, cells)
    console.print(_format_table(shares))
    rows = rows_of(report, shares)
    for name in CHECKPOINTS:
        write_card(name, recipe, out, rows)
    inputs = {name: out / name / "model" for name in CHECKPOINTS}
    write_provenance(folder, "evaluate", recipe.evaluate, inputs, {"rows": rows})
    return folder


def suite_of(recipe: Recipe, out: Path) -> Suite:
    """Naive, documents cut to the length of DPO's rewrites, and the rewriter: prompted, after SFT, after DPO."""
    settings = recipe.evaluate
    prompted = {"r2u": {"max_tokens": settings.max_tokens}}
    # A checkpoint is asked as it was trained; the untrained student needs the instructions of the packaged prompt.
    trained = {"r2u": {**prompted["r2u"], "template": recipe.sft_data.template}}

    def served(model: str) -> dict[str, Any]:
        return {"bridge": {"model": f"{settings.provider}/{model}", "args": settings.provider_args}}

    roles = {name: served(os.path.relpath(out / name / "model")) for name in CHECKPOINTS}
    rows = [{"chain": [{"truncate": {"like": trained}}], "roles": roles["dpo"]}] if settings.truncate else []
    rows += [{"chain": [prompted], "roles": served(recipe.sft.model)}] if settings.prompted else []
    rows += [{"chain": [trained], "roles": roles[name]} for name in CHECKPOINTS]
    suite = {
        "name": f"{out.name}-evaluate",
        "description": "A rewriter trained here, beside its controls.",
        "benchmarks": settings.benchmarks,
        "generators": [settings.generator.model_dump()],
        "bridges": rows,
        "controls": ["naive"],
        "limit": settings.limit,
        "seed": settings.seed,
        "generation": settings.generation,
    }
    return parse_suite(suite, "evaluate")


def format_shares(logs: Path, cells: Sequence[Cell]) -> dict[str, dict[str, float | int]]:
    """Of each row that rewrites: questions, and the share whose output has the format as specified."""
    labels = {
        cell.id: cell.label for cell in cells if "bridgebench/r2u" in {name for item in cell.chain for name in item}
    }
    counts: dict[str, list[bool]] = {label: [] for label in labels.values()}
    for info in list_eval_logs(str(logs), recursive=False):
        log = read_eval_log(info)
        label = labels.get((log.eval.metadata or {}).get("cell", ""))
        if label is None or log.status != "success":
            continue
        steps = [sample.store_as(BridgeStore).steps for sample in log.samples or []]
        counts[label] = [step["parse"] in _VALID for (step,) in steps]
    return {
        label: {"questions": len(valid), "valid_format": sum(valid) / len(valid)}
        for label, valid in counts.items()
        if valid
    }


def rows_of(report: Report, shares: dict[str, dict[str, float | int]]) -> list[dict[str, Any]]:
    """The leaderboard's headline figures, one entry a row, for cards."""
    rows: list[dict[str, Any]] = [
        {
            "benchmark": table.benchmark,
            "row": row.label,
            "metric": table.headline,
            "mean": row.estimates[table.headline].mean,
            "low": row.estimates[table.headline].low,
            "high": row.estimates[table.headline].high,
            "questions": row.estimates[table.headline].questions,
            "words": row.figures.get("cost.words"),
        }
        for table in report.tables
        for row in table.rows
    ]
    return [*rows, *({"row": label, **share} for label, share in shares.items())]


def _format_table(shares: dict[str, dict[str, float | int]]) -> Table:
    table = Table("rewriter", "questions", "valid format", title="Outputs in the format as specified")
    for label, share in shares.items():
        table.add_row(escape(label), str(share["questions"]), f"{share['valid_format']:.1%}")
    return table
