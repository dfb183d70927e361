"""What is run: a cell is one benchmark, one chain of bridges and one generator, under one setting."""

import hashlib
import inspect
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from bridgebench import _registry
from bridgebench.solvers.bridge import OnEmpty

ChainItems = tuple[Mapping[str, Mapping[str, Any]], ...]
"""Bridges in order, as `rag` takes them: ``{registry name: every argument}``."""


TRANSPORT = (
    *("max_connections", "adaptive_connections", "max_retries", "timeout", "attempt_timeout", "stream_idle_timeout"),
    *("batch", "cache", "cache_prompt"),
)
"""Generation settings that change how a model is asked, and not what it answers."""


@dataclass(frozen=True)
class ModelChoice:
    """A model as Inspect is told to make it."""

    model: str
    args: Mapping[str, Any]
    base_url: str | None
    config: Mapping[str, Any]

    @property
    def identity(self) -> list[Any]:
        """What tells it from another model: not where it is served, nor how fast it is asked."""
        return [self.model, self.args, _deciding(self.config)]


@dataclass(frozen=True)
class BridgeWork:
    """Bridges over a benchmark, which no generator changes: what the bridge stage runs once.

    Attributes:
        task: Registry name of the benchmark's task.
        task_args: Its arguments, with the questions that are asked.
        chain: Bridges; none where there is nothing to keep for later.
        on_empty: As in `rag`.
        roles: Models that the chain calls.
        epochs: Repetitions of each question.
    """

    task: str
    task_args: Mapping[str, Any]
    chain: ChainItems
    on_empty: OnEmpty
    roles: Mapping[str, ModelChoice]
    epochs: int

    @cached_property
    def id(self) -> str:
        """Hash of all fields."""
        return identity(self)

    @property
    def label(self) -> str:
        """Benchmark and chain in short, for people."""
        return f"{task_label(self.task, self.task_args)}  {chain_label(self.chain)}{_calling(self.roles)}"


@dataclass(frozen=True)
class Cell:
    """One log of the generation stage.

    Attributes:
        task: Registry name of the benchmark's task.
        task_args: Its arguments, with the questions that are asked.
        chain: Bridges with every argument.
        generator: The model under evaluation.
        work: What its bridges do whatever the generator.
        versions: Registry name of each bridge that takes part, also through ``truncate(like=...)``, to its version
            (or the hash of its source, where no package holds it).
        on_empty: As in `rag`.
        reader: `rag`'s options that are set: prompt, answer, budget, tokenizer, cut.
        roles: Models that bridges and scorers call.
        generation: Settings of the generator that override the benchmark's.
        epochs: Repetitions of each question.
        files: Path to content hash of what the cell names on this disk.
        retriever: Whether the chain is one solver that ranks a corpus, and nothing is generated.
        control: Which of the controls it is; None for a bridge of the suite.
    """

    task: str
    task_args: Mapping[str, Any]
    chain: ChainItems
    generator: ModelChoice
    work: BridgeWork
    versions: Mapping[str, int | str] = field(default_factory=dict)
    on_empty: OnEmpty = "empty"
    reader: Mapping[str, Any] = field(default_factory=dict)
    roles: Mapping[str, ModelChoice] = field(default_factory=dict)
    generation: Mapping[str, Any] = field(default_factory=dict)
    epochs: int = 1
    files: Mapping[str, str] = field(default_factory=dict)
    retriever: bool = False
    control: str | None = None

    @cached_property
    def id(self) -> str:
        """Hash of all that decides the result; the log holds it as ``eval.metadata["cell"]``."""
        return identity(
            {
                "task": [self.task, self.task_args],
                "chain": [self.chain, self.versions, self.on_empty],
                "reader": self.reader,
                "generator": self.generator.identity,
                "roles": {role: model.identity for role, model in self.roles.items()},
                "generation": _deciding(self.generation),
                "epochs": self.epochs,
                "files": self.files,
            }
        )

    @property
    def row(self) -> str:
        """The chain in short, for people."""
        return chain_label(self.chain) + (" (originals when empty)" if self.on_empty == "originals" else "")

    @property
    def label(self) -> str:
        """Benchmark, row and generator in short, for people."""
        prompt = f"  prompt {self.reader['prompt']}" if "prompt" in self.reader else ""
        row = f"{self.row}{_calling(self.roles)}"
        return f"{task_label(self.task, self.task_args)}  {row}  {self.generator.model}{prompt}"

    @property
    def command(self) -> str:
        """The command line that runs this cell alone."""
        parts = ["inspect", "eval", self.task, *_options("-T", self.task_args)]
        if self.retriever:
            ((name, args),) = self.chain[0].items()
            parts += ["--solver", name, *_options("-S", args)]
        else:
            parts += ["--solver", "bridgebench/rag", "-S", f"bridges={json.dumps(list(self.chain))}"]
            parts += ["-S", f"on_empty={self.on_empty}"] if self.on_empty != "empty" else []
            parts += _options("-S", self.reader)
        parts += ["--model", self.generator.model, *_options("-M", self.generator.args)]
        if self.generator.base_url:
            parts += ["--model-base-url", self.generator.base_url]
        for role, model in self.roles.items():
            address = {} if model.base_url is None else {"base_url": model.base_url}
            arguments = {**model.args, **address}
            settings = {"model": model.model, **model.config, **({"model_args": arguments} if arguments else {})}
            parts += ["--model-role", f"{role}={json.dumps(settings) if len(settings) > 1 else model.model}"]
        for name, value in self.generation.items():
            if value is not None:
                parts += [f"--{name.replace('_', '-')}", _as_option(value)]
        parts += ["--epochs", str(self.epochs)] if self.epochs > 1 else []
        return shlex.join(parts)


