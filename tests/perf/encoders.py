"""Encoder bridges on 64 samples in flight against one sample at a time: same scores, less padding, fuller batches.

Random weights in the published architectures, on the CPU; the texts are those of the bundled sample's world, whose
passages differ little in length, or records of your own. Target: at least twice as fast. Ten passages keep a CPU busy
already: there, no more than padding is saved, whose share is printed.

    python tests/perf/encoders.py [--source hotpotqa=dev_distractor.json --source musique=dev.jsonl] [--in-flight 64]
"""

import argparse
import platform
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import torch
from inspect_ai.util import registry_create
from transformers import AutoTokenizer, XLMRobertaForSequenceClassification

from bridgebench.document import BridgeResult, Document
from bridgebench.models.tiny_checkpoints import cross_encoder
from bridgebench.models.tiny_checkpoints import provence as provence_checkpoint
from bridgebench.solvers._embedder import checkpoint_folder
from bridgebench.solvers._provence_model import Provence
from bridgebench.solvers.bge_reranker import bge_reranker
from bridgebench.solvers.bridge import BoundBridge
from bridgebench.solvers.provence import provence

TARGET = 2.0
SIZE = {
    "hidden_size": 384,
    "intermediate_size": 1536,
    "num_hidden_layers": 6,
    "num_attention_heads": 12,
    "initializer_range": 0.05,
}

Sample = tuple[str, list[Document]]


def read(source: str) -> list[Sample]:
    """Questions of a benchmark with their documents.

    Args:
        source: ``<benchmark>=<source>``, for example ``hotpotqa=dev_distractor.json``.
    """
    name, _, place = source.partition("=")
    samples = registry_create("task", f"bridgebench/{name}", source=place).dataset
    return [(str(sample.input), [Document.from_dict(d) for d in sample.metadata["documents"]]) for sample in samples]


def padding(samples: Sequence[Sample]) -> float:
    """Share of the words of all samples, each padded to its longest passage, that are padding."""
    lengths = [[len(document.full_text.split()) for document in documents] for _, documents in samples]
    return 1 - sum(map(sum, lengths)) / sum(len(row) * max(row) for row in lengths)


def with_packaged_tokenizer(tiny: Path, network: Any) -> str:
    """A checkpoint of the shape of `tiny` whose tokenizer writes as many tokens a word as published ones."""
    tokenizer: Any = AutoTokenizer.from_pretrained(checkpoint_folder("minilm"))
    tokenizer.model_max_length = 512
    changes = {"vocab_size": len(tokenizer), "pad_token_id": tokenizer.pad_token_id, "type_vocab_size": 2}
    config = network.config_class.from_pretrained(tiny, **changes)
    folder = tiny.with_suffix(".packaged")
    torch.manual_seed(0)
    network(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


async def run(bridge: BoundBridge, samples: Sequence[Sample], in_flight: int) -> list[BridgeResult]:
    """Results of a bridge, in the order of the samples."""
    results: dict[int, BridgeResult] = {}
    limit = anyio.Semaphore(in_flight)

    async def one(index: int) -> None:
        async with limit:
            results[index] = await bridge(*samples[index])

    async with anyio.create_task_group() as group:
        for index in range(len(samples)):
            group.start_soon(one, index)
    return [results[index] for index in range(len(samples))]


def compare(name: str, bridge: BoundBridge, samples: Sequence[Sample], in_flight: int) -> None:
    """Run both ways and print the ratio."""
    anyio.run(run, bridge, samples[:1], 1)  # loads the weights
    started = time.perf_counter()
    together = anyio.run(run, bridge, samples, in_flight)
    seconds_together = time.perf_counter() - started
    started = time.perf_counter()
    alone = anyio.run(run, bridge, samples, 1)
    seconds_alone = time.perf_counter() - started
    difference = max(
        abs(first - second)
        for one, other in zip(together, alone, strict=True)
        for first, second in zip(one.notes["scores"], other.notes["scores"], strict=True)
    )
    tokens = sum(result.cost.input_tokens or 0 for result in together)
    calls = sum(result.cost.calls for result in together)
    print(f"{name}: {len(samples)} samples, {calls} passages, {tokens} tokens")
    print(f"  largest difference of scores: {difference:.0e} (they are rounded to 1e-4)")
    print(f"  {in_flight} in flight: {seconds_together:.2f} s; one at a time: {seconds_alone:.2f} s")
    print(f"  ratio: {seconds_alone / seconds_together:.1f}x (target {TARGET:.0f}x)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", action="append", help="<benchmark>=<source>; may be given several times")
    parser.add_argument("--in-flight", type=int, default=64)
    options = parser.parse_args()
    print(f"machine: {platform.processor() or platform.machine()}, {torch.get_num_threads()} threads")
    samples = [sample for source in options.source or ["hotpotqa=world:size=128"] for sample in read(source)]
    print(f"{len(samples)} samples; padded alone, {padding(samples):.0%} of their words are padding")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = with_packaged_tokenizer(
            cross_encoder(folder / "xlm-roberta", **SIZE), XLMRobertaForSequenceClassification
        )
        compare("cross-encoder", bge_reranker(model=model).bridge, samples, options.in_flight)
        model = with_packaged_tokenizer(provence_checkpoint(folder / "deberta", **SIZE), Provence)
        compare("provence", provence(model=model).bridge, samples, options.in_flight)


if __name__ == "__main__":
    main()
