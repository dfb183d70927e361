"""RankGPT: listwise reranking by any chat model, without training (Sun et al. 2023, arXiv 2304.09542)."""

from collections.abc import Sequence
from typing import Annotated

from inspect_ai.model import GenerateConfig
from pydantic import Field

from bridgebench.document import Bridge, Document
from bridgebench.solvers.bridge import bridge
from bridgebench.solvers.listwise import Window, labelled_text, listwise, parse_permutation, passage_text
from bridgebench.solvers.listwise_prompt import listwise_fingerprint, listwise_prompt
from bridgebench.solvers.llm import Decoding, samples
from bridgebench.solvers.neutralise import Guard

AUTHORS = frozenset({"aee7923aebcf", "bc4291329479"})
"""Renderings of sunnweiwei/RankGPT (2dfde96) and of ``rank_gpt_template.yaml``, rank-llm 0.26.0."""


@bridge(
    family="reranker",
    paper="arXiv 2304.09542",
    licence="Apache-2.0 (code)",
    roles=("bridge",),
    sampling=samples,
    fingerprint=listwise_fingerprint("rank_gpt"),
)
def rank_gpt(
    template: str | None = None,
    window: Annotated[int, Field(ge=2)] = 20,
    stride: Annotated[int, Field(ge=1)] = 10,
    passage_words: Annotated[int, Field(ge=1)] = 300,
    max_tokens: Annotated[int, Field(ge=1)] = 512,
    temperature: Annotated[float | None, Field(ge=0)] = 0.0,
    seed: int = 0,
    top_k: Annotated[int | None, Field(ge=1)] = None,
) -> Bridge:
    """Reorder documents by windows, each a conversation of one turn a passage.

    Args:
        template: The prompt: a Jinja file, ``rank_gpt_template.yaml`` of the package rank-llm, or ``rank_gpt_single``
            (packaged: one user message, for chat templates without system turn or with strict turns, like Gemma's).
        window: Passages in a window; fewer documents than that are one window.
        stride: Passages that the next window lies further up.
        passage_words: Words of a passage (title and text) that the model sees.
        max_tokens: Most tokens of a reply; a model that reasons needs more.
        temperature: 0 is greedy; None leaves it to the model role.
        seed: Seed of sampling.
        top_k: How many documents are kept; None is all.
    """
    prompt = listwise_prompt("rank_gpt", template)
    decoding = Decoding(max_tokens, temperature, seed)

    def config(n: int) -> GenerateConfig:
        return decoding.config()

    def render(question: str, documents: Sequence[Document], guard: Guard) -> Window:
        cut = sum(len(labelled_text(document).split()) > passage_words for document in documents)
        passages = [_passage(document, passage_words, guard) for document in documents]
        return Window(prompt.render(passage_text(question, guard), passages), cut)

    notes = prompt.notes(lambda document: _passage(document, passage_words, Guard()), AUTHORS)
    return listwise(render, config, parse_permutation, window=window, stride=stride, top_k=top_k, notes=notes)


def _passage(document: Document, words: int, guard: Guard) -> str:
    return passage_text(" ".join(labelled_text(document).split()[:words]), guard)
