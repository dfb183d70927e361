"""Cards by rule: of the bundled sample's papers, and no more than a stand-in."""

import json
from pathlib import Path

from bridgebench.benchmarks.arxiv_cards.arxiv_cards import arxiv_cards
from bridgebench.benchmarks.world.rule_cards import write_rule_cards
from bridgebench.cards import read_cards
from bridgebench.corpus import published


def test_they_are_of_the_samples_papers(tmp_path: Path) -> None:
    write_rule_cards(tmp_path / "rule")
    write_rule_cards(tmp_path / "rule")
    task = arxiv_cards(source="sample", queries=str(tmp_path / "rule" / "queries.jsonl"))
    corpus = published((task.dataset[0].metadata or {})["corpus"])
    cards = read_cards(tmp_path / "rule" / "cards")
    assert {paper.id for paper in corpus.papers} == set(cards)
    assert len(task.dataset) == 2 * len(cards)
    assert {(sample.metadata or {})["question_type"] for sample in task.dataset} == {"technical", "conceptual"}
    assert all(card.size < 5_000 and len(card.questions) == 4 for card in cards.values())
    report = (task.metadata or {})["query_report"]
    assert report["same_model"], "the page calls such queries leaky"
    assert report["overlap"]["all"]["equal"] == 0
    provenance = json.loads((tmp_path / "rule" / "cards" / "provenance.json").read_text())
    assert "not a model" in provenance["model"]
