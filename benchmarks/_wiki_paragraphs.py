"""The record format that HotpotQA set and 2WikiMultihopQA took over: titled paragraphs cut into sentences."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from bridgebench.benchmarks._fields import Record
from bridgebench.document import Document

Documents = Literal["all", "gold"]
DOCUMENTS = get_args(Documents)


@dataclass(frozen=True)
class Paragraphs:
    """Paragraphs of one question.

    Attributes:
        documents: Those to show, with their position in the record as id.
        gold: Ids of the supporting ones among them.
        counts: Supporting facts that upstream got wrong, by kind.
    """

    documents: list[Document]
    gold: list[str]
    counts: Counter[str]


def read_paragraphs(record: Record, joiner: str, documents: Documents) -> Paragraphs:
    """Read ``context`` and ``supporting_facts``.

    Args:
        record: Raw or hub columns.
        joiner: What stands between the sentences of a paragraph.
        documents: All paragraphs, or the gold ones alone.
    """
    rows = record.rows("context", "title", "sentences")
    if not rows:
        raise record.error("context", "holds no paragraph")
    titles = [row.text("title", blank=True) for row in rows]
    sentences = [row.texts("sentences", blank=True) for row in rows]
    facts = [(row.text("title"), row.integer("sent_id")) for row in record.rows("supporting_facts", "title", "sent_id")]
    positions, counts = gold_positions(titles, [len(paragraph) for paragraph in sentences], facts)
    shown = positions if documents == "gold" else list(range(len(rows)))
    return Paragraphs(
        documents=[Document(str(index), titles[index], joiner.join(sentences[index]).strip()) for index in shown],
        gold=[str(index) for index in positions],
        counts=counts,
    )


def gold_positions(
    titles: Sequence[str], lengths: Sequence[int], facts: Sequence[tuple[str, int]]
) -> tuple[list[int], Counter[str]]:
    """Positions of the supporting paragraphs, and what was odd about the facts.

    A fact names a title and a sentence. Where paragraphs share the title, those that have such a sentence are gold;
    where none has, all of that title are.

    Args:
        titles: Titles of the paragraphs.
        lengths: Numbers of their sentences.
        facts: (title, index of a sentence).
    """
    gold: set[int] = set()
    counts: Counter[str] = Counter()
    for title, sentence in facts:
        named = [index for index, other in enumerate(titles) if other == title]
        holders = [index for index in named if 0 <= sentence < lengths[index]]
        if not named:
            counts["supporting_title_not_in_context"] += 1
        elif not holders:
            counts["supporting_sentence_out_of_range"] += 1
        elif len(holders) > 1:
            counts["supporting_title_repeated"] += 1
        gold.update(holders or named)
    return sorted(gold), counts
