"""Cards and queries that rules write about the world's papers, from the facts the papers were written from.

No model writes them, so what is retrieved with them says nothing about any method: they are there for the small form of
suites, which must run offline and within seconds. Cards for results are written by a model.
"""

import json
from pathlib import Path
from typing import Any

from bridgebench.benchmarks.world.contexts import Knobs
from bridgebench.benchmarks.world.generate import default_size, scene_of
from bridgebench.benchmarks.world.phrases import capitalise
from bridgebench.cards import Card, CardQuestion, Kind, trim, write_cards
from bridgebench.solvers.cards.overlap import overlap_report

_BY = "rules, not a model"

_ASKED: dict[Kind, list[tuple[str, str, str]]] = {
    "conceptual": [
        ("Does {mechanism} help when examples are few?", "{mechanism} few examples", "Introduction"),
        ("How can computers handle {task} in a small language?", "{task} small language", "Introduction"),
    ],
    "technical": [
        ("By how many points is {method} above {baseline}?", "{method} {baseline} points", "Experiments ::: Results"),
        ("What {metric} is reached on {dataset}?", "{dataset} {metric}", "Experiments ::: Results"),
    ],
}
"""Question, its query, and the section it is asked of."""

_QUERIES: dict[Kind, list[tuple[str, str]]] = {
    "conceptual": [("Which approach to texts such as {domain} has the drawback that {limit}?", "Limitations")],
    "technical": [("What learning rate is used with {encoder} and {mechanism}?", "Approach ::: Training")],
}
"""Queries of other sections, in other words than the cards'."""


def write_rule_cards(folder: Path, size: int | None = None, seed: int = 0) -> None:
    """Write ``<folder>/cards``, ``queries.jsonl`` and its report about the papers of the bundled sample.

    Args:
        folder: Made when absent; what it holds of a former call is replaced.
        size: Number of papers; None is all of the sample's.
        seed: Of the world.
    """
    papers = default_size("arxiv_cards") if size is None else size
    world = scene_of("arxiv_cards", size=papers, seed=seed, split="validation", knobs=Knobs()).papers
    facts = [
        world.facts(index) | {"id": f"{world.facts(index)['date']}.{10_000 + index:05d}"} for index in range(papers)
    ]
    cards = [_card(paper) for paper in facts]
    queries = [query for paper in facts for query in _queries(paper)]
    write_cards(folder / "cards", [trim(card) for card in cards], {"model": _BY, "seed": seed})
    lines = [json.dumps(query, ensure_ascii=False) + "\n" for query in queries]
    (folder / "queries.jsonl").write_text("".join(lines), encoding="utf-8")
    report = {
        "model": _BY,
        "cards": {"model": _BY},
        "same_model": True,
        "overlap": overlap_report(queries, {card.paper_id: card for card in cards}),
    }
    (folder / "queries.report.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def _card(facts: dict[str, str]) -> Card:
    return Card(
        paper_id=facts["id"],
        title="{method}: {mechanism} for {language} {task}".format_map(facts),
        questions=tuple(
            CardQuestion(capitalise(text.format_map(facts)), query.format_map(facts), kind, section)
            for kind, asked in _ASKED.items()
            for text, query, section in asked
        ),
        problem=capitalise("{task} in {language} lacks labelled data.".format_map(facts)),
        methods="{method} adds {mechanism} to {encoder}.".format_map(facts),
        results="{score} {metric} on {dataset}; {baseline} has {baseline_score}.".format_map(facts),
        keywords=(facts["task"], facts["language"], facts["mechanism"], facts["dataset"]),
    )


def _queries(facts: dict[str, str]) -> list[dict[str, Any]]:
    asked = [(kind, text, section) for kind, listed in _QUERIES.items() for text, section in listed]
    return [
        {
            "id": f"{facts['id']}-{number}",
            "question": text.format_map(facts),
            "paper_id": facts["id"],
            "kind": kind,
            "section": section,
            "model": _BY,
        }
        for number, (kind, text, section) in enumerate(asked)
    ]
