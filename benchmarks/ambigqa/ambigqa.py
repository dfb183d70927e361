"""AmbigQA (AmbigNQ): questions of real users that have several answers, or seem to have one.

Min et al. 2020, "AmbigQA: Answering Ambiguous Open-domain Questions", arXiv 2004.10645.

    inspect eval bridgebench/ambigqa -T source=sample --model local/smollm2
"""

from functools import partial
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from bridgebench.benchmarks._build import Benchmark, build
from bridgebench.benchmarks._fields import Record
from bridgebench.benchmarks._html import snippet_text
from bridgebench.benchmarks._loading import parse_loading
from bridgebench.benchmarks._samples import make_sample
from bridgebench.benchmarks._sources import Hub
from bridgebench.document import Document
from bridgebench.scorers.ambigqa_f1 import ambigqa_f1
from bridgebench.scorers.qa_f1 import qa_f1

AMBIGQA = Benchmark(
    name="ambigqa",
    version=1,
    hub=Hub("sewon/ambig_qa", ("full",)),
    split="validation",
    max_tokens=32,
    headline="qa_f1.f1",
)

SHOWN = 10
"""Search results that are shown, of ten for each query of the annotators."""


@task
def ambigqa(**loading: Any) -> Task:
    """AmbigQA over the search results that its annotators saw.

    Args:
        **loading: See `bridgebench.benchmarks._loading.Loading`.
    """
    settings = parse_loading("ambigqa", loading)
    convert = partial(record_to_sample, own_documents=settings.retrieved is None)
    return build(AMBIGQA, convert, settings, [qa_f1(metric="ambigqa"), ambigqa_f1()])


def record_to_sample(record: Record, own_documents: bool = True) -> Sample:
    """Raw release or the hub's columns, configuration ``full``.

    Args:
        record: The record.
        own_documents: Whether its search results are read; a record of ``light`` has none.
    """
    annotations = [_annotation(row) for row in record.rows("annotations", "type", optional=("answer", "qaPairs"))]
    if not annotations:
        raise record.error("annotations", "is empty")
    results = _results(record) if own_documents else []
    documents = list(dict.fromkeys(results))
    id = record.identifier("id")
    return make_sample(
        id,
        record.text("question"),
        acceptable_answers(annotations),
        [Document(str(index), title, text) for index, (title, text) in enumerate(documents[:SHOWN])],
        [],
        question_type=_question_type(annotations),
        annotations=annotations,
        counts={
            "repeated_results": len(results) - len(documents),
            "results_beyond_10": max(len(documents) - SHOWN, 0),
            "questions_without_results": int(own_documents and not documents),
        },
    )


def acceptable_answers(annotations: list[dict[str, Any]]) -> list[str]:
    """Every answer of every annotation, each once, in order."""
    groups = [pair["answer"] for annotation in annotations for pair in annotation.get("qaPairs", [annotation])]
    return list(dict.fromkeys(answer for group in groups for answer in group))


def _annotation(row: Record) -> dict[str, Any]:
    """One annotation in the raw release's shape, whatever shape it came in."""
    if row.choice("type", ("singleAnswer", "multipleQAs")) == "singleAnswer":
        return {"type": "singleAnswer", "answer": _answers(row)}
    pairs = row.rows("qaPairs", "question", "answer")
    if not pairs:
        raise row.error("qaPairs", "is empty")
    return {
        "type": "multipleQAs",
        "qaPairs": [{"question": pair.text("question"), "answer": _answers(pair)} for pair in pairs],
    }


def _answers(row: Record) -> list[str]:
    answers = row.texts("answer")
    if not answers:
        raise row.error("answer", "is empty")
    return answers


def _results(record: Record) -> list[tuple[str, str]]:
    """(title, text) of all search results, query by query."""
    if not record.has("used_queries"):
        problem = "is missing: this is a record of the configuration 'light', which has no documents; use 'full'"
        raise record.error("used_queries", problem)
    return [
        (snippet_text(result.text("title", blank=True)), snippet_text(result.text("snippet", blank=True)))
        for query in record.rows("used_queries", "query", "results")
        for result in query.rows("results", "title", "snippet")
    ]


def _question_type(annotations: list[dict[str, Any]]) -> str:
    """``singleAnswer`` or ``multipleQAs`` where all annotators agree, else ``mixed``."""
    types = {str(annotation["type"]) for annotation in annotations}
    return types.pop() if len(types) == 1 else "mixed"
