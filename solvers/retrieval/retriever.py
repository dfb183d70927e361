"""``@retriever``: a way to index a corpus becomes a solver that ranks its papers.

    @retriever
    def titles(lower: bool = True) -> Build:
        async def build(corpus: Corpus) -> Index: ...
        return build

The solver takes the function's arguments and those of `reranking`. An index is built once for a corpus and kept.
"""

import hashlib
import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Protocol

import anyio
from inspect_ai.solver import Generate, Solver, TaskState, solver
from pydantic import ConfigDict, Field, ValidationError, validate_call

from bridgebench.cards import INDEX
from bridgebench.corpus import Corpus, published
from bridgebench.document import Document
from bridgebench.errors import BridgebenchError
from bridgebench.solvers.bge_reranker import bge_reranker
from bridgebench.store import Ranking


class Match(NamedTuple):
    """A paper that was found, and the text of it by which it was."""

    paper: str
    text: str


class Found(NamedTuple):
    """Papers, best first, and the seconds that the search took, waiting in queues excluded."""

    matches: list[Match]
    seconds: float


class Index(Protocol):
    """A corpus made ready."""

    @property
    def figures(self) -> Mapping[str, Any]:
        """About it: see `Ranking.index`."""
        ...

    async def search(self, question: str, depth: int) -> Found:
        """The `depth` best papers; fewer where no more have anything to do with the question."""
        ...


Build = Callable[[Corpus], Awaitable[Index]]


@dataclass(frozen=True)
class Reranking:
    """What becomes of the papers that an index found: see `reranking`."""

    depth: int
    cross_encoder: str | None
    candidates: int
    rerank_query: str

    async def search(self, index: Index, question: str) -> tuple[list[str], float, int]:
        """Ids of the best papers, the seconds it took, and how many texts the cross-encoder read only in part."""
        if self.cross_encoder is None:
            found = await index.search(question, self.depth)
            return [match.paper for match in found.matches], found.seconds, 0
        found = await index.search(question, self.candidates)
        if not found.matches:
            return [], found.seconds, 0
        asked = question if self.rerank_query == "question" else found.matches[0].text
        documents = [Document(match.paper, "", match.text) for match in found.matches]
        result = await bge_reranker(model=self.cross_encoder, top_k=self.depth, titles=False).bridge(asked, documents)
        ids = [document.id for document in result.documents]
        return ids, found.seconds + (result.cost.seconds or 0.0), int(result.notes["truncated"])


_STRICT = validate_call(config=ConfigDict(strict=True))


@_STRICT
def reranking(
    *,
    depth: Annotated[int, Field(ge=1)] = 10,
    cross_encoder: str | None = None,
    candidates: Annotated[int, Field(ge=1)] = 20,
    rerank_query: Literal["question", "best_match"] = "question",
) -> Reranking:
    """The options that every retriever's solver takes beside the factory's own arguments.

    Args:
        depth: Most papers that are ranked.
        cross_encoder: Hub id or folder of a cross-encoder (any with one label) that reads the question with the text by
            which each paper was found, and orders them anew; None leaves them.
        candidates: How many papers it reads.
        rerank_query: Whether it is given the `question`, or, as in the paper's released code, the text of the
            `best_match`.
    """
    return Reranking(depth, cross_encoder, candidates, rerank_query)


def retriever(factory: Callable[..., Build]) -> Callable[..., Solver]:
    """Register a function that says how a corpus is indexed as a solver of the same name.

    Its arguments are checked against their annotations. It needs no model (``--model none``).

    Args:
        factory: Function of named, JSON-serialisable arguments; it loads nothing itself.
    """
    checked = _STRICT(factory)
    signature, common = inspect.signature(factory), inspect.signature(reranking).parameters

    @wraps(factory)
    def make(*args: Any, **kwargs: Any) -> Solver:
        options = {name: kwargs.pop(name) for name in common if name in kwargs}
        try:
            build = checked(*args, **kwargs)
            last = reranking(**options)
        except ValidationError as error:
            problems = "; ".join(
                f"argument '{'.'.join(map(str, e['loc']))}': {e['msg']}, got {e['input']!r}" for e in error.errors()
            )
            raise BridgebenchError(f"{factory.__name__}: {problems}") from None
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()

        async def solve(state: TaskState, generate: Generate) -> TaskState:
            corpus = published(state.metadata.get("corpus"))
            index = await _built(factory.__name__, bound.arguments, corpus, build)
            ids, seconds, truncated = await last.search(index, state.input_text)
            ranking = state.store_as(Ranking)
            ranking.ranked, ranking.seconds, ranking.truncated = ids, seconds, truncated
            ranking.index = dict(index.figures)
            return state

        return solve

    parameters = [*signature.parameters.values(), *common.values()]
    make.__signature__ = signature.replace(parameters=parameters, return_annotation=Solver)  # type: ignore[attr-defined]
    return solver(make)


_indexes: dict[str, Index] = {}
_building: dict[str, anyio.Lock] = {}


async def _built(name: str, arguments: Mapping[str, Any], corpus: Corpus, build: Build) -> Index:
    """The index of a corpus, built once however many questions ask for it at the same time."""
    key = json.dumps([name, dict(arguments), corpus.sha256, cards_hash(arguments.get("cards"))])
    if key not in _indexes:
        async with _building.setdefault(key, anyio.Lock()):
            if key not in _indexes:
                _indexes[key] = await build(corpus)
        _building.pop(key, None)
    return _indexes[key]


def cards_hash(folder: str | None) -> str | None:
    """Hash of a folder of cards, by its index; None where there is none."""
    if folder is None:
        return None
    index = Path(folder).expanduser() / INDEX
    return hashlib.sha256(index.read_bytes()).hexdigest() if index.is_file() else None
