"""Papers and the questions about them, out of Qasper's records or the arXiv summarisation data's."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from bridgebench.benchmarks._fields import Record
from bridgebench.benchmarks._files import Item, read_file, record_file
from bridgebench.benchmarks._selection import draw
from bridgebench.benchmarks._tally import Tally, convert_records
from bridgebench.corpus import Corpus, Paper, Section
from bridgebench.errors import BridgebenchError

_SENTENCE_MARK = re.compile(r"</?S>")


@dataclass(frozen=True)
class Library:
    """A corpus and what was asked about its papers.

    Attributes:
        corpus: The papers chosen.
        questions: One record a question: ``id``, ``question``, ``paper_id`` and ``kind``.
        records: What became of the records of papers, as JSON.
    """

    corpus: Corpus
    questions: list[Record]
    records: dict[str, Any]


def read_library(
    items: Iterable[Item],
    *,
    papers: int | None = None,
    min_sections: int = 0,
    seed: int = 0,
    on_bad_record: Literal["raise", "skip"] = "raise",
) -> Library:
    """Read papers, leave out those with few sections, and draw.

    Args:
        items: Records of papers.
        papers: How many to draw by `seed`; None is all.
        min_sections: Fewest sections of a paper.
        seed: Seed of the draw.
        on_bad_record: Whether a bad record, or one that repeats an id, ends the reading or is skipped and counted.

    Raises:
        RecordError: For the first bad record, unless they are skipped.
    """
    tally = Tally()
    stream = convert_records(
        items,
        lambda record: (read_paper(record), list(read_questions(record))),
        _paper_id,
        tally,
        on_bad_record=on_bad_record,
        exclude=lambda read: "few sections" if len(read[0].sections) < min_sections else None,
    )
    chosen = list(stream) if papers is None else draw(stream, papers, seed, _paper_id)
    without_abstract = sum(not paper.abstract.strip() for paper, _ in chosen)
    return Library(
        Corpus(tuple(paper for paper, _ in chosen)),
        [question for _, asked in chosen for question in asked],
        {**tally.to_dict(), "used": len(chosen), "without_abstract": without_abstract},
    )


def _paper_id(read: tuple[Paper, list[Record]]) -> str:
    return read[0].id


def read_paper(record: Record) -> Paper:
    """A paper of Qasper (raw or hub columns), or of the arXiv summarisation data (which has no titles)."""
    if record.has("article_id"):
        return _arxiv_paper(record)
    sections = tuple(
        Section(
            row.text("section_name", blank=True) if row.has("section_name") else "",
            "\n".join(row.texts("paragraphs", blank=True)),
        )
        for row in record.rows("full_text", "section_name", "paragraphs")
    )
    return Paper(record.identifier("id"), record.text("title"), record.text("abstract", blank=True), sections)


def read_questions(record: Record) -> Iterator[Record]:
    """Qasper's questions about a paper, by readers of its title and abstract; none where the record has no ``qas``."""
    if not record.has("qas"):
        return
    paper = record.identifier("id")
    for row in record.rows("qas", "question", "question_id"):
        values = {
            "id": row.identifier("question_id"),
            "question": row.text("question"),
            "paper_id": paper,
            "kind": "human",
        }
        yield Record(values, row.file, row.place, row.path)


def read_queries(path: str) -> Iterator[Item]:
    """A set of queries: records with ``id``, ``question``, ``paper_id`` (of the gold paper) and perhaps ``kind``.

    Raises:
        BridgebenchError: When there is no such file of records.
    """
    yield from read_file(record_file("queries", path, "; `bridgebench cards` makes one (solvers/cards/README.md)"))


def read_report(queries: str) -> dict[str, Any]:
    """What is said of a set of queries in ``<name>.report.json`` beside it; nothing where there is no such file.

    Raises:
        BridgebenchError: When it holds no JSON object.
    """
    file = Path(queries).expanduser()
    report = file.with_name(f"{file.stem}.report.json")
    if not report.is_file():
        return {}
    try:
        said = json.loads(report.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BridgebenchError(f"{report}: not JSON: {error}") from error
    if not isinstance(said, dict):
        raise BridgebenchError(f"{report}: must be a JSON object, got {type(said).__name__}")
    return said


def _arxiv_paper(record: Record) -> Paper:
    names = record.texts("section_names", blank=True)
    texts = ["\n".join(sentences) for sentences in record.text_lists("sections")]
    if len(names) != len(texts):
        raise record.error("section_names", f"has {len(names)} entries for {len(texts)} sections")
    abstract = " ".join(_SENTENCE_MARK.sub("", sentence).strip() for sentence in record.texts("abstract_text"))
    return Paper(record.identifier("article_id"), "", abstract, tuple(map(Section, names, texts)))
