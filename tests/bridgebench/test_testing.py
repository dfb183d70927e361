"""The contract kit finds each kind of broken bridge, and passes a sound one."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import anyio
import pytest
from jinja2 import Template

from bridgebench import Bridge, BridgebenchError, BridgeResult, Document, bridge, rag
from bridgebench.testing import ContractError, check_bridge


def from_function(run: Bridge) -> Callable[[], Bridge]:
    return lambda: run


async def sound(question: str, documents: Sequence[Document]) -> list[Document]:
    return list(documents)[::-1]


async def invents(question: str, documents: Sequence[Document]) -> list[Document]:
    return [Document("made up", "", "I know this", ("nowhere",))]


async def drops_on_empty(question: str, documents: Sequence[Document]) -> list[Document]:
    return [documents[0]]


async def random_order(question: str, documents: Sequence[Document]) -> list[Document]:
    return random.sample(list(documents), len(documents))


async def mutates(question: str, documents: Sequence[Document]) -> list[Document]:
    if isinstance(documents, list):
        documents.clear()
    return []


async def templates(question: str, documents: Sequence[Document]) -> list[Document]:
    return [replace(d, text=Template(d.text).render() if "1000003" in d.text else d.text) for d in documents]


async def twice(question: str, documents: Sequence[Document]) -> list[Document]:
    return [*documents, *documents]


async def not_json(question: str, documents: Sequence[Document]) -> BridgeResult:
    return BridgeResult(tuple(documents), notes={"scores": (1.0, 2.0)})


class SharedState:
    """Keeps the documents of the last call: wrong as soon as two are in flight."""

    async def __call__(self, question: str, documents: Sequence[Document]) -> list[Document]:
        self.documents = documents
        await anyio.sleep(0.001)
        return list(self.documents)


def test_a_sound_bridge_passes_every_check() -> None:
    names = check_bridge(from_function(sound))
    assert {"no documents", "huge text", "concurrency", "unicode", "same input, same result"} <= set(names)


@pytest.mark.parametrize(
    ("broken", "finding"),
    [
        (invents, "cites sources that were not given"),
        (drops_on_empty, "no documents: raised IndexError"),
        (random_order, "two runs differ"),
        (mutates, "has changed"),
        (templates, "run as a Jinja template"),
        (twice, "share an id"),
        (not_json, "changes when it is stored"),
        (SharedState(), "differs when other samples are in flight"),
    ],
)
def test_a_broken_bridge_is_told_what_it_breaks(broken: Bridge, finding: str) -> None:
    with pytest.raises(ContractError, match=finding):
        check_bridge(from_function(broken))


def test_a_reranker_may_not_change_documents() -> None:
    @bridge(family="reranker", cached=False)
    def rewriting_reranker() -> Bridge:
        async def run(question: str, documents: Sequence[Document]) -> list[Document]:
            return [replace(document, text=document.text.upper()) for document in documents]

        return run

    with pytest.raises(ContractError, match="a reranker changed a document"):
        check_bridge(rewriting_reranker)


def test_a_cached_bridge_has_its_cache_checked() -> None:
    @bridge
    def with_cache(n: int = 1) -> Bridge:
        async def run(question: str, documents: Sequence[Document]) -> list[Document]:
            return list(documents[:n])

        return run

    assert "cache hit equals miss" in check_bridge(with_cache, n=2)


def test_a_bridge_that_calls_a_role_needs_a_model() -> None:
    @bridge(roles=("bridge",))
    def with_role() -> Bridge:
        return sound

    with pytest.raises(BridgebenchError, match="roles="):
        check_bridge(with_role)


def test_a_chain_is_refused_in_plain_words() -> None:
    with pytest.raises(BridgebenchError, match="one bridge at a time, got a chain of 2"):
        check_bridge(lambda: rag("naive", sound))
