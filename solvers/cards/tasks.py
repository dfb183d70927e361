"""The tasks `cards` and `card_queries`: a sample a paper, written about by the model under ``--model``.

inspect eval-set bridgebench/cards -T source=sample --model local/smollm2 --log-dir logs/cards
bridgebench cards logs/cards -o out/cards
"""

import logging
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any, Literal

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from pydantic import ConfigDict, Field, ValidationError
from pydantic.dataclasses import dataclass

from bridgebench.benchmarks._loading import SourceText
from bridgebench.benchmarks.arxiv_cards.arxiv_cards import open_papers
from bridgebench.benchmarks.arxiv_cards.papers import read_library
from bridgebench.cards import Kind
from bridgebench.corpus import Paper
from bridgebench.errors import BridgebenchError
from bridgebench.solvers.cards.sections import Rule, Selection, key_sections, other_sections
from bridgebench.solvers.cards.writer import Asking, card_writer
from bridgebench.solvers.llm import Decoding

logger = logging.getLogger(__name__)

KINDS: tuple[Kind, ...] = ("conceptual", "technical")


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class PaperArguments:
    """The arguments that both tasks take.

    Attributes:
        source: ``hub``, ``sample``, ``world:size=...``, a file or folder of papers in Qasper's schema or that of the
            arXiv summarisation data, or a folder of Markdown files.
        split: Split of the hub, of a folder or of the world; None is the benchmark's own.
        papers: How many papers, drawn by `seed` as `arxiv_cards` draws them; None is all.
        min_sections: Papers with fewer sections are left out and counted.
        on_bad_record: ``raise`` on the first bad record, or ``skip`` it, count it and list it.
        sections: Whether ``any_word`` or phrase of a heading is looked up in the list of key sections, or its
            ``last_word`` alone (the released code).
        budget: Most of a paper's text in one call, in words or in tokens of `tokenizer` (the paper: 6,000 tokens).
        tokenizer: Hub id or folder of the tokenizer that `budget` counts in; None counts words.
        temperature: The paper's is 0.5; 0 is greedy, and nothing is then asked twice; None is the model's own.
        max_tokens: Most tokens of a reply.
        attempts: Most calls for one part of a card.
        seed: Of the draw and of sampling.
    """

    source: SourceText = "hub"
    split: str | None = None
    papers: Annotated[int, Field(ge=1)] | None = 109
    min_sections: Annotated[int, Field(ge=0)] = 3
    on_bad_record: Literal["raise", "skip"] = "raise"
    sections: Rule = "any_word"
    budget: Annotated[int, Field(ge=1)] = 6_000
    tokenizer: str | None = None
    temperature: Annotated[float, Field(ge=0)] | None = 0.5
    max_tokens: Annotated[int, Field(ge=1)] = 600
    attempts: Annotated[int, Field(ge=1)] = 3
    seed: int = 0

    @property
    def asking(self) -> Asking:
        """How the model is asked."""
        decoding = Decoding(self.max_tokens, self.temperature, self.seed)
        return Asking(decoding, self.attempts, self.budget, self.tokenizer)


@task
def cards(
    questions: int = 5,
    summary_characters: int = 700,
    questions_template: str | None = None,
    summary_template: str | None = None,
    **arguments: Any,
) -> Task:
    """Write what a card is made of: questions of both kinds with their keywords, and a summary.

    Args:
        questions: Number of questions of each kind.
        summary_characters: Length of the summary that is asked for (the released code: 700; the arXiv version of the
            paper: 300).
        questions_template: Jinja file of the prompt for questions.
        summary_template: Jinja file of the prompt for the summary.
        **arguments: See `PaperArguments`.
    """
    given = _parse("cards", arguments)
    writer = card_writer(
        list(KINDS), questions, True, given.asking, summary_characters, questions_template, summary_template
    )
    select = partial(key_sections, rule=given.sections, budget=given.budget, tokenizer=given.tokenizer)
    return _task("cards", given, select, writer)


@task
def card_queries(questions: int = 1, questions_template: str | None = None, **arguments: Any) -> Task:
    """Write questions of the sections that cards do not read: the query sets V2 (technical) and V3 (conceptual).

    Give the same `sections`, `budget` and `tokenizer` as to `cards`, and another model.

    Args:
        questions: Number of questions of each kind that are asked of a paper.
        questions_template: Jinja file of the prompt.
        **arguments: See `PaperArguments`.
    """
    given = _parse("card_queries", arguments)
    writer = card_writer(list(KINDS), questions, False, given.asking, questions_template=questions_template)
    select = partial(other_sections, rule=given.sections, budget=given.budget, tokenizer=given.tokenizer)
    return _task("card_queries", given, select, writer)


def _parse(name: str, arguments: dict[str, Any]) -> PaperArguments:
    try:
        return PaperArguments(**arguments)
    except ValidationError as error:
        problems = "; ".join(f"argument '{'.'.join(map(str, e['loc']))}': {e['msg']}" for e in error.errors())
        raise BridgebenchError(f"task '{name}': {problems}") from None


def _task(name: str, given: PaperArguments, select: Any, writer: Any) -> Task:
    source = open_papers(given.source, given.split)
    library = read_library(
        source.items,
        papers=given.papers,
        min_sections=given.min_sections,
        seed=given.seed,
        on_bad_record=given.on_bad_record,
    )
    papers = library.corpus.papers
    if given.papers is not None and len(papers) < given.papers:
        logger.warning("%s: papers=%d, but the source has only %d", name, given.papers, len(papers))
    selected = [(paper, select(paper)) for paper in papers]
    samples = [_sample(paper, selection) for paper, selection in selected if selection.sections]
    unread = [paper.id for paper, selection in selected if not selection.sections]
    if not samples:
        raise BridgebenchError(f"{name}: no paper in '{given.source}' with a section to read: {library.records}")
    return Task(
        dataset=MemoryDataset(samples, name=name, location=given.source),
        solver=writer,
        fail_on_error=False,  # a paper whose calls fail is listed; the others are written about
        version=1,
        metadata={
            "arguments": asdict(given),
            "corpus": library.corpus.sha256,
            "provenance": source.provenance,
            "paper_records": library.records,
            "without_sections": unread,
            "headings_unmatched": sum(not selection.matched for _, selection in selected),
        },
    )


def _sample(paper: Paper, selection: Selection) -> Sample:
    return Sample(
        id=paper.id,
        input=paper.title or paper.id,
        metadata={"title": paper.title, "documents": [section.to_dict() for section in selection.sections]},
    )
