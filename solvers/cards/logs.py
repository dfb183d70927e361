"""Reading the logs of `cards` and `card_queries`: the papers of one run, and what its papers share."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

from bridgebench.errors import BridgebenchError
from bridgebench.solvers.cards.writer import CardParts

TASKS = ("cards", "card_queries")


@dataclass(frozen=True)
class WrittenPaper:
    """One paper of a log.

    Attributes:
        id: The paper's.
        title: Its title.
        sections: Names of the sections that the model was given.
        parts: What it wrote; None where the sample ended in an error.
        error: That error.
    """

    id: str
    title: str
    sections: tuple[str, ...]
    parts: CardParts | None
    error: str | None


@dataclass(frozen=True)
class WrittenRun:
    """The logs of one run, and of its resumptions.

    Attributes:
        task: ``cards`` or ``card_queries``.
        model: Of the run.
        corpus: Hash of the papers.
        about: JSON for the provenance: task arguments, model arguments, generation settings, source, records.
        papers: Each once, in the order of the logs; those that no log has finished are in ``unwritten``.
        unwritten: Ids of papers of the run that are in no log yet.
    """

    task: str
    model: str
    corpus: str
    about: Mapping[str, Any]
    papers: tuple[WrittenPaper, ...]
    unwritten: tuple[str, ...]


def read_run(paths: Sequence[Path]) -> WrittenRun:
    """Read logs, or folders of logs, of one run.

    Raises:
        BridgebenchError: When there is no log, or logs are of other tasks, of several runs, or of several epochs.
    """
    logs = [_read(file) for path in paths for file in _files(path)]
    if not logs:
        raise BridgebenchError(f"no Inspect logs in: {', '.join(map(str, paths))}")
    identities = {_identity(log) for log in logs}
    if len(identities) > 1:
        shown = "; ".join(sorted(f"{task} by {model}, corpus {corpus[:12]}" for task, model, corpus, _ in identities))
        raise BridgebenchError(
            f"logs of {len(identities)} runs, which differ in task, model, papers or arguments ({shown})"
        )
    found: dict[str, WrittenPaper] = {}
    for log in sorted(logs, key=lambda log: log.eval.created):
        for sample in log.samples or []:
            if sample.epoch > 1:
                raise BridgebenchError(f"{log.location}: more than one epoch: run `cards` once with each seed instead")
            paper = _paper(sample)
            if paper.id not in found or found[paper.id].parts is None:
                found[paper.id] = paper
    latest = max(logs, key=lambda log: log.eval.created)
    ids = [str(id) for id in latest.eval.dataset.sample_ids or []]
    task, model, corpus, _ = _identity(latest)
    return WrittenRun(
        task=task,
        model=model,
        corpus=corpus,
        about={
            "task_args": latest.eval.task_args,
            "model_args": {key: value for key, value in latest.eval.model_args.items() if "key" not in key},
            "generate_config": latest.eval.model_generate_config.model_dump(exclude_none=True),
            **{key: value for key, value in (latest.eval.metadata or {}).items() if key != "corpus"},
            "logs": sorted({log.eval.created for log in logs}),
        },
        papers=tuple(found[id] for id in ids if id in found),
        unwritten=tuple(id for id in ids if id not in found),
    )


def failures(papers: Sequence[WrittenPaper]) -> list[dict[str, Any]]:
    """All that the model failed at: paper, part, section and problem."""
    listed = []
    for paper in papers:
        if paper.parts is None:
            listed.append({"paper": paper.id, "part": "all", "section": "", "problem": paper.error})
            continue
        listed += [
            {"paper": paper.id, "part": call["part"], "section": call["section"], "problem": call["failure"]}
            for call in paper.parts.calls
            if call["failure"]
        ]
    return listed


def effort(papers: Sequence[WrittenPaper]) -> dict[str, Any]:
    """How replies were read, by part, how much was cut, and what it cost in all; None where a figure is unknown."""
    parts = [paper.parts for paper in papers if paper.parts is not None]
    calls = [call for part in parts for call in part.calls]
    parses = {
        name: dict(Counter(str(call["parse"] or "failed") for call in calls if call["part"] == name))
        for name in dict.fromkeys(call["part"] for call in calls)
    }
    cost = {
        name: _total([part.cost.get(name) for part in parts])
        for name in ("calls", "seconds", "input_tokens", "output_tokens")
    }
    return {
        "prompts": {name: prompt for part in parts for name, prompt in part.prompts.items()},
        "parse": parses,
        "retried": sum(call["attempts"] - 1 for call in calls),
        "replies_truncated": sum(call["truncated"] for call in calls),
        "texts_cut": sum(call["kept"] < call["size"] for call in calls),
        "neutralised": sum(part.neutralised for part in parts),
        "cost": cost,
    }


def _total(figures: Sequence[float | None]) -> float | None:
    present = [figure for figure in figures if figure is not None]
    return round(sum(present), 3) if len(present) == len(figures) else None


def _files(path: Path) -> list[str]:
    if path.is_dir():
        return [info.name for info in list_eval_logs(str(path))]
    if not path.is_file():
        raise BridgebenchError(f"{path}: no such log or folder")
    return [str(path)]


def _read(file: str) -> EvalLog:
    try:
        log = read_eval_log(file)
    except (OSError, ValueError) as error:
        raise BridgebenchError(f"{file}: cannot be read as an Inspect log: {error}") from error
    if log.eval.task.rpartition("/")[2] not in TASKS:
        raise BridgebenchError(f"{file}: a log of the task '{log.eval.task}', not of {' or '.join(TASKS)}")
    return log


def _identity(log: EvalLog) -> tuple[str, str, str, str]:
    arguments = repr(sorted(log.eval.task_args.items(), key=lambda item: item[0]))
    return log.eval.task.rpartition("/")[2], log.eval.model, (log.eval.metadata or {})["corpus"], arguments


def _paper(sample: Any) -> WrittenPaper:
    return WrittenPaper(
        id=str(sample.id),
        title=sample.metadata["title"],
        sections=tuple(section["title"] for section in sample.metadata["documents"]),
        parts=None if sample.error else sample.store_as(CardParts),
        error=sample.error.message if sample.error else None,
    )
