"""The solvers that ask a model for a paper's questions and summary; what it fails at is a named failure, never text."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol, TypeVar

from inspect_ai.model import ChatMessage, Model, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import StoreModel, collect
from pydantic import Field

from bridgebench.cards import CardQuestion, Kind
from bridgebench.document import Document, Parse
from bridgebench.solvers.cards.formats import LABELS, Summary, parse_pairs, parse_summary
from bridgebench.solvers.cards.sections import deal, share
from bridgebench.solvers.fit import fit, token_spans, word_spans
from bridgebench.solvers.llm import Decoding, ModelCallError, Reply, ask, total_cost
from bridgebench.solvers.neutralise import Guard
from bridgebench.solvers.prompting import bridge_prompt


class CardParts(StoreModel):
    """What the model wrote about one paper, as it stands in the log.

    Attributes:
        questions: `CardQuestion` as JSON, as they came: duplicates too.
        summary: `Summary` as JSON; empty where none could be read.
        calls: One entry a part: ``part`` (``conceptual``, ``technical``, ``summary``), ``section``, ``asked``
            (questions), ``parse`` of the last attempt, ``attempts``, ``truncated`` (it stopped at ``max_tokens``),
            ``size`` and ``kept`` (of the text, in words or tokens), ``failure`` (why there is nothing; null where there
            is something).
        cost: Of all attempts (`Cost.to_dict`).
        prompts: Name and hash of each template.
        neutralised: Markers in the paper that were broken by a space.
    """

    questions: list[dict[str, Any]] = Field(default_factory=list)
    summary: dict[str, Any] = Field(default_factory=dict)
    calls: list[dict[str, Any]] = Field(default_factory=list)
    cost: dict[str, Any] = Field(default_factory=dict)
    prompts: dict[str, str] = Field(default_factory=dict)
    neutralised: int = 0


@dataclass(frozen=True)
class Asking:
    """How a model is asked.

    Attributes:
        decoding: Temperature, seed and most tokens of a reply.
        attempts: Most calls for one part; the same prompt at temperature 0 is asked once.
        budget: Most of a paper's text in one call, in words or in tokens of `tokenizer`.
        tokenizer: Hub id or folder; None counts words.
    """

    decoding: Decoding
    attempts: int
    budget: int
    tokenizer: str | None = None

    def cut(self, section: Document) -> tuple[Document, dict[str, int]]:
        """The beginning of a section, as much as one call may read, and its sizes."""
        fitted = fit([section], self.budget, tokenizer=self.tokenizer)
        text = fitted.documents[0] if fitted.documents else replace(section, text="")
        return text, {"size": fitted.size, "kept": fitted.kept}

    def cut_all(self, sections: Sequence[Document]) -> tuple[list[Document], dict[str, int]]:
        """The beginnings of sections that one call reads together, and the sums of their sizes."""
        spans = token_spans(self.tokenizer) if self.tokenizer else word_spans
        sizes = [len(spans(section.title)) + len(spans(section.text)) for section in sections]
        cut = [
            fit([section], room, tokenizer=self.tokenizer)
            for section, room in zip(sections, share(sizes, self.budget), strict=True)
        ]
        return (
            [document for fitted in cut for document in fitted.documents],
            {"size": sum(sizes), "kept": sum(fitted.kept for fitted in cut)},
        )


class _Parsed(Protocol):
    @property
    def parse(self) -> Parse: ...


P = TypeVar("P", bound=_Parsed)


async def _attempt(
    model: Model, messages: list[ChatMessage], asking: Asking, parse: Callable[[str], P], replies: list[Reply]
) -> tuple[P | None, dict[str, Any]]:
    """Ask until something can be read; what was read, and how it went."""
    attempts = asking.attempts if asking.decoding.samples else 1
    failure: str | None = None
    parsed: P | None = None
    truncated = False
    for attempt in range(attempts):
        try:
            reply = await ask(messages, asking.decoding.config(attempt), model)
        except ModelCallError as error:
            failure, parsed = str(error), None
            continue
        replies.append(reply)
        parsed, truncated = parse(reply.text), reply.truncated
        if parsed.parse != "empty":
            return parsed, _went(parsed.parse, attempt + 1, truncated, None)
        failure = "nothing that was asked for could be read in the reply" if reply.text else "the reply is empty"
    return None, _went("empty" if parsed else None, attempts, truncated, failure)


def _went(parse: Parse | None, attempts: int, truncated: bool, failure: str | None) -> dict[str, Any]:
    return {"parse": parse, "attempts": attempts, "truncated": truncated, "failure": failure}


@solver
def card_writer(
    kinds: list[Kind],
    questions: int,
    summary: bool,
    asking: Asking,
    summary_characters: int = 700,
    questions_template: str | None = None,
    summary_template: str | None = None,
) -> Solver:
    """Ask the model for questions of some kinds, each of one section, and perhaps for a summary of all sections.

    Args:
        kinds: Conceptual questions begin with the first section, technical ones with the last.
        questions: Number of questions of each kind.
        summary: Whether a summary is asked for.
        asking: How.
        summary_characters: Length of a summary that is asked for.
        questions_template: Jinja file of the prompt (given ``title``, ``section``, ``text``, ``kind``, ``count``).
        summary_template: Jinja file of the prompt (given ``title``, ``sections``, ``characters``).
    """
    question_prompt = bridge_prompt("card_questions", questions_template)
    summary_prompt = bridge_prompt("card_summary", summary_template)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model, guard, replies = get_model(), Guard(*LABELS), list[Reply]()
        title = guard(" ".join(state.metadata["title"].split()))
        sections = [Document.from_dict(section) for section in state.metadata["documents"]]
        store = state.store_as(CardParts)

        async def ask_section(kind: Kind, section: Document, count: int) -> tuple[list[CardQuestion], dict[str, Any]]:
            text, sizes = asking.cut(section)
            safe, values = guard.document(text), {"title": title, "kind": kind, "count": count}
            messages = question_prompt.messages(**values, section=safe.title, text=safe.text)
            own_words = question_prompt.text("user", **{**values, "title": ""}, section="", text="")
            parsed, went = await _attempt(
                model, messages, asking, lambda reply: parse_pairs(reply, count, instructions=own_words), replies
            )
            pairs = parsed.pairs if parsed else ()
            found = [CardQuestion(question, query, kind, section.title) for question, query in pairs]
            return found, {"part": kind, "section": section.title, "asked": count, **sizes, **went}

        async def ask_summary() -> tuple[Summary | None, dict[str, Any]]:
            texts, sizes = asking.cut_all(sections)
            documents = [guard.document(text) for text in texts]
            messages = summary_prompt.messages(title=title, sections=documents, characters=summary_characters)
            own_words = summary_prompt.text("user", title="", sections=[], characters=summary_characters)
            parsed, went = await _attempt(
                model, messages, asking, lambda reply: parse_summary(reply, own_words), replies
            )
            return parsed, {"part": "summary", "section": "", "asked": 0, **sizes, **went}

        dealt = [(kind, *part) for kind in kinds for part in deal(questions, sections, last_first=kind == "technical")]
        asked = await collect(*(ask_section(*part) for part in dealt))
        store.questions = [asdict(question) for found, _ in asked for question in found]
        store.calls = [call for _, call in asked]
        store.prompts = {"questions": str(question_prompt.prompt)}
        if summary:
            written, call = await ask_summary()
            store.summary = asdict(written) | {"keywords": list(written.keywords)} if written else {}
            store.calls = [*store.calls, call]
            store.prompts = {**store.prompts, "summary": str(summary_prompt.prompt)}
        store.cost = total_cost(replies).to_dict()
        store.neutralised = guard.touched
        return state

    return solve
