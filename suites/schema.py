"""What a suite file may say, and errors that name the place in it."""

from pathlib import Path
from typing import Annotated, Any, Literal

from inspect_ai.model import GenerateConfig
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from bridgebench.errors import BridgebenchError
from bridgebench.reader import Answer, Cut
from bridgebench.solvers.bridge import OnEmpty

Control = Literal["naive", "no_documents", "answer_directly", "truncate", "shuffle", "gold_documents", "on_empty"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, protected_namespaces=())


def _named(key: str, arguments: str) -> Any:
    """Let ``name``, and ``{name: {argument: value}}`` where there is something to pass, stand for the whole form."""

    def spell_out(value: Any) -> Any:
        if isinstance(value, str):
            return {key: value}
        if isinstance(value, dict) and key not in value and len(value) == 1:
            ((name, given),) = value.items()
            return {key: name, arguments: given or {}}
        return value

    return BeforeValidator(spell_out)


def _generate_config(value: dict[str, Any]) -> dict[str, Any]:
    unknown = sorted(set(value) - set(GenerateConfig.model_fields))
    if unknown:
        raise ValueError(f"Inspect has no generation setting named {', '.join(unknown)}")
    GenerateConfig(**value)
    return value


Generation = Annotated[dict[str, Any], AfterValidator(_generate_config)]
"""Settings of Inspect's ``GenerateConfig``."""


class ModelSpec(_Strict):
    """A model as Inspect names it; a bare string is its name.

    Attributes:
        model: For example ``vllm/meta-llama/Llama-3.1-8B-Instruct``.
        args: Arguments of the provider (``-M``).
        base_url: Address of a server.
        config: Generation settings of this model; they override the suite's.
    """

    model: str
    args: dict[str, Any] = {}
    base_url: str | None = None
    config: Generation = {}


class BenchmarkSpec(_Strict):
    """A task; ``name`` and ``{name: {argument: value}}`` stand for it.

    Attributes:
        task: Registry name; ours without their prefix.
        args: Task arguments (``-T``).
    """

    task: str
    args: dict[str, Any] = {}


Models = Annotated[ModelSpec, _named("model", "args")]


def _as_row(value: Any) -> Any:
    if isinstance(value, str):
        return {"chain": [item.strip() for item in value.split(",")]}
    if isinstance(value, list):
        return {"chain": value}
    if isinstance(value, dict) and "chain" not in value and len(value) == 1:
        return {"chain": [value]}
    return value


class Row(_Strict):
    """A chain of bridges; a name, a list of chain items, or ``{name: {argument: value}}`` stand for it.

    Attributes:
        chain: Items as `bridgebench.rag` takes them.
        on_empty: Overrides the suite's.
        roles: Models of this row's bridges; they override the suite's.
    """

    chain: list[str | dict[str, dict[str, Any] | None]] = Field(min_length=1)
    on_empty: OnEmpty | None = None
    roles: dict[str, Models] = {}


class Retriever(_Strict):
    """A solver that ranks a corpus; ``name`` and ``{name: {argument: value}}`` stand for it.

    Attributes:
        solver: Registry name; ours without their prefix.
        args: Its arguments (``-S``).
    """

    solver: str
    args: dict[str, Any] = {}


class Price(_Strict):
    """Dollars a million tokens."""

    input: float = Field(ge=0, strict=False)
    output: float = Field(ge=0, strict=False)


