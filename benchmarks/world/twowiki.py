"""Records in the schema of 2WikiMultihopQA's raw `data_ids` release."""

from typing import Any

from bridgebench.benchmarks.world.contexts import find
from bridgebench.benchmarks.world.facts import Fact
from bridgebench.benchmarks.world.reasoning import Question
from bridgebench.benchmarks.world.scene import Scene

_SHAPES = ("2hop", "comparison", "bridged", "kinship", "2hop", "shared", "bridged_shared", "2hop")
_TYPES = {
    "2hop": "compositional", "kinship": "inference", "comparison": "comparison", "shared": "comparison",
    "bridged": "bridge_comparison",
}  # fmt: skip
_REPEATING = 20  # one record in so many repeats a title within its context, as upstream


def record(scene: Scene, index: int) -> dict[str, Any]:
    """The record at this place of the dataset."""
    question = scene.ask(scene.rng("twowiki", index), _SHAPES[index % len(_SHAPES)])
    gold = [entity for entity, _ in question.needs]
    rng = scene.rng("twowiki", index, "context")
    repeats = int(index % _REPEATING == _REPEATING - 1)
    passages = scene.retriever.passages(question, rng, distractors=10 - len(gold), sentences=(2, 3, 3), repeats=repeats)
    found = [find(fact, passages) for fact in question.facts]
    return {
        "_id": scene.digest("twowiki", index)[:32],
        "type": _TYPES[question.shape],
        "question": question.text,
        "context": [[passage.title, list(passage.sentences)] for passage in passages],
        "entity_ids": "_".join(gold),
        "supporting_facts": [[passages[position].title, sentence] for position, sentence in found],
        "evidences": [_in_words(scene, fact) for fact in question.facts],
        "answer": question.answer,
        "evidences_id": _in_ids(scene, question),
        "answer_id": question.answer_entity,
    }


def _in_words(scene: Scene, fact: Fact) -> list[str]:
    return [scene.world.entities[fact.subject].name, fact.relation, scene.world.text(fact.object)]


def _in_ids(scene: Scene, question: Question) -> list[list[str]]:
    """Triples of ids; comparisons have none, and a literal has no id."""
    if question.shape not in ("2hop", "kinship"):
        return []
    literal = {"date of birth": "date_information", "date of death": "date_information"}
    return [
        [f.subject, f.relation, f.object if f.object in scene.world.entities else literal.get(f.relation, f.object)]
        for f in question.facts
    ]
