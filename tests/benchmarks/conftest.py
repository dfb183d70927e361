"""Invented records in every upstream schema, and ways to write them to files."""

import copy
import json
from collections.abc import Callable, Iterable
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from bridgebench.benchmarks._fields import Record
from bridgebench.benchmarks.ambigqa import ambigqa
from bridgebench.benchmarks.arxiv_cards import papers
from bridgebench.benchmarks.crag import crag
from bridgebench.benchmarks.hotpotqa import hotpotqa
from bridgebench.benchmarks.longbench import longbench
from bridgebench.benchmarks.msmarco import msmarco
from bridgebench.benchmarks.musique import musique
from bridgebench.benchmarks.twowiki import twowiki

HOTPOTQA = {
    "_id": "h1",
    "question": "In which land does the maker of the Tall Lamp live?",
    "answer": "Orland",
    "type": "bridge",
    "level": "hard",
    "supporting_facts": [["Tall Lamp", 0], ["Ada Brin", 1]],
    "context": [
        ["Tall Lamp", ["The Tall Lamp was made by Ada Brin.", " It is tall."]],
        ["Other Lamp", ["It is short."]],
        ["Ada Brin", ["Ada Brin makes lamps.", " She lives in Orland."]],
    ],
}
TWOWIKI = {
    **copy.deepcopy(HOTPOTQA),
    "_id": "w1",
    "type": "compositional",
    "context": [
        ["Tall Lamp", ["The Tall Lamp was made by Ada Brin.", "It is tall."]],
        ["Ada Brin", ["Ada Brin makes lamps.", "She lives in Orland."]],
    ],
    "evidences": [["Tall Lamp", "maker", "Ada Brin"]],
    "answer_id": "Q7",
}
MUSIQUE = {
    "id": "2hop__1_2",
    "question": "Where does the maker of the Tall Lamp live?",
    "answer": "Orland",
    "answer_aliases": ["Or Land"],
    "answerable": True,
    "question_decomposition": [
        {"id": 1, "question": "Tall Lamp >> maker", "answer": "Ada Brin", "paragraph_support_idx": 0},
        {"id": 2, "question": "#1 >> home", "answer": "Orland", "paragraph_support_idx": 11},
    ],
    "paragraphs": [
        {"idx": i, "title": "Lamps", "paragraph_text": f"Lamp {i}.", "is_supporting": i in (0, 11)} for i in range(20)
    ],
}
AMBIGQA = {
    "id": "-12",
    "question": "When was the lamp lit?",
    "annotations": [
        {"type": "singleAnswer", "answer": ["1901", "in 1901"]},
        {
            "type": "multipleQAs",
            "qaPairs": [
                {"question": "When was the lamp first lit?", "answer": ["1901"]},
                {"question": "When was the lamp lit again?", "answer": ["May 1950"]},
            ],
        },
    ],
    "used_queries": [
        {
            "query": "lamp lit",
            "results": [
                {"title": "Lamp &amp; Co", "snippet": "The <b>lamp</b> was \nlit in 1901 &#39;at last&#39;"},
                {"title": "Lamp &amp; Co", "snippet": "The <b>lamp</b> was \nlit in 1901 &#39;at last&#39;"},
                {"title": "Lamp", "snippet": ""},
            ],
        }
    ],
}
MSMARCO = {
    "query_id": 77,
    "query": "how tall is the tall lamp",
    "query_type": "NUMERIC",
    "answers": ["Nine feet"],
    "wellFormedAnswers": "[]",
    "passages": [
        {"is_selected": 0, "passage_text": "The short lamp is two feet.", "url": "http://a.example"},
        {"is_selected": 1, "passage_text": "The tall lamp is nine feet, all told.", "url": "http://b.example"},
    ],
}
CRAG = {
    "interaction_id": "c1",
    "query": "who makes the tall lamp?",
    "query_time": "02/28/2024, 10:04:54 PT",
    "domain": "open",
    "question_type": "simple",
    "static_or_dynamic": "static",
    "answer": "ada brin",
    "alt_ans": ["a. brin"],
    "split": 0,
    "search_results": [
        {
            "page_name": f"Lamps {i}",
            "page_url": f"http://lamps.example/{i % 2}",
            "page_snippet": "" if i == 0 else "Made by <strong>Ada Brin</strong> &#x27;herself&#x27;",
            "page_result": ""
            if i == 4
            else "<html><head><title>x</title></head><body><p>Lamps by Ada</p></body></html>",
            "page_last_modified": "",
        }
        for i in range(5)
    ],
}
LONGBENCH = {
    "input": "Where does the maker live?",
    "context": "Passage 1:\nTall Lamp\nMade by Ada.\nPassage 7:\nnot a header\n\nPassage 2:\nAda\nLives in Orland.",
    "answers": ["Orland"],
    "length": 4000,
    "dataset": "2wikimqa",
    "language": "en",
    "all_classes": None,
    "_id": "a" * 48,
}
QASPER = {
    "id": "2001.00001",
    "title": "On Lamps",
    "abstract": "We light lamps.",
    "full_text": [
        {"section_name": "Introduction", "paragraphs": ["Lamps are lit."]},
        {"section_name": None, "paragraphs": []},
        {"section_name": "Method ::: Oil", "paragraphs": ["Oil burns.", "Slowly."]},
    ],
    "qas": [{"question": "Which oil do they burn?", "question_id": "q1", "answers": []}],
}
RECORDS: dict[str, dict[str, Any]] = {
    "hotpotqa": HOTPOTQA,
    "twowiki": TWOWIKI,
    "musique": MUSIQUE,
    "ambigqa": AMBIGQA,
    "msmarco": MSMARCO,
    "crag": CRAG,
    "longbench": LONGBENCH,
    "arxiv_cards": QASPER,
}
REAL = {
    "hotpotqa": "hotpotqa.jsonl",
    "twowiki": "2wikimultihopqa.jsonl",
    "musique": "musique.jsonl",
    "ambigqa": "ambigqa_full.jsonl",
    "msmarco": "msmarco_v1.1.jsonl",
    "crag": "crag_trunc20k.jsonl",
    "longbench": "longbench_2wikimqa.reconstructed.jsonl",
    "arxiv_cards": "qasper.jsonl",
}
LOADERS: dict[str, Callable[[Record], Any]] = {
    "hotpotqa": hotpotqa.record_to_sample,
    "twowiki": twowiki.record_to_sample,
    "musique": musique.record_to_sample,
    "ambigqa": ambigqa.record_to_sample,
    "msmarco": msmarco.record_to_sample,
    "crag": partial(crag.record_to_sample, documents="page"),
    "longbench": longbench.record_to_sample,
    "arxiv_cards": lambda record: (papers.read_paper(record), list(papers.read_questions(record))),
}


