"""Records in the schema of HotpotQA's raw distractor release."""

from typing import Any

from bridgebench.benchmarks.world.contexts import find
from bridgebench.benchmarks.world.scene import Scene

# As upstream, part of the bridge questions name the bridge and can be answered from one paragraph.
_SHAPES = ("2hop_named", "2hop", "2hop", "comparison", "2hop_named", "2hop", "2hop_named", "shared")
_SCARCE = 30  # one record in so many has fewer than ten paragraphs, as upstream


def record(scene: Scene, index: int) -> dict[str, Any]:
    """The record at this place of the dataset."""
    shape = _SHAPES[index % len(_SHAPES)]
    question = scene.ask(scene.rng("hotpotqa", index), shape)
    rng = scene.rng("hotpotqa", index, "context")
    distractors = rng.randrange(6) if index % _SCARCE == _SCARCE - 1 else 8
    passages = scene.retriever.passages(question, rng, distractors=distractors, sentences=(2, 3, 3))
    found = [find(fact, passages) for fact in question.facts]
    return {
        "_id": scene.digest("hotpotqa", index)[:24],
        "answer": question.answer,
        "question": question.text,
        "supporting_facts": [[passages[position].title, sentence] for position, sentence in found],
        # Every sentence but a paragraph's first brings its leading space along.
        "context": [[p.title, [p.sentences[0], *(f" {line}" for line in p.sentences[1:])]] for p in passages],
        "type": "bridge" if shape.startswith("2hop") else "comparison",
        "level": "hard" if scene.world.split == "validation" else rng.choice(["easy", "medium", "medium", "hard"]),
    }
