"""Encoder bridges on 64 samples in flight against one sample at a time: same scores, less padding, fuller batches.

Random weights in the published architectures, on the CPU; the texts are those of the bundled sample's world.
Target: at least twice as fast. Ten passages keep a CPU busy already: there, little more than padding is saved.
"""

import argparse
import platform
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import anyio
import torch

from bridgebench.benchmarks.world.generate import records
from bridgebench.document import BridgeResult, Document
from bridgebench.models.tiny_checkpoints import cross_encoder
from bridgebench.models.tiny_checkpoints import provence as provence_checkpoint
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


def read(size: int) -> list[Sample]:
    """Questions of the bundled sample's world, each with its ten paragraphs."""
    return [
        (
            record["question"],
            [Document(str(index), title, "".join(text)) for index, (title, text) in enumerate(record["context"])],
        )
        for record in records("hotpotqa", size=size)
    ]


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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=128)
    parser.add_argument("--in-flight", type=int, default=64)
    options = parser.parse_args()
    print(f"machine: {platform.processor() or platform.machine()}, {torch.get_num_threads()} threads")
    samples = read(options.samples)
    with tempfile.TemporaryDirectory() as folder:
        model = cross_encoder(Path(folder) / "cross_encoder", **SIZE)
        compare("cross-encoder", bge_reranker(model=str(model)).bridge, samples, options.in_flight)
        model = provence_checkpoint(Path(folder) / "provence", **SIZE)
        compare("provence", provence(model=str(model)).bridge, samples, options.in_flight)


if __name__ == "__main__":
    main()
