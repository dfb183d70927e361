"""Rank-K: a 32B listwise reranker that reasons before it ranks (Yang et al. 2025, arXiv 2505.14432)."""

from collections.abc import Sequence
from typing import Annotated

from inspect_ai.model import GenerateConfig
from pydantic import Field

from bridgebench.document import Bridge, Document
from bridgebench.solvers.bridge import bridge
from bridgebench.solvers.fit import token_spans, word_spans
from bridgebench.solvers.listwise import Window, listwise, parse_tied, passage_text
from bridgebench.solvers.listwise_prompt import listwise_fingerprint, listwise_prompt
from bridgebench.solvers.llm import Decoding, samples
from bridgebench.solvers.neutralise import Guard

AUTHORS = frozenset({"c206ab2dd9c4"})
"""Rendering of hltcoe/rank-k (9b9dd2b)."""


@bridge(
    version=2,
    family="reranker",
    paper="arXiv 2505.14432",
    checkpoint="hltcoe/Rank-K-32B",
    parameters="32B",
    licence="MIT (code; the checkpoint states none)",
    training_data=("msmarco",),
    distilled=True,
    roles=("bridge",),
    sampling=samples,
    fingerprint=listwise_fingerprint("rank_k"),
)
def rank_k(
    template: str | None = None,
    window: Annotated[int, Field(ge=2)] = 20,
    stride: Annotated[int, Field(ge=1)] = 10,
    passage_length: Annotated[int | None, Field(ge=1)] = 450,
    tokenizer: str | None = None,
    max_tokens: Annotated[int, Field(ge=1)] = 8000,
    temperature: Annotated[float | None, Field(ge=0)] = 0.5,
    seed: int = 0,
    top_k: Annotated[int | None, Field(ge=1)] = None,
) -> Bridge:
    """Reorder documents by windows; the model may call passages equal, which then keep its order.

    A reply that ends inside its reasoning names no order: the window keeps the incoming one and is counted.

    Args:
        template: Jinja file of the prompt.
        window: Passages in a window; fewer documents than that are one window.
        stride: Passages that the next window lies further up.
        passage_length: How much of a passage (title and text) the model sees, in tokens of `tokenizer`, or in words
            without one; None is all.
        tokenizer: Hub id or folder of the model's tokenizer.
        max_tokens: Most tokens of a reply with its reasoning (8000 and temperature 0.5 by the authors' README; their
            script's defaults are 4000 and 0.7).
        temperature: 0 is greedy; None leaves it to the model role.
        seed: Seed of sampling.
        top_k: How many documents are kept; None is all.
    """
    prompt = listwise_prompt("rank_k", template)
    decoding = Decoding(max_tokens, temperature, seed)

    def config(n: int) -> GenerateConfig:
        return decoding.config()

    def render(question: str, documents: Sequence[Document], guard: Guard) -> Window:
        texts = [_text(document) for document in documents]
        shortened = [_cut(text, passage_length, tokenizer) for text in texts]
        cut = sum(before != after for before, after in zip(texts, shortened, strict=True))
        passages = [passage_text(text, guard) for text in shortened]
        return Window(prompt.render(passage_text(question, guard), passages), cut)

    notes = prompt.notes(_text, AUTHORS)
    return listwise(render, config, parse_tied, window=window, stride=stride, top_k=top_k, notes=notes)


def _text(document: Document) -> str:
    return f"{document.title} {document.text}".strip()


def _cut(text: str, length: int | None, tokenizer: str | None) -> str:
    ends = (token_spans(tokenizer) if tokenizer else word_spans)(text) if length else []
    return text[: ends[length - 1][1]] if length and len(ends) > length else text
