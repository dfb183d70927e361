"""What became of a suite's cells, read from the headers of the logs."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.log import EvalLog, EvalLogInfo, list_eval_logs, read_eval_log, read_eval_log_sample_summaries

from bridgebench.errors import BridgebenchError

CELL = "cell"
"""Key of ``eval.metadata`` that holds the id of a log's cell."""


@dataclass(frozen=True)
class CellStatus:
    """The log of a cell that counts.

    Attributes:
        log: Its path.
        status: Inspect's: ``success``, ``started``, ``cancelled``, ``error``.
        task_version: Version of the benchmark that it ran.
        problem: Why it is not a success.
    """

    log: str
    status: str
    task_version: int | str
    problem: str = ""

    @property
    def done(self) -> bool:
        """Whether nothing is left to run."""
        return self.status == "success"


def read_statuses(log_dir: Path, ids: Collection[str]) -> dict[str, CellStatus]:
    """The log of each cell that counts: its latest success, or else its latest; cells without a log are absent.

    Raises:
        BridgebenchError: When a file there is no whole log.
    """
    found: dict[str, CellStatus] = {}
    if not log_dir.is_dir():
        return found
    for info in list_eval_logs(str(log_dir), descending=False):
        header = _read_header(info)
        cell, status = cell_of(header), status_of(header)
        if cell in ids and (status.done or cell not in found or not found[cell].done):
            found[cell] = status
    return found


def _read_header(info: EvalLogInfo) -> EvalLog:
    try:
        return read_eval_log(info, header_only=True)
    except (OSError, ValueError) as error:  # a copy that was cut short, say
        raise BridgebenchError(f"{info.name}: cannot be read as a log: {error}; move it elsewhere") from error


def cell_of(log: EvalLog) -> str:
    """Id of the cell that a log belongs to; empty where it names none."""
    return str((log.eval.metadata or {}).get(CELL, ""))


def status_of(log: EvalLog) -> CellStatus:
    """Status and problem of a log."""
    problem = ""
    if log.status == "error":
        problem = log.error.message if log.error is not None else "too many of its samples failed"
    elif log.status != "success":
        problem = "it was interrupted"
    return CellStatus(log.location, log.status, log.eval.task_version, problem)


def first_error(log: EvalLog) -> str | None:
    """Of a log that failed: how many of its samples ended in an error, and what the first one says."""
    if log.status != "error":
        return None
    summaries = read_eval_log_sample_summaries(log.location)
    errors = [summary.error for summary in summaries if summary.error]
    return f"{len(errors)} of {len(summaries)} samples failed, the first with {errors[0]}" if errors else None