@pytest.fixture
def upstream() -> dict[str, dict[str, Any]]:
    """One valid record of each benchmark; change it as you like."""
    return copy.deepcopy(RECORDS)


@pytest.fixture(scope="session")
def loaders() -> dict[str, Callable[[Record], Any]]:
    """The loader of each benchmark."""
    return LOADERS


@pytest.fixture
def write_lines(tmp_path: Path) -> Callable[..., str]:
    """Write objects to a JSONL file and get its path."""

    def write(records: Iterable[Any], name: str = "records.jsonl") -> str:
        path = tmp_path / name
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        return str(path)

    return write


@pytest.fixture(scope="session")
def as_record() -> Callable[..., Record]:
    """An object as a loader is given it."""
    return lambda values: Record(values, "records.jsonl", "line 1")


@pytest.fixture(scope="session")
def seeds() -> Callable[[str], list[dict[str, Any]]]:
    """Records of a benchmark to mutate: invented, of the bundled sample, and real ones where they are at hand."""
    found = {name: [record] for name, record in RECORDS.items()}
    for name, listed in found.items():
        sample = files("bridgebench.benchmarks") / name / "sample.jsonl"
        if sample.is_file():
            listed += map(json.loads, sample.read_text(encoding="utf-8").splitlines()[:4])
        real = Path(__file__).parents[2].parent / "shared" / "data" / REAL[name]
        if real.is_file():
            listed += map(json.loads, real.read_text(encoding="utf-8").splitlines()[:4])
    return lambda name: found[name]
