"""The `local` provider against Inspect's `hf` provider and plain transformers, on the same checkpoint and dtype.

Prompts are those of the bundled HotpotQA world (about 500 tokens), each answered in at most 16 tokens. Targets: `local`
at least 2 times as fast as `hf`, both at their defaults; 1.5 times `hf` at its best setting; at most 1.1 times the time
of plain transformers in length-sorted batches of 8. Then, in float32, `local`'s answers against plain transformers one
prompt at a time: they are equal, or first differ where the two likeliest tokens are within 1e-3.

    python tests/perf/local_provider.py [--prompts 128] [--agreement 32] [--dtype auto]
"""

import argparse
import os
import platform
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import get_model
from inspect_ai.solver import generate

from bridgebench.benchmarks.hotpotqa.hotpotqa import hotpotqa
from bridgebench.document import Document
from bridgebench.models.local import local
from bridgebench.models.weights import Dtype, Weights, WeightsSpec, load_weights
from bridgebench.solvers.generate import load_prompt

assert local  # registers the provider

NEW = 16
NEAR = 1e-3


def read(count: int) -> list[str]:
    """Prompts of the bundled world, all documents and the question, as the generator step asks."""
    prompt = load_prompt("qa")
    samples = hotpotqa(source=f"world:size={count}").dataset
    return [
        prompt.render(str(sample.input), [Document.from_dict(d) for d in (sample.metadata or {})["documents"]])
        for sample in samples
    ]


def through_inspect(prompts: Sequence[str], model: Any, **options: Any) -> tuple[float, list[str]]:
    """Wall seconds of an eval without scorer, and its answers in order; the weights are loaded before."""

    def run(samples: Sequence[str]) -> tuple[float, list[str]]:
        dataset = MemoryDataset([Sample(id=index, input=text) for index, text in enumerate(samples)])
        started = time.perf_counter()
        with tempfile.TemporaryDirectory() as logs:
            (log,) = eval(
                Task(dataset, solver=generate()),
                model=model,
                score=False,
                max_tokens=NEW,
                max_samples=len(samples),
                display="none",
                log_dir=logs,
                **options,
            )
            seconds = time.perf_counter() - started
            if log.status != "success":
                raise SystemExit(f"{model}: {log.error}")
            return seconds, [sample.output.completion for sample in sorted(log.samples, key=lambda s: int(s.id))]

    run(prompts[:1])
    return run(prompts)


@torch.inference_mode()
def plain(weights: Weights, ids: Sequence[list[int]]) -> Any:
    """Transformers' own greedy generate on a left-padded batch."""
    width = max(map(len, ids))
    padded = torch.tensor([[0] * (width - len(row)) + row for row in ids])
    mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in ids])
    return weights.model.generate(
        padded.to(weights.device),
        attention_mask=mask.to(weights.device),
        do_sample=False,
        max_new_tokens=NEW,
        output_logits=True,
        return_dict_in_generate=True,
    )


def sorted_batches(weights: Weights, prompts: Sequence[str], size: int = 8) -> float:
    """Wall seconds of plain transformers, tokenising included."""
    started = time.perf_counter()
    ids = sorted((weights.encode([{"role": "user", "content": text}]) for text in prompts), key=len)
    for start in range(0, len(ids), size):
        out = plain(weights, ids[start : start + size])
        weights.tokenizer.batch_decode(out.sequences[:, -NEW:], skip_special_tokens=True)
    return time.perf_counter() - started


def agreement(weights: Weights, prompts: Sequence[str], answers: Sequence[str]) -> tuple[int, int, int]:
    """How many answers are equal to plain ones, differ first at a near tie, or differ otherwise."""
    equal = near = other = 0
    for text, answer in zip(prompts, answers, strict=True):
        out = plain(weights, [weights.encode([{"role": "user", "content": text}])])
        new = out.sequences[0, -len(out.logits) :].tolist()
        expected = weights.tokenizer.decode(new, skip_special_tokens=True)
        if answer == expected:
            equal += 1
            continue
        # The first token after which the plain text is no longer how our answer begins.
        texts = [weights.tokenizer.decode(new[: step + 1], skip_special_tokens=True) for step in range(len(new))]
        step = next((step for step, text in enumerate(texts) if not answer.startswith(text)), len(new) - 1)
        first, second = out.logits[step][0].float().topk(2).values.tolist()
        near, other = (near + 1, other) if first - second <= NEAR else (near, other + 1)
    return equal, near, other


def verdict(ratio: float, target: float, met: bool) -> str:
    return f"{ratio:.2f} (target {target}): {'met' if met else 'MISSED'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prompts", type=int, default=128)
    parser.add_argument("--agreement", type=int, default=32)
    parser.add_argument("--dtype", choices=["auto", "float32", "bfloat16", "float16"], default="auto")
    parser.add_argument("--hf-connections", type=int, nargs="*", default=[8, 32], help="settings of hf to try")
    args = parser.parse_args()
    dtype: Dtype = args.dtype
    spec = WeightsSpec("smollm2", dtype=dtype).resolve()
    weights = load_weights(spec)
    prompts = read(args.prompts)
    lengths = [len(weights.encode([{"role": "user", "content": text}])) for text in prompts]
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, {torch.get_num_threads()} threads, "
        f"load {os.getloadavg()[0]:.1f}; {weights.device_name}, {spec.dtype}"
    )
    print(f"{len(prompts)} prompts of {min(lengths)} to {max(lengths)} tokens, mean {sum(lengths) / len(lengths):.0f}")

    ours, _ = through_inspect(prompts, get_model("local/smollm2", dtype=spec.dtype))
    print(f"local, defaults                  {ours:7.1f} s", flush=True)
    plainly = sorted_batches(weights, prompts)
    print(f"transformers, sorted batches of 8 {plainly:6.1f} s", flush=True)
    path = weights.model.config.name_or_path
    hf = get_model("hf/smollm2", model_path=path, dtype=getattr(torch, str(spec.dtype)))
    default, _ = through_inspect(prompts, hf)
    print(f"hf, defaults                     {default:7.1f} s", flush=True)
    greedy = get_model("hf/smollm2", model_path=path, dtype=getattr(torch, str(spec.dtype)), do_sample=False)
    settings = {}
    for connections in args.hf_connections:
        settings[connections], _ = through_inspect(prompts, greedy, max_connections=connections)
        print(f"hf, greedy, {connections:3d} connections      {settings[connections]:7.1f} s", flush=True)
    best = min([default, *settings.values()])
    print(f"hf at defaults / local at defaults: {verdict(default / ours, 2.0, default / ours >= 2)}")
    print(f"hf at its best / local at defaults: {verdict(best / ours, 1.5, best / ours >= 1.5)}")
    print(f"local / plain sorted batches:       {verdict(ours / plainly, 1.1, ours / plainly <= 1.1)}")

    exact = replace(spec, dtype="float32")
    some = prompts[: args.agreement]
    _, answers = through_inspect(some, get_model("local/smollm2", dtype="float32"))
    equal, near, other = agreement(load_weights(exact), some, answers)
    print(
        f"float32, {len(some)} prompts, against one at a time: {equal} equal, {near} first differ at a near tie, "
        f"{other} differ otherwise (target 0): {'MISSED' if other else 'met'}"
    )


if __name__ == "__main__":
    main()
