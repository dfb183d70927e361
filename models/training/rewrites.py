"""What the supervision step left in its logs: each question with its documents and what became of each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalSample, list_eval_logs, read_eval_log, read_eval_log_samples

from bridgebench.document import Document
from bridgebench.errors import BridgebenchError
from bridgebench.solvers.r2u_format import Rewrite


@dataclass(frozen=True)
class Supervised:
    """A question that a teacher has worked on.

    Attributes:
        id: Of its sample.
        question: In words.
        golds: Acceptable answers.
        documents: In retrieval order.
        rewrites: One entry a document: its rewrite, empty where it is to be skipped, None where the teacher said
            nothing readable twice, so that the document has no part in training.
        retried: Replies that were asked for again.
        correct: Whether the teacher's explanation states a gold answer; None where it did not explain.
    """

    id: str
    question: str
    golds: tuple[str, ...]
    documents: tuple[Document, ...]
    rewrites: tuple[Rewrite, ...]
    retried: int = 0
    correct: bool | None = None

    @property
    def read(self) -> tuple[tuple[Document, str], ...]:
        """Documents that have a part in training, with their rewrites (empty: to be skipped)."""
        pairs = zip(self.documents, self.rewrites, strict=True)
        return tuple((document, rewrite) for document, rewrite in pairs if rewrite is not None)


def rewrites_of(documents: Sequence[Document], step: Mapping[str, Any]) -> tuple[Rewrite, ...]:
    """The teacher's rewrite of each document, from the record that the bridge `r2u_teacher` leaves of itself.

    The bridge leaves skipped documents out, renames rewritten ones (``<id>#r2u``) and returns unreadable ones as they
    were.
    """
    if step["notes"]["missing"] == len(documents):  # its output is the originals, or one text without labels
        return (None,) * len(documents)
    written = {document["id"]: document["text"] for document in step["documents"]}
    return tuple(written.get(f"{document.id}#r2u", None if document.id in written else "") for document in documents)


def golds_of(sample: EvalSample) -> tuple[str, ...]:
    """Acceptable answers of a sample."""
    return (sample.target,) if isinstance(sample.target, str) else tuple(sample.target)


def supervised_of(sample: EvalSample) -> Supervised:
    """A sample of the supervision step's log.

    Raises:
        BridgebenchError: When it is none.
    """
    steps = sample.store.get("BridgeStore:steps") or []
    if len(steps) != 1 or not steps[0]["bridge"].endswith("/r2u_teacher"):
        raise BridgebenchError(f"sample '{sample.id}' was not made by the supervision step")
    documents = tuple(Document.from_dict(document) for document in sample.metadata["documents"])
    score = (sample.scores or {}).get("supervised")
    correct = score.value["correct"] if score and isinstance(score.value, dict) else None
    return Supervised(
        str(sample.id),
        str(sample.input),
        golds_of(sample),
        documents,
        rewrites_of(documents, steps[0]),
        steps[0]["notes"]["retried"],
        None if correct is None or correct != correct else bool(correct),  # nan: the teacher did not explain
    )


def finished_log(folder: Path, step: str) -> str:
    """The log of a step's latest finished run.

    Raises:
        BridgebenchError: When there is none in the folder.
    """
    infos = list_eval_logs(str(folder)) if folder.is_dir() else []
    for info in infos:  # newest first
        header = read_eval_log(info, header_only=True)
        if header.status == "success" and header.eval.task.rpartition("/")[2] == step:
            return header.location
    raise BridgebenchError(f"{folder}: no finished log of step '{step}' among its {len(infos)} logs: run that first")


def read_supervision(folder: Path) -> Iterator[Supervised]:
    """All questions of the supervision step, in the order of its log.

    Raises:
        BridgebenchError: When the step did not run, or did not finish.
    """
    for sample in read_eval_log_samples(finished_log(folder, "supervision")):
        yield supervised_of(sample)
