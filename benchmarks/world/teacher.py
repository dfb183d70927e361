"""A teacher by rules for R2U's supervision on the fictional world: no language model, and never shown an answer.

It knows the world's table of facts and how that world asks, and reads the teacher's prompt: a question and documents.
Of a target document it keeps the sentences that tell what the question asks of its subject, with the subject's name in
place of a pronoun at their beginning. As a careful reader would, it also keeps what a document tells of somebody close
to that subject (a namesake, a relative, another of its kind with something in common), which misleads some generators:
there is something to learn from preferences. A document without any such sentence is skipped. It reads questions about
one fact, as those of MS MARCO.
"""

import re
from collections.abc import Collection
from typing import Any, cast

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from bridgebench.benchmarks.world.facts import Entity, Fact
from bridgebench.benchmarks.world.generate import scene_of
from bridgebench.benchmarks.world.names import Split
from bridgebench.benchmarks.world.phrases import possessive_name, question_name
from bridgebench.benchmarks.world.scene import Scene
from bridgebench.benchmarks.world.source import read_source
from bridgebench.errors import BridgebenchError

SKIP = "[NO_REWRITE]"

_QUESTION = re.compile(r"^Question: (.*)$", re.MULTILINE)
_DOCUMENT = re.compile(r"^Document (\d+): .*\n((?:.+\n?)*)", re.MULTILINE)
_PRONOUN = re.compile(r"^(?:(He|She|It)|(His|Her|Its))\b")


class Rules:
    """What the teacher knows and does.

    Args:
        scene: The world, and how it tells and asks.
    """

    def __init__(self, scene: Scene) -> None:
        self._world = scene.world
        self._bank: dict[str, dict[str, list[str]]] = scene.phrases.questions["questions"]

    def rewrite(self, question: str, text: str) -> str:
        """The sentences of a document that tell what is asked, or ``[NO_REWRITE]``."""
        question, text = _plain(question), _plain(text)
        subject = self._subject(text)
        asked_about = self._asked_about(question)
        if subject is None:
            return SKIP
        facts = (
            self._asked(question, subject) if subject in asked_about else self._close(question, subject, asked_about)
        )
        sentences = re.split(r"(?<=[.!?]) +(?=[A-Z])", text.strip())
        told = [sentence for sentence in sentences if any(self._tells(sentence, fact) for fact in facts)]
        return " ".join(_named(sentence, subject.name) for sentence in told) or SKIP

    def answer(self, question: str, text: str) -> str | None:
        """What a document tells of the asked relation, of whomever it is about; None where it tells nothing of it."""
        question, text = _plain(question), _plain(text)
        subject = self._subject(text)
        if subject is None:
            return None
        relations = {
            fact.relation
            for entity in self._asked_about(question)
            if len(asked := self._asked(question, entity)) < len(self._facts(entity))
            for fact in asked
        }
        told = (fact for fact in self._facts(subject) if fact.relation in relations and self._tells(text, fact))
        return next((self._world.text(fact.object) for fact in told), None)

    def _close(self, question: str, subject: Entity, asked_about: list[Entity]) -> list[Fact]:
        """What ties a subject to somebody the question is about, and what is asked of the one, told of the other."""
        bearing: list[Fact] = []
        for entity in asked_about:
            own, others = self._facts(subject), self._facts(entity)
            ties = [fact for fact in own if fact.object == entity.id]
            has_common = subject.kind == entity.kind and {f.object for f in own} & {f.object for f in others}
            is_named = subject.name_key == entity.name_key or any(fact.object == subject.id for fact in others)
            if ties or has_common or is_named:
                asked = self._asked(question, entity)
                relations = {fact.relation for fact in asked} if len(asked) < len(others) else set()
                bearing += ties + [fact for fact in own if fact.relation in relations]
        return bearing

    def _tells(self, text: str, fact: Fact) -> bool:
        return self._world.text(fact.object) in text

    def _subject(self, text: str) -> Entity | None:
        """Whom a document is about: of those it names, the one of whom it tells most."""

        def told(entity: Entity) -> tuple[int, int]:
            return sum(self._tells(text, fact) for fact in self._facts(entity)), len(entity.name)

        named = [entity for entity in self._world.entities.values() if _plain(entity.name) in text]
        return max(named, key=told, default=None)

    def _facts(self, entity: Entity) -> Collection[Fact]:
        return self._world.facts_of[entity.id].values()

    def _asked_about(self, question: str) -> list[Entity]:
        """Everyone whom the question may mean: the longest names in it, by their qualifiers where it has one."""
        asked = question.lower()
        named = [entity for entity in self._world.entities.values() if _plain(entity.name).lower() in asked]
        longest = [entity for entity in named if not any(entity.name in other.name != entity.name for other in named)]
        called = [entity for entity in longest if _called(entity) in asked]
        return called or longest

    def _asked(self, question: str, subject: Entity) -> list[Fact]:
        """The facts about its subject that a question asks for: all of them when it does not say."""
        shape = _bare(question.lower().replace(_called(subject), "{x}"))
        facts = list(self._facts(subject))
        templates = self._bank.get(subject.kind, {})
        in_these_words = [
            fact for fact in facts if any(_bare(t.lower()) == shape for t in templates.get(fact.relation, ()))
        ]
        return in_these_words or [fact for fact in facts if fact.relation in shape] or facts