class Suite(_Strict):
    """An experiment: benchmarks x bridges x generators, under one setting.

    Attributes:
        name: Of the log folder; the file's name where absent.
        description: What it shows, and where it departs from a paper.
        benchmarks: Tasks with their arguments.
        bridges: Rows of the table.
        generators: Models under evaluation.
        retrievers: In place of bridges and generators, solvers that rank a corpus.
        roles: Models that bridges (``bridge``) and scorers (``grader``) call.
        controls: ``default`` is all of `Control`, ``none`` is none of them, or a list.
        on_empty: What follows a bridge's result without text.
        limit: Questions of each benchmark, drawn by `seed`; None is all.
        seed: Of that draw.
        epochs: Repetitions of each question.
        prompt: The generator's prompt, or several to compare; None is each benchmark's.
        answer: How the answer is taken from the completion; None is each benchmark's.
        budget: Most context, in words or in tokens of `tokenizer`; None is each benchmark's.
        tokenizer: Tokenizer that `budget` counts in.
        cut: Where `fit` cuts.
        generation: Settings of all generators; they override each benchmark's.
        fail_on_error: Largest share of a cell's samples that may end in an error; those stay unscored and counted,
            more make the cell a failed one.
        max_tasks: Cells of one generator that run at the same time.
        max_samples: Samples of a cell that run at the same time; None is as many as the model has connections.
        prices: Model to price, for ``--dry-run``.
        published: Tables and figures of a paper that it repeats.
        tiny_checkpoints: Folder that a run first fills with tiny checkpoints, for rows that load them from there.
        rule_cards: Folder that a run first fills with paper cards and queries that rules write about the bundled
            sample's papers, for rows that read them from there.
        smoke: Keys that ``--smoke`` replaces: the same shape, offline and small.
    """

    name: str
    description: str = ""
    benchmarks: list[Annotated[BenchmarkSpec, _named("task", "args")]] = Field(min_length=1)
    bridges: list[Annotated[Row, BeforeValidator(_as_row)]] = []
    generators: list[Models] = []
    retrievers: list[Annotated[Retriever, _named("solver", "args")]] = []
    roles: dict[str, Models] = {}
    controls: Literal["default", "none"] | list[Control] = "default"
    on_empty: OnEmpty = "empty"
    limit: int | None = Field(default=None, ge=1)
    seed: int = 0
    epochs: int = Field(default=1, ge=1)
    prompt: str | Annotated[list[str], Field(min_length=1)] | None = None
    answer: Answer | None = None
    budget: int | None = Field(default=None, ge=1)
    tokenizer: str | None = None
    cut: Cut | None = None
    generation: Generation = {}
    fail_on_error: float = Field(default=0.1, ge=0, lt=1, strict=False)
    max_tasks: int = Field(default=1, ge=1)
    max_samples: int | None = Field(default=None, ge=1)
    prices: dict[str, Price] = {}
    published: list[str] = []
    tiny_checkpoints: str | None = None
    rule_cards: str | None = None
    smoke: dict[str, Any] = {}

    @model_validator(mode="after")
    def _has_rows(self) -> "Suite":
        if self.retrievers and (self.bridges or self.generators):
            raise ValueError("retrievers rank a corpus: there are no bridges or generators beside them")
        if not self.retrievers and not self.generators:
            raise ValueError("there must be at least one generator (or retriever)")
        if not self.retrievers and not self.bridges and self.controls in ("none", []):
            raise ValueError("without controls there must be at least one bridge")
        return self


def parse_suite(raw: Any, source: str) -> Suite:
    """Check a suite.

    Args:
        raw: What the file holds.
        source: Name of the file, for errors.

    Raises:
        BridgebenchError: Naming every wrong place, as a path of keys and list positions (from 0).
    """
    if not isinstance(raw, dict):
        raise BridgebenchError(f"{source}: a suite is a mapping, got {type(raw).__name__}")
    try:
        return Suite.model_validate({"name": Path(source).stem, **raw})
    except ValidationError as error:
        raise BridgebenchError(explain(error, raw, source, "the suite")) from None


def explain(error: ValidationError, raw: Any, source: str, whole: str) -> str:
    """What is wrong with a file, a line for each place in it; `whole` names the place that is all of it."""
    problems = {f"{_place(raw, e['loc']) or whole}: {_problem(e)}": None for e in error.errors()}
    return f"{source}: " + f"\n{source}: ".join(problems)


def _place(raw: Any, loc: tuple[int | str, ...]) -> str:
    """A yaml path, without the steps of pydantic that are none (such as the arms of a union)."""
    path = []
    for step in loc:
        known = (isinstance(raw, dict) and step in raw) or (isinstance(raw, list) and isinstance(step, int))
        last = step == loc[-1] and isinstance(raw, dict) and not str(step).startswith(("list[", "literal["))
        if known:
            path.append(str(step))
            raw = raw[step]
        elif last:
            path.append(str(step))
    return ".".join(path)


def _problem(error: Any) -> str:
    if error["type"] == "extra_forbidden":
        return "there is no such key"
    message = str(error["msg"]).removeprefix("Value error, ")
    return message if error["type"] in ("missing", "value_error") else f"{message}, got {error['input']!r}"
