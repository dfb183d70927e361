"""Sixteen questions about the same documents, with their common prefix computed once and without.

Target: at least 4 times as fast as the same batch without sharing (prefix of about 1,000 tokens, 16 new tokens).

    python tests/perf/shared_prefix.py [--questions 16] [--documents 20] [--dtype auto]
"""

import argparse
import os
import platform
import time
from unittest import mock

import torch

from bridgebench.benchmarks.hotpotqa.hotpotqa import hotpotqa
from bridgebench.document import Document
from bridgebench.models import prefix
from bridgebench.models.generation import Generated, Generation, generate
from bridgebench.models.weights import Weights, WeightsSpec, load_weights
from bridgebench.solvers.generate import load_prompt

NEW = 16


def read(weights: Weights, questions: int, documents: int) -> list[Generation]:
    """The questions of several records, each asked about the same documents."""
    samples = list(hotpotqa(source=f"world:size={max(questions, documents // 10 + 1)}").dataset)
    pool = [Document.from_dict(d) for sample in samples for d in (sample.metadata or {})["documents"]][:documents]
    prompt = load_prompt("qa")
    texts = [prompt.render(str(sample.input), pool) for sample in samples[:questions]]
    return [Generation(tuple(weights.encode([{"role": "user", "content": text}])), NEW, top=0) for text in texts]


def timed(weights: Weights, prompts: list[Generation]) -> tuple[float, list[Generated]]:
    started = time.perf_counter()
    answers = generate(weights, prompts)
    return time.perf_counter() - started, answers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=16)
    parser.add_argument("--documents", type=int, default=20)
    parser.add_argument("--dtype", choices=["auto", "float32", "bfloat16", "float16"], default="auto")
    args = parser.parse_args()
    weights = load_weights(WeightsSpec("smollm2", dtype=args.dtype).resolve())
    prompts = read(weights, args.questions, args.documents)
    shared = prefix.common_prefix([prompt.ids for prompt in prompts])
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, {torch.get_num_threads()} threads, "
        f"load {os.getloadavg()[0]:.1f}; {weights.device_name}, {weights.spec.dtype}"
    )
    print(f"{len(prompts)} questions, {shared} common tokens, longest prompt {max(len(p.ids) for p in prompts)}")
    timed(weights, [prompts[0]])  # first-use costs belong to neither
    together, ours = timed(weights, prompts)
    with mock.patch.object(prefix, "WORTHWHILE", float("inf")):
        apart, theirs = timed(weights, prompts)
    same = sum(a.ids == b.ids for a, b in zip(ours, theirs, strict=True))
    gap = max(abs(a.logprobs[0].logprob - b.logprobs[0].logprob) for a, b in zip(ours, theirs, strict=True))
    print(f"shared {together:.2f} s, not shared {apart:.2f} s; {same} of {len(prompts)} answers equal")
    print(f"largest difference in a first token's log-probability: {gap:.1e}")
    print(f"ratio {apart / together:.1f} (target 4): {'met' if apart / together >= 4 else 'MISSED'}")


if __name__ == "__main__":
    main()
