"""CRAG, tasks 1 and 2: questions of assistants' users, with up to five web pages a search engine found.

Yang et al. 2024, "CRAG - Comprehensive RAG Benchmark", arXiv 2406.04744.

    inspect eval bridgebench/crag -T source=sample --model local/smollm2 --model-role grader=local/smollm2
"""

from functools import partial
from typing import Any, Literal, get_args

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from bridgebench.benchmarks._build import Benchmark, build
from bridgebench.benchmarks._fields import Record
from bridgebench.benchmarks._loading import check_choice, parse_loading
from bridgebench.benchmarks._samples import make_sample
from bridgebench.benchmarks._sources import Hub
from bridgebench.benchmarks.crag.pages import Documents, read_pages
from bridgebench.reader import ReaderSettings
from bridgebench.scorers.judge import judge

QueryTime = Literal["both", "generator"]
Split = Literal["both", "validation", "test"]

CRAG = Benchmark(
    name="crag",
    version=2,
    hub=Hub("Quivr/CRAG", tuple(f"crag_task_1_and_2_subset_{number}" for number in range(1, 21))),
    split=None,  # the hub has one, 'train'; the record's own field tells validation from test
    max_tokens=128,
    headline="judge.accuracy",
    reader=ReaderSettings(prompt="qa_unsure"),
)

SPLITS: tuple[Split, ...] = ("validation", "test")
"""Names of the values 0 and 1 of a record's ``split``."""

GROUPS = {
    "simple": "others",
    "simple_w_condition": "others",
    "comparison": "others",
    "aggregation": "aggregation",
    "set": "others",
    "false_premise": "others",
    "post-processing": "post-processing-heavy",
    "multi-hop": "multi-hop",
}
"""Upstream's question types, and the groups that R2U's Figure 4 shows."""


@task
def crag(
    documents: Documents = "snippet", query_time: QueryTime = "both", split: Split = "both", **loading: Any
) -> Task:
    """CRAG over the pages of tasks 1 and 2.

    Args:
        documents: The search engine's ``snippet`` of each page, or the text of the ``page``.
        query_time: Who is told when the question was asked: bridge and generator (``both``), or the ``generator``.
        split: ``validation``, the public ``test``, or ``both``.
        **loading: See `bridgebench.benchmarks._loading.Loading`.
    """
    check_choice("crag", "documents", documents, get_args(Documents))
    check_choice("crag", "query_time", query_time, get_args(QueryTime))
    check_choice("crag", "split", split, get_args(Split))
    return build(
        CRAG,
        partial(record_to_sample, documents=documents, query_time=query_time),
        parse_loading("crag", loading),
        judge(),
        exclude=partial(excluded, split=split),
        documents=documents,
        query_time=query_time,
        crag_split=split,
    )


def record_to_sample(record: Record, documents: Documents = "snippet", query_time: QueryTime = "both") -> Sample:
    """A record of dev v4 or v5, of the hub's copies, or of the repository's older example data."""
    pages, counts = read_pages(record, documents)
    question_type = record.choice("question_type", tuple(GROUPS))
    asked = f"(asked on {record.text('query_time')})"
    query = record.text("query")
    return make_sample(
        record.identifier("interaction_id"),
        f"{query} {asked}" if query_time == "both" else query,
        list(dict.fromkeys([record.text("answer"), *_alternatives(record)])),
        pages,
        [],
        question_type=GROUPS[question_type],
        crag_type=question_type,
        domain=record.text("domain"),
        dynamism=record.text("static_or_dynamic"),
        crag_split=_split(record),
        counts=dict(counts),
        reader={"note": asked} if query_time == "generator" else {},
    )


def excluded(sample: Sample, split: Split) -> str | None:
    """Why a question is no part of what was asked for, or None."""
    own = (sample.metadata or {})["crag_split"]
    return f"split {own}" if split not in ("both", own) else None


def _split(record: Record) -> str:
    if not record.has("split"):
        return "unknown"
    split = record.integer("split")
    if split not in range(len(SPLITS)):
        raise record.error("split", f"must be 0 (validation) or 1 (test), got {split}")
    return SPLITS[split]


def _alternatives(record: Record) -> list[str]:
    """Other acceptable answers: ``alt_ans``; the older data have ``alternative_answers``, a list as a string."""
    for field in ("alt_ans", "alternative_answers"):
        if record.has(field):
            return record.texts(field)
    return []
