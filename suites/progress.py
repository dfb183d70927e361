"""Progress of a run, from Inspect's hooks: bars on a terminal, lines in a pipe."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from inspect_ai.hooks import Hooks, SampleEnd, TaskEnd, TaskStart, hooks
from inspect_ai.log import EvalLog, headline_metric
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from bridgebench.suites.status import CELL, cell_of, status_of

LINE_SECONDS = 30.0
"""In a pipe: least time between two lines about samples."""


class Tracker:
    """Counts finished cells and samples of one stage and shows them.

    Args:
        console: Where to.
        stage: Name of the stage.
        labels: Cell id to what a line about it says.
        samples: Samples of each cell.
    """

    def __init__(self, console: Console, stage: str, labels: dict[str, str], samples: dict[str, int]) -> None:
        self.console, self.labels, self.samples = console, labels, samples
        self.started = self.shown = time.monotonic()
        self.done: dict[str, int] = {}
        self.finished = 0
        self.bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self.cell_bar = self.bars.add_task(f"{stage}: cells", total=len(labels))
        self.sample_bar = self.bars.add_task(f"{stage}: samples", total=sum(samples.values()))

    def sample_ended(self, cell: str) -> None:
        """One more sample of a cell."""
        self.done[cell] = min(self.done.get(cell, 0) + 1, self.samples.get(cell, 0))
        self._show_samples()
        if not self.console.is_terminal and time.monotonic() - self.shown > LINE_SECONDS:
            self.shown = time.monotonic()
            self.console.print(f"  {sum(self.done.values())} of {sum(self.samples.values())} samples, {self._clock()}")

    def cell_ended(self, cell: str, result: str, problem: str = "") -> None:
        """One more cell; samples that an earlier run had finished count now."""
        self.finished += 1
        self.done[cell] = self.samples.get(cell, 0)
        self._show_samples()
        self.bars.update(self.cell_bar, completed=self.finished)
        line = f"[{self.finished}/{len(self.labels)}] {self.labels.get(cell, cell)}"
        result = f"[red]failed: {escape(problem)}[/]" if problem else escape(result)
        self.console.print(f"{escape(line)}  {result}  {self._clock()}", highlight=False, soft_wrap=True)
        self.shown = time.monotonic()

    def _show_samples(self) -> None:
        self.bars.update(self.sample_bar, completed=sum(self.done.values()))

    def _clock(self) -> str:
        minutes, seconds = divmod(int(time.monotonic() - self.started), 60)
        return f"{minutes}:{seconds:02d}"


@hooks(name="suite_progress", description="progress of this run")
class SuiteProgress(Hooks):
    """Inspect makes one of these a process; what listens is set while a stage runs."""

    tracker: ClassVar[Tracker | None] = None
    cells: ClassVar[dict[str, str]] = {}

    def enabled(self) -> bool:
        """Only while a stage runs."""
        return SuiteProgress.tracker is not None

    async def on_task_start(self, data: TaskStart) -> None:
        """Remember which cell a run of a task is."""
        self.cells[data.eval_id] = str((data.spec.metadata or {}).get(CELL, ""))

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Pass it on."""
        if SuiteProgress.tracker is not None:
            SuiteProgress.tracker.sample_ended(self.cells.get(data.eval_id, ""))

    async def on_task_end(self, data: TaskEnd) -> None:
        """Pass it on."""
        if SuiteProgress.tracker is not None:
            SuiteProgress.tracker.cell_ended(cell_of(data.log), _result(data.log), status_of(data.log).problem)


@contextmanager
def tracking(tracker: Tracker) -> Iterator[Tracker]:
    """Let a tracker hear of every sample and cell that ends."""
    SuiteProgress.tracker = tracker
    with tracker.bars:
        try:
            yield tracker
        finally:
            SuiteProgress.tracker = None


def _result(log: EvalLog) -> str:
    headline = headline_metric(log)
    return f"{headline.score.name} {headline.metric.value:.3f}" if headline is not None else "done"