def _plain(text: str) -> str:
    return text.replace("\u2019", "'")


def _called(entity: Entity) -> str:
    return _plain(question_name(entity)).removeprefix("the ").lower()


def _bare(question: str) -> str:
    return question.replace("the {x}", "{x}").strip(" .?")


def _named(sentence: str, name: str) -> str:
    """A sentence that can stand without the ones before it."""
    if name in sentence:
        return sentence
    if pronoun := _PRONOUN.match(sentence):
        return f"{name if pronoun[1] else possessive_name(name)}{sentence[pronoun.end() :]}"
    return f"{name}: {sentence}"


def reply(rules: Rules, prompt: str) -> str:
    """The teacher's reply to a prompt for one target document, which stands last, or for all documents at once.

    Raises:
        BridgebenchError: When the prompt is not one of the packaged teacher prompts.
    """
    question, documents = _QUESTION.search(prompt), list(_DOCUMENT.finditer(prompt, prompt.find("\nQuestion: ")))
    if question is None or not documents:
        raise BridgebenchError("world_teacher: this is no prompt of R2U's teacher")
    is_single = "\nTarget document:\n" in prompt
    rewrites = {int(found[1]): rules.rewrite(question[1], found[2]) for found in documents[-1 if is_single else 0 :]}
    told = [f"Document {number} says: {text}" for number, text in rewrites.items() if text != SKIP]
    listed = "\n\n".join(f"Document {number}:\n{text}" for number, text in rewrites.items())
    step_1 = next(iter(rewrites.values())) if is_single else f"\n{listed}"
    return f"Step 1. Document rewrite: {step_1}\nStep 2. Explain and answer: {' '.join(told) or 'Nothing is said.'}"


class WorldTeacherAPI(ModelAPI):
    """Replies by the rules of one world; counts words as tokens.

    Model arguments: ``source`` (``world:size=...,seed=...``, as the benchmark has it), ``split`` and ``benchmark``,
    which together say which world it knows.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        source: str = "world:",
        split: str = "train",
        benchmark: str = "msmarco",
        **unknown: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        if unknown:
            known = "source, split, benchmark"
            raise BridgebenchError(f"world_teacher: no argument {', '.join(unknown)} (it takes {known})")
        spec = read_source(source)
        scene = scene_of(benchmark, size=spec.size, seed=spec.seed, split=cast(Split, split), knobs=spec.knobs)
        self.rules = Rules(scene)

    def reply(self, prompt: str) -> str:
        """The reply to a prompt of R2U's teacher."""
        return reply(self.rules, prompt)

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """Apply the rules to the prompt."""
        prompt = "\n".join(message.text for message in input)
        text = self.reply(prompt)
        for stop in config.stop_seqs or ():
            text = text.split(stop, 1)[0]
        read, written = len(prompt.split()), len(text.split())
        output = ModelOutput.from_content(self.model_name, text.strip())
        output.usage = ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written)
        return output


@modelapi(name="world_teacher")
def world_teacher() -> type[ModelAPI]:
    """``world_teacher/<any name>``: see `WorldTeacherAPI` for its arguments."""
    return WorldTeacherAPI
