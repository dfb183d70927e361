"""How a benchmark wants its generator to be asked: written by benchmarks, read by the generator step."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

Answer = Literal["as_is", "first_line"]
Cut = Literal["end", "middle"]


@dataclass(frozen=True)
class ReaderSettings:
    """Per-benchmark settings of `fit` and of the generator step; a solver argument overrides each.

    Attributes:
        prompt: Name of a template in ``solvers/prompts`` or path of a Jinja2 file.
        answer: `as_is` takes the whole completion (without reasoning, stripped), `first_line` its first line.
        budget: Most context the generator may read, in tokens of `tokenizer`, or in words when that is None;
            None is no limit.
        tokenizer: Hub id or folder of the tokenizer that `budget` counts in.
        cut: Where `fit` cuts: whole documents from the `end` and then the last one, or the `middle` of the context.
        note: Set a sample at a time: a line after the question that the generator reads and bridges do not.
    """

    prompt: str = "qa"
    answer: Answer = "as_is"
    budget: int | None = None
    tokenizer: str | None = None
    cut: Cut = "end"
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_metadata(cls, metadata: Mapping[str, Any]) -> "ReaderSettings":
        """Settings a benchmark left in ``sample.metadata["reader"]``; the defaults where it left none."""
        return cls(**metadata.get("reader", {}))
