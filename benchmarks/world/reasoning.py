"""A question, and the facts that its answer follows from."""

from dataclasses import dataclass

from bridgebench.benchmarks.world.facts import Fact, World


@dataclass(frozen=True)
class Step:
    """One hop: a question of its own (``#1`` is the first step's answer), its answer in words, and the fact."""

    question: str
    answer: str
    fact: Fact


@dataclass(frozen=True)
class Question:
    """A question and why its answer is right.

    Attributes:
        text: The question in words.
        answer: The answer in words.
        answer_entity: Id of the entity that is the answer; None for literals, yes and no.
        facts: What it follows from, in the order of reasoning.
        shape: ``1hop``, ``2hop``, ``3hop1``, ..., ``comparison``, ``shared``, ``kinship``, ``bridged``.
        steps: For hops, the way there.
        relation: For kinship, what the tie is called.
    """

    text: str
    answer: str
    answer_entity: str | None
    facts: tuple[Fact, ...]
    shape: str
    steps: tuple[Step, ...] = ()
    relation: str = ""

    @property
    def needs(self) -> list[tuple[str, frozenset[str]]]:
        """What each gold passage must state, in the order of reasoning: entity, relations.

        A further hop from the thing where two ways met is told in another passage about the same thing.
        """
        needs: dict[tuple[str, bool], frozenset[str]] = {}
        for number, fact in enumerate(self.facts, 1):
            part = fact.subject, self.shape == "4hop2" and number == len(self.facts)
            needs[part] = needs.get(part, frozenset()) | {fact.relation}
        return [(entity, relations) for (entity, _), relations in needs.items()]


def gives_away(world: World, fact: Fact) -> bool:
    """Whether the subject's own name answers: "When was the 1954 film ... released?"."""
    subject = world.entities[fact.subject]
    return subject.kind == "film" and subject.is_ambiguous and fact.relation == "publication date"
