"""R2U's teacher: one call a document, the target last, reasoning after the rewrite (arXiv 2509.15577, section 3.1)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from inspect_ai.model import ChatMessage, GenerateConfig
from inspect_ai.util import collect
from pydantic import Field

from bridgebench.document import Bridge, BridgeResult, Document, Parse
from bridgebench.solvers.bridge import bridge
from bridgebench.solvers.llm import Decoding, Reply, ask, reply_notes, samples, total_cost
from bridgebench.solvers.neutralise import Guard
from bridgebench.solvers.prompting import PROBE_DOCUMENTS, PROBE_QUESTION, BridgePrompt, bridge_prompt
from bridgebench.solvers.r2u_format import (
    LABELS,
    STEP_2,
    Rewrites,
    TeacherReply,
    parse_rewrites,
    parse_teacher,
    rewritten_documents,
    split_steps,
    without_last,
)


def _prompt(single_pass: bool, template: str | None) -> BridgePrompt:
    return bridge_prompt("r2u_teacher_single" if single_pass else "r2u_teacher", template)


@bridge(
    version=3,
    family="rewriter",
    paper="arXiv 2509.15577",
    checkpoint="Llama-3.3-70B-Instruct (by prompt)",
    parameters="70B",
    licence="Llama 3.3 Community",
    utility="process",
    roles=("bridge",),
    sampling=samples,
    fingerprint=lambda *, single_pass, template, **_: {"template": _prompt(single_pass, template).prompt.hash},
)
def r2u_teacher(
    template: str | None = None,
    single_pass: bool = False,
    explain: bool = True,
    keep_original: bool = False,
    keep_title: bool = True,
    max_tokens: Annotated[int, Field(ge=1)] = 512,
    temperature: Annotated[float | None, Field(ge=0)] = 0.0,
    retries: Annotated[int, Field(ge=0)] = 1,
    retry_temperature: Annotated[float, Field(gt=0)] = 0.7,
    seed: int = 0,
) -> Bridge:
    """Rewrite each document in a call of its own; the teacher's reasoning and answer are dropped.

    A document whose replies all lack a readable and whole rewrite stays as it was, and is counted.

    Args:
        template: Jinja file of the prompt.
        single_pass: All documents in one call (the ablation of the paper's Figure 3), without retries.
        explain: Whether the teacher goes on to explain and answer. What it writes first cannot depend on what it
            writes next, so without it greedy rewrites are the same, for fewer tokens.
        keep_original: Give the originals too, after the rewrites (the sufficiency test of the paper's Table 6).
        keep_title: Whether a rewrite keeps its document's title.
        max_tokens: Most tokens of a reply, for each document that it rewrites.
        temperature: 0 is greedy; None leaves it to the model role.
        retries: How often a reply without a readable rewrite is asked for again.
        retry_temperature: Temperature of these calls, each with a seed of its own.
        seed: Seed of sampling and of the retries.
    """
    prompt = _prompt(single_pass, template)
    probe = (prompt, PROBE_QUESTION, PROBE_DOCUMENTS)
    notes = prompt.notes(single_messages(*probe, Guard()) if single_pass else teacher_messages(*probe, 0, Guard()))

    async def reply_to(messages: list[ChatMessage], decoding: Decoding, attempt: int = 0) -> Reply:
        if explain:
            return await ask(messages, decoding.config(attempt))
        stop = GenerateConfig(stop_seqs=[STEP_2.rstrip(":")])
        reply = await ask(messages, decoding.config(attempt).merge(stop))
        # the label itself is not part of a reply that it stopped
        return reply if reply.truncated else replace(reply, text=f"{reply.text}\n{STEP_2}")

    async def one_call(question: str, documents: Sequence[Document], guard: Guard) -> tuple[Rewrites, list[Reply]]:
        decoding = Decoding(max_tokens * len(documents), temperature, seed)
        reply = await reply_to(single_messages(prompt, question, documents, guard), decoding)
        steps = split_steps(reply.text)
        rewrites = parse_rewrites(steps.rewrite or "", len(documents))
        if reply.truncated and not steps.answer:
            rewrites = without_last(rewrites)
        parse: Parse = "repaired" if rewrites.parse == "ok" and not steps.clean else rewrites.parse
        return Rewrites(rewrites.texts, parse, rewrites.whole), [reply]

    async def one_document(messages: list[ChatMessage]) -> tuple[TeacherReply, list[Reply]]:
        replies = [await reply_to(messages, Decoding(max_tokens, temperature, seed))]
        parsed = _read(replies[0])
        for attempt in range(1, retries + 1):
            if parsed.rewrite is not None:
                break
            replies.append(await reply_to(messages, Decoding(max_tokens, retry_temperature, seed), attempt))
            parsed = _read(replies[-1])
        return parsed, replies

    async def each_document(question: str, documents: Sequence[Document], guard: Guard) -> tuple[Rewrites, list[Reply]]:
        prompts = [teacher_messages(prompt, question, documents, target, guard) for target in range(len(documents))]
        done = await collect(*(one_document(messages) for messages in prompts))
        replies = [reply for _, made in done for reply in made]
        kinds = {parsed.parse for parsed, _ in done}
        parse: Parse = kinds.pop() if len(kinds) == 1 else "repaired"
        if parse == "ok" and len(replies) > len(done):  # a retry is a repair
            parse = "repaired"
        return Rewrites(tuple(parsed.rewrite for parsed, _ in done), parse), replies

    async def run(question: str, documents: Sequence[Document]) -> BridgeResult:
        if not documents:
            return BridgeResult((), notes=notes)
        guard = Guard(*LABELS)
        rewrites, replies = await (one_call if single_pass else each_document)(question, documents, guard)
        counts = {
            "skipped": rewrites.skipped,
            "missing": rewrites.missing,
            "all_skipped": rewrites.skipped == len(documents),
            "retried": 0 if single_pass else len(replies) - len(documents),
            "neutralised": guard.touched,
        }
        return BridgeResult(
            rewritten_documents(documents, rewrites, keep_title=keep_title, keep_original=keep_original),
            parse=rewrites.parse,
            cost=total_cost(replies),
            notes={**notes, **counts, **reply_notes(replies)},
        )

    return run


def _read(reply: Reply) -> TeacherReply:
    """A reply that ends at ``max_tokens`` before step 2 holds a part of a rewrite at most: it counts as unreadable."""
    parsed = parse_teacher(reply.text)
    return TeacherReply(None, "", "fallback") if reply.truncated and not parsed.answer else parsed


def teacher_messages(
    prompt: BridgePrompt, question: str, documents: Sequence[Document], target: int, guard: Guard
) -> list[ChatMessage]:
    """The teacher's input for one document.

    Args:
        prompt: Template that is given ``question``, ``others`` (pairs of a number and a document, in order),
            ``target`` and its ``number``.
        question: The question.
        documents: All documents in retrieval order, numbered from 1.
        target: Index of the one to rewrite, which stands last and keeps its number.
        guard: Neutralises the texts.
    """
    safe = [guard.document(document) for document in documents]
    others = [(number, document) for number, document in enumerate(safe, 1) if number != target + 1]
    return prompt.messages(question=guard(question), others=others, target=safe[target], number=target + 1)


def single_messages(
    prompt: BridgePrompt, question: str, documents: Sequence[Document], guard: Guard
) -> list[ChatMessage]:
    """The teacher's input for all documents at once."""
    return prompt.messages(question=guard(question), documents=[guard.document(document) for document in documents])
