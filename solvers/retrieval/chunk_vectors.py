"""Chunks of the full text as vectors: what question vectors are compared with. A paper's score is its best chunk's."""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from bridgebench.corpus import Corpus
from bridgebench.errors import BridgebenchError
from bridgebench.solvers._embedder import Embedder
from bridgebench.solvers._sentences import split_sentences
from bridgebench.solvers.retrieval.chunking import Unit
from bridgebench.solvers.retrieval.chunking import fixed_chunks as cut_fixed
from bridgebench.solvers.retrieval.chunking import recursive_chunks as cut_recursive
from bridgebench.solvers.retrieval.chunking import semantic_chunks as cut_semantic
from bridgebench.solvers.retrieval.dense import Encoded, of_texts, vector_build
from bridgebench.solvers.retrieval.papers import paper_texts
from bridgebench.solvers.retrieval.retriever import Build, retriever
from bridgebench.solvers.retrieval.texts import Texts, gather
from bridgebench.solvers.retrieval.vectors import embed_all, unit_length

Size = Annotated[int, Field(ge=1)]
Overlap = Annotated[int, Field(ge=0)]


@retriever
def fixed_chunks(
    size: Size = 350, overlap: Overlap = 100, unit: Unit = "words", model: str = "minilm", revision: str | None = None
) -> Build:
    """Rank papers by their chunk of fixed size that is nearest to the question.

    Args:
        size: Of a chunk; 350 with an overlap of 100 is the paper's, which says words; its released code counts
            characters, and only those can make as many chunks as the paper states.
        overlap: Of neighbouring chunks.
        unit: Of both.
        model: Hub id or folder of any sentence-transformers model; ``minilm`` is the packaged all-MiniLM-L6-v2. What
            it truncates is counted.
        revision: Branch, tag or commit of a hub id.
    """
    return _chunks("fixed", cut_fixed, size, overlap, unit, model, revision)


@retriever
def recursive_chunks(
    size: Size = 350, overlap: Overlap = 100, unit: Unit = "words", model: str = "minilm", revision: str | None = None
) -> Build:
    """Rank papers by their chunk, cut at paragraphs, lines and words, that is nearest to the question.

    Args:
        size: Most of a chunk; see `fixed_chunks`.
        overlap: Most that neighbouring chunks share.
        unit: Of both.
        model: As in `fixed_chunks`.
        revision: Branch, tag or commit of a hub id.
    """
    return _chunks("recursive", cut_recursive, size, overlap, unit, model, revision)


@retriever
def mean_chunk_vectors(
    vectors: Annotated[int, Field(ge=1)] = 2,
    size: Size = 350,
    overlap: Overlap = 100,
    unit: Unit = "words",
    model: str = "minilm",
    revision: str | None = None,
) -> Build:
    """Control of equal size: a paper's chunks in as many runs as there are question vectors, the mean vector of each.

    Args:
        vectors: Of each paper; fewer where it has fewer chunks.
        size: Of a chunk; see `fixed_chunks`.
        overlap: Of neighbouring chunks.
        unit: Of both.
        model: As in `fixed_chunks`.
        revision: Branch, tag or commit of a hub id.
    """
    texts_of = _chunk_texts(cut_fixed, size, overlap, unit)

    async def encode(corpus: Corpus, embedder: Embedder) -> Encoded:
        chunks = texts_of(corpus)
        embeddings = await embed_all(embedder, chunks.texts)
        runs = [
            run for paper in range(len(chunks.papers)) for run in np.array_split(chunks.of(paper), vectors) if len(run)
        ]
        means = np.stack([embeddings.vectors[run].mean(axis=0) for run in runs])
        if embeddings.compared_by == "cosine":
            means = unit_length(means)
        texts = Texts(
            chunks.papers,
            tuple("\n".join(chunks.texts[position] for position in run) for run in runs),
            tuple(chunks.owners[run[0]] for run in runs),
            chunks.without,
        )
        return Encoded(texts, replace(embeddings, vectors=means))

    arguments = {"vectors": vectors, "size": size, "overlap": overlap, "unit": unit}
    return vector_build(encode, "mean_chunks", arguments, model, revision)


@retriever
def semantic_chunks(
    percentile: Annotated[float, Field(ge=0, le=100)] = 95,
    size: Size = 350,
    unit: Unit = "words",
    model: str = "minilm",
    revision: str | None = None,
) -> Build:
    """Rank papers by their run of sentences of like meaning that is nearest to the question.

    Args:
        percentile: A run ends where the distance to the next sentence is above this percentile of the paper's.
        size: Most of a run.
        unit: Of it.
        model: As in `fixed_chunks`; it embeds the sentences too.
        revision: Branch, tag or commit of a hub id.
    """

    async def encode(corpus: Corpus, embedder: Embedder) -> Encoded:
        papers = paper_texts(corpus, "full_text")
        split = await split_sentences(papers.texts)
        sentences = gather(zip(papers.papers, split.texts, strict=True))
        embedded = await embed_all(embedder, sentences.texts)
        vectors = unit_length(embedded.vectors)
        chunks = []
        for position, paper in enumerate(sentences.papers):
            own = slice(sentences.of(position).start, sentences.of(position).stop)
            chunks.append((paper, cut_semantic(sentences.texts[own], vectors[own], percentile, size, unit)))
        texts = replace(gather(chunks), without=papers.without)
        return Encoded(texts, await embed_all(embedder, texts.texts))

    arguments = {"percentile": percentile, "size": size, "unit": unit}
    return vector_build(encode, "semantic_chunks", arguments, model, revision)


Cut = Callable[[str, int, int, Unit], list[str]]


def _chunks(
    kind: Literal["fixed", "recursive"], cut: Cut, size: int, overlap: int, unit: Unit, model: str, revision: str | None
) -> Build:
    arguments = {"size": size, "overlap": overlap, "unit": unit}
    return vector_build(of_texts(_chunk_texts(cut, size, overlap, unit)), f"{kind}_chunks", arguments, model, revision)


def _chunk_texts(cut: Cut, size: int, overlap: int, unit: Unit) -> Callable[[Corpus], Texts]:
    if overlap >= size:
        raise BridgebenchError(f"chunks: overlap={overlap} must be less than size={size}")

    def texts_of(corpus: Corpus) -> Texts:
        return gather((paper.id, cut(paper.full_text, size, overlap, unit)) for paper in corpus.papers)

    return texts_of
