"""`@bridge`: makes a factory of bridges an Inspect solver that is *bridge, fit, generate*.

::

    @bridge(version=1, family="pruner")
    def lead_sentences(n: Annotated[int, Field(ge=1)] = 2) -> Bridge:
        async def run(question: str, documents: Sequence[Document]) -> list[Document]:
            ...
        return run

Names, types and ranges of the arguments are read from the signature and checked when the solver is made,
before anything runs. The registry name takes its prefix from the author's package, as for every Inspect solver.
"""

import hashlib
import inspect
import json
import time
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path, PurePath
from typing import Any, Literal, Protocol, cast, overload

from inspect_ai.solver import Solver, solver
from inspect_ai.util import registry_info
from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from bridgebench.document import Bridge, BridgeResult, Document
from bridgebench.errors import BridgebenchError

Family = Literal["control", "reranker", "pruner", "summariser", "rewriter", "other"]
Utility = Literal["none", "outcome", "process"]
OnEmpty = Literal["empty", "originals"]


@dataclass(frozen=True)
class BridgeInfo:
    """What a reader of the table must know of a bridge: the columns of R2U's Table 1, and what the cache needs.

    Attributes:
        name: Registry name, for example ``bridgebench/provence``.
        version: Raise it when the same arguments give other results; it is part of the cache key.
        family: What is done to the documents.
        paper: Citation or arXiv id.
        checkpoint: Published checkpoint, which the fields from `parameters` to `utility` describe.
        parameters: Size of that checkpoint, for example ``435M``.
        licence: Licence of the checkpoint (of the method's code where there is none).
        non_commercial: Whether that licence forbids commercial use.
        training_data: Benchmarks whose training split it learned from, by task name.
        distilled: Whether it was distilled from a larger model.
        utility: The utility signal it learned from.
        roles: Model roles it calls (``bridge``); their identity is part of the cache key.
        extra: The optional extra it needs.
        cached: Whether results go to the bridge cache; off for what is cheaper than a look-up, and for a bridge whose
            source cannot be read (typed into a notebook).
        sampling: Whether two runs with the same arguments may differ (a function of the arguments where they decide);
            the epoch is then part of the key.
        fingerprint: Given the arguments, says what else decides the result (weight hashes, resolved revisions).
        model: Default of the argument `model`, where there is one: the published checkpoint. Read from the factory.
    """

    name: str
    version: int = 1
    family: Family = "other"
    paper: str | None = None
    checkpoint: str | None = None
    parameters: str | None = None
    licence: str | None = None
    non_commercial: bool = False
    training_data: tuple[str, ...] = ()
    distilled: bool = False
    utility: Utility = "none"
    roles: tuple[str, ...] = ()
    extra: str | None = None
    cached: bool = True
    sampling: bool | Callable[..., bool] = False
    fingerprint: Callable[..., Mapping[str, Any]] | None = None
    model: str | None = None

    def described(self, args: Mapping[str, Any]) -> "BridgeInfo":
        """The same without what is known of the published checkpoint, when the arguments name another.

        A folder of the published checkpoint's name is taken for it.
        """
        given = args.get("model", self.model)
        if self.model is None or given == self.model or PurePath(given).name == PurePath(self.checkpoint or "").name:
            return self
        about = replace(self, checkpoint=None, parameters=None, licence=None, non_commercial=False)
        return replace(about, training_data=(), distilled=False, utility="none")


@dataclass(frozen=True)
class BoundBridge:
    """A bridge with its arguments: what a solver carries in ``.bridge`` and what a chain is made of."""

    info: BridgeInfo
    args: Mapping[str, Any]
    run: Bridge
    source_hash: str | None = None
    """sha256 of the file it was read from, for a bridge that no installed package holds."""

    async def __call__(self, question: str, documents: Sequence[Document]) -> BridgeResult:
        """Run the bridge; a bare list of documents becomes a result, wall time fills in for a missing cost.

        Raises:
            BridgebenchError: When the bridge is not async, or returns anything but documents or a `BridgeResult`.
        """
        started = time.perf_counter()
        returned: Any = self.run(question, tuple(documents))
        if not inspect.isawaitable(returned):
            raise BridgebenchError(f"bridge '{self.info.name}' must be `async def`: it returned {_kind(returned)}")
        returned = await returned
        wall = time.perf_counter() - started
        result = _as_result(self.info.name, returned)
        if result.cost.seconds is None:
            result = replace(result, cost=replace(result.cost, seconds=wall))
        if result.parse == "ok" and documents and not has_text(result.documents):
            result = replace(result, parse="empty")
        return result

    @property
    def samples(self) -> bool:
        """Whether two runs may differ."""
        sampling = self.info.sampling
        return sampling(**self.args) if callable(sampling) else sampling

    @property
    def item(self) -> dict[str, dict[str, Any]]:
        """The chain item that names it, every argument filled in: ``{name: {argument: value}}``."""
        return {self.info.name: dict(self.args)}


def _as_result(name: str, returned: Any) -> BridgeResult:
    """What a bridge returned, once it is seen to be documents whose fields have their types."""
    documents = returned.documents if isinstance(returned, BridgeResult) else returned
    if isinstance(documents, str) or not isinstance(documents, Iterable):
        raise BridgebenchError(f"bridge '{name}' must return documents or a BridgeResult, not {_kind(documents)}")
    documents = tuple(documents)
    for document in documents:
        if not isinstance(document, Document):
            raise BridgebenchError(f"bridge '{name}' must return documents, not {_kind(document)} among them")
        try:
            Document.from_dict(vars(document))
        except BridgebenchError as error:
            raise BridgebenchError(f"bridge '{name}' returned a wrong document: {error}") from None
    return replace(returned, documents=documents) if isinstance(returned, BridgeResult) else BridgeResult(documents)


