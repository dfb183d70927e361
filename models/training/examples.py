"""One training example: the prompt that `bridgebench/r2u` sends, and what is to be written after it."""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Protocol

from pydantic import Field

from bridgebench.document import Document
from bridgebench.errors import BridgebenchError, require
from bridgebench.models.training.served import Settings
from bridgebench.scorers.qa_metrics import normalise_answer
from bridgebench.solvers.neutralise import Guard
from bridgebench.solvers.prompting import bridge_prompt
from bridgebench.solvers.r2u import r2u_messages
from bridgebench.solvers.r2u_format import LABELS, format_rewrites

Chat = list[dict[str, str]]
"""Messages with ``role`` and ``content``, as trainers and chat templates take them."""

Row = dict[str, Any]
"""One JSON line of a data set."""


class ExampleSettings(Settings):
    """What the data of all training has in common.

    Attributes:
        tokenizer: The student's: a hub id, a folder, or ``smollm2``, the model that comes with the package.
        max_length: Most tokens of prompt and completion; longer examples are left out and counted, never cut.
        template: Prompt of the rewriter.
        dev_share: Share of questions that are held out.
        forbid_leak: Leave out examples whose rewrites state a gold answer that no document of the question states.
        seed: Of the split and of all draws.
    """

    tokenizer: str = "meta-llama/Llama-3.2-3B-Instruct"  # the paper's student
    # Ten passages are 1,200 to 2,000 tokens, their rewrites at most as many: hardly an example is longer.
    max_length: Annotated[int, Field(ge=1)] = 6144
    template: str | None = None  # the packaged one
    dev_share: Annotated[float, Field(ge=0, lt=1)] = 0.03  # about 1,000 of the paper's 36,000 questions
    # Off, as in the paper: it looks at the gold answers, so what is trained on the rest is gold-filtered.
    forbid_leak: bool = False
    seed: int = 0


def prompt_of(question: str, documents: Sequence[Document], template: str | None = None) -> Chat:
    """What the rewriter reads: as in its use, so in its training."""
    messages = r2u_messages(bridge_prompt("r2u", template), question, documents, Guard(*LABELS))
    return [{"role": message.role, "content": message.text} for message in messages]


def completion_of(rewrites: Sequence[str]) -> Chat:
    """What the rewriter is to write (Eq. 8): all rewrites, numbered as the documents are; empty ones are skipped."""
    return [{"role": "assistant", "content": format_rewrites(rewrites)}]


class Tokenizer(Protocol):
    """The part of a tokenizer of transformers that is used here."""

    chat_template: str | None

    def apply_chat_template(self, conversation: Chat, *, tokenize: bool, return_dict: bool) -> list[int]:
        """Token ids of a chat."""


def load_tokenizer(name: str) -> Tokenizer:
    """The student's tokenizer.

    Raises:
        BridgebenchError: When it cannot be loaded, or has no chat template.
        MissingExtraError: When transformers is not installed.
    """
    transformers = require("transformers", "train")
    if name == "smollm2":
        from bridgebench.models.embedded import embedded_model

        name = str(embedded_model())
    try:
        tokenizer: Tokenizer = transformers.AutoTokenizer.from_pretrained(name)
    except (OSError, ValueError) as error:
        raise BridgebenchError(f"tokenizer '{name}': {error}") from error
    if tokenizer.chat_template is None:
        raise BridgebenchError(f"tokenizer '{name}' has no chat template: the student must be a chat model")
    return tokenizer


def token_count(tokenizer: Tokenizer, chat: Chat) -> int:
    """Tokens of a chat, everything that its template adds included."""
    return len(tokenizer.apply_chat_template(chat, tokenize=True, return_dict=False))


def in_dev(question: str, seed: int, share: float) -> bool:
    """Whether a question is held out: decided by its words and the seed alone, so alike for every data set."""
    digest = hashlib.sha256(f"{seed} {normalise_answer(question)}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64


def write_rows(folder: Path, rows: Mapping[str, Iterable[Row]]) -> None:
    """Write ``<name>.jsonl`` for each name; a file appears when all of it is written."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in rows.items():
        unfinished = folder / f"{name}.jsonl.part"
        with unfinished.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(json.dumps(row) + "\n" for row in lines)
        os.replace(unfinished, folder / f"{name}.jsonl")


def write_report(folder: Path, report: Mapping[str, Any]) -> None:
    """Write ``report.json``."""
    (folder / "report.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
