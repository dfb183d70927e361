"""Composition: `rag` chains bridges, makes the context fit, and asks the generator."""

import hashlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from inspect_ai.log import transcript
from inspect_ai.model import ChatMessageUser, ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import registry_create, span

from bridgebench.cache import bridge_cache
from bridgebench.document import Bridge, Document
from bridgebench.errors import BridgebenchError
from bridgebench.reader import Answer, Cut, ReaderSettings
from bridgebench.solvers.bridge import BoundBridge, BridgeInfo, OnEmpty, bridge_infos
from bridgebench.solvers.fit import fit
from bridgebench.solvers.generate import extract_answer, load_prompt
from bridgebench.solvers.neutralise import Guard
from bridgebench.solvers.step import RunContext, run_step
from bridgebench.store import BridgeStore

ChainItem = str | Mapping[str, Mapping[str, Any] | None] | Bridge | Solver
"""A bridge's name, ``{name: {argument: value}}``, ``file.py@factory``, a bridge's solver, or a bare async function."""


def rag(
    *chain: ChainItem,
    bridges: str | Sequence[ChainItem] | None = None,
    on_empty: OnEmpty = "empty",
    prompt: str | None = None,
    answer: Answer | None = None,
    budget: int | None = None,
    tokenizer: str | None = None,
    cut: Cut | None = None,
    cache: bool | str = True,
    revision: str | None = None,
) -> Solver:
    """Bridges in order, then `fit`, then the generator.

    ``rag(bge_reranker(), r2u())`` in Python; ``--solver bridgebench/rag -S bridges=bge_reranker,r2u`` or
    ``-S 'bridges=[{"provence": {"threshold": 0.5}}, "r2u"]'`` on the command line. Names resolve in Inspect's
    registry, first as they are, then as ``bridgebench/<name>``.

    Args:
        *chain: Bridges, in Python.
        bridges: The same as names: one, a comma-separated string, or a list of chain items.
        on_empty: What follows a bridge's result without any text: ``empty`` or ``originals``.
        prompt: Template of the generator's prompt (a packaged name or a path); None is the benchmark's.
        answer: How the answer is taken from the completion; None is the benchmark's.
        budget: Most context, in words or in tokens of `tokenizer`; None is the benchmark's.
        tokenizer: Tokenizer that `budget` counts in; None is the benchmark's (words where that names none).
        cut: Where `fit` cuts; None is the benchmark's.
        cache: The bridge cache: False is off, a string is its folder.
        revision: Free text that tells two runs of the same chain apart (the suite runner puts bridge versions here).

    Raises:
        BridgebenchError: When a name does not resolve or an argument is wrong; before anything runs.
    """
    bound = resolve_chain([*chain, *_as_items(bridges)])
    return registered_rag(
        bridges=[_Item(bridge) for bridge in bound],
        on_empty=on_empty,
        prompt=prompt,
        answer=answer,
        budget=budget,
        tokenizer=tokenizer,
        cut=cut,
        cache=cache,
        revision=revision,
    )


@solver(name="rag")
def registered_rag(
    bridges: str | Sequence[ChainItem] | None = None,
    on_empty: OnEmpty = "empty",
    prompt: str | None = None,
    answer: Answer | None = None,
    budget: int | None = None,
    tokenizer: str | None = None,
    cut: Cut | None = None,
    cache: bool | str = True,
    revision: str | None = None,
) -> Solver:
    """`rag` as the registry knows it: its arguments are JSON, so that a log tells which chain ran."""
    options = {"prompt": prompt, "answer": answer, "budget": budget, "tokenizer": tokenizer, "cut": cut}
    return compose(resolve_chain(_as_items(bridges)), on_empty=on_empty, cache=cache, **options)


@solver
def bridge_stage(
    bridges: str | Sequence[ChainItem] | None = None, on_empty: OnEmpty = "empty", cache: bool | str = True
) -> Solver:
    """The bridges alone, to fill the cache before any generator runs (`--model none/none`)."""
    bound = resolve_chain(_as_items(bridges))

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        await run_bridges(state, bound, on_empty, cache)
        state.completed = True
        return state

    return _carrying(solve, bound)