def short(name: str) -> str:
    """A registry name without our own prefix."""
    return name.removeprefix("bridgebench/")


def task_label(task: str, args: Mapping[str, Any]) -> str:
    """A benchmark with the arguments that change its questions, not those that choose them."""
    shown = [f"{key}={value}" for key, value in args.items() if key not in ("source", "limit", "seed", "ids")]
    return f"{short(task)}({', '.join(shown)})" if shown else short(task)


def chain_label(chain: ChainItems) -> str:
    """Names of the bridges, with the arguments that tell controls apart."""
    return " → ".join(_bridge_label(name, args) for item in chain for name, args in item.items())


def identity(value: Any) -> str:
    """Hash of dataclasses, mappings and lists of JSON values."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=asdict).encode()).hexdigest()[:16]


LABEL_ARGUMENTS = (
    "like", "words", "top_k", "max_passages", "field", "levels", "mode", "single_pass", "keep_original",
    "engine", "size", "unit", "parts", "lexical", "cross_encoder",
)  # fmt: skip
"""Arguments that tell rows of our suites apart, where they differ from the bridge's defaults."""


def _bridge_label(name: str, args: Mapping[str, Any]) -> str:
    shown = [*LABEL_ARGUMENTS, *(["seed"] if short(name) == "shuffle" else [])]
    defaults = _defaults(name)
    set_ones = {key: args[key] for key in shown if key in args and args[key] != defaults.get(key)}
    inside = ", ".join(f"{key}={_like(value)}" for key, value in set_ones.items())
    return f"{short(name)}({inside})" if inside else short(name)


def _defaults(name: str) -> dict[str, Any]:
    """Defaults of one of our bridges; `shuffle` shows its seed always, so it has none here."""
    factory = getattr(_registry, short(name), None)
    if factory is None or short(name) == "shuffle":
        return {}
    return {key: parameter.default for key, parameter in inspect.signature(factory).parameters.items()}


def _like(value: Any) -> str:
    """An argument's value; a chain by its names."""
    items: Sequence[Any] = value if isinstance(value, list) else [value]
    return " → ".join(_bridge_label(*next(iter(i.items()))) if isinstance(i, dict) else str(i) for i in items)


def _calling(roles: Mapping[str, ModelChoice]) -> str:
    return f" [{roles['bridge'].model}]" if "bridge" in roles else ""


def _deciding(config: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in config.items() if key not in TRANSPORT}


def _as_option(value: Any) -> str:
    """A generation setting as Inspect's command line reads it."""
    if isinstance(value, list):
        return ",".join(map(str, value))
    return value if isinstance(value, str) else json.dumps(value)


def _options(flag: str, values: Mapping[str, Any]) -> list[str]:
    return [
        part
        for name, value in values.items()
        for part in (flag, f"{name}={value if isinstance(value, str) else json.dumps(value)}")
    ]
