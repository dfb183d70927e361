"""Query-focused summary by prompt: what R2U's way of rewriting is compared with (arXiv 2509.15577, Table 3)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal

from inspect_ai.model import ChatMessage
from inspect_ai.util import collect
from pydantic import Field

from bridgebench.document import Bridge, BridgeResult, Document, Parse
from bridgebench.solvers.bridge import bridge
from bridgebench.solvers.llm import Decoding, all_sources, ask, reply_notes, samples, total_cost, unless_cut
from bridgebench.solvers.neutralise import Guard
from bridgebench.solvers.prompting import PROBE_DOCUMENTS, PROBE_QUESTION, bridge_prompt, prompt_fingerprint
from bridgebench.solvers.r2u_format import LABELS, SKIP, Rewrite


@bridge(
    version=2,
    family="summariser",
    paper="arXiv 2509.15577, Table 3 (prompt only)",
    roles=("bridge",),
    sampling=samples,
    fingerprint=prompt_fingerprint("summarize"),
)
def summarize(
    template: str | None = None,
    scope: Literal["all", "each"] = "all",
    max_tokens: Annotated[int, Field(ge=1)] = 512,
    temperature: Annotated[float | None, Field(ge=0)] = 0.0,
    seed: int = 0,
) -> Bridge:
    """Summarise for the question, without training; what has nothing to do with it is left out.

    A blank reply leaves nothing of what it was to summarise, and is counted.

    Args:
        template: Jinja file of the prompt (given ``question`` and ``documents``).
        scope: One summary of ``all`` documents, or one of ``each`` (the paper says neither).
        max_tokens: Most tokens of a summary.
        temperature: 0 is greedy; None leaves it to the model role.
        seed: Seed of sampling.
    """
    prompt = bridge_prompt("summarize", template)
    decoding = Decoding(max_tokens, temperature, seed)

    def render(question: str, documents: Sequence[Document], guard: Guard) -> list[ChatMessage]:
        return prompt.messages(question=guard(question), documents=[guard.document(document) for document in documents])

    notes = prompt.notes(render(PROBE_QUESTION, PROBE_DOCUMENTS, Guard()))

    async def run(question: str, documents: Sequence[Document]) -> BridgeResult:
        if not documents:
            return BridgeResult((), notes=notes)
        guard = Guard(*LABELS, "Summary:")
        parts = [documents] if scope == "all" else [[document] for document in documents]
        replies = await collect(*(ask(render(question, part, guard), decoding.config()) for part in parts))
        texts = [parse_summary(reply.text) for reply in replies]
        made = [_summary(part, text) for part, (text, _) in zip(parts, texts, strict=True) if text]
        missing = sum(text is None for text, _ in texts)
        counts = {"skipped": len(parts) - len(made) - missing, "missing": missing, "neutralised": guard.touched}
        parse: Parse = "ok" if all(exact for _, exact in texts) else "repaired"
        if not made:
            parse = "empty" if not missing else "fallback" if missing == len(parts) else "repaired"
        return BridgeResult(
            tuple(made),
            parse=unless_cut(parse, replies),
            cost=total_cost(replies),
            notes={**notes, **counts, **reply_notes(replies)},
        )

    return run


def parse_summary(text: str) -> tuple[Rewrite, bool]:
    """The summary, and whether the reply is as specified.

    The summary is empty where nothing bears on the question, None where the reply says nothing.
    """
    text = text.strip().removeprefix("Summary:").strip()
    if SKIP not in text:
        return text or None, bool(text)
    return ("", text == SKIP) if text.startswith(SKIP) else (text.replace(SKIP, "").strip(), False)


def _summary(documents: Sequence[Document], text: str) -> Document:
    if len(documents) == 1:
        return replace(documents[0], id=f"{documents[0].id}#summary", text=text)
    return Document("summary", "", text, all_sources(documents))
