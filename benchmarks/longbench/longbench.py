"""LongBench's question answering: long contexts, some of them made of passages.

Bai et al. 2024, "LongBench: A Bilingual, Multitask Benchmark for Long Context Understanding", arXiv 2308.14508.

    inspect eval bridgebench/longbench -T source=sample -T subset=2wikimqa --model local/smollm2
"""

import hashlib
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from bridgebench.benchmarks._build import Benchmark, build
from bridgebench.benchmarks._fields import Record
from bridgebench.benchmarks._loading import check_choice, parse_loading
from bridgebench.benchmarks._samples import make_sample
from bridgebench.benchmarks._sources import Hub
from bridgebench.benchmarks.longbench.context import refuse_baked_prompt, split_context, split_triviaqa
from bridgebench.reader import Answer, ReaderSettings
from bridgebench.scorers.containment import containment
from bridgebench.scorers.qa_f1 import qa_f1


@dataclass(frozen=True)
class Subset:
    """How LongBench generates and scores one of its datasets.

    Attributes:
        max_tokens: Most tokens of an answer.
        metric: Key of the measures in `bridgebench.scorers.qa_metrics`.
        prompt: Generator prompt.
        answer: How the answer is taken from the completion.
        headline: The value that sums a row up.
    """

    max_tokens: int
    metric: str = "longbench"
    prompt: str = "qa"
    answer: Answer = "as_is"
    headline: Literal["f1", "rouge_l"] = "f1"


SUBSETS = {
    "2wikimqa": Subset(32),
    "2wikimqa_e": Subset(32),
    "hotpotqa": Subset(32),
    "musique": Subset(32),
    "multifieldqa_en": Subset(64),
    "multifieldqa_zh": Subset(64, metric="longbench_zh", prompt="qa_zh"),
    "qasper": Subset(128),
    "narrativeqa": Subset(128),
    "triviaqa": Subset(32, answer="first_line"),
    "dureader": Subset(128, metric="dureader", prompt="qa_zh", headline="rouge_l"),
}

LONGBENCH = Benchmark(
    name="longbench",
    version=2,
    hub=Hub("zai-org/LongBench", archive="data.zip"),
    split=None,
    max_tokens=32,
    headline="qa_f1.f1",
    reader=ReaderSettings(cut="middle"),
)


@task
def longbench(subset: str = "2wikimqa", **loading: Any) -> Task:
    """One of LongBench's question answering datasets.

    Args:
        subset: Its name: ``2wikimqa``, ``2wikimqa_e``, ``hotpotqa``, ``musique``, ``multifieldqa_en``,
            ``multifieldqa_zh``, ``qasper``, ``narrativeqa``, ``triviaqa`` or ``dureader``.
        **loading: See `bridgebench.benchmarks._loading.Loading`.
    """
    check_choice("longbench", "subset", subset, tuple(SUBSETS))
    chosen = SUBSETS[subset]
    benchmark = replace(
        LONGBENCH,
        max_tokens=chosen.max_tokens,
        headline=f"qa_f1.{chosen.headline}",
        reader=replace(LONGBENCH.reader, prompt=chosen.prompt, answer=chosen.answer),
    )
    f1 = qa_f1(metric=chosen.metric)
    return build(
        benchmark,
        record_to_sample,
        parse_loading("longbench", loading),
        [f1, containment()] if chosen.metric == "longbench" else f1,
        exclude=partial(excluded, subset=subset),
        file=subset,
        subset=subset,
    )


def record_to_sample(record: Record) -> Sample:
    """A row of the released data, with its context split into passages where it has any."""
    refuse_baked_prompt(record)
    question, context = record.text("input"), record.text("context")
    subset = _subset(record)
    if subset == "triviaqa":
        question, documents = split_triviaqa(record)
    else:
        documents = split_context(context)
    answers = record.texts("answers")
    if not answers:
        raise record.error("answers", "is empty")
    length = record.integer("length")
    return make_sample(
        record.identifier("_id") if record.has("_id") else _digest(question, context, *answers),
        question,
        list(dict.fromkeys(answers)),
        documents,
        [],
        cluster=_digest(*(document.full_text for document in documents)),  # questions are asked of one paper or story
        question_type=length_bucket(length),
        length=length,
        subset=subset,
        language=record.text("language"),
    )


def length_bucket(length: int) -> str:
    """LongBench-E's bucket of a row's own ``length`` (words of English, characters of Chinese)."""
    return "0-4k" if length < 4000 else "4-8k" if length < 8000 else "8k+"


def excluded(sample: Sample, subset: str) -> str | None:
    """Why a row is no part of the subset, or None."""
    own = (sample.metadata or {})["subset"]
    return None if own == subset else f"subset {own}"


def _subset(record: Record) -> str:
    """The row's dataset; a file of LongBench-E is told by its name where its rows leave the ``_e`` out."""
    name = record.text("dataset")
    return f"{name}_e" if Path(record.file).name.startswith(f"{name}_e.") else name


def _digest(*parts: str) -> str:
    """A name for what has none of its own: a row by all that tells it apart, a context by its documents."""
    return hashlib.sha256("\x00".join(parts).encode()).hexdigest()[:16]
