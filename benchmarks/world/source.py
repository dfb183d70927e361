"""``world:...`` as a benchmark's source: records of the fictional world, written while they are read."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, cast

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from bridgebench.benchmarks.world.contexts import Knobs
from bridgebench.benchmarks.world.generate import records
from bridgebench.benchmarks.world.names import Split
from bridgebench.errors import BridgebenchError

PREFIX = "world:"


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class WorldSource:
    """What stands behind ``world:``, as ``name=value`` with commas between.

    Attributes:
        size: Number of records.
        seed: Another seed is another world.
        knobs: The fields of `Knobs`, each by its own name.
    """

    knobs: Knobs
    size: int = Field(default=60, ge=1)
    seed: int = 0


def world_records(source: str, benchmark: str, split: str) -> tuple[Iterator[dict[str, Any]], dict[str, Any]]:
    """Records of one benchmark, and what to write down about them.

    Args:
        source: For example ``world:size=200,distractors=16,gold_position=middle``.
        benchmark: Its name.
        split: ``validation`` or ``train``: worlds that share neither names nor sentences.

    Raises:
        BridgebenchError: Naming the part of `source` that is wrong.
    """
    spec = read_source(source)
    written = records(benchmark, size=spec.size, seed=spec.seed, split=cast(Split, split), knobs=spec.knobs)
    return written, {"kind": "world", "split": split, **asdict(spec)}


def read_source(source: str) -> WorldSource:
    """What a source asks for.

    Raises:
        BridgebenchError: Naming the part that is wrong.
    """
    given = dict(part.partition("=")[::2] for part in source.removeprefix(PREFIX).split(",") if part)
    knobs = {name: given.pop(name) for name in Knobs.__dataclass_fields__ if name in given}
    try:
        return _WORLD_SOURCE.validate_python({**given, "knobs": knobs})
    except ValidationError as error:
        first = error.errors()[0]
        name, known = first["loc"][-1], ", ".join(["size", "seed", *Knobs.__dataclass_fields__])
        raise BridgebenchError(f"source '{source}': '{name}': {first['msg']} (it takes {known})") from None


_WORLD_SOURCE = TypeAdapter(WorldSource)
