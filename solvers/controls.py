"""Controls: what a bridge must beat before it is worth its cost."""

import random
import time
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from bridgebench.document import Bridge, BridgeResult, Cost, Document, count_words
from bridgebench.errors import BridgebenchError
from bridgebench.solvers.bridge import bridge
from bridgebench.solvers.fit import fit
from bridgebench.solvers.rag import resolve_chain
from bridgebench.solvers.step import run_context, run_step


@bridge(family="control", cached=False)
def naive() -> Bridge:
    """The retrieved documents as they are: the baseline of every comparison."""

    async def run(question: str, documents: Sequence[Document]) -> BridgeResult:
        return BridgeResult(tuple(documents))

    return run


@bridge(family="control", cached=False)
def no_documents() -> Bridge:
    """Closed book: what the generator knows alone."""

    async def run(question: str, documents: Sequence[Document]) -> BridgeResult:
        return BridgeResult((), parse="empty")

    return run


@bridge(family="control", cached=False)
def shuffle(seed: int = 0) -> Bridge:
    """The documents in a random order: what order alone is worth.

    Args:
        seed: Another seed is another order; the order also depends on the question.
    """

    async def run(question: str, documents: Sequence[Document]) -> BridgeResult:
        shuffled = list(documents)
        random.Random(f"{seed} {question}").shuffle(shuffled)
        return BridgeResult(tuple(shuffled))

    return run


@bridge(family="control", cached=False)
def truncate(
    like: str | dict[str, Any] | list[Any] | None = None, words: Annotated[int | None, Field(ge=0)] = None
) -> Bridge:
    """The originals, cut from the end to a length: what length alone is worth.

    Args:
        like: Bridge or chain (as in `rag`) whose output's number of words is the length, question by question.
            It runs as its own row does, from the same cache.
        words: A fixed length instead.

    Raises:
        BridgebenchError: When not exactly one of the two is given.
    """
    if (like is None) == (words is None):
        raise BridgebenchError("truncate takes either like=<bridge> or words=<number>")
    chain = resolve_chain(like if isinstance(like, list) else [like]) if like is not None else ()

    async def run(question: str, documents: Sequence[Document]) -> BridgeResult:
        length = words
        if length is None:
            shortened: Sequence[Document] = documents
            for other in chain:
                shortened = (await run_step(other, question, shortened, run_context.get())).documents
            length = count_words(shortened)
        started = time.perf_counter()  # what `like` takes is not its cost, and depends on what is in the cache
        kept = fit(documents, length).documents if length else ()
        return BridgeResult(kept, cost=Cost(time.perf_counter() - started), notes={"words": length})

    return run
