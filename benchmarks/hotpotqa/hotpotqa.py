"""HotpotQA, distractor setting: two-hop questions over ten paragraphs of Wikipedia.

Yang et al. 2018, "HotpotQA: A Dataset for Diverse, Explainable Multi-hop Question Answering", arXiv 1809.09600.

    inspect eval bridgebench/hotpotqa -T source=sample --model local/smollm2
"""

from functools import partial
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from bridgebench.benchmarks._build import Benchmark, build
from bridgebench.benchmarks._fields import Record
from bridgebench.benchmarks._loading import check_choice, parse_loading
from bridgebench.benchmarks._samples import make_sample
from bridgebench.benchmarks._sources import Hub
from bridgebench.benchmarks._wiki_paragraphs import DOCUMENTS, Documents, read_paragraphs
from bridgebench.scorers.qa_f1 import qa_f1

HOTPOTQA = Benchmark(
    name="hotpotqa",
    version=1,
    hub=Hub("hotpotqa/hotpot_qa", ("distractor",), "1908d6afbbead072334abe2965f91bd2709910ab"),
    split="validation",
    max_tokens=32,
    headline="qa_f1.f1",
)


@task
def hotpotqa(documents: Documents = "all", **loading: Any) -> Task:
    """HotpotQA in the distractor setting.

    Args:
        documents: All paragraphs of the record, or its ``gold`` ones alone (a control: no bridge may see labels).
        **loading: See `bridgebench.benchmarks._loading.Loading`.
    """
    check_choice("hotpotqa", "documents", documents, DOCUMENTS)
    convert = partial(record_to_sample, documents=documents)
    settings = parse_loading("hotpotqa", loading)
    return build(HOTPOTQA, convert, settings, qa_f1(metric="hotpotqa"), documents=documents)


def record_to_sample(record: Record, documents: Documents = "all") -> Sample:
    """Raw release (``_id``, pairs) or the hub's columns (``id``, objects of lists).

    Upstream's sentences carry the space before them, so they are joined with nothing between.
    """
    paragraphs = read_paragraphs(record, "", documents)
    return make_sample(
        record.identifier("_id", "id"),
        record.text("question"),
        record.text("answer"),
        paragraphs.documents,
        paragraphs.gold,
        question_type=record.choice("type", ("bridge", "comparison")),
        level=record.choice("level", ("easy", "medium", "hard")),
        counts=dict(paragraphs.counts),
    )
