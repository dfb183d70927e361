"""Tables of retrieval tasks: scores by kind, the fall between kinds, storage, and the paper's statements beside."""

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from inspect_ai.scorer import Score

from bridgebench.leaderboard.details import measures_grid, run_facts
from bridgebench.leaderboard.markdown import markdown
from bridgebench.leaderboard.published_cards import stated_cards
from bridgebench.leaderboard.render import PAGE, pages
from bridgebench.leaderboard.report import Report, read_report
from bridgebench.leaderboard.retrieval import kind_grids, main_grid, query_notes
from bridgebench.scorers.ranking import ranking_scores

RANKS = {  # of the gold paper: technical and conceptual query of each of four papers, in turn
    "bm25": [1, 4, 1, 99, 2, 99, 1, 4],
    "question_vectors": [1, 1, 2, 1, 1, 2, 1, 1],
    "fixed_chunks": [4, 4, 99, 99, 4, 4, 99, 99],
}
STORAGE: Mapping[str, Mapping[str, float]] = {
    "bm25": {"vectors": 0, "texts": 4, "text_bytes": 9_000, "bytes": float("nan"), "truncated": 0},
    "question_vectors": {"vectors": 8, "texts": 8, "text_bytes": 4_000, "bytes": 20_000, "truncated": 0},
    "fixed_chunks": {"vectors": 80, "texts": 80, "text_bytes": 90_000, "bytes": 200_000, "truncated": 7},
}
ABOUT = {
    "query_report": {
        "model": "x/other",
        "cards": {"model": "x/writer"},
        "same_model": False,
        "same_sections": ["p0: Method"],
        "overlap": {"all": {"queries": 8, "equal": 0.125, "near_equal": 0.25, "token_overlap": {"mean": 0.31}}},
    },
    "counts": {"ambiguous_queries": 2},
}


def write(synthetic: ModuleType, folder: Path, name: str, about: Mapping[str, Any] = ABOUT) -> None:
    samples = []
    for i, rank in enumerate(RANKS[name]):
        ranked = [f"x{place}" for place in range(1, rank)] + ["gold"]
        figures = {"build_seconds": 1.5, "papers": 4, "without_text": 1, "milliseconds": 2.0 + i}
        cost = Score(
            value={**figures, **STORAGE[name], "candidates_truncated": 0.0}, metadata={"facts": {"devices": ["cpu"]}}
        )
        sample = synthetic.sample(
            f"q{i}",
            scores={"ranking": Score(value=ranking_scores(ranked, {"gold"})), "retrieval_cost": cost},
            retrieved=[],
            read=[],
            bridge="x",
            metadata={"cluster": f"p{i // 2}", "question_type": ("technical", "conceptual")[i % 2]},
        )
        del sample.scores["cost"]
        samples.append(sample)
    log = synthetic.log(
        samples,
        chain=[],
        benchmark="bridgebench/arxiv_cards",
        generator="none/none",
        headline=("ranking", "mrr@10"),
        task_args={"source": "sample"},
    )
    log.plan.steps[0].solver, log.plan.steps[0].params = f"bridgebench/{name}", {}
    log.eval.metadata = dict(about)
    synthetic.write_eval_log(log, str(folder / f"{name}.eval"))


@pytest.fixture
def report(synthetic: ModuleType, tmp_path: Path) -> Report:
    for name in RANKS:
        write(synthetic, tmp_path, name)
    return read_report([tmp_path], resamples=200)


def fields(report: Report, row: str) -> dict[tuple[str, str], Any]:
    grid = main_grid(report.tables[0])
    line = next(line for line in grid.lines if line.label == row)
    return {(column.title, column.unit): field for column, field in zip(grid.columns, line.fields, strict=True)}


