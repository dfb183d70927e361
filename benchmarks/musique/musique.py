"""MuSiQue-Answerable: two to four hops over twenty paragraphs, built so that no hop can be skipped.

Trivedi et al. 2022, "MuSiQue: Multihop Questions via Single-hop Question Composition", arXiv 2108.00573.

    inspect eval bridgebench/musique -T source=sample -T documents=all --model local/smollm2
"""

import random
import re
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, get_args

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from bridgebench.benchmarks._build import Benchmark, build
from bridgebench.benchmarks._fields import Record, shown
from bridgebench.benchmarks._loading import check_choice, parse_loading
from bridgebench.benchmarks._samples import make_sample
from bridgebench.benchmarks._sources import Hub
from bridgebench.document import Document
from bridgebench.scorers.qa_f1 import qa_f1

Documents = Literal["first_10", "all", "gold_and_distractors", "gold"]

MUSIQUE = Benchmark(
    name="musique",
    version=1,
    hub=Hub("bdsaglam/musique", ("answerable",)),
    split="validation",
    max_tokens=32,
    headline="qa_f1.f1",
)

SHOWN = 10
"""Documents that `first_10` and `gold_and_distractors` show."""


@task
def musique(documents: Documents = "first_10", **loading: Any) -> Task:
    """MuSiQue-Answerable.

    Args:
        documents: Of the twenty paragraphs of a record: the ``first_10`` in the order of the file, which often lack a
            hop; ``all``; ``gold_and_distractors``, the supporting ones and as many drawn by `seed` as make ten; or
            ``gold`` alone (these two are controls: no bridge may see labels).
        **loading: See `bridgebench.benchmarks._loading.Loading`.
    """
    check_choice("musique", "documents", documents, get_args(Documents))
    settings = parse_loading("musique", loading)
    convert = partial(record_to_sample, documents=documents, seed=settings.seed)
    scorer = qa_f1(metric="musique", beside="single")
    return build(MUSIQUE, convert, settings, scorer, exclude=unanswerable, documents=documents)


def record_to_sample(record: Record, documents: Documents = "first_10", seed: int = 0) -> Sample:
    """One record of MuSiQue; paragraphs keep their position as id, for many share a title."""
    rows = record.rows("paragraphs", "title", "paragraph_text", "is_supporting")
    if not rows:
        raise record.error("paragraphs", "holds no paragraph")
    id = record.identifier("id")
    supporting = [index for index, row in enumerate(rows) if row.boolean("is_supporting")]
    chosen = _chosen(documents, len(rows), supporting, f"{seed} {id}")
    return make_sample(
        id,
        record.text("question"),
        [record.text("answer"), *(record.texts("answer_aliases") if record.has("answer_aliases") else [])],
        [
            Document(str(index), rows[index].text("title", blank=True), rows[index].text("paragraph_text"))
            for index in chosen
        ],
        [str(index) for index in supporting if index in chosen],
        question_type=_question_type(record, id),
        hops=len(record.rows("question_decomposition", "question", "answer")),
        answerable=record.boolean("answerable") if record.has("answerable") else True,
        counts={"gold_not_shown": len(set(supporting) - set(chosen))},
    )


def unanswerable(sample: Sample) -> str | None:
    """MuSiQue-Full asks every question a second time, without its gold: no part of this benchmark."""
    return None if (sample.metadata or {})["answerable"] else "unanswerable"


def _chosen(documents: Documents, total: int, supporting: Sequence[int], seed: str) -> list[int]:
    if documents == "gold":
        return list(supporting)
    if documents == "gold_and_distractors":
        others = [index for index in range(total) if index not in supporting]
        wanted = min(max(SHOWN - len(supporting), 0), len(others))
        return sorted([*supporting, *random.Random(seed).sample(others, wanted)])
    return list(range(total if documents == "all" else min(SHOWN, total)))


def _question_type(record: Record, id: str) -> str:
    """Number and shape of the hops (``3hop1``), which upstream writes into the id."""
    if match := re.match(r"\dhop\d?(?=__)", id):
        return match.group()
    raise record.error("id", f"must start with the kind of question, as in '2hop__', got {shown(id)}")
