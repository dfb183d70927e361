"""Step 2, SFT data: one example a question, all documents in and all rewrites out (arXiv 2509.15577, Eq. 8)."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from bridgebench.errors import BridgebenchError
from bridgebench.models.training.examples import (
    ExampleSettings,
    Row,
    completion_of,
    in_dev,
    load_tokenizer,
    prompt_of,
    token_count,
    write_report,
    write_rows,
)
from bridgebench.models.training.measures import (
    added_share,
    copied_share,
    leaks,
    mean_of,
    rounded,
    share,
    spread,
    states_gold,
)
from bridgebench.models.training.overlap import Asked, overlap_report
from bridgebench.models.training.provenance import write_provenance
from bridgebench.models.training.rewrites import Supervised, read_supervision

BENCHMARKS = ("hotpotqa", "twowiki", "musique", "ambigqa", "msmarco", "crag", "longbench")


class SftDataSettings(ExampleSettings):
    """Settings of `write_sft_data`.

    Attributes:
        require_correct: Keep only questions whose teacher stated a gold answer when it explained.
        benchmarks: Benchmarks whose questions are compared with those of the training data.
    """

    # Off: the paper sets its own way against filters by outcome.
    require_correct: bool = False
    # All that ask questions of documents, by their default sources.
    benchmarks: list[Asked] = Field(default_factory=lambda: [Asked(task=name) for name in BENCHMARKS])


def write_sft_data(settings: SftDataSettings, logs: Path, out: Path) -> Path:
    """Make ``train.jsonl``, ``dev.jsonl``, ``report.json`` and ``provenance.json`` of the supervision step's logs.

    A row is ``{"id", "prompt": [messages], "completion": [message]}``. A document whose teacher said nothing readable
    has no part in it: not in the prompt and not in the completion.

    Args:
        settings: How.
        logs: Folder of the supervision step.
        out: Folder for the data.

    Raises:
        BridgebenchError: When the step did not finish, or no example is left.
    """
    tokenizer = load_tokenizer(settings.tokenizer)
    rows: dict[str, list[Row]] = {"train": [], "dev": []}
    used: list[Supervised] = []
    dropped: Counter[str] = Counter()
    lengths: dict[str, list[float]] = {"prompt_and_completion_tokens": [], "prompt_tokens": []}
    every = list(read_supervision(logs))
    for question in every:
        reason = unusable(question, settings)
        if reason is None:
            row = example(question, settings.template)
            length = token_count(tokenizer, row["prompt"] + row["completion"])
            reason = "over-long" if length > settings.max_length else None
        if reason is not None:
            dropped[reason] += 1
            continue
        lengths["prompt_and_completion_tokens"].append(length)
        lengths["prompt_tokens"].append(token_count(tokenizer, row["prompt"]))
        rows["dev" if in_dev(question.question, settings.seed, settings.dev_share) else "train"].append(row)
        used.append(question)
    if not rows["train"]:
        raise BridgebenchError(f"{logs}: no training example is left of {len(every)} questions ({dict(dropped)})")
    report = {
        "questions": len(every),
        "examples": {name: len(part) for name, part in rows.items()},
        "questions_left_out": dict(dropped),
        "documents_without_readable_rewrite": sum(rewrite is None for q in every for rewrite in q.rewrites),
        "replies_asked_for_again": sum(question.retried for question in every),
        "gold_filtered": settings.forbid_leak or settings.require_correct,
        "max_length": settings.max_length,
        "lengths": {name: spread(values) for name, values in lengths.items()},
        "rewrites": rewrite_figures(used),
        "overlap": overlap_report({question.id: question.question for question in used}, settings.benchmarks),
    }
    write_rows(out, rows)
    write_report(out, rounded(report))
    write_provenance(out, "sft-data", settings, {"supervision": logs}, {"examples": report["examples"]})
    return out


def unusable(question: Supervised, settings: SftDataSettings) -> str | None:
    """Why a question gives no example, or None.

    Raises:
        BridgebenchError: When correct teachers are asked for and this one was not heard.
    """
    if not question.read:
        return "no document with a readable rewrite"
    if settings.require_correct and question.correct is None:
        raise BridgebenchError(f"require_correct: the teacher did not explain question '{question.id}' (explain: true)")
    if settings.require_correct and not question.correct:
        return "the teacher's explanation states no gold answer"
    rewrites = [rewrite for _, rewrite in question.read]
    if settings.forbid_leak and leaks(question.documents, rewrites, question.golds):
        return "a rewrite states a gold answer that no document states"
    return None


def example(question: Supervised, template: str | None = None) -> Row:
    """The row of a question."""
    documents, rewrites = zip(*question.read, strict=True)
    return {
        "id": question.id,
        "prompt": prompt_of(question.question, documents, template),
        "completion": completion_of(rewrites),
    }


def rewrite_figures(questions: Sequence[Supervised]) -> dict[str, Any]:
    """What the rewrites of a data set are like.

    ``skipped_share`` of all documents, and the share of questions with nothing but skipped ones; of the rewritten
    documents the lengths in words, the mean share of words copied in runs (`copied_share`) and of words that no
    document of the question holds (`added_share`); of the questions with an answer that can be looked for, the share
    whose rewrites state it, and the share that state it though no document does.
    """
    read = [pair for question in questions for pair in question.read]
    written = [(q.documents, rewrite) for q in questions for _, rewrite in q.read if rewrite]
    texts = [[rewrite for _, rewrite in question.read] for question in questions]
    stating = [states_gold(rewrites, q.golds) for q, rewrites in zip(questions, texts, strict=True)]
    leaking = [leaks(q.documents, rewrites, q.golds) for q, rewrites in zip(questions, texts, strict=True)]
    asked = sum(stated is not None for stated in stating)
    return {
        "documents": len(read),
        "skipped_share": share(len(read) - len(written), len(read)),
        "all_skipped_share": share(sum(not any(rewrites) for rewrites in texts), len(texts)),
        "document_words": spread([len(document.text.split()) for document, _ in read]),
        "rewrite_words": spread([len(rewrite.split()) for _, rewrite in written]),
        "copied_share": mean_of([copied_share(documents, rewrite) for documents, rewrite in written]),
        "added_words_share": mean_of([added_share(documents, rewrite) for documents, rewrite in written]),
        "stating_gold_share": share(sum(bool(stated) for stated in stating), asked),
        "leak_share": share(sum(leaking), asked),
    }
