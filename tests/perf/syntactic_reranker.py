"""`syntactic_reranker` over questions in flight against the full spaCy pipeline, one question at a time.

Both split, count and select with the same functions, and must keep the same documents.
"""

import argparse
import platform
import time

import anyio
import spacy

from bridgebench.benchmarks.world.generate import records
from bridgebench.document import Document
from bridgebench.solvers._spacy import installed_model
from bridgebench.solvers.syntactic import Token, count_words, select_passages, split_questions
from bridgebench.solvers.syntactic_reranker import SPLIT_TAGS, Syntax, syntactic_reranker

TARGET = 10.0

Record = tuple[str, list[Document]]


def read(size: int) -> list[Record]:
    """Questions of the bundled sample's world, with their ten paragraphs."""
    return [
        (
            record["question"],
            [
                Document(str(index), title, "".join(sentences))
                for index, (title, sentences) in enumerate(record["context"])
            ],
        )
        for record in records("hotpotqa", size=size)
    ]


async def ours(samples: list[Record], in_flight: int) -> list[list[str]]:
    """Ids of the kept documents of each sample, through the bridge."""
    bridge = syntactic_reranker().bridge
    kept: list[list[str]] = [[] for _ in samples]
    limit = anyio.Semaphore(in_flight)

    async def one(index: int) -> None:
        async with limit:
            result = await bridge(*samples[index])
        kept[index] = [document.id for document in result.documents]

    async with anyio.create_task_group() as group:
        for index in range(len(samples)):
            group.start_soon(one, index)
    return kept


def plain(samples: list[Record], syntax: Syntax) -> list[list[str]]:
    """The same, each text tagged alone by the whole pipeline."""
    pipeline = spacy.load(installed_model())

    def tag(texts: list[str]) -> list[list[Token]]:
        return [[Token(token.text_with_ws, token.pos_) for token in pipeline(text)] for text in texts]

    def normalised(text: str) -> list[str]:
        return [syntax.lemma(word) for word in syntax.words(text, "regex") if word not in syntax.stop_words]

    kept = []
    for question, documents in samples:
        (segments,) = split_questions([question], tag, SPLIT_TAGS)
        segment_words = [normalised(segment) for segment in segments]
        vocabulary = {word for segment in segment_words for word in segment}
        counts = count_words(vocabulary, [normalised(document.full_text) for document in documents])
        chosen = select_passages(segment_words, counts, levels=2) or range(len(documents))
        kept.append([documents[index].id for index in chosen])
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1000)
    parser.add_argument("--in-flight", type=int, default=64)
    options = parser.parse_args()
    samples = read(options.size)
    syntax = Syntax(installed_model())
    anyio.run(ours, samples[:8], 8)  # loads the model
    plain(samples[:2], syntax)
    started = time.perf_counter()
    batched = anyio.run(ours, samples, options.in_flight)
    seconds_ours = time.perf_counter() - started
    started = time.perf_counter()
    alone = plain(samples, syntax)
    seconds_plain = time.perf_counter() - started
    same = sum(first == second for first, second in zip(batched, alone, strict=True))
    print(f"machine: {platform.processor() or platform.machine()}, {syntax.name}")
    print(
        f"{len(samples)} questions, {options.in_flight} in flight: {seconds_ours:.2f} s; plain: {seconds_plain:.2f} s"
    )
    print(f"same documents: {same} of {len(samples)}")
    print(f"ratio: {seconds_plain / seconds_ours:.1f}x (target {TARGET:.0f}x)")


if __name__ == "__main__":
    main()
