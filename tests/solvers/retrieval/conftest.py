"""A small corpus, its cards, and an embedder that counts words: what it finds can be worked out by hand."""

import zlib
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import numpy as np
import pytest
from inspect_ai.model import ChatMessageUser
from inspect_ai.solver import Solver, TaskState

from bridgebench.cards import Card, CardQuestion, write_cards
from bridgebench.corpus import Corpus, Paper, Section, publish
from bridgebench.document import Cost
from bridgebench.solvers._embedder import Embedded, Text
from bridgebench.solvers._words import words
from bridgebench.solvers.retrieval import dense, retriever
from bridgebench.store import Ranking

TOPICS = {"p0": "lamps", "p1": "rivers", "p2": "trains", "p3": "gardens"}


class WordEmbedder:
    """A vector has a place for each word (by its hash); reads 20 words at most."""

    device = "cpu"
    encoder = SimpleNamespace(similarity_fn_name="cosine")
    calls = 0

    async def embed(self, texts: Sequence[Text]) -> Embedded:
        type(self).calls += len(texts)
        listed = [words(text.text) for text in texts]
        vectors = [self._vector(found[:20]) for found in listed]
        return Embedded(vectors, sum(len(found) > 20 for found in listed), Cost(seconds=0.001 * len(texts)))

    def _vector(self, found: list[str]) -> Any:
        vector = np.zeros(512, dtype=np.float32)
        for word in found:
            vector[zlib.crc32(word.encode()) % 512] += 1
        return vector


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> type[WordEmbedder]:
    """In place of a sentence-transformers model."""

    async def load(model: str, revision: str | None) -> WordEmbedder:
        return WordEmbedder()

    monkeypatch.setattr(dense, "load_embedder", load)
    monkeypatch.setattr(dense, "embedder_fingerprint", lambda model, revision: {"model": model})
    monkeypatch.setattr(retriever, "_indexes", {})
    monkeypatch.setattr(WordEmbedder, "calls", 0)
    return WordEmbedder


@pytest.fixture
def corpus() -> Corpus:
    """Four papers; the last has no abstract."""
    papers = tuple(
        Paper(
            id,
            f"On {topic}",
            f"We study {topic}." if id != "p3" else "",
            (
                Section("1 Introduction", f"{topic.capitalize()} are everywhere. " * 3),
                Section("Method", f"The method for {topic} is slow. It takes days."),
            ),
        )
        for id, topic in TOPICS.items()
    )
    return Corpus(papers)


def card(id: str) -> Card:
    topic = TOPICS[id]
    return Card(
        id,
        f"On {topic}",
        (
            CardQuestion(f"What are {topic} good for?", f"{topic} use", "conceptual", "Introduction"),
            CardQuestion(f"How slow is the {topic} method?", f"{topic} method speed", "technical", "Method"),
        ),
        f"Nothing is known of {topic}.",
        "Counting.",
        "Days.",
        (topic,),
    )


@pytest.fixture
def cards(tmp_path: Path) -> str:
    """Cards of all papers but p2."""
    folder = tmp_path / "cards"
    write_cards(folder, [(card(id), 0) for id in TOPICS if id != "p2"], {"model": "by hand"})
    return str(folder)


@pytest.fixture
def ask(corpus: Corpus) -> Any:
    """Run a solver for one question, or for several at the same time."""

    def run(solver: Solver, *questions: str) -> Any:
        sha256 = publish(corpus)

        async def one(question: str, found: dict[str, Ranking]) -> None:
            state = TaskState(
                model="none/none",
                sample_id=question,
                epoch=1,
                input=question,
                messages=[ChatMessageUser(content=question)],
                metadata={"corpus": sha256},
            )
            found[question] = (await solver(state, None)).store_as(Ranking)  # type: ignore[arg-type]

        async def all_of() -> list[Ranking]:
            found: dict[str, Ranking] = {}
            async with anyio.create_task_group() as group:
                for question in questions:
                    group.start_soon(one, question, found)
            return [found[question] for question in questions]

        results = anyio.run(all_of)
        return results if len(questions) > 1 else results[0]

    return run