def compose(
    bridges: Sequence[BoundBridge],
    *,
    on_empty: OnEmpty = "empty",
    cache: bool | str = True,
    **reader: Any,
) -> Solver:
    """The solver *bridges, fit, generate*; `reader` overrides the benchmark's `ReaderSettings` where not None."""
    if on_empty not in ("empty", "originals"):
        raise BridgebenchError(f"on_empty must be 'empty' or 'originals', got {on_empty!r}")
    overrides = {name: value for name, value in reader.items() if value is not None}
    try:
        _check_reader(ReaderSettings(**overrides))
    except TypeError as error:
        raise BridgebenchError(str(error)) from None

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        settings = replace(ReaderSettings.from_metadata(state.metadata), **overrides)
        documents, own_answer = await run_bridges(state, bridges, on_empty, cache)
        fitted = fit(documents, settings.budget, tokenizer=settings.tokenizer, cut=settings.cut)
        prompt = load_prompt(settings.prompt)
        store = state.store_as(BridgeStore)
        store.documents = [document.to_dict() for document in fitted.documents]
        store.fit = fitted.to_dict()
        store.prompt = str(prompt)
        guard = Guard()
        shown = [guard.document(document) for document in fitted.documents]
        store.neutralised = guard.touched
        if own_answer is not None:
            store.answered_by = bridges[-1].info.name
            state.output = ModelOutput.from_content(str(state.model), own_answer)
            return state
        question = f"{state.input_text}\n{settings.note}" if settings.note else state.input_text
        state.messages = [ChatMessageUser(content=prompt.render(guard(question), shown))]
        state = await generate(state)
        if state.output.choices:
            state.output.completion = extract_answer(state.output.completion, settings.answer)
        return state

    return _carrying(solve, bridges)


def _check_reader(settings: ReaderSettings) -> None:
    load_prompt(settings.prompt)
    if settings.budget is not None and (isinstance(settings.budget, bool) or settings.budget < 1):
        raise BridgebenchError(f"budget must be a positive number of words or tokens, got {settings.budget!r}")
    if settings.cut not in ("end", "middle"):
        raise BridgebenchError(f"cut must be 'end' or 'middle', got {settings.cut!r}")
    if settings.answer not in ("as_is", "first_line"):
        raise BridgebenchError(f"answer must be 'as_is' or 'first_line', got {settings.answer!r}")


async def run_bridges(
    state: TaskState, bridges: Sequence[BoundBridge], on_empty: OnEmpty, cache: bool | str
) -> tuple[tuple[Document, ...], str | None]:
    """Run a chain on a sample: a span and an event a step, and the record in the store."""
    documents = tuple(Document.from_dict(document) for document in state.metadata["documents"])
    context = RunContext(epoch=state.epoch, on_empty=on_empty, cache=bridge_cache(cache))
    answer: str | None = None
    steps: list[dict[str, Any]] = []
    for bridge in bridges:
        if answer is not None:
            raise BridgebenchError(f"bridge '{steps[-1]['bridge']}' answers itself: it must be the last of its chain")
        async with span(bridge.info.name, type="bridge"):
            step = await run_step(bridge, state.input_text, documents, context)
            transcript().info(step.record, source="bridgebench")
        documents, answer = step.documents, step.answer
        steps.append(step.record)
    state.store_as(BridgeStore).steps = steps
    return documents, answer


def _carrying(solve: Any, bridges: Sequence[BoundBridge]) -> Solver:
    """Let the solver carry its bridges, so that it can be part of another chain."""
    solve.bridges = tuple(bridges)
    if len(bridges) == 1:
        solve.bridge = bridges[0]
    return solve  # type: ignore[no-any-return]


