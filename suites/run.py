"""Runs cells: first what bridges do, once for all generators, then the generators.

Inspect's `eval_set` finds what an earlier run began, so that a run that was killed goes on where its logs end. What
fails is kept for the report and stops nothing else: hence the broad catch here.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from inspect_ai import eval, eval_set
from inspect_ai.log import EvalLog
from inspect_ai.solver import Solver
from inspect_ai.util import registry_create
from rich.console import Console

from bridgebench.cache import bridge_cache
from bridgebench.solvers.rag import bridge_stage, rag
from bridgebench.suites.cells import BridgeWork, Cell, identity
from bridgebench.suites.models import opened_models
from bridgebench.suites.progress import Tracker, tracking
from bridgebench.suites.schema import Suite
from bridgebench.suites.status import CELL, CellStatus, cell_of, first_error, read_statuses, status_of
from bridgebench.suites.tasks import Tasks

BRIDGE_SAMPLES = 64
"""Samples in flight in the bridge stage, unless the suite says: encoders make batches of what is in flight."""

Work = TypeVar("Work", Cell, BridgeWork)


class SuiteRun:
    """One run of some of a suite's cells.

    Args:
        suite: Their suite.
        log_dir: Where logs go; those of the bridge stage into its subfolder ``bridges``.
        console: Where progress is shown.

    Attributes:
        failed: Id of each cell that failed, and why.
    """

    def __init__(self, suite: Suite, log_dir: Path, console: Console) -> None:
        self.suite, self.log_dir, self.console = suite, log_dir, console
        self.tasks = Tasks()
        self.failed: dict[str, str] = {}

    def run(self, cells: Sequence[Cell]) -> None:
        """Run those of the cells that are not done.

        Raises:
            BridgebenchError: When a scorer calls a model role that has no model; nothing has run then.
            KeyboardInterrupt: When the user stopped it.
        """
        statuses = read_statuses(self.log_dir, {cell.id for cell in cells})
        cells = [cell for cell in cells if not self._is_done(cell, statuses.get(cell.id))]
        problems = {cell.id: self.tasks.problem(cell.task, cell.task_args) for cell in cells}
        self.failed |= {id: problem for id, problem in problems.items() if problem}
        self.tasks.refuse_missing_roles(cells)
        self._run_bridges([cell for cell in cells if cell.id not in self.failed])
        self._run_generators([cell for cell in cells if cell.id not in self.failed])

    def _is_done(self, cell: Cell, status: CellStatus | None) -> bool:
        """Whether it succeeded, with the benchmark as it is now."""
        if status is None or not status.done:
            return False
        if self.tasks.problem(cell.task, cell.task_args):  # its data is out of reach: the log is what there is
            return True
        return self.tasks.get(cell.task, cell.task_args).version == status.task_version

    def _run_bridges(self, cells: Sequence[Cell]) -> None:
        """Fill the bridge cache, one chain after the other, so that no two meet on the device."""
        if bridge_cache() is None:
            return
        works = {cell.work.id: cell.work for cell in cells if cell.work.chain}
        problems = self._stage(
            "bridges", list(works.values()), lambda w: [w.chain, w.on_empty, w.roles], self._bridge_logs
        )
        for cell in cells:
            if cell.work.id in problems:
                self.failed[cell.id] = f"its bridge failed: {problems[cell.work.id]}"

    def _run_generators(self, cells: Sequence[Cell]) -> None:
        """One generator after the other, for the same reason."""
        self.failed |= self._stage("generators", cells, lambda c: [c.generator, c.generation], self._generation_logs)

    def _stage(
        self,
        name: str,
        works: Sequence[Work],
        part_of: Callable[[Work], Any],
        logs_of: Callable[[Sequence[Work]], list[EvalLog]],
    ) -> dict[str, str]:
        """Run in groups of equal `part_of`; returns what failed, and why."""
        groups: dict[str, list[Work]] = {}
        for work in works:
            groups.setdefault(identity(part_of(work)), []).append(work)
        labels = {work.id: work.label for work in works}
        samples = {work.id: len(self.tasks.get(work.task, work.task_args).dataset) * work.epochs for work in works}
        failed: dict[str, str] = {}
        with tracking(Tracker(self.console, name, labels, samples)) as tracker:
            for group in groups.values():
                try:
                    logs = logs_of(group)
                except Exception as error:
                    failed |= {work.id: f"{type(error).__name__}: {error}" for work in group}
                    for work in group:
                        tracker.cell_ended(work.id, "", failed[work.id])
                    continue
                if len(logs) < len(group) or any(log.status == "cancelled" for log in logs):
                    raise KeyboardInterrupt  # Inspect catches it, and returns the logs it has
                problems = {cell_of(log): first_error(log) or status_of(log).problem for log in logs}
                failed |= {id: problem for id, problem in problems.items() if problem}
        return failed

    def _bridge_logs(self, works: Sequence[BridgeWork]) -> list[EvalLog]:
        first = works[0]
        tasks = [
            self.tasks.variant(
                work.task,
                work.task_args,
                {CELL: work.id},
                solver=bridge_stage(bridges=list(work.chain), on_empty=work.on_empty),
                setup=None,  # it asks for the roles of the scorers
                scorer=None,
            )
            for work in works
        ]
        with opened_models() as make:
            return eval(
                tasks,
                model="none/none",
                model_roles={role: make(model, role=role) for role, model in first.roles.items()},
                score=False,
                log_dir=str(self.log_dir / "bridges"),
                max_tasks=1,
                max_samples=self.suite.max_samples or BRIDGE_SAMPLES,
                **self._common(),
            )

    def _generation_logs(self, cells: Sequence[Cell]) -> list[EvalLog]:
        first = cells[0]
        with opened_models() as make:
            generator = make(first.generator, generation=first.generation)
            tasks = [
                self.tasks.variant(
                    cell.task,
                    cell.task_args,
                    {CELL: cell.id},
                    solver=_solver(cell),
                    model_roles={role: make(model, role=role) for role, model in cell.roles.items()},
                    config=self.tasks.get(cell.task, cell.task_args).config.merge(generator.config),
                )
                for cell in cells
            ]
            _, logs = eval_set(
                tasks,
                model=generator,
                log_dir=str(self.log_dir),
                log_dir_allow_dirty=True,  # superseded logs stay where they are
                retry_immediate=False,
                retry_attempts=1,  # the user starts it again: a dead server would hold up all other cells
                max_tasks=self.suite.max_tasks,
                max_samples=self.suite.max_samples,
                **self._common(),
            )
            return logs

    def _common(self) -> dict[str, Any]:
        return {
            "epochs": self.suite.epochs if self.suite.epochs > 1 else None,
            "fail_on_error": self.suite.fail_on_error,
            "continue_on_fail": True,
            "display": "none",
            "ctl_server": False,
        }


def _solver(cell: Cell) -> Solver:
    if cell.retriever:
        ((name, args),) = cell.chain[0].items()
        return registry_create("solver", name, **args)
    # Inspect tells cells apart by arguments of solvers, not by metadata: the id is one
    return rag(bridges=list(cell.chain), on_empty=cell.on_empty, revision=cell.id, **cell.reader)
