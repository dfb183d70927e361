"""What the paper on question generation (arXiv 2506.13778) states, with what was measured here beside it.

Its text states single figures; its tables' numbers are not in it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bridgebench.leaderboard.labels import short
from bridgebench.leaderboard.published import published_cards
from bridgebench.leaderboard.report import Report
from bridgebench.leaderboard.retrieval import COST, FROM, TO, is_retrieval, mean_of_kind
from bridgebench.leaderboard.tables import Row, Table
from bridgebench.leaderboard.text import percent

Measure = Callable[[Report], list[str]]


@dataclass(frozen=True)
class Stated:
    """One statement of the paper.

    Attributes:
        said: Its row in ``published/cards.csv``.
        measured: The same of our rows, each named; empty where nothing was measured.
    """

    said: dict[str, str]
    measured: str


def stated_cards(report: Report) -> list[Stated]:
    """All that the paper states, where a benchmark of it was measured."""
    if not {"arxiv_cards", "longbench"} & set(report.benchmarks):
        return []
    stated = []
    for said in published_cards():
        measure = _MEASURES.get((said["setting"], said["measure"]))
        stated.append(Stated(said, "; ".join(dict.fromkeys(measure(report))) if measure else ""))
    return stated


def _rows(report: Report, *solvers: str) -> Iterator[tuple[Table, int, Row]]:
    for table in report.tables:
        if is_retrieval(table):
            for position, row in enumerate(table.rows):
                if row.cell.chain and short(row.cell.chain[0][0]) in solvers:
                    yield table, position, row


def _figure(name: str, *solvers: str) -> Measure:
    def measure(report: Report) -> list[str]:
        key = f"{COST}.{name}"
        found = [(row.label, row.figures[key]) for _, _, row in _rows(report, *solvers) if key in row.figures]
        return [f"{label}: {value:,.0f}" for label, value in found]

    return measure


def _from_to(*solvers: str) -> Measure:
    def measure(report: Report) -> list[str]:
        lines = []
        for table, position, row in _rows(report, *solvers):
            first, second = (mean_of_kind(table, position, "mrr@10", kind) for kind in (FROM, TO))
            if first == first and second == second:  # neither is NaN
                lines.append(f"{row.label}: MRR@10 {percent(first)} -> {percent(second)}")
        return lines

    return measure


def _accuracy(*solvers: str) -> Measure:
    def measure(report: Report) -> list[str]:
        lines = []
        for _, _, row in _rows(report, *solvers):
            three, five = (percent(row.estimates[metric].mean) for metric in ("hit@3", "hit@5"))
            lines.append(f"{row.label}: {three} (k = 3), {five} (k = 5)")
        return lines

    return measure


def _lexical_lead(report: Report) -> list[str]:
    """hit@3 on technical queries, BM25 less question vectors."""
    lines = []
    for table, position, row in _rows(report, "bm25"):
        for other, row_of_questions in enumerate(table.rows):
            if row_of_questions.cell.chain and short(row_of_questions.cell.chain[0][0]) == "question_vectors":
                lead = mean_of_kind(table, position, "hit@3", FROM) - mean_of_kind(table, other, "hit@3", FROM)
                lines += [f"{row.label} − {row_of_questions.label}: {lead:+.3f} (hit@3)"] if lead == lead else []
    return lines


def _reduction(report: Report) -> list[str]:
    """Bytes on disk, question vectors against chunks."""
    key = f"{COST}.bytes"
    return [
        f"{row.label} against {chunks.label}: {percent(1 - row.figures[key] / chunks.figures[key])} %"
        for table, _, row in _rows(report, "question_vectors")
        for chunked, _, chunks in _rows(report, "fixed_chunks", "recursive_chunks")
        if table is chunked
    ]


def _card_size(report: Report) -> list[str]:
    return [
        f"{row.label}: mean {row.figures[f'{COST}.text_bytes'] / row.figures[f'{COST}.texts']:,.0f} bytes"
        for _, _, row in _rows(report, "card_vectors")
    ]


_MEASURES: dict[tuple[str, str], Measure] = {
    ("paper cards", "embedding storage reduction"): _reduction,
    ("corpus", "papers"): _figure("papers", "question_vectors"),
    ("corpus", "chunks after chunking"): _figure("texts", "fixed_chunks", "recursive_chunks"),
    ("technical queries", "accuracy of BM25 minus question-centric"): _lexical_lead,
    ("BM25", "MRR technical -> conceptual"): _from_to("bm25"),
    ("question-centric", "MRR drop technical -> conceptual"): _from_to("question_vectors"),
    ("fixed-size and recursive chunking", "overall accuracy"): _accuracy("fixed_chunks", "recursive_chunks"),
    ("question-centric", "embedding vectors"): _figure("vectors", "question_vectors"),
    ("recursive chunking", "chunks"): _figure("texts", "recursive_chunks"),
    ("fixed-size chunking", "chunks"): _figure("texts", "fixed_chunks"),
    ("paper card", "size"): _card_size,
}
"""By setting and measure of the statement."""
