"""CompAct: summarises segment after segment until its own evaluation says it is complete.

Yoon et al. 2024, arXiv 2407.09014, section 3.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from inspect_ai.model import ChatMessage, ChatMessageUser
from pydantic import Field

from bridgebench.document import Bridge, BridgeResult, Document, Parse
from bridgebench.solvers.bridge import bridge
from bridgebench.solvers.llm import Decoding, Reply, all_sources, ask, reply_notes, samples, total_cost
from bridgebench.solvers.neutralise import Guard
from bridgebench.solvers.prompting import PROBE_DOCUMENTS, PROBE_QUESTION, bridge_prompt, prompt_fingerprint

COMPLETE, INCOMPLETE = "[COMPLETE]", "[INCOMPLETE]"
LABELS = (
    r"\[(?:IN)?COMPLETE\]",
    r"(?:Question|Source documents|Previous summary|Summary|Evaluation of previous summary|Evaluation):",
)
AUTHORS = frozenset({"8b0d079026d0"})
"""Rendering of both prompts of dmis-lab/CompAct (20fc1b3)."""


@dataclass(frozen=True)
class Iteration:
    """What one reply says.

    Attributes:
        summary: Of all segments so far; may be empty.
        evaluation: Of that summary; None where the reply has none.
    """

    summary: str
    evaluation: str | None

    @property
    def complete(self) -> bool:
        """Whether the evaluation says that the summary suffices."""
        return self.evaluation is not None and COMPLETE in self.evaluation

    @property
    def as_specified(self) -> bool:
        """Whether there is a summary, and an evaluation with a verdict."""
        return bool(self.summary) and self.evaluation is not None and (self.complete or INCOMPLETE in self.evaluation)


def parse_iteration(text: str) -> Iteration:
    """Read ``summary Evaluation: reason [COMPLETE]``, with or without ``Summary:`` before it.

    As released, blank lines inside a part are deleted, not turned into spaces.
    """
    labelled = re.search(r"Summary:(.*?)(?=Evaluation:|\Z)", text, re.DOTALL)
    summary = labelled[1] if labelled else text.partition("Evaluation:")[0]
    evaluation = re.search(r"Evaluation:(.*?)(?=Summary:|\Z)", text, re.DOTALL)
    return Iteration(_joined(summary), _joined(evaluation[1]) if evaluation else None)


def _joined(text: str) -> str:
    return text.strip().replace("\n\n", "")


@bridge(
    version=2,
    family="summariser",
    paper="arXiv 2407.09014",
    checkpoint="cwyoon99/CompAct-7b",
    parameters="7B",
    licence="none stated (base: Apache-2.0)",
    training_data=("hotpotqa",),
    distilled=True,
    roles=("bridge",),
    sampling=samples,
    fingerprint=prompt_fingerprint("compact"),
)
def compact(
    template: str | None = None,
    segment_size: Annotated[int, Field(ge=1)] = 5,
    max_iterations: Annotated[int, Field(ge=1)] = 6,
    missing_evaluation: Literal["continue", "skip", "stop"] = "continue",
    with_evaluation: bool = False,
    title_separator: Literal[" ", "\n"] = " ",
    max_tokens: Annotated[int, Field(ge=1)] = 900,
    temperature: Annotated[float | None, Field(ge=0)] = 0.0,
    seed: int = 0,
) -> Bridge:
    """Compress documents into one summary, segment by segment in retrieval order.

    Args:
        template: Jinja file of the prompts (blocks ``first`` and ``next``).
        segment_size: Documents in a segment.
        max_iterations: Most segments; documents beyond them are not read, and counted.
        missing_evaluation: What follows a reply without one: ``continue`` keeps its summary (the older one where it has
            none either) and goes on, ``skip`` goes on with the older summary (the released batch path), ``stop`` ends
            with the older summary (the released single path).
        with_evaluation: Whether the reader gets the last evaluation's reason too.
        title_separator: Between a document's title and text: a space as released, or a newline as in EXIT's port.
        max_tokens: Most tokens of a reply.
        temperature: 0 is greedy; None leaves it to the model role.
        seed: Seed of sampling.
    """
    prompt = bridge_prompt("compact", template)
    decoding = Decoding(max_tokens, temperature, seed)

    def render(question: str, segment: Sequence[Document], previous: Iteration | None, guard: Guard) -> ChatMessage:
        texts = [guard(f"{document.title}{title_separator}{document.text}".strip()) for document in segment]
        values = {"question": guard(question), "documents": "\n".join(texts)}
        if previous is None:
            return ChatMessageUser(content=prompt.text("first", **values))
        reason = (previous.evaluation or "").replace(INCOMPLETE, "").strip()
        values |= {"previous_summary": guard(previous.summary), "previous_evaluation": guard(reason)}
        return ChatMessageUser(content=prompt.text("next", **values))

    probe_first = render(PROBE_QUESTION, PROBE_DOCUMENTS, None, Guard())
    probe_next = render(PROBE_QUESTION, PROBE_DOCUMENTS, Iteration("A summary.", f"A reason. {INCOMPLETE}"), Guard())
    notes = prompt.notes([probe_first, probe_next], AUTHORS)

    async def run(question: str, documents: Sequence[Document]) -> BridgeResult:
        guard, replies, missing, clean = Guard(*LABELS), list[Reply](), 0, True
        read = documents[: segment_size * max_iterations]
        last: Iteration | None = None
        for start in range(0, len(read), segment_size):
            previous = (last or Iteration("", None)) if start else None
            message = render(question, read[start : start + segment_size], previous, guard)
            replies.append(await ask([message], decoding.config()))
            iteration = parse_iteration(replies[-1].text)
            clean = clean and iteration.as_specified
            if iteration.evaluation is None:
                missing += 1
                if missing_evaluation == "stop":
                    break
                if missing_evaluation == "skip" or not iteration.summary:
                    continue
            last = iteration
            if iteration.complete:
                break
        seen = read[: len(replies) * segment_size]
        text = _context(last, with_evaluation) if last else ""
        parse: Parse = "ok" if clean else "repaired"
        if replies and not text:
            parse = "empty" if last else "fallback"  # no summary, or no reply that could be read
        counts = {
            "iterations": len(replies),
            "complete": bool(last and last.complete),
            "evaluations_missing": missing,
            "documents_unread": len(documents) - len(seen),
            "neutralised": guard.touched,
        }
        return BridgeResult(
            (Document("compact", "", text, all_sources(seen)),) if text else (),
            parse=parse,
            cost=total_cost(replies),
            notes={**notes, **counts, **reply_notes(replies)},
        )

    return run


def _context(last: Iteration, with_evaluation: bool) -> str:
    if not with_evaluation:
        return last.summary
    reason = (last.evaluation or "").replace(INCOMPLETE, "").replace(COMPLETE, "").replace("\n", "").strip()
    return f"{last.summary} {reason}".strip()
