"""Tasks with their data, each loaded once however many cells ask its questions."""

import copy
import json
from collections.abc import Iterable, Mapping
from typing import Any

from inspect_ai import Task, task_with
from inspect_ai.util import registry_create

from bridgebench.errors import BridgebenchError
from bridgebench.scorers.roles import missing_roles, scorer_roles
from bridgebench.suites.cells import Cell


class Tasks:
    """Loads on first use and keeps; a task that cannot be made is kept as the error it gave."""

    def __init__(self) -> None:
        self._loaded: dict[str, Task | Exception] = {}

    def get(self, name: str, args: Mapping[str, Any]) -> Task:
        """The task; do not change it, see `variant`.

        Raises:
            Exception: Whatever its factory raised.
        """
        key = json.dumps([name, args], sort_keys=True)
        if key not in self._loaded:
            try:
                self._loaded[key] = registry_create("task", name, **args)
            except Exception as error:  # of any kind: the task may be someone else's
                self._loaded[key] = error
        loaded = self._loaded[key]
        if isinstance(loaded, Exception):
            raise loaded
        return loaded

    def problem(self, name: str, args: Mapping[str, Any]) -> str | None:
        """Why the task cannot be made; None when it can."""
        try:
            self.get(name, args)
        except Exception as error:
            return f"the task cannot be made: {str(error) or type(error).__name__}"
        return None

    def refuse_missing_roles(self, cells: Iterable[Cell]) -> None:
        """Raise `BridgebenchError` when the scorers of a cell's task call a role that the cell has no model for."""
        for cell in cells:
            if self.problem(cell.task, cell.task_args):
                continue
            scorers = self.get(cell.task, cell.task_args).scorer or []
            problem = missing_roles(scorer_roles(scorers), cell.roles)
            if problem:
                raise BridgebenchError(f"{cell.label}: {problem}; name one under 'roles' of the suite")

    def variant(self, name: str, args: Mapping[str, Any], metadata: Mapping[str, Any], **changes: Any) -> Task:
        """A copy of the task that shares its data, with more metadata and with `changes` (see `task_with`)."""
        task = self.get(name, args)
        return task_with(copy.copy(task), metadata={**(task.metadata or {}), **metadata}, **changes)
