"""Papers in the schema of Qasper's raw release."""

from collections.abc import Mapping
from random import Random
from typing import Any

from bridgebench.benchmarks.world.scene import Scene

_ABOUT = ("dataset", "score", "baseline", "mechanism", "limit", "release", "unanswerable")
_LOWER_CASE = 3  # one question in so many is typed without capitals


def record(scene: Scene, index: int) -> dict[str, Any]:
    """The paper at this place of the corpus."""
    rng = scene.rng("arxiv_cards", index)
    facts = scene.papers.facts(index)
    sections = scene.papers.sections(rng, facts)
    asked = rng.sample(_ABOUT, rng.randrange(3, 6))
    return {
        "id": f"{facts['date']}.{10_000 + index:05d}",
        "title": scene.papers.heading(rng, "title", facts),
        "abstract": scene.papers.heading(rng, "abstract", facts),
        "full_text": [{"section_name": name, "paragraphs": paragraphs} for name, paragraphs in sections.items()],
        "qas": [_asked(scene, rng, f"{index}/{about}", about, facts, sections) for about in asked],
    }


def _asked(
    scene: Scene, rng: Random, key: str, about: str, facts: Mapping[str, str], sections: Mapping[str, list[str]]
) -> dict[str, Any]:
    question = scene.papers.question(rng, about, facts)
    value = facts.get(about, "")
    # Where the paper reports it, rather than where its introduction promises it.
    likely = sorted(sections, key=lambda name: not name.startswith(("Experiments", "Limitations")))
    told = [text for name in likely for text in sections[name] if value and value in text]
    evidence = sections["Conclusion"][0] if about == "release" else next(iter(told), "")
    # A table is evidence too, under upstream's mark.
    table = [f"FLOAT SELECTED: Table 2: {facts['metric']} on {facts['dataset']}."] if about == "score" else []
    answer = {
        "unanswerable": about == "unanswerable",
        "extractive_spans": [value] if value and about != "limit" else [],
        "yes_no": facts["released"] == "yes" if about == "release" else None,
        "free_form_answer": f"{value[0].upper()}{value[1:]}." if about == "limit" else "",
        "evidence": [*([evidence] if evidence else []), *table],
        "highlighted_evidence": [line for line in evidence.split(". ") if value and value in line][:1],
    }
    return {
        "question": question.lower() if rng.randrange(_LOWER_CASE) == 0 else question,
        "question_id": scene.digest("question", key)[:40],
        "nlp_background": rng.choice(["", "two", "five", "infinity"]),
        "topic_background": rng.choice(["", "unfamiliar", "familiar"]),
        "paper_read": "no",
        "search_query": "",
        "question_writer": scene.digest("writer", key)[:40],
        "answers": [
            {
                "answer": answer,
                "annotation_id": scene.digest("annotation", key)[:40],
                "worker_id": scene.digest("worker", key)[:40],
            }
        ],
    }
