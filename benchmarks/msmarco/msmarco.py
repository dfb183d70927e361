"""MS MARCO question answering: queries of a search engine, with up to ten passages of its results.

Bajaj et al. 2016, "MS MARCO: A Human Generated MAchine Reading COmprehension Dataset", arXiv 1611.09268.

    inspect eval bridgebench/msmarco -T source=sample --model local/smollm2 --model-role grader=local/smollm2
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, get_args

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from bridgebench.benchmarks._build import Benchmark, build
from bridgebench.benchmarks._fields import Record
from bridgebench.benchmarks._loading import check_choice, parse_loading
from bridgebench.benchmarks._samples import make_sample
from bridgebench.benchmarks._sources import Hub
from bridgebench.document import Document
from bridgebench.reader import ReaderSettings
from bridgebench.scorers.judge import judge
from bridgebench.scorers.qa_metrics import normalise_answer
from bridgebench.scorers.rouge_bleu import rouge_bleu

Documents = Literal["all", "gold"]
Subset = Literal["all", "extractive", "abstractive"]
Unanswerable = Literal["exclude", "include"]

NO_ANSWER = "No Answer Present."
"""Upstream's gold of a question that its passages do not answer (v2.1; v1.1 has no answer at all)."""

MSMARCO = Benchmark(
    name="msmarco",
    version=2,
    hub=Hub("microsoft/ms_marco", ("v2.1",)),
    split="validation",
    max_tokens=128,
    headline="judge.accuracy",
    reader=ReaderSettings(prompt="qa_sentence"),
)


@task
def msmarco(
    documents: Documents = "all", subset: Subset = "all", unanswerable: Unanswerable = "exclude", **loading: Any
) -> Task:
    """MS MARCO, v2.1 or v1.1.

    Args:
        documents: All passages, or those marked as selected (``gold``, a control: no bridge may see labels).
        subset: All questions, or those whose gold stands word for word in a passage (``extractive``) or does not.
        unanswerable: Whether questions without an answer, close to half of v2.1, are part of it.
        **loading: See `bridgebench.benchmarks._loading.Loading`.
    """
    check_choice("msmarco", "documents", documents, get_args(Documents))
    check_choice("msmarco", "subset", subset, get_args(Subset))
    check_choice("msmarco", "unanswerable", unanswerable, get_args(Unanswerable))
    return build(
        MSMARCO,
        partial(record_to_sample, documents=documents),
        parse_loading("msmarco", loading),
        [judge(invalid_questions=False), rouge_bleu()],
        exclude=partial(excluded, subset=subset, unanswerable=unanswerable),
        documents=documents,
        subset=subset,
        unanswerable=unanswerable,
    )


def record_to_sample(record: Record, documents: Documents = "all") -> Sample:
    """The hub's columns, a row of the raw release of v2.1 (columns by row number), or one of v1.1 (a line each)."""
    rows = record.rows("passages", "passage_text", "is_selected")
    passages = [row.text("passage_text", blank=True) for row in rows]
    selected = [index for index, row in enumerate(rows) if row.integer("is_selected") == 1]
    answers = list(dict.fromkeys(record.texts("answers")))
    answerable = bool(answers) and NO_ANSWER not in answers
    shown = selected if documents == "gold" else range(len(rows))
    return make_sample(
        record.identifier("query_id"),
        record.text("query"),
        answers if answerable else [NO_ANSWER],
        [Document(str(index), "", passages[index]) for index in shown],
        [str(index) for index in selected],
        question_type=record.text("query_type").upper(),
        answer_type=answer_type(answers, passages) if answerable else "unanswerable",
        counts={"unanswerable": int(not answerable), "nothing_selected": int(answerable and not selected)},
    )


def answer_type(answers: Sequence[str], passages: Sequence[str]) -> str:
    """``extractive`` when an answer stands in a passage as a run of whole normalised words, else ``abstractive``."""
    texts = [f" {normalise_answer(passage)} " for passage in passages]
    golds = [gold for answer in answers if (gold := normalise_answer(answer))]
    return "extractive" if any(f" {gold} " in text for gold in golds for text in texts) else "abstractive"


def excluded(sample: Sample, subset: Subset, unanswerable: Unanswerable) -> str | None:
    """Why a question is no part of what was asked for, or None."""
    kind = (sample.metadata or {})["answer_type"]
    if kind == "unanswerable":
        return "unanswerable" if unanswerable == "exclude" or subset != "all" else None
    return str(kind) if subset not in ("all", kind) else None
