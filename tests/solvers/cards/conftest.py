"""Runs of the card tasks with a model that answers by script."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.log import EvalLog

SUMMARY = "Problem: Data are scarce.\nMethods: Rare words.\nResults: It helps.\nKeywords: rare words, data"
SECTION = r'of "([^\n]*)"\.\n\n([^\n]*)\n([^\n?]{0,60})'
"""Finds title, section and the beginning of its text in the prompt for questions."""

CARD_SCRIPT = {
    "answers": {
        "four lines": SUMMARY,
        rf"{SECTION}[\s\S]*conceptual": "Question: What is the idea of \\2 in \\1?\nKeywords: idea, \\2",
        SECTION: "Question: Which number stands in \\2 of \\1?\nKeywords: number, \\2",
    }
}
QUERY_SCRIPT = {
    "answers": {
        rf"{SECTION}[\s\S]*conceptual": "Question: Who cares that \\3, told about \\1?\nKeywords: people",
        SECTION: "Question: How much memory does \\1 take according to \\2?\nKeywords: memory",
    }
}


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., EvalLog]:
    """Runs a task with a scripted model; logs go to ``<tmp>/logs/<folder>``."""

    def run(task: Task, script: dict[str, Any], model: str = "fake/writer", folder: str = "cards") -> EvalLog:
        (log,) = eval(task, model=model, model_args=script, display="none", log_dir=str(tmp_path / "logs" / folder))
        return log

    return run