class _Item(dict[str, Any]):
    """A chain item as the log records it, that remembers the live bridge (a bare function has no name to resolve)."""

    def __init__(self, bound: BoundBridge) -> None:
        super().__init__(bound.item)
        self.bound = bound


def _as_items(bridges: str | Sequence[ChainItem] | None) -> list[ChainItem]:
    if bridges is None:
        return []
    if isinstance(bridges, str):  # the command line gives a string for one, a list for several
        return [name.strip() for name in bridges.split(",") if name.strip()]
    if isinstance(bridges, Mapping):
        return [bridges]
    return list(bridges)


def resolve_chain(items: Sequence[ChainItem]) -> tuple[BoundBridge, ...]:
    """The bridges that chain items name.

    Raises:
        BridgebenchError: Saying which item is wrong, and why.
    """
    return tuple(bound for item in items for bound in _resolve(item))


def _resolve(item: ChainItem) -> tuple[BoundBridge, ...]:
    if isinstance(item, _Item):
        return (item.bound,)
    if isinstance(item, BoundBridge):
        return (item,)
    if isinstance(item, str):
        return _resolve_name(item, {})
    if isinstance(item, Mapping):
        if len(item) != 1:
            raise BridgebenchError(f"a chain item is one {{name: arguments}}, got the keys {sorted(item)}")
        ((name, args),) = item.items()
        if args is not None and not isinstance(args, Mapping):
            raise BridgebenchError(f"bridge '{name}': its arguments must be a mapping, got {args!r}")
        return _resolve_name(name, dict(args or {}))
    if callable(item):
        return _resolve_object(item)
    raise BridgebenchError(f"not a bridge: {item!r}")


def _resolve_name(name: str, args: dict[str, Any]) -> tuple[BoundBridge, ...]:
    if "@" in name:
        file, _, factory = name.partition("@")
        made = _from_file(Path(file), factory)(**args)
        if not callable(made):
            raise BridgebenchError(f"bridge '{name}': '{factory}' must return a bridge, it returned {made!r}")
        bridges = _resolve_object(made)
        source = hashlib.sha256(Path(file).read_bytes()).hexdigest()
        return tuple(_as_named(bound, name, args, source) for bound in bridges)
    for candidate in (name, f"bridgebench/{name}"):
        try:
            made = registry_create("solver", candidate, **args)
        except LookupError:
            continue
        if hasattr(made, "bridges"):
            return tuple(made.bridges)
        raise BridgebenchError(f"'{candidate}' is a solver, but not a bridge")
    known = ", ".join(info.name.removeprefix("bridgebench/") for info in bridge_infos())
    raise BridgebenchError(f"no bridge is named '{name}' (known: {known}; or file.py@factory)")


def _as_named(bound: BoundBridge, name: str, args: Mapping[str, Any], source: str) -> BoundBridge:
    """A bridge of a file under the name that finds it again, with the arguments that a bare function cannot know."""
    if "/" in bound.info.name:  # a package's, which the file only uses
        return bound
    known = bound.args if bound.source_hash else args
    return replace(bound, info=replace(bound.info, name=name), args=known, source_hash=bound.source_hash or source)


def _resolve_object(made: Any) -> tuple[BoundBridge, ...]:
    if hasattr(made, "bridges"):
        return tuple(made.bridges)
    function = made.func if isinstance(made, partial) else made
    name = getattr(function, "__qualname__", type(function).__qualname__).replace("<locals>.", "")
    # not cached: nothing says when a bare function changes
    return (BoundBridge(BridgeInfo(name=f"function:{name}", cached=False), {}, made),)


def _from_file(path: Path, factory: str) -> Callable[..., Any]:
    if not path.is_file():
        raise BridgebenchError(f"bridge '{path}@{factory}': there is no file {path}")
    module_name = f"bridgebench_file_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise BridgebenchError(f"bridge '{path}@{factory}': {path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = getattr(module, factory, None)
    if not callable(made):
        raise BridgebenchError(f"bridge '{path}@{factory}': the file has no function '{factory}'")
    return made  # type: ignore[no-any-return]