def _kind(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


class BridgeSolver(Solver, Protocol):
    """A solver that carries its bridge."""

    bridge: BoundBridge


def has_text(documents: Sequence[Document]) -> bool:
    """Whether any document has a word in it."""
    return any(document.text.strip() for document in documents)


_infos: dict[str, BridgeInfo] = {}


def bridge_infos() -> list[BridgeInfo]:
    """All bridges whose modules are imported, by name."""
    return [_infos[name] for name in sorted(_infos)]


def bridge_info(name: str) -> BridgeInfo | None:
    """What is known of a bridge by its registry name; None when its package is not imported here."""
    return _infos.get(name)


@overload
def bridge(factory: Callable[..., Bridge], /) -> Callable[..., BridgeSolver]: ...


@overload
def bridge(
    *,
    version: int = 1,
    family: Family = "other",
    paper: str | None = None,
    checkpoint: str | None = None,
    parameters: str | None = None,
    licence: str | None = None,
    non_commercial: bool = False,
    training_data: tuple[str, ...] = (),
    distilled: bool = False,
    utility: Utility = "none",
    roles: tuple[str, ...] = (),
    extra: str | None = None,
    cached: bool = True,
    sampling: bool | Callable[..., bool] = False,
    fingerprint: Callable[..., Mapping[str, Any]] | None = None,
) -> Callable[[Callable[..., Bridge]], Callable[..., BridgeSolver]]: ...


def bridge(factory: Callable[..., Bridge] | None = None, /, **about: Any) -> Any:
    """Register a factory of bridges as a solver of the same name.

    Calling the decorated factory returns the solver *bridge, fit, generate*, with the bridge itself in
    ``.bridge``. The solver takes the factory's arguments and ``on_empty``, ``budget`` and ``cache`` (see `rag`).

    Args:
        factory: Function of keyword-able, JSON-serialisable arguments that returns a `Bridge`. It runs when the
            solver is made: load weights on first use, not there.
        **about: Fields of `BridgeInfo`, but for `name` and `model`.
    """
    if factory is None:
        return lambda decorated: _register(decorated, about)
    return _register(factory, about)


def _register(factory: Callable[..., Bridge], about: dict[str, Any]) -> Callable[..., BridgeSolver]:
    arguments = _argument_model(factory)
    source_hash: str | None = None
    common = inspect.signature(_common_options).parameters
    signature = inspect.signature(factory)

    @wraps(factory)
    def make(*args: Any, **kwargs: Any) -> Solver:
        from bridgebench.solvers.rag import compose

        options = {name: kwargs.pop(name, parameter.default) for name, parameter in common.items()}
        values = _validated(info.name, signature, arguments, args, kwargs)
        run = factory(**values)
        if not callable(run):
            raise BridgebenchError(f"bridge '{info.name}': its factory must return an async function, not {_kind(run)}")
        bound = BoundBridge(info, values, run, source_hash)
        return compose((bound,), **options)

    parameters = [*signature.parameters.values(), *common.values()]
    make.__signature__ = signature.replace(parameters=parameters, return_annotation=Solver)  # type: ignore[attr-defined]
    registered = solver(make)
    default = signature.parameters.get("model")
    model = default.default if default and isinstance(default.default, str) else None
    info = BridgeInfo(name=registry_info(registered).name, model=model, **about)
    if "/" not in info.name.removeprefix("__main__/"):  # no installed package holds it: its version is its source
        try:
            source_hash = hashlib.sha256(Path(inspect.getfile(factory)).read_bytes()).hexdigest()
        except OSError:  # typed into a notebook or a shell: nothing says when it changes
            info = replace(info, cached=False)
    _infos[info.name] = info
    return cast(Callable[..., BridgeSolver], registered)


def _common_options(*, on_empty: OnEmpty = "empty", budget: int | None = None, cache: bool | str = True) -> None:
    """The options that every bridge's solver takes beside the factory's own arguments."""


def _argument_model(factory: Callable[..., Any]) -> type[BaseModel]:
    hints = typing.get_type_hints(factory, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(factory).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise BridgebenchError(f"bridge factory '{factory.__name__}': argument '{name}' must be a named one")
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[name] = (hints.get(name, Any), default)
    config = ConfigDict(strict=True, extra="forbid", protected_namespaces=())
    return create_model(f"{factory.__name__} arguments", __config__=config, **fields)


def _validated(
    name: str, signature: inspect.Signature, arguments: type[BaseModel], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """All arguments with defaults filled in, checked against the factory's annotations."""
    try:
        given = {**signature.bind_partial(*args).arguments, **kwargs}
        checked = arguments(**given)
        values = {field: getattr(checked, field) for field in arguments.model_fields}
        json.dumps(values)
    except ValidationError as error:
        problems = "; ".join(f"argument '{'.'.join(map(str, e['loc']))}': {_problem(e)}" for e in error.errors())
        accepted = ", ".join(_shown(parameter) for parameter in signature.parameters.values()) or "none"
        raise BridgebenchError(f"bridge '{name}': {problems} (it takes: {accepted})") from None
    except TypeError as error:
        raise BridgebenchError(f"bridge '{name}': {error}") from None
    return values


def _problem(error: Mapping[str, Any]) -> str:
    if error["type"] == "extra_forbidden":
        return "there is no such argument"
    return str(error["msg"]) if error["type"] == "missing" else f"{error['msg']}, got {error['input']!r}"


def _shown(parameter: inspect.Parameter) -> str:
    return parameter.name if parameter.default is parameter.empty else f"{parameter.name}={parameter.default!r}"
