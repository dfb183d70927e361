"""R2U: rewrites all documents in one pass for what helps to answer (Kim et al. 2025, arXiv 2509.15577).

No checkpoint of the authors is public: serve one of your own training, or any chat model by prompt.
"""

from collections.abc import Sequence
from typing import Annotated

from inspect_ai.model import ChatMessage
from pydantic import Field

from bridgebench.document import Bridge, BridgeResult, Document
from bridgebench.solvers.bridge import bridge
from bridgebench.solvers.llm import Decoding, ask, reply_notes, samples, total_cost, unless_cut
from bridgebench.solvers.neutralise import Guard
from bridgebench.solvers.prompting import (
    PROBE_DOCUMENTS,
    PROBE_QUESTION,
    BridgePrompt,
    bridge_prompt,
    prompt_fingerprint,
)
from bridgebench.solvers.r2u_format import LABELS, parse_rewrites, rewritten_documents


@bridge(
    version=2,
    family="rewriter",
    paper="arXiv 2509.15577",
    checkpoint="none public; the paper fine-tunes Llama-3.2-3B-Instruct",
    parameters="3B",
    licence="Llama 3.2 Community (base)",
    training_data=("msmarco",),
    distilled=True,
    utility="process",
    roles=("bridge",),
    sampling=samples,
    fingerprint=prompt_fingerprint("r2u"),
)
def r2u(
    template: str | None = None,
    keep_original: bool = False,
    keep_title: bool = True,
    max_tokens: Annotated[int, Field(ge=1)] = 2048,
    temperature: Annotated[float | None, Field(ge=0)] = 0.0,
    seed: int = 0,
) -> Bridge:
    """Rewrite every document in one call; those marked ``[NO_REWRITE]`` are left out.

    A document that the output does not mention stays as it was. An output without any label becomes the context as a
    whole. When all documents are skipped the result is empty (``on_empty`` says what follows).

    Args:
        template: Jinja file of the prompt.
        keep_original: Give the originals too, after the rewrites (the sufficiency test of the paper's Table 6).
        keep_title: Whether a rewrite keeps its document's title.
        max_tokens: Most tokens of the output.
        temperature: 0 is greedy; None leaves it to the model role.
        seed: Seed of sampling.
    """
    prompt = bridge_prompt("r2u", template)
    decoding = Decoding(max_tokens, temperature, seed)
    notes = prompt.notes(r2u_messages(prompt, PROBE_QUESTION, PROBE_DOCUMENTS, Guard()))

    async def run(question: str, documents: Sequence[Document]) -> BridgeResult:
        if not documents:
            return BridgeResult((), notes=notes)
        guard = Guard(*LABELS)
        reply = await ask(r2u_messages(prompt, question, documents, guard), decoding.config())
        rewrites = parse_rewrites(reply.text, len(documents))
        counts = {
            "skipped": rewrites.skipped,
            "missing": rewrites.missing,
            "all_skipped": rewrites.skipped == len(documents),
            "neutralised": guard.touched,
        }
        return BridgeResult(
            rewritten_documents(documents, rewrites, keep_title=keep_title, keep_original=keep_original),
            parse=unless_cut(rewrites.parse, [reply]),
            cost=total_cost([reply]),
            notes={**notes, **counts, **reply_notes([reply])},
        )

    return run


def r2u_messages(prompt: BridgePrompt, question: str, documents: Sequence[Document], guard: Guard) -> list[ChatMessage]:
    """The rewriter's input: the same for inference as for training."""
    return prompt.messages(question=guard(question), documents=[guard.document(document) for document in documents])
