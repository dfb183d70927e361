"""The arguments that every benchmark takes, checked before anything is read."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.dataclasses import dataclass as validated_dataclass

from bridgebench.errors import BridgebenchError


def _whole(value: object) -> object:
    """A text that Inspect's command line has split at its commas, as it was given."""
    return ",".join(value) if isinstance(value, list) and all(isinstance(part, str) for part in value) else value


SourceText = Annotated[str, BeforeValidator(_whole)]
"""A source as Inspect's ``-T source=world:size=60,seed=3`` hands it over: as a list."""


@validated_dataclass(frozen=True, config=ConfigDict(strict=True, extra="forbid"))
class Loading:
    """The arguments that every benchmark takes.

    Attributes:
        source: ``hub`` (or ``hub:<id or folder>[@<revision>]``), ``sample``, ``world:<knobs>``, or the path of a file
            or folder.
        split: Split of the hub or of a folder; None is the benchmark's own.
        limit: Number of questions, drawn by `seed`; None is all. (Inspect's ``--limit`` takes the first ones.)
        seed: Seed of the draw, and of whatever else a benchmark draws.
        ids: Path of a manifest: the ids of the questions to ask.
        retrieved: Path of a run: the documents to use in place of the benchmark's own.
        on_bad_record: ``raise`` on the first bad record, or ``skip`` it, count it and list it.
        budget: Most context the generator may read, in words or in tokens of `tokenizer`; None is the benchmark's.
        tokenizer: Hub id or folder of the tokenizer that `budget` counts in.
    """

    source: SourceText = "hub"
    split: str | None = None
    limit: Annotated[int, Field(ge=1)] | None = None
    seed: int = 0
    ids: str | None = None
    retrieved: str | None = None
    on_bad_record: Literal["raise", "skip"] = "raise"
    budget: Annotated[int, Field(ge=1)] | None = None
    tokenizer: str | None = None


def parse_loading(benchmark: str, arguments: Mapping[str, Any]) -> Loading:
    """Check the common arguments of a task.

    Raises:
        BridgebenchError: Naming each wrong argument.
    """
    try:
        return Loading(**arguments)
    except ValidationError as error:
        problems = "; ".join(f"argument '{'.'.join(map(str, e['loc']))}': {e['msg']}" for e in error.errors())
        accepted = ", ".join(field.name for field in fields(Loading))
        raise BridgebenchError(f"task '{benchmark}': {problems} (common arguments: {accepted})") from None


def check_choice(benchmark: str, argument: str, value: object, choices: Sequence[str]) -> None:
    """Raise `BridgebenchError` when a task's argument is none of `choices`."""
    if value not in choices:
        raise BridgebenchError(
            f"task '{benchmark}': argument '{argument}' must be one of {', '.join(choices)}, got {value!r}"
        )


def check_count(benchmark: str, argument: str, value: object, least: int) -> None:
    """Raise `BridgebenchError` when a task's argument is no whole number of `least` or more."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        problem = f"must be a whole number of {least} or more, got {value!r}"
        raise BridgebenchError(f"task '{benchmark}': argument '{argument}' {problem}")
