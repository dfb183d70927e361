"""RankZephyr: a 7B listwise reranker distilled from RankGPT (Pradeep et al. 2023, arXiv 2312.02724)."""

from collections.abc import Sequence
from typing import Annotated

import ftfy
from inspect_ai.model import GenerateConfig, get_model
from pydantic import Field

from bridgebench.document import Bridge, Document
from bridgebench.errors import BridgebenchError
from bridgebench.solvers.bridge import bridge
from bridgebench.solvers.fit import token_spans
from bridgebench.solvers.listwise import Window, labelled_text, listwise, parse_permutation, passage_text
from bridgebench.solvers.listwise_prompt import ListwisePrompt, listwise_fingerprint, listwise_prompt
from bridgebench.solvers.llm import Decoding, samples
from bridgebench.solvers.neutralise import Guard

AUTHORS = frozenset({"352b9cbc3983"})
"""Rendering of ``rank_zephyr_template.yaml``, rank-llm 0.26.0."""


@bridge(
    family="reranker",
    paper="arXiv 2312.02724",
    checkpoint="castorini/rank_zephyr_7b_v1_full",
    parameters="7B",
    licence="MIT",
    training_data=("msmarco",),
    distilled=True,
    roles=("bridge",),
    sampling=samples,
    fingerprint=listwise_fingerprint("rank_zephyr"),
)
def rank_zephyr(
    template: str | None = None,
    window: Annotated[int, Field(ge=2)] = 20,
    stride: Annotated[int, Field(ge=1)] = 10,
    passage_words: Annotated[int, Field(ge=1)] = 300,
    tokenizer: str | None = None,
    context: Annotated[int, Field(ge=256)] = 4096,
    full_list: bool | None = None,
    temperature: Annotated[float | None, Field(ge=0)] = 0.0,
    seed: int = 0,
    top_k: Annotated[int | None, Field(ge=1)] = None,
) -> Bridge:
    """Reorder documents by windows, as rank-llm does.

    Args:
        template: The prompt: ``rank_zephyr_template.yaml`` of the package rank-llm, or a Jinja file.
        window: Passages in a window; fewer documents than that are one window.
        stride: Passages that the next window lies further up.
        passage_words: Words of a passage (title and text) that the model sees.
        tokenizer: Hub id or folder of the model's tokenizer. With it, passages are shortened until a window's prompt
            fits `context`; without it, a prompt that does not fit is an error of the sample.
        context: The model's context, in tokens.
        full_list: Whether to ask for at least as many tokens as a full list has (``min_tokens`` in the request's body),
            as rank-llm does; None asks where the role's provider is vLLM, whose extension it is.
        temperature: 0 is greedy; None leaves it to the model role.
        seed: Seed of sampling.
        top_k: How many documents are kept; None is all.
    """
    prompt = listwise_prompt("rank_zephyr", template)

    def config(n: int) -> GenerateConfig:
        tokens = listing_tokens(n)
        settings = Decoding(tokens, temperature, seed).config()
        served_by_vllm = str(get_model(role="bridge", required=True)).startswith(("vllm/", "vllm-completions/"))
        force = served_by_vllm if full_list is None else full_list
        return settings.merge(GenerateConfig(extra_body={"min_tokens": tokens})) if force else settings

    def render(question: str, documents: Sequence[Document], guard: Guard) -> Window:
        words = passage_words
        if tokenizer is not None:
            words = fitting_words(prompt, question, documents, passage_words, tokenizer, context)
        query = passage_text(ftfy.fix_text(question), guard)
        cut = sum(len(_words(document)) > words for document in documents)
        return Window(prompt.render(query, [passage(document, words, guard) for document in documents]), cut)

    notes = prompt.notes(lambda document: passage(document, passage_words, Guard()), AUTHORS)
    return listwise(render, config, parse_permutation, window=window, stride=stride, top_k=top_k, notes=notes)


def listing_tokens(n: int) -> int:
    """Tokens of ``[1] > [2] > ... > [n]`` for tokenizers that split digits, as Llama's and Mistral's do."""
    return sum(len(str(rank)) for rank in range(1, n + 1)) + 3 * n - 1


def passage(document: Document, words: int, guard: Guard) -> str:
    """A document as the model was trained to see it: one line, its mojibake mended, at most so many words."""
    return passage_text(" ".join(_words(document)[:words]), guard)


def _words(document: Document) -> list[str]:
    # before the guard, as it turns "&lt;" into "<"
    return ftfy.fix_text(labelled_text(document).strip()).split()


def fitting_words(
    prompt: ListwisePrompt, question: str, documents: Sequence[Document], words: int, tokenizer: str, context: int
) -> int:
    """Most words a passage, up to `words`, with which prompt and reply fit `context` tokens (rank-llm's rule).

    Raises:
        BridgebenchError: When they do not fit even with one word a passage.
    """
    spans = token_spans(tokenizer)
    while True:
        passages = [passage(document, words, Guard()) for document in documents]
        messages = prompt.render(passage_text(ftfy.fix_text(question), Guard()), passages)
        size = len(spans("".join(f"{message.role}: {message.text}\n" for message in messages)))
        overflow = size + listing_tokens(len(documents)) - context
        if overflow <= 0:
            return words
        if words == 1:
            raise BridgebenchError(f"rank_zephyr: {size} tokens with one word a passage do not fit context={context}")
        words = max(1, words - max(1, overflow // (4 * len(documents))))
