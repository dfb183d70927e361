"""Retrieval over arXiv papers: which paper of the corpus answers the question?

The task of "Knowledge and Context Compression via Question Generation", arXiv 2506.13778, over the papers and the
questions of Qasper (Dasigi et al. 2021, arXiv 2105.03011).

    inspect eval bridgebench/arxiv_cards -T source=sample --model none
"""

import logging
from collections import Counter
from collections.abc import Collection
from functools import partial
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from bridgebench.benchmarks._build import Benchmark, build
from bridgebench.benchmarks._fields import Record, shown
from bridgebench.benchmarks._files import Item
from bridgebench.benchmarks._loading import Loading, check_count, parse_loading
from bridgebench.benchmarks._samples import make_sample
from bridgebench.benchmarks._sources import Hub, Place, Source, file_provenance, open_source
from bridgebench.benchmarks.arxiv_cards.markdown import markdown_files, open_markdown
from bridgebench.benchmarks.arxiv_cards.papers import read_library, read_queries, read_report
from bridgebench.corpus import publish
from bridgebench.errors import BridgebenchError
from bridgebench.scorers.ranking import ranking
from bridgebench.scorers.retrieval_cost import retrieval_cost
from bridgebench.solvers.retrieval.bm25 import bm25

logger = logging.getLogger(__name__)

ARXIV_CARDS = Benchmark(
    name="arxiv_cards",
    version=1,
    hub=Hub("allenai/qasper", ("qasper",), "refs/convert/parquet"),
    split="train+validation",
    max_tokens=32,
    headline="ranking.mrr@10",
)


@task
def arxiv_cards(
    papers: int | None = 109,
    min_sections: int = 3,
    queries: str = "human",
    kind: str | None = None,
    **loading: Any,
) -> Task:
    """Rank a corpus of papers for each question; BM25 over abstracts unless another solver is named.

    Args:
        papers: Size of the corpus, drawn by ``seed``; None is every paper of the source.
        min_sections: Papers with fewer sections are left out.
        queries: ``human`` asks Qasper's own questions; or the path of a set of queries (``id``, ``question``,
            ``paper_id``, perhaps ``kind``), with a report on it in ``<name>.report.json`` beside it where there is one.
        kind: Ask the queries of this kind only (``technical``, ``conceptual``); the others are left out and counted.
        **loading: See `bridgebench.benchmarks._loading.Loading`; ``limit`` and ``ids`` choose questions. There is
            no generator and no retrieved document, so ``retrieved``, ``budget`` and ``tokenizer`` are refused.
    """
    if papers is not None:
        check_count("arxiv_cards", "papers", papers, 1)
    check_count("arxiv_cards", "min_sections", min_sections, 0)
    settings = parse_loading("arxiv_cards", loading)
    _refuse_reader_settings(settings)
    source = open_papers(settings.source, settings.split)
    library = read_library(
        source.items,
        papers=papers,
        min_sections=min_sections,
        seed=settings.seed,
        on_bad_record=settings.on_bad_record,
    )
    if not library.corpus.papers:
        raise BridgebenchError(f"arxiv_cards: no usable paper in '{settings.source}': {library.records}")
    if papers is not None and len(library.corpus.papers) < papers:
        logger.warning("arxiv_cards: papers=%d, but the source has only %d", papers, len(library.corpus.papers))
    given = queries != "human"
    questions: list[Item] = list(read_queries(queries)) if given else list(library.questions)
    if not questions:
        raise BridgebenchError(
            f"arxiv_cards: no questions in '{queries if given else settings.source}'"
            + ("" if given else "; only Qasper's papers carry some: -T queries=FILE.jsonl brings others")
        )
    provenance = source.provenance | ({"queries": file_provenance(queries)} if given else {})
    convert = partial(
        record_to_sample,
        corpus=publish(library.corpus),
        papers=frozenset(paper.id for paper in library.corpus.papers),
        ambiguous=ambiguous_queries(questions),
    )
    return build(
        ARXIV_CARDS,
        convert,
        settings,
        [ranking(), retrieval_cost()],
        exclude=lambda sample: "other kind" if kind and (sample.metadata or {})["question_type"] != kind else None,
        source=Source(iter(questions), provenance),
        solver=bm25(),
        papers=papers,
        min_sections=min_sections,
        queries=queries,
        kind=kind,
        query_report=read_report(queries) if given else {},
        corpus=library.corpus.sha256,
        paper_records=library.records,
    )


def open_papers(source: str, split: str | None = None) -> Source:
    """Open a source of papers: what every benchmark takes, or a Markdown file, or a folder of them."""
    if source not in ("hub", "sample") and markdown_files(source):
        return open_markdown(source)
    place = Place(ARXIV_CARDS.hub, "bridgebench.benchmarks.arxiv_cards", split or ARXIV_CARDS.split, keyed=True)
    return open_source(source, place)


def record_to_sample(record: Record, corpus: str, papers: Collection[str], ambiguous: Collection[str]) -> Sample:
    """One query: its text, and the id of the one paper that counts as found.

    Args:
        record: ``id``, ``question``, ``paper_id`` and perhaps ``kind``.
        corpus: Hash of the corpus, by which solvers ask for it.
        papers: Ids of the papers in it.
        ambiguous: Queries that are asked of more than one paper; they are kept, marked and counted.
    """
    query, paper = record.text("question"), record.identifier("paper_id")
    if paper not in papers:
        raise record.error("paper_id", f"{shown(paper)} is not in the corpus")
    is_ambiguous = _folded(query) in ambiguous
    return make_sample(
        record.identifier("id"),
        query,
        paper,
        [],
        [paper],
        question_type=record.text("kind") if record.has("kind") else "unspecified",
        cluster=paper,
        corpus=corpus,
        ambiguous=is_ambiguous,
        counts={"ambiguous_queries": int(is_ambiguous)},
    )


def ambiguous_queries(questions: list[Item]) -> frozenset[str]:
    """Queries, in lower case, that more than one paper's questions share."""
    asked = {
        (_folded(str(item.values.get("question"))), str(item.values.get("paper_id")))
        for item in questions
        if isinstance(item, Record)
    }
    return frozenset(query for query, papers in Counter(query for query, _ in asked).items() if papers > 1)


def _folded(query: str) -> str:
    return " ".join(query.lower().split())


def _refuse_reader_settings(settings: Loading) -> None:
    given = [name for name in ("retrieved", "budget", "tokenizer") if getattr(settings, name) is not None]
    if given:
        raise BridgebenchError(f"task 'arxiv_cards': no generator reads documents here; leave out {', '.join(given)}")
