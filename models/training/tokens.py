"""Rows of text to token ids, exactly as the model will be prompted; whatever does not fit is an error, never cut."""

import json
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bridgebench.errors import BridgebenchError, RecordError

Row = Mapping[str, Any]

_STRETCH = 50

IGNORED = -100
"""Label of a token without loss, as torch's cross entropy has it."""


def read_rows(path: Path, *fields: str) -> list[Row]:
    """Rows of a JSON lines file, each with an ``id`` and the fields named.

    Raises:
        BridgebenchError: When there is no such file, or no row in it.
        RecordError: Naming the line that is no row.
    """
    if not path.is_file():
        raise BridgebenchError(f"there is no file {path}: run the step before this one")
    rows = list(_read(path, ("id", *fields)))
    if not rows:
        raise BridgebenchError(f"{path}: there is no row in it")
    return rows


def _read(path: Path, fields: Sequence[str]) -> Iterator[Row]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise RecordError(str(path), f"line {number}", "(all)", f"not JSON: {error}") from error
            for field in fields:
                if field not in row:
                    raise RecordError(str(path), f"line {number}", field, "missing")
            yield row


def completion_rows(rows: Sequence[Row], tokenizer: Any, max_length: int, source: Path) -> list[dict[str, Any]]:
    """Rows of SFT: ``input_ids``, ``labels`` (-100 in the prompt, where no loss is computed) and ``length``."""
    made: list[dict[str, Any]] = []
    for row in rows:
        prompt, answer = encode(tokenizer, row["prompt"], row["completion"])
        ids = prompt + answer
        made.append({"input_ids": ids, "labels": [IGNORED] * len(prompt) + answer, "length": len(ids)})
    refuse_long(source, rows, [row["length"] for row in made], max_length)
    return made


def in_like_lengths(lengths: Sequence[int], batch: int, epochs: float, seed: int) -> list[int]:
    """Order of rows over all epochs in which those of a batch are about equally long, so that little is padding.

    Each epoch is shuffled, then sorted within stretches of `_STRETCH` batches, whose batches are shuffled again. The
    order depends on nothing but the arguments: a run that was killed goes on with the same batches.
    """
    order: list[int] = []
    for epoch in range(math.ceil(epochs)):
        rng = random.Random(f"{seed} {epoch}")
        rows = rng.sample(range(len(lengths)), len(lengths))
        lacking = -len(order) % batch  # rows of the batch that the epoch before left short: it would shift all others
        order, rows = order + rows[:lacking], rows[lacking:]
        batches = []
        for start in range(0, len(rows), batch * _STRETCH):
            stretch = sorted(rows[start : start + batch * _STRETCH], key=lambda row: -lengths[row])
            batches += [stretch[first : first + batch] for first in range(0, len(stretch), batch)]
        last = batches.pop() if batches and len(batches[-1]) < batch else []  # so would a short batch among others
        rng.shuffle(batches)
        order += [row for rows in batches for row in rows] + last
    return order[: max(1, round(epochs * len(lengths)))]


def pair_rows(rows: Sequence[Row], tokenizer: Any, max_length: int, source: Path) -> list[dict[str, Any]]:
    """Rows of DPO, as messages; their lengths are checked here."""
    lengths = []
    for row in rows:
        encoded = [encode(tokenizer, row["prompt"], row[side]) for side in ("chosen", "rejected")]
        lengths.append(max(len(prompt) + len(answer) for prompt, answer in encoded))
    refuse_long(source, rows, lengths, max_length)
    return [{key: row[key] for key in ("prompt", "chosen", "rejected")} for row in rows]


def encode(tokenizer: Any, prompt: Sequence[Row], answer: Sequence[Row]) -> tuple[list[int], list[int]]:
    """Ids of a chat up to where the model answers, as at inference, and of the answer with the template's end.

    Raises:
        BridgebenchError: When the chat template writes earlier turns in another way once an answer follows.
    """
    begun = tokenizer.apply_chat_template(list(prompt), tokenize=False, add_generation_prompt=True)
    whole = tokenizer.apply_chat_template([*prompt, *answer], tokenize=False)
    if not whole.startswith(begun):
        raise BridgebenchError("the chat template changes the prompt once an answer follows it: it cannot be trained")
    parts = (begun, whole.removeprefix(begun))
    first, second = (tokenizer(part, add_special_tokens=False, verbose=False)["input_ids"] for part in parts)
    return list(first), list(second)


def refuse_long(source: Path, rows: Sequence[Row], lengths: Sequence[int], max_length: int) -> None:
    """Raise when any row is longer than `max_length`: trainers cut such rows silently, the completion first."""
    long = [(length, row["id"]) for length, row in zip(lengths, rows, strict=True) if length > max_length]
    if long:
        most, name = max(long)
        raise BridgebenchError(
            f"{source}: {len(long)} of {len(rows)} rows are longer than max_length = {max_length} tokens, the longest "
            f"is {name!r} with {most}: raise max_length, or make the data step leave such rows out"
        )
