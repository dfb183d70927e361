"""The builder: turns a dataset, its loader and its scorer into an Inspect task."""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver

from bridgebench.benchmarks._loading import Loading
from bridgebench.benchmarks._retrieved import replace_documents
from bridgebench.benchmarks._samples import Convert, Exclude, keep, sample_id
from bridgebench.benchmarks._selection import draw, ids_hash, read_manifest, sample_by_ids
from bridgebench.benchmarks._sources import Hub, Place, Source, file_provenance, is_single_file, open_source
from bridgebench.benchmarks._tally import Tally, convert_records
from bridgebench.errors import BridgebenchError
from bridgebench.reader import ReaderSettings
from bridgebench.scorers.context import context
from bridgebench.scorers.cost import cost
from bridgebench.scorers.roles import require_roles, scorer_roles
from bridgebench.solvers.controls import naive

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Benchmark:
    """What is fixed about a benchmark.

    Attributes:
        name: Name of its task, and of its folder.
        version: Raised when the same arguments give other samples or scores.
        hub: Where the hub has it.
        split: Default split; None where files are not told apart by split.
        max_tokens: Most tokens of an answer.
        headline: ``scorer.value`` that sums a row up.
        reader: How the generator is asked.
    """

    name: str
    version: int
    hub: Hub
    split: str | None
    max_tokens: int
    headline: str
    reader: ReaderSettings = ReaderSettings()


def build(
    benchmark: Benchmark,
    convert: Convert,
    loading: Loading,
    scorer: Scorer | list[Scorer],
    *,
    exclude: Exclude = keep,
    source: Source | None = None,
    file: str | None = None,
    solver: Solver | None = None,
    **options: Any,
) -> Task:
    """Make the task: read the source, choose the questions, write down where everything came from.

    Args:
        benchmark: What is fixed about it.
        convert: Its loader.
        loading: The common arguments.
        scorer: Its scorers.
        exclude: The reason why a sample is no part of the benchmark, or None.
        source: Records that are read already; None reads those that `loading` names.
        file: Name without suffix of the file to read from a folder or zip of many datasets.
        solver: What a retrieval task runs by default. None is `naive` before a generator, and `context` and
            `cost` join the scorers, so that what became of the context, and what it cost, stands in every log.
        **options: The task's own arguments, for the log.

    Raises:
        BridgebenchError: When the arguments contradict each other, or the source has no usable record.
    """
    _check_together(benchmark.name, loading, options.get("documents"))
    place = Place(benchmark.hub, f"bridgebench.benchmarks.{benchmark.name}", loading.split or benchmark.split, file)
    source = source or open_source(loading.source, place)
    tally = Tally()
    left_out = _without_gold(exclude) if options.get("documents") == "gold" else exclude
    stream = convert_records(
        source.items, convert, sample_id, tally, on_bad_record=loading.on_bad_record, exclude=left_out
    )
    if loading.ids:
        samples = sample_by_ids(stream, read_manifest(loading.ids), loading.ids)
    elif loading.limit:
        samples = draw(stream, loading.limit, loading.seed, sample_id)
    else:
        samples = list(stream)
    _report(benchmark.name, loading, tally, len(samples))
    if loading.retrieved:
        replace_documents(samples, loading.retrieved)
    _add_settings(benchmark, loading, samples)
    metadata = {
        "benchmark": benchmark.name,
        **asdict(loading),
        **options,
        "provenance": source.provenance
        | ({"retrieved": file_provenance(loading.retrieved)} if loading.retrieved else {}),
        "records": {**tally.to_dict(), "used": len(samples)},
        "ids_sha256": ids_hash(map(sample_id, samples)),
        "counts": dict(_counts(samples)),
    }
    scorers = scorer if isinstance(scorer, list) else [scorer]
    roles = scorer_roles(scorers)
    return Task(
        dataset=MemoryDataset(samples, name=benchmark.name, location=loading.source),
        setup=require_roles(roles) if roles else None,
        solver=solver or naive(),
        scorer=scorers if solver else [*scorers, context(), cost()],
        config=GenerateConfig(max_tokens=benchmark.max_tokens, temperature=0.0),
        version=benchmark.version,
        headline_metric=benchmark.headline,
        metadata=metadata,
    )


def _without_gold(exclude: Exclude) -> Exclude:
    """Leave out, with the control on gold documents, the questions that have none."""

    def reason(sample: Sample) -> str | None:
        return exclude(sample) or (None if (sample.metadata or {})["gold_documents"] else "no gold document")

    return reason


def _check_together(name: str, loading: Loading, documents: object) -> None:
    if loading.retrieved and documents == "gold":
        raise BridgebenchError(f"task '{name}': documents=gold and retrieved=... exclude each other")
    if loading.ids and loading.limit:
        raise BridgebenchError(f"task '{name}': ids=... and limit=... exclude each other")
    if loading.split and is_single_file(loading.source):
        raise BridgebenchError(f"task '{name}': split=... says nothing of a single file; leave it out")


def _report(name: str, loading: Loading, tally: Tally, used: int) -> None:
    if tally.skipped:
        shown = "; ".join(tally.skipped_records[:3])
        logger.warning("%s: skipped %d of %d records: %s", name, tally.skipped, tally.read, shown)
    if not used:
        reasons = ", ".join(f"{count} {reason}" for reason, count in tally.excluded.items()) or "none excluded"
        raise BridgebenchError(
            f"{name}: no usable record in '{loading.source}' ({tally.read} read, {tally.skipped} skipped, {reasons})"
        )
    if loading.limit and used < loading.limit:
        logger.warning("%s: limit=%d, but the source has only %d usable records", name, loading.limit, used)


def _add_settings(benchmark: Benchmark, loading: Loading, samples: Sequence[Sample]) -> None:
    reader = replace(
        benchmark.reader,
        budget=loading.budget or benchmark.reader.budget,
        tokenizer=loading.tokenizer or benchmark.reader.tokenizer,
    )
    for sample in samples:
        metadata = sample.metadata or {}
        own = metadata.get("reader", {})
        sample.metadata = {"benchmark": benchmark.name, **metadata, "reader": {**reader.to_dict(), **own}}


def _counts(samples: Iterable[Sample]) -> Counter[str]:
    """Oddities of the records that are used, summed."""
    total: Counter[str] = Counter()
    for sample in samples:
        total.update((sample.metadata or {}).get("counts", {}))
    return total
