"""Records in the schema of MuSiQue-Ans."""

from typing import Any

from bridgebench.benchmarks.world.contexts import find
from bridgebench.benchmarks.world.scene import Scene

_PARAGRAPHS = 20
_SHAPES = ("2hop", "3hop1", "2hop", "4hop1", "2hop", "3hop2", "2hop", "4hop2", "2hop", "2hop", "3hop1", "4hop3")


def record(scene: Scene, index: int) -> dict[str, Any]:
    """The record at this place of the dataset."""
    shape = _SHAPES[index % len(_SHAPES)]
    question = scene.ask(scene.rng("musique", index), shape)
    rng = scene.rng("musique", index, "context")
    answer = question.answer_entity
    aliases = scene.world.aliases(answer) if answer else []
    passages = scene.retriever.passages(
        question,
        rng,
        distractors=_PARAGRAPHS - len(question.needs),
        sentences=(1, 1, 1, 2),
        repeats=rng.choice([0, 0, 1, 2]),  # titles repeat in half of the records, as upstream
        also={answer: "also known as"} if answer and aliases else {},
    )
    ids = [1000 + scene.fact_number(step.fact) for step in question.steps]
    text = " ".join(passage.text for passage in passages)
    return {
        "id": f"{shape}__{'_'.join(map(str, ids))}",
        "paragraphs": [
            {"idx": number, "title": passage.title, "paragraph_text": passage.text, "is_supporting": passage.is_gold}
            for number, passage in enumerate(passages)
        ],
        "question": question.text,
        "question_decomposition": [
            {
                "id": number,
                "question": step.question,
                "answer": step.answer,
                "paragraph_support_idx": find(step.fact, passages)[0],
            }
            for number, step in zip(ids, question.steps, strict=True)
        ],
        "answer": question.answer,
        "answer_aliases": [alias for alias in aliases if alias in text],
        "answerable": True,
    }
