"""One log as a cell: a benchmark, a chain of bridges and a generator, with the columns of its samples."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from inspect_ai.log import EvalLog, headline_metric, read_eval_log, read_eval_log_sample_summaries
from inspect_ai.model import ModelConfig

from bridgebench.errors import BridgebenchError
from bridgebench.leaderboard.manifest import Chain, ManifestCell
from bridgebench.leaderboard.samples import Samples, read_samples

READER_OPTIONS = ("prompt", "answer", "budget", "tokenizer", "cut")
"""Arguments of `rag` that change what every bridge is compared under."""

_TRANSPORT = {"max_connections", "max_retries", "timeout", "attempt_timeout", "adaptive_connections", "cache", "batch"}


@dataclass(frozen=True)
class Cell:
    """One log.

    Attributes:
        log: Path of the log.
        id: The manifest's id of the cell; empty when the log names none.
        created: When the run started (ISO 8601).
        status: Inspect's: ``success``, ``started``, ``cancelled`` or ``error``.
        benchmark: Task name without its package.
        chain: Bridges in order, with their arguments.
        on_empty: `rag`'s option, part of the method.
        setting: What must be equal for cells to be compared, all but benchmark and generator.
        generator: The model under evaluation.
        roles: Role to model.
        gold_documents: Whether the task was told to give the gold documents only: a control that sees labels.
        headline: Metric by which cells of this benchmark are ranked.
        expected: Samples times epochs that the run planned.
        about: Shown per row: packages, revision, command; what the task counted, and says of a set of queries.
        samples: Its columns; None for a log that did not finish.
        planned: What the manifest says of it; None without one.
    """

    log: str
    id: str
    created: str
    status: str
    benchmark: str
    chain: Chain
    on_empty: str
    setting: Mapping[str, Any]
    generator: str
    roles: Mapping[str, str]
    gold_documents: bool
    headline: str
    expected: int
    about: Mapping[str, Any]
    samples: Samples | None = field(repr=False)
    planned: ManifestCell | None = field(default=None, repr=False)

    @property
    def complete(self) -> bool:
        """Whether every planned sample was run to its end."""
        return self.status == "success" and self.samples is not None and len(self.samples.ids) >= self.expected

    @property
    def row(self) -> str:
        """Identity within a table: chain, its arguments, `on_empty`, and the models that bridges call."""
        bridge_roles = {role: model for role, model in self.roles.items() if role != "grader"}
        return _canonical([self.chain, self.on_empty, self.gold_documents, bridge_roles])

    @property
    def identity(self) -> str:
        """What a later run of the same cell shares; not the prompt's text, which only samples that ran can tell."""
        return _canonical([self.benchmark, self.generator, _without(self.setting, "prompt"), self.row])

    @property
    def table(self) -> str:
        """Identity of the table it stands in."""
        return _canonical([self.benchmark, self.generator, self.setting])

    @property
    def table_but_documents(self) -> str:
        """The same whatever documents the task gave: the gold-documents control joins tables by it."""
        arguments = _without(self.setting["task arguments"], "documents")
        setting = {**_without(self.setting, "dataset", "questions"), "task arguments": arguments}
        return _canonical([self.benchmark, self.generator, setting])


def read_cell(log: str) -> Cell | None:
    """One log as a cell; None for the bridge stage of a suite, which asks no generator.

    Raises:
        BridgebenchError: When the file is no Inspect log.
    """
    try:
        header = read_eval_log(log, header_only=True)
        done = header.status == "success"
        summaries = read_eval_log_sample_summaries(log) if done else []
    except (ValueError, KeyError, OSError, AssertionError) as error:
        raise BridgebenchError(f"{log}: not a readable Inspect log: {error}") from error
    spec = header.eval
    if any(step.solver == "bridgebench/bridge_stage" for step in header.plan.steps):
        return None
    chain, options = read_chain(header)
    task_args = dict(spec.task_args)
    metadata = spec.metadata or {}
    grader = _role_names(spec.model_roles).get("grader")
    top = headline_metric(header) if done else None
    named = (top.score.scorer, top.score.name) if top else ("", "")
    samples = read_samples(summaries, named) if done else None
    return Cell(
        log=log,
        id=str(metadata.get("cell", "")),
        created=str(spec.created),
        status=header.status,
        benchmark=spec.task.split("/")[-1],
        chain=chain,
        on_empty=str(options.get("on_empty", "empty")),
        setting={
            "task version": spec.task_version,
            "task arguments": task_args,
            "dataset": metadata.get("provenance") or spec.dataset.location,
            "limit": spec.config.limit,
            "questions": metadata.get("ids_sha256") or spec.dataset.samples,
            "epochs": spec.config.epochs or 1,
            "generator arguments": dict(spec.model_args),
            "generation": spec.model_generate_config.model_dump(exclude_none=True, exclude=_TRANSPORT),
            "reader": {name: options[name] for name in READER_OPTIONS if options.get(name) is not None},
            "grader": grader,
            "prompt": list(samples.facts.get("prompt", ())) if samples else [],
        },
        generator=spec.model,
        roles=_role_names(spec.model_roles),
        gold_documents=task_args.get("documents") == "gold",
        headline=_headline(samples, *named),
        expected=header.results.total_samples if header.results else 0,
        about={
            "packages": dict(spec.packages),
            "revision": f"{spec.revision.commit}{' (dirty)' if spec.revision.dirty else ''}" if spec.revision else None,
            "task": spec.task,
            "model_args": dict(spec.model_args),
            "model_base_url": spec.model_base_url,
            "query report": metadata.get("query_report"),
            "counts": metadata.get("counts"),
        },
        samples=samples,
    )


def _headline(samples: Samples | None, scorer: str, name: str) -> str:
    """The column that ranks cells: the log's headline score; the first column where that is none of them."""
    if samples is None or not samples.scores:
        return ""
    candidates = (name.split("/")[-1], f"{scorer.split('/')[-1]}.{name}")
    return next((column for column in candidates if column in samples.scores), next(iter(samples.scores)))


def read_chain(header: EvalLog) -> tuple[Chain, dict[str, Any]]:
    """The bridges of a run with their arguments, and the other options of its solver.

    ``plan.steps`` has every argument; ``eval.solver`` is None in logs of an eval set.
    """
    for step in header.plan.steps:
        if step.solver == "bridgebench/rag":
            params = dict(step.params)
            bridges = params.pop("bridges", None) or []
            return tuple(_chain_item(item) for item in bridges), params
    around = ("generate", "system_message", "bridgebench/require_roles")
    steps = [step for step in header.plan.steps if step.solver not in around]
    options: dict[str, Any] = {}
    for step in steps:
        options |= {name: step.params[name] for name in ("on_empty", "budget") if name in step.params}
    return tuple((step.solver, _without(step.params, "on_empty", "budget", "cache")) for step in steps), options


def _chain_item(item: str | Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    if isinstance(item, str):
        return item, {}
    name, args = next(iter(item.items()))
    return name, dict(args or {})


def _role_names(roles: Mapping[str, ModelConfig | list[ModelConfig]] | None) -> dict[str, str]:
    names = {}
    for role, config in (roles or {}).items():
        names[role] = ", ".join(model.model for model in (config if isinstance(config, list) else [config]))
    return names


def _without(params: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in params.items() if name not in names}


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
