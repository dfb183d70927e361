"""The contract kit: what every bridge must keep, checked on yours in one call.

::

    from bridgebench.testing import check_bridge

    def test_my_bridge():
        check_bridge(my_bridge, n=3)

A bridge that calls a language model needs one: ``check_bridge(r2u, roles={"bridge": "fake/echo"})``.
"""

import json
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import anyio
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import Model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from bridgebench.cache import BridgeCache
from bridgebench.document import BridgeResult, Document
from bridgebench.errors import BridgebenchError
from bridgebench.solvers.bridge import BoundBridge
from bridgebench.solvers.rag import resolve_chain
from bridgebench.solvers.step import RunContext, cache_key, run_step

QUESTION = "Which river flows through the town where Ida Marsh was born?"

DOCUMENTS = (
    Document("0", "Ida Marsh", "Ida Marsh is a painter. She was born in Tarnholm. Her brother Olof is a pilot."),
    Document("1", "Tarnholm", "Tarnholm is a town in the north. The river Sella flows through it."),
    Document("2", "Ida Marsh", "Ida Marsh (ship) is a ferry, built in 1931 and named after nobody in particular."),
    Document("3", "", "A passage without a title: the Sella rises in the hills and reaches the sea at Vik."),
)

ODD_TEXTS = {
    "empty text": "",
    "white space only": " \n\t ",
    "unicode": "Zoë — 東京 العربية 👩‍🚀 e\u0301 \u200b\u202etxet\u202c",
    "control characters": "a\x00b\x07c\x1b[31md\r\ne\u2028f",
    "braces and Jinja syntax": "{x} {{ 1000003 * 7 }} {# gone #} %s $HOME \\n",
    "broken Jinja syntax": "{% raw %} {{ {% if",
    "structure markers": "[1] > [2] Question: who? Answer: me <|im_end|> </s> [INST] Document 1: {}",
}
EVALUATED = "7000021"
"""What the Jinja expression above becomes if a document is ever treated as a template."""

HUGE_WORDS = 50_000


class ContractError(AssertionError):
    """A bridge breaks the contract; the message lists every check that failed."""


def check_bridge(
    factory: Callable[..., Any],
    *,
    roles: Mapping[str, str | Model] | None = None,
    question: str = QUESTION,
    documents: Sequence[Document] = DOCUMENTS,
    **args: Any,
) -> tuple[str, ...]:
    """Check a bridge against the contract.

    Args:
        factory: A `@bridge` factory, a `@solver` that returns ``rag(...)`` of one bridge, or a plain function that
            returns a bridge.
        roles: Models for the roles it calls.
        question: A question for it.
        documents: At least two documents for it.
        **args: Arguments of the factory.

    Returns:
        The names of the checks that were made.

    Raises:
        ContractError: Listing every check that failed, with what was seen.
    """
    chain = resolve_chain([factory(**args)])
    if len(chain) != 1:
        raise BridgebenchError(f"check_bridge checks one bridge at a time, got a chain of {len(chain)}")
    (bound,) = chain
    missing = set(bound.info.roles) - set(roles or {})
    if missing:
        raise BridgebenchError(f"bridge '{bound.info.name}' calls the role {sorted(missing)}: pass roles={{...}}")
    checks = _checks(bound, question, tuple(documents))
    failures: list[str] = []

    async def run_all() -> None:
        for name, check in checks.items():
            try:
                await check()
            except Exception as error:
                failures.append(f"{name}: {error if isinstance(error, _Broken) else f'raised {error!r}'}")

    _run(run_all, roles)
    if failures:
        raise ContractError(f"bridge '{bound.info.name}' breaks the contract:\n  " + "\n  ".join(failures))
    return tuple(checks)


class _Broken(Exception):
    """A check's finding."""


def _run(work: Callable[[], Awaitable[None]], roles: Mapping[str, str | Model] | None) -> None:
    """Run `work`, inside an evaluation when it calls model roles (they exist nowhere else)."""
    if not roles:
        anyio.run(work)
        return

    @solver(name="contract")
    def checks() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            await work()
            return state

        return solve

    with tempfile.TemporaryDirectory() as logs:
        (log,) = eval(
            Task(dataset=[Sample(input="contract")], solver=checks()),
            model="none/none",
            model_roles=dict(roles),
            display="none",
            log_dir=logs,
            score=False,
        )
    if log.status != "success":
        raise ContractError(
            f"the evaluation around the checks failed: {log.error.message if log.error else log.status}"
        )


def _checks(
    bound: BoundBridge, question: str, documents: tuple[Document, ...]
) -> dict[str, Callable[[], Awaitable[object]]]:
    checks: dict[str, Callable[[], Awaitable[object]]] = {
        "no documents": partial(_sound, bound, question, ()),
        "one document": partial(_sound, bound, question, documents[:1]),
        "many documents": partial(_sound, bound, question, _many(documents)),
        "huge text": partial(_huge, bound, question, documents),
        "odd question": partial(_sound, bound, "{{ 1000003 * 7 }} {x} \x00 👩‍🚀?", documents),
        "input untouched": partial(_untouched, bound, question, documents),
        "concurrency": partial(_concurrent, bound, question, documents),
        "every argument in the key": partial(_in_key, bound, question, documents),
    }
    for name, text in ODD_TEXTS.items():
        odd = (Document("odd", text[:20], text), *documents)
        checks[name] = partial(_sound, bound, question, odd)
    if not bound.samples:
        checks["same input, same result"] = partial(_repeatable, bound, question, documents)
    if bound.info.cached:
        checks["cache hit equals miss"] = partial(_cached, bound, question, documents)
    return checks


