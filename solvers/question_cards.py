"""Each document as a card of questions and answers: question generation as context compression.

"Knowledge and Context Compression via Question Generation", arXiv 2506.13778, section 4.3.1, which compresses papers
before any question is known; its cards hold questions only. Here the answers stay with them, since a generator reads.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from inspect_ai.model import ChatMessage
from inspect_ai.util import collect
from pydantic import Field

from bridgebench.document import Bridge, BridgeResult, Document, Parse
from bridgebench.solvers.bridge import bridge
from bridgebench.solvers.cards.formats import LABELS, Pairs, parse_pairs
from bridgebench.solvers.llm import Decoding, ask, reply_notes, samples, total_cost, unless_cut
from bridgebench.solvers.neutralise import Guard
from bridgebench.solvers.prompting import PROBE_DOCUMENTS, PROBE_QUESTION, bridge_prompt, prompt_fingerprint


@bridge(
    version=2,
    family="summariser",
    paper="arXiv 2506.13778 (as a bridge: ours)",
    roles=("bridge",),
    sampling=samples,
    fingerprint=prompt_fingerprint("question_cards"),
)
def question_cards(
    template: str | None = None,
    pairs: Annotated[int, Field(ge=1)] = 5,
    see_question: bool = False,
    keep_title: bool = True,
    max_tokens: Annotated[int, Field(ge=1)] = 400,
    temperature: Annotated[float | None, Field(ge=0)] = 0.0,
    seed: int = 0,
) -> Bridge:
    """Compress each document, in a call of its own, to questions that it answers and their answers.

    A document whose reply holds no question with an answer stays as it was, and is counted.

    Args:
        template: Jinja file of the prompt (given ``title``, ``text``, ``count`` and ``question``).
        pairs: Questions of each document.
        see_question: Whether the model is told what will be asked (the paper's cards are made without).
        keep_title: Whether a card keeps its document's title.
        max_tokens: Most tokens of a reply.
        temperature: 0 is greedy; None leaves it to the model role.
        seed: Seed of sampling.
    """
    prompt = bridge_prompt("question_cards", template)
    decoding = Decoding(max_tokens, temperature, seed)

    def render(question: str, document: Document, guard: Guard) -> list[ChatMessage]:
        safe = guard.document(document)
        asked = guard(question) if see_question else ""
        return prompt.messages(title=safe.title, text=safe.text, count=pairs, question=asked)

    notes = prompt.notes([message for d in PROBE_DOCUMENTS for message in render(PROBE_QUESTION, d, Guard())])
    own_words = prompt.text("user", title="", text="", count=pairs, question="")

    async def run(question: str, documents: Sequence[Document]) -> BridgeResult:
        guard = Guard(*LABELS)
        prompts = [render(question, document, guard) for document in documents]
        replies = await collect(*(ask(messages, decoding.config()) for messages in prompts))
        read = [parse_pairs(reply.text, pairs, "answer", own_words) for reply in replies]
        made = tuple(_card(document, parsed, keep_title) for document, parsed in zip(documents, read, strict=True))
        kept = sum(card is document for card, document in zip(made, documents, strict=True))
        counts = {
            "pairs": sum(len(_answered(parsed)) for parsed in read),
            "kept_as_they_were": kept,
            "neutralised": guard.touched,
        }
        return BridgeResult(
            made,
            parse=unless_cut(_parse([parsed.parse for parsed in read], kept), replies),
            cost=total_cost(replies),
            notes={**notes, **counts, **reply_notes(replies)},
        )

    return run


def _answered(parsed: Pairs) -> list[tuple[str, str]]:
    return [pair for pair in parsed.pairs if pair[1]]


def _card(document: Document, parsed: Pairs, keep_title: bool) -> Document:
    """The document's card; the document itself when there is no question with an answer."""
    text = "\n".join(f"Question: {question}\nAnswer: {answer}" for question, answer in _answered(parsed))
    if not text:
        return document
    return replace(document, id=f"{document.id}#card", title=document.title if keep_title else "", text=text)


def _parse(parses: Sequence[Parse], kept: int) -> Parse:
    """``fallback`` when every document stayed as it was, ``repaired`` when some reply was not as specified."""
    if parses and kept == len(parses):
        return "fallback"
    return "ok" if all(parse == "ok" for parse in parses) else "repaired"
