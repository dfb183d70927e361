"""Step 6: the checkpoints as ``bridgebench/r2u`` beside their controls, in a suite made from the recipe."""

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bridgebench.errors import BridgebenchError
from bridgebench.leaderboard.command import write
from bridgebench.leaderboard.drilldown import compare
from bridgebench.leaderboard.report import Report, read_report
from bridgebench.leaderboard.tables import Row
from bridgebench.models.training.card import write_card
from bridgebench.models.training.provenance import write_provenance
from bridgebench.models.training.recipe import Recipe
from bridgebench.suites.expand import expand
from bridgebench.suites.manifest import write_manifest
from bridgebench.suites.report import show_results
from bridgebench.suites.run import SuiteRun
from bridgebench.suites.schema import Suite, parse_suite

CHECKPOINTS = ("sft", "dpo")


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
    rows = rows_of(report)
    console.print(_format_table(rows))
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

    def served(model: str, **args: Any) -> dict[str, Any]:
        return {"bridge": {"model": f"{settings.provider}/{model}", "args": {**settings.provider_args, **args}}}

    roles = {name: served(os.path.relpath(out / name / "model")) for name in CHECKPOINTS}
    rows = [{"chain": [{"truncate": {"like": trained}}], "roles": roles["dpo"]}] if settings.truncate else []
    base = {"revision": recipe.sft.revision} if recipe.sft.revision else {}  # the weights that training began with
    rows += [{"chain": [prompted], "roles": served(recipe.sft.model, **base)}] if settings.prompted else []
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


def rows_of(report: Report) -> list[dict[str, Any]]:
    """The leaderboard's headline figures, one entry a row, for cards.

    ``valid_format``, of rows that rewrite, is the share of questions whose output has the format as specified; skipping
    every document is in the format.
    """
    return [
        {
            "benchmark": table.benchmark,
            "row": row.label,
            "metric": table.headline,
            "mean": _known(row.estimates[table.headline].mean),
            "low": _known(row.estimates[table.headline].low),
            "high": _known(row.estimates[table.headline].high),
            "questions": row.estimates[table.headline].questions,
            "words": row.figures.get("cost.words"),
            "valid_format": 1 - row.figures["cost.malformed"] if _rewrites(row) else None,
        }
        for table in report.tables
        for row in table.rows
    ]


def _known(figure: float) -> float | None:
    return None if math.isnan(figure) else figure  # one question has no interval; JSON has no NaN


def _rewrites(row: Row) -> bool:
    return any(name == "bridgebench/r2u" for name, _ in row.cell.chain)


def _format_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    table = Table("rewriter", "questions", "valid format", title="Outputs in the format as specified")
    for row in rows:
        if row["valid_format"] is not None:
            table.add_row(escape(row["row"]), str(row["questions"]), f"{row['valid_format']:.1%}")
    return table
