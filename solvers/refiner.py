"""Refiner: quotes what matters verbatim, in sections that belong together (Li et al. 2024, arXiv 2406.11357)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from inspect_ai.model import ChatMessage, get_model
from pydantic import Field

from bridgebench.document import Bridge, BridgeResult, Document, Parse
from bridgebench.solvers.bridge import bridge
from bridgebench.solvers.llm import Decoding, all_sources, ask, reply_notes, samples, total_cost, unless_cut
from bridgebench.solvers.neutralise import Guard
from bridgebench.solvers.prompting import (
    PROBE_DOCUMENTS,
    PROBE_QUESTION,
    BridgePrompt,
    bridge_prompt,
    prompt_fingerprint,
)

LABELS = (
    r"\[(?:MONITOR|EXECUTOR)\]",
    r"(?<![^\n\r\u2028\u2029])(?:##(?= )|---(?![^\n\r\u2028\u2029]))",  # at the beginning of any kind of line
)
AUTHORS = frozenset({"2dbfd5bbf920"})
"""Rendering of allen-li1231/refiner-rag (df997d1): markers only, so that the packaged prompt is the authors'."""

_SECTION = re.compile(r"^(?:(\d+)\.(?:\d+\.)*|\*)[ \t]+(?:##[ \t])?(.+?)(?::[ \t]|\n+)(.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Section:
    """One quote.

    Attributes:
        major: Sections of one number agree with each other; None for a section without a number.
        title: Title of the document that is quoted.
        quote: What it says.
    """

    major: int | None
    title: str
    quote: str


@dataclass(frozen=True)
class Sections:
    """What an output quotes.

    Attributes:
        sections: In order.
        parse: ``ok``, ``repaired`` (text outside of sections, such as a last one that was cut off), ``fallback`` (text
            without any section) or ``empty`` (nothing is relevant: a legal output).
    """

    sections: tuple[Section, ...]
    parse: Parse


def parse_sections(text: str) -> Sections:
    """Read lines of ``{major}.{minor}. {title}``, each followed by a line with its quote."""
    if not text.strip():
        return Sections((), "empty")
    found = list(_SECTION.finditer(text))
    sections = tuple(
        Section(int(match[1]) if match[1] and len(match[1]) < 10 else None, match[2].strip(), match[3].strip())
        for match in found
    )
    beside = _SECTION.sub("", text).strip()
    return Sections(sections, "fallback" if not sections else "repaired" if beside else "ok")


@bridge(
    version=2,
    family="summariser",
    paper="arXiv 2406.11357",
    checkpoint="al1231/Refiner-7B (LoRA on meta-llama/Llama-2-7b-chat-hf)",
    parameters="7B",
    licence="CC-BY-4.0 (adapter), Llama 2 Community (base)",
    training_data=("hotpotqa", "twowiki"),
    distilled=True,
    utility="outcome",
    roles=("bridge",),
    sampling=samples,
    fingerprint=prompt_fingerprint("refiner", "refiner_chat"),
)
def refiner(
    template: str | None = None,
    output: Literal["raw", "sections"] = "raw",
    clean: bool = True,
    group_untitled: bool = False,
    groups: Annotated[int, Field(ge=1)] = 10,
    max_tokens: Annotated[int, Field(ge=1)] = 2048,
    temperature: Annotated[float | None, Field(ge=0)] = 0.0,
    seed: int = 0,
) -> Bridge:
    """Extract and restructure what is relevant, in one call. An empty output says that nothing is.

    Args:
        template: Jinja file of the prompt (given ``context`` and ``question``). None is ``refiner``, the authors' whole
            prompt in one message, where the role's provider is a completion endpoint (``vllm-completions/...``), which
            adds no chat template; elsewhere ``refiner_chat``, a system and a user message, to which the model's chat
            template adds white space that the checkpoint was not trained on.
        output: ``raw`` gives the reader the output as it is, as released; ``sections`` one document a quote, without
            what stands outside of sections. An output without sections is given as it is.
        clean: Whether passages are filtered and grouped by title first, as released (see `prepare`).
        group_untitled: Whether passages without title count as one group, as released; that would keep two of them.
        groups: Most groups of passages the model sees.
        max_tokens: Most tokens of the output.
        temperature: 0 is greedy; None leaves it to the model role.
        seed: Seed of sampling.
    """
    decoding = Decoding(max_tokens, temperature, seed)
    raw_prompt, chat_prompt = bridge_prompt("refiner", template), bridge_prompt("refiner_chat", template)
    probe = (PROBE_QUESTION, PROBE_DOCUMENTS, Guard())
    raw_notes = raw_prompt.notes(_messages(raw_prompt, *probe), AUTHORS)
    chat_notes = chat_prompt.notes(_messages(chat_prompt, *probe))

    async def run(question: str, documents: Sequence[Document]) -> BridgeResult:
        prompt, notes = (raw_prompt, raw_notes) if _completes() else (chat_prompt, chat_notes)
        passages = prepare(documents, group_untitled) if clean else tuple(documents)
        passages = passages[:groups]
        read = all_sources(passages)
        dropped = sum(not set(document.sources) <= set(read) for document in documents)
        if not passages:
            return BridgeResult((), parse="empty" if documents else "ok", notes={**notes, "passages_dropped": dropped})
        guard = Guard(*LABELS)
        reply = await ask(_messages(prompt, question, passages, guard), decoding.config())
        parsed = parse_sections(reply.text)
        if output == "sections" and parsed.sections:
            made = tuple(_quoted(number, section, passages) for number, section in enumerate(parsed.sections, 1))
        else:
            made = (Document("refiner", "", reply.text, read),) if reply.text else ()
        kept_as_is = output == "raw" and parsed.parse == "repaired"  # nothing was repaired
        counts = {"passages_dropped": dropped, "sections": len(parsed.sections), "neutralised": guard.touched}
        return BridgeResult(
            made,
            parse=unless_cut("ok" if kept_as_is else parsed.parse, [reply]),
            cost=total_cost([reply]),
            notes={**notes, **counts, **reply_notes([reply])},
        )

    return run


def _completes() -> bool:
    """Whether the role's provider sends a prompt as it is, without a chat template."""
    return str(get_model(role="bridge", required=True)).partition("/")[0].endswith("-completions")


def _messages(prompt: BridgePrompt, question: str, documents: Sequence[Document], guard: Guard) -> list[ChatMessage]:
    safe = [guard.document(document) for document in documents]
    context = "\n---\n".join(f"## {document.title}\n{document.text}" for document in safe)
    return prompt.messages(context=context, question=guard(question))


def prepare(documents: Sequence[Document], group_untitled: bool = False) -> tuple[Document, ...]:
    """Filter and group passages as the released code does.

    Texts under 5 characters, titles that begin with ``Category:`` and texts with `` ; `` (lists) are dropped, and so
    are repeated texts. Of the passages of one title the two best-ranked are joined in order of their ids: by a space
    where these are consecutive numbers (positions in the list, where ids are not numbers), else by ``...``.
    """
    by_number = all(re.fullmatch("[0-9]{1,18}", document.id) for document in documents)
    grouped: dict[object, list[tuple[int, Document]]] = {}
    seen: set[str] = set()
    for position, document in enumerate(documents):
        text = document.text.strip()
        if len(text) < 5 or document.title.startswith("Category:") or " ; " in text or text in seen:
            continue
        seen.add(text)
        key = document.title if document.title or group_untitled else position
        place = int(document.id) if by_number else position
        grouped.setdefault(key, []).append((place, replace(document, text=text)))
    return tuple(_joined(sorted(group[:2], key=lambda item: item[0])) for group in grouped.values())


def _joined(group: Sequence[tuple[int, Document]]) -> Document:
    if len(group) == 1:
        return group[0][1]
    (place, document), (next_place, other) = group
    link = " " if next_place == place + 1 else "..."
    return replace(document, text=f"{document.text}{link}{other.text}", sources=all_sources([document, other]))


def _quoted(number: int, section: Section, passages: Sequence[Document]) -> Document:
    """A section as a document; its sources are the passages of its title or with its words, or else all."""
    quote = section.quote.strip("\"'")
    quoted = [passage for passage in passages if quote in passage.text or passage.title == section.title]
    return Document(f"refiner-{number}", section.title, section.quote, all_sources(quoted or passages))
