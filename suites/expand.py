"""From a suite to its cells: benchmarks x rows x prompts x generators. Nothing is run or loaded."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args, get_type_hints

from inspect_ai.util import registry_create

from bridgebench import _registry
from bridgebench.errors import BridgebenchError, MissingExtraError
from bridgebench.solvers.bridge import BoundBridge, bridge_infos
from bridgebench.solvers.generate import load_prompt
from bridgebench.solvers.rag import resolve_chain
from bridgebench.suites.cells import BridgeWork, Cell, ModelChoice
from bridgebench.suites.contents import content_hashes
from bridgebench.suites.controls import PlannedRow, plan_rows
from bridgebench.suites.schema import BenchmarkSpec, Control, ModelSpec, Row, Suite


def expand(suite: Suite) -> tuple[Cell, ...]:
    """All cells of a suite, generator by generator, in the order of the table.

    Raises:
        BridgebenchError: Naming the row whose bridge or argument does not exist, or lacks the model it calls; when
            a prompt does not exist.
    """
    cells = _retrieval_cells(suite) if suite.retrievers else _generation_cells(suite)
    return tuple({cell.id: cell for cell in map(_with_files, cells)}.values())


def _generation_cells(suite: Suite) -> Iterator[Cell]:
    roles = _choices(suite.roles)
    own = [_planned(suite, row, roles, f"bridges.{position}") for position, row in enumerate(suite.bridges)]
    rows = plan_rows(own, roles, _wanted_controls(suite))
    prompts = suite.prompt if isinstance(suite.prompt, list) else [suite.prompt]
    for generator in suite.generators:
        for benchmark in suite.benchmarks:
            for prompt in prompts:
                for row in rows:
                    yield from _cells(suite, benchmark, row, prompt, generator)


def _with_files(cell: Cell) -> Cell:
    named = [cell.task_args, cell.chain, cell.reader, cell.generator, *cell.roles.values()]
    return replace(cell, files=content_hashes(named))


def _planned(suite: Suite, row: Row, roles: Mapping[str, ModelChoice], place: str) -> PlannedRow:
    try:
        chain = tuple(bridge for item in row.chain for bridge in _resolved(item))
    except Exception as error:  # of any kind: the bridge may stand in a file of the user's own
        kind = "" if isinstance(error, BridgebenchError | MissingExtraError) else f"{type(error).__name__}: "
        raise BridgebenchError(f"suite '{suite.name}': {place}: {kind}{error}") from error
    planned = PlannedRow(chain, {**roles, **_choices(row.roles)}, row.on_empty or suite.on_empty)
    called = {role for bridge in planned.bridges for role in bridge.info.roles}
    if missing := sorted(called - set(planned.roles)):
        raise BridgebenchError(
            f"suite '{suite.name}': {place}: it calls the model role '{missing[0]}'; "
            f"name a model for it under 'roles', of the suite or of the row"
        )
    return planned


def _resolved(item: str | Mapping[str, Any]) -> tuple[BoundBridge, ...]:
    chain = resolve_chain([item])
    name = item if isinstance(item, str) else next(iter(item))
    if any(bridge.info.name.startswith("function:") for bridge in chain):
        raise BridgebenchError(
            f"'{name}' holds a bare function, which has no name to run it by: put @bridge on its factory"
        )
    if len(chain) > 1 and any("@" in bridge.info.name for bridge in chain):
        raise BridgebenchError(f"'{name}' is a chain of {len(chain)}: give each bridge a function, and list these")
    return chain


def _wanted_controls(suite: Suite) -> Sequence[Control]:
    if suite.controls == "none":
        return ()
    return get_args(Control) if suite.controls == "default" else suite.controls


def _cells(
    suite: Suite, benchmark: BenchmarkSpec, row: PlannedRow, prompt: str | None, generator: ModelSpec
) -> Iterator[Cell]:
    """The cell; none for a row that the benchmark cannot have."""
    task, args = _task(suite, benchmark)
    if row.gold:
        if "documents" in args or not takes_gold_documents(task):
            return
        args["documents"] = "gold"
    called = {role for bridge in row.bridges for role in bridge.info.roles}
    others = {role for info in bridge_infos() for role in info.roles} - called
    reader = {"prompt": prompt} | {key: getattr(suite, key) for key in ("answer", "budget", "tokenizer", "cut")}
    versions = {bridge.info.name: bridge.source_hash or bridge.info.version for bridge in row.bridges}
    yield Cell(
        task=task,
        task_args=args,
        chain=tuple(bridge.item for bridge in row.chain),
        generator=_choice(generator),
        work=BridgeWork(
            task=task,
            task_args=args,
            chain=tuple(bridge.item for bridge in row.work),
            on_empty=row.on_empty if len(row.work) > 1 else "empty",  # a single bridge has none to follow it
            roles={role: model for role, model in row.roles.items() if role in called},
            epochs=suite.epochs,
        ),
        versions=versions | ({f"prompt {prompt}": load_prompt(prompt).hash} if prompt else {}),
        on_empty=row.on_empty,
        reader={key: value for key, value in reader.items() if value is not None},
        roles={role: model for role, model in row.roles.items() if role not in others},
        generation={**suite.generation, **generator.config},
        epochs=suite.epochs,
        control=row.control,
    )


def _retrieval_cells(suite: Suite) -> Iterator[Cell]:
    for benchmark in suite.benchmarks:
        task, args = _task(suite, benchmark)
        for position, retriever in enumerate(suite.retrievers):
            name = our_name(retriever.solver)
            try:
                registry_create("solver", name, **retriever.args)
            except (LookupError, TypeError, BridgebenchError) as error:
                raise BridgebenchError(f"suite '{suite.name}': retrievers.{position}: {error}") from None
            yield Cell(
                task=task,
                task_args=args,
                chain=({name: retriever.args},),
                generator=ModelChoice("none/none", {}, None, {}),
                work=BridgeWork(task, args, (), "empty", {}, suite.epochs),
                roles=_choices(suite.roles),
                epochs=suite.epochs,
                retriever=True,
            )


def _task(suite: Suite, benchmark: BenchmarkSpec) -> tuple[str, dict[str, Any]]:
    """Name and arguments of a task; a benchmark's own arguments go before the suite's draw."""
    draw = {} if suite.limit is None else {"limit": suite.limit, "seed": suite.seed}
    return our_name(benchmark.task), {**draw, **benchmark.args}


def our_name(name: str) -> str:
    """The registry name; ours may be given without their prefix."""
    return f"bridgebench/{name}" if hasattr(_registry, name) else name


def takes_gold_documents(task: str) -> bool:
    """Whether a task is one of ours that has ``documents=gold``."""
    factory = getattr(_registry, task.removeprefix("bridgebench/"), None)
    return factory is not None and "gold" in get_args(get_type_hints(factory).get("documents"))


def _choice(model: ModelSpec) -> ModelChoice:
    return ModelChoice(model.model, model.args, model.base_url, model.config)


def _choices(models: Mapping[str, ModelSpec]) -> dict[str, ModelChoice]:
    return {role: _choice(model) for role, model in models.items()}