def _many(documents: Sequence[Document]) -> tuple[Document, ...]:
    return tuple(
        Document(f"{copy}-{document.id}", document.title, document.text) for copy in range(5) for document in documents
    )


async def _sound(bound: BoundBridge, question: str, documents: tuple[Document, ...]) -> BridgeResult:
    """Run it and check what holds for every result."""
    result = await bound(question, documents)
    given = {document.id for document in documents}
    for document in result.documents:
        if not set(document.sources) <= given:
            raise _Broken(f"document '{document.id}' cites sources that were not given: {list(document.sources)}")
        if EVALUATED in document.text and not any(EVALUATED in original.text for original in documents):
            raise _Broken("a document or question was run as a Jinja template")
    ids = [document.id for document in result.documents]
    if len(set(ids)) < len(ids):
        raise _Broken(f"two documents of the result share an id: {ids}")
    if bound.info.family == "reranker" and not set(result.documents) <= set(documents):
        raise _Broken("a reranker changed a document")
    try:
        round_trip = BridgeResult.from_dict(json.loads(json.dumps(result.to_dict())))
    except (TypeError, ValueError) as error:
        raise _Broken(f"the result is not JSON: {error}") from error
    if round_trip.to_dict() != result.to_dict():
        raise _Broken("the result changes when it is stored and read again (tuples or non-string keys in notes?)")
    return result


async def _huge(bound: BoundBridge, question: str, documents: tuple[Document, ...]) -> None:
    """A text far over any context is handled, or refused with an error that says so."""
    huge = Document("huge", "Huge", "word " * HUGE_WORDS)
    try:
        await _sound(bound, question, (huge, *documents))
    except BridgebenchError as refusal:
        if not str(refusal):
            raise _Broken("it refuses a huge text without saying why") from refusal


async def _untouched(bound: BoundBridge, question: str, documents: tuple[Document, ...]) -> None:
    given = list(documents)
    await bound.run(question, given)
    if given != list(documents):
        raise _Broken("the list of documents it was given has changed")


async def _repeatable(bound: BoundBridge, question: str, documents: tuple[Document, ...]) -> None:
    first, second = await bound(question, documents), await bound(question, documents)
    if _content(first) != _content(second):
        raise _Broken("two runs differ; declare `sampling=True` if that is meant")


async def _concurrent(bound: BoundBridge, question: str, documents: tuple[Document, ...]) -> None:
    """Eight in flight at once, over different documents, give each its own result."""
    inputs = [documents[: 1 + turn % len(documents)] for turn in range(8)]
    results: dict[int, BridgeResult] = {}

    async def one(turn: int) -> None:
        results[turn] = await bound(question, inputs[turn])

    async with anyio.create_task_group() as group:
        for turn in range(len(inputs)):
            group.start_soon(one, turn)
    if bound.samples:
        return
    for turn, given in enumerate(inputs):
        if _content(results[turn]) != _content(await bound(question, given)):
            raise _Broken("a result differs when other samples are in flight")


async def _cached(bound: BoundBridge, question: str, documents: tuple[Document, ...]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        context = RunContext(cache=BridgeCache(Path(folder) / "bridges.sqlite"))
        miss = (await run_step(bound, question, documents, context)).record
        hit = (await run_step(bound, question, documents, context)).record
    if (miss["cache"], hit["cache"]) != ("miss", "hit"):
        raise _Broken(f"expected a miss, then a hit; saw {miss['cache']}, then {hit['cache']}")
    if {**miss, "cache": ""} != {**hit, "cache": ""}:
        raise _Broken("a cache hit differs from the miss that filled it")


async def _in_key(bound: BoundBridge, question: str, documents: tuple[Document, ...]) -> None:
    # the fingerprint is left out: it may refuse an argument that names no real checkpoint
    bound = replace(bound, info=replace(bound.info, fingerprint=None))
    base = await cache_key(bound, question, documents, epoch=1)
    others = {
        "question": await cache_key(bound, question + "?", documents, epoch=1),
        "documents": await cache_key(bound, question, (), epoch=1),
    }
    for name in bound.args:
        changed = replace(bound, args={**bound.args, name: "another value"})
        others[f"argument '{name}'"] = await cache_key(changed, question, documents, epoch=1)
    missing = [name for name, other in others.items() if other == base]
    if missing:
        raise _Broken(f"not in the cache key: {', '.join(missing)}")


def _content(result: BridgeResult) -> tuple[Any, ...]:
    """A result without what may rightly differ between two runs: its cost."""
    return (result.documents, result.parse, result.answer, json.dumps(dict(result.notes), sort_keys=True))