def test_scores_stand_with_storage_beside_them(report: Report) -> None:
    bm25 = fields(report, "bm25")
    assert [bm25[name, ""].text for name in ("hit@1", "hit@3", "hit@5", "hit@10")] == ["37.5", "50.0", "75.0", "75.0"]
    assert bm25["MRR@3", ""].text == "43.8"
    assert bm25["MRR@10", ""].text == "50.0"
    assert bm25["index", "kB"].text == "–", "it keeps no file"
    questions = fields(report, "question_vectors")
    assert questions["MRR@10", ""].place == "best"
    assert (questions["vectors", ""].text, questions["index", "kB"].text, questions["texts", "kB"].text) == (
        "8", "20", "4")  # fmt: skip
    assert (questions["build", "s"].text, questions["query", "ms"].text) == ("1.5", "5.5")
    assert fields(report, "fixed_chunks")["texts", ""].small == "7 cut"
    assert not report.tables[0].rows[0].marks.unknown, "our retrievers are known"


def test_the_fall_from_technical_to_conceptual(report: Report) -> None:
    bm25 = fields(report, "bm25")["conceptual − technical", "MRR@10"]
    assert bm25.text == "−75.0", "(1 + 1 + 1/2 + 1) / 4 and (1/4 + 0 + 0 + 1/4) / 4"
    assert bm25.hint == "technical 87.5, conceptual 12.5"
    assert bm25.small.startswith("[−")
    assert fields(report, "question_vectors")["conceptual − technical", "MRR@10"].text == "+0.0"


def test_every_kind_has_its_table(report: Report) -> None:
    conceptual, technical = kind_grids(report.tables[0])
    assert (conceptual.title, technical.title) == ("arxiv_cards: conceptual, n = 4", "arxiv_cards: technical, n = 4")
    bm25 = next(line for line in technical.lines if line.label == "bm25")
    assert [field.text for field in bm25.fields][:2] == ["75.0", "100.0"]


def test_a_leaky_benchmark_says_so(report: Report) -> None:
    notes = query_notes(report.tables[0])
    assert notes[0] == "queries by x/other; cards by x/writer"
    assert notes[1] == "LEAKY: queries were made with sections that the cards were made of"
    assert "12.5 % equal a question of the gold card, 25.0 % nearly" in notes[2]
    assert notes[3].startswith("2 queries are asked word for word of several papers")
    page = pages(report)[PAGE]
    assert "LEAKY: queries were made with sections" in page
    assert "arxiv_cards: conceptual, n = 4" in page


def test_a_set_without_a_report_says_nothing(synthetic: ModuleType, tmp_path: Path) -> None:
    write(synthetic, tmp_path, "bm25", {})
    assert query_notes(read_report([tmp_path], resamples=50).tables[0]) == []


def test_how_a_row_was_run(report: Report) -> None:
    row = next(row for row in report.tables[0].rows if row.label == "fixed_chunks")
    facts = dict(run_facts(row, "mrr@10"))
    assert facts["texts cut by the embedding model"] == "7 of 80"
    assert facts["papers that cannot be found"] == "1 of 4"
    assert facts["device"] == "cpu"
    assert measures_grid(report.tables[0]) is None, "they stand in the table"


def test_what_the_paper_states_has_ours_beside_it(report: Report) -> None:
    measured = {(stated.said["setting"], stated.said["measure"]): stated.measured for stated in stated_cards(report)}
    assert measured["BM25", "MRR technical -> conceptual"] == "bm25: MRR@10 87.5 -> 12.5"
    assert measured["question-centric", "embedding vectors"] == "question_vectors: 8"
    assert measured["fixed-size chunking", "chunks"] == "fixed_chunks: 80"
    assert measured["recursive chunking", "chunks"] == "", "not measured"
    assert measured["paper cards", "embedding storage reduction"] == "question_vectors against fixed_chunks: 90.0 %"
    assert measured["technical queries", "accuracy of BM25 minus question-centric"].startswith(
        "bm25 − question_vectors: +0.000"
    )
    assert measured["fixed-size and recursive chunking", "overall accuracy"] == (
        "fixed_chunks: 0.0 (k = 3), 50.0 (k = 5)"
    )


def test_markdown_has_the_same_table(report: Report) -> None:
    text = markdown(report)
    assert "conceptual − technical MRR@10" in text
    assert "| question\\_vectors |" in text
