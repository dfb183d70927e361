"""The indexes of papers against what they replace: BM25 by rank-bm25, vectors by numpy's product and top-k; a million.

Chunks are text of the fictional world's papers; at a million, words drawn by Zipf's law and random unit vectors of 384
dimensions, which say nothing about retrieval. What takes much memory runs in a process of its own, whose peak is told.
"""

import argparse
import os
import platform
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bridgebench.benchmarks.world.generate import records
from bridgebench.solvers._words import words
from bridgebench.solvers.retrieval.bm25 import DIGITS
from bridgebench.solvers.retrieval.engines import RankBm25, index_words
from bridgebench.solvers.retrieval.texts import Texts
from bridgebench.solvers.retrieval.top import top
from bridgebench.solvers.retrieval.vectors import VectorIndex

BM25_TARGET, VECTOR_TARGET = 100.0, 1.0
DEPTH, DIMENSIONS = 10, 384


def timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """What it returns, and the seconds it took."""
    started = time.perf_counter()
    result = run()
    return result, time.perf_counter() - started


def read(chunks: int, queries: int, size: int = 60) -> tuple[list[list[str]], list[list[str]]]:
    """Words of chunks of generated papers, and of the questions asked about them."""
    listed: list[list[str]] = []
    asked: list[list[str]] = []
    for paper in records("arxiv_cards", size=max(10, chunks // 5)):
        text = words(" ".join(part for section in paper["full_text"] for part in section["paragraphs"]))
        listed += [text[start : start + size] for start in range(0, len(text), size)]
        asked += [words(question["question"]) for question in paper["qas"]]
        if len(listed) >= chunks:
            break
    return listed[:chunks], random.Random(0).sample(asked, min(queries, len(asked)))


def bm25(chunks: int, queries: int) -> None:
    """Both engines over the same chunks and queries."""
    listed, asked = read(chunks, queries)
    reference, reference_build = timed(lambda: RankBm25(listed, 1.5, 0.75))
    sparse, sparse_build = timed(lambda: index_words(listed, 1.5, 0.75))
    # rank-bm25's own time: its scores and a stable sort, without the search for shared words that our class adds
    scores, reference_seconds = timed(
        lambda: [np.argsort(-reference._bm25.get_scores(query), kind="stable")[:DEPTH] for query in asked]
    )
    found, sparse_seconds = timed(lambda: [top(sparse.scores(query), DEPTH, DIGITS) for query in asked])
    expected = [top(reference.scores(query), DEPTH, DIGITS) for query in asked]
    same = sum(ours == theirs for ours, theirs in zip(found, expected, strict=True))
    ratio = reference_seconds / sparse_seconds
    print(f"BM25, {len(listed):,} chunks x {len(asked)} queries")
    print(
        f"  index: rank-bm25 {reference_build:.2f} s, bm25s {sparse_build:.2f} s: {reference_build / sparse_build:.1f}x"
    )
    print(
        f"  query: rank-bm25 {1000 * reference_seconds / len(scores):.1f} ms, "
        f"bm25s {1000 * sparse_seconds / len(asked):.2f} ms: {ratio:.0f}x (target {BM25_TARGET:.0f}x)"
    )
    print(f"  identical top {DEPTH} (ties too): {same} of {len(asked)}")
    if ratio < BM25_TARGET:
        print("  missed: see the milliseconds; bm25s adds whole columns of words that every chunk holds")


def unit_vectors(count: int, seed: int) -> Any:
    """Random unit vectors, made in place: a second copy of a million would take 1.5 GB."""
    vectors = np.random.default_rng(seed).standard_normal((count, DIMENSIONS), dtype=np.float32)
    for start in range(0, count, 10_000):
        block = vectors[start : start + 10_000]
        block /= np.linalg.norm(block, axis=1, keepdims=True)
    return vectors


def vectors(count: int, queries: int, in_flight: int, per_paper: int) -> None:
    """Our search against ``argpartition`` of numpy's product, the questions in equal batches."""
    stored, asked = unit_vectors(count, 0), unit_vectors(queries, 1)
    owners = np.arange(count) // per_paper
    papers = int(owners[-1]) + 1
    texts = Texts(tuple(map(str, range(papers))), ("",) * count, tuple(owners.tolist()), 0)
    index, build = timed(lambda: VectorIndex(texts, stored, {}))
    batches = [asked[start : start + in_flight] for start in range(0, queries, in_flight)]

    def ours() -> list[list[int]]:
        return [top(row, DEPTH, DIGITS) for batch in batches for row in index.scores(batch)]

    def plain() -> list[list[int]]:
        found = []
        for batch in batches:
            scores = batch @ stored.T
            for row in scores:
                best = np.argpartition(-row, DEPTH)[:DEPTH]
                found.append([int(position) for position in best[np.argsort(-row[best])]])
        return found

    timed(lambda: index.scores(batches[0]))  # both products find their memory mapped
    theirs, plain_seconds = timed(plain)
    found, our_seconds = timed(ours)
    ratio = plain_seconds / our_seconds
    print(f"vectors, {count:,} random x {DIMENSIONS} in {papers:,} papers, {queries} questions, {in_flight} in flight")
    print(
        f"  made ready in {build:.2f} s; query: numpy {1000 * plain_seconds / queries:.2f} ms, "
        f"ours {1000 * our_seconds / queries:.2f} ms: {ratio:.2f}x (target {VECTOR_TARGET:.0f}x)"
    )
    if per_paper == 1:
        same = sum(a == b for a, b in zip(found, theirs, strict=True))
        print(f"  identical top {DEPTH}: {same} of {queries}")
    else:
        print("  numpy ranks chunks, ours the papers by their best chunk: more work for the same price or less")


def million_texts(count: int, queries: int) -> None:
    """BM25 over generated text of 100 words each."""
    rng = np.random.default_rng(0)
    vocabulary = np.array([f"w{i}" for i in range(200_000)])
    blocks = ((rng.zipf(1.3, size=(1000, 100)) - 1) % len(vocabulary) for _ in range(count // 1000))
    texts, generate = timed(lambda: [" ".join(vocabulary[row]) for block in blocks for row in block])
    asked = [words(text)[:10] for text in texts[:queries]]
    index, build = timed(lambda: index_words(map(words, texts), 1.5, 0.75))
    _, seconds = timed(lambda: [top(index.scores(query), DEPTH, DIGITS) for query in asked])
    print(f"BM25, {count:,} generated texts of 100 words (written in {generate:.0f} s)")
    print(
        f"  index {build:.0f} s; query {1000 * seconds / queries:.1f} ms; peak memory {_peak():.1f} GB, texts included"
    )


def million_vectors(count: int, queries: int) -> None:
    """Search among random vectors."""
    vectors(count, queries, in_flight=64, per_paper=1)
    print(f"  peak memory {_peak():.1f} GB")


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


PARTS: dict[str, Callable[..., None]] = {
    "bm25": bm25,
    "vectors": vectors,
    "million-texts": million_texts,
    "million-vectors": million_vectors,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a hundredth of everything, to see that it runs")
    parser.add_argument("--part", choices=PARTS, action="append", help="some parts only")
    parser.add_argument("--numbers", help=argparse.SUPPRESS)  # the part's own process
    options = parser.parse_args()
    if options.numbers:
        PARTS[options.part[0]](*map(int, options.numbers.split(",")))
        return
    print(f"machine: {platform.processor() or platform.machine()}, {os.cpu_count()} processors")
    scale = 100 if options.small else 1
    runs = [
        ("bm25", (44_000 // scale, 218 // (10 if options.small else 1))),
        ("vectors", (44_000 // scale, 218, 64, 1)),
        ("vectors", (44_000 // scale, 218, 64, 400 // scale)),
        ("million-texts", (1_000_000 // scale, 20)),
        ("million-vectors", (1_000_000 // scale, 218)),
    ]
    for part, numbers in runs:
        if options.part is None or part in options.part:
            command = [sys.executable, __file__, "--part", part, "--numbers", ",".join(map(str, numbers))]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
