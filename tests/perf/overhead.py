"""CPU time that bridgebench adds to a bare Inspect chain that also stores documents and opens a span.

Target: at most 1.25 times the bare chain, on 1,000 samples of 10 documents with a model that answers at once.

    python tests/perf/overhead.py [--samples 1000] [--repeats 3]
"""

import argparse
import os
import platform
import statistics
import tempfile
import time
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessageUser, Model, get_model
from inspect_ai.solver import Generate, Solver, TaskState, chain, generate, solver
from inspect_ai.util import StoreModel, span
from pydantic import Field

import bridgebench.models.fake  # noqa: F401
from bridgebench.solvers.controls import naive

TEXT = "The river Sella flows through Tarnholm, where Ida Marsh was born and her brother Olof learned to fly. " * 5


class Docs(StoreModel):
    """What a careful user would store by hand."""

    bridged: list[dict[str, Any]] = Field(default_factory=list)


@solver
def bare() -> Solver:
    """Documents to a prompt, stored, in a span."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        async with span("bridge", type="bridge"):
            documents = state.metadata["documents"]
            transcript().info({"documents": documents}, source="bridge")
        state.store_as(Docs).bridged = documents
        text = "\n\n".join(f"Document {i} ({d['title']}):\n{d['text']}" for i, d in enumerate(documents, 1))
        state.messages = [ChatMessageUser(content=f"{text}\n\nQuestion: {state.input_text}")]
        return state

    return solve


def dataset(n: int) -> MemoryDataset:
    """Questions with 10 documents of about 90 words."""
    documents = [{"id": str(i), "title": f"Page {i}", "text": f"{i} {TEXT}", "sources": [str(i)]} for i in range(10)]
    return MemoryDataset(
        [Sample(id=i, input=f"Question {i}?", target="x", metadata={"documents": documents}) for i in range(n)]
    )


def cpu_seconds(run: Solver, n: int, model: Model) -> float:
    """Process time of one evaluation."""
    with tempfile.TemporaryDirectory() as logs:
        started = time.process_time()
        (log,) = eval(Task(dataset(n), solver=run), model=model, display="none", log_dir=logs)
        spent = time.process_time() - started
    if log.status != "success":
        raise SystemExit(f"the evaluation failed: {log.error.message if log.error else log.status}")
    return spent


def main() -> None:
    """Alternate the two, so that a noisy machine is noisy for both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    model = get_model("fake/overhead", answer="x")
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    cpu_seconds(naive(), 20, model)  # imports and first-use costs belong to neither
    plain, ours = [], []
    for _ in range(args.repeats):
        plain.append(cpu_seconds(chain(bare(), generate()), args.samples, model))
        ours.append(cpu_seconds(naive(), args.samples, model))
        print(f"bare chain {plain[-1]:6.2f} s   bridgebench/naive {ours[-1]:6.2f} s   ratio {ours[-1] / plain[-1]:.2f}")
    ratio = statistics.median(ours) / statistics.median(plain)
    print(f"median ratio {ratio:.2f} (target: at most 1.25): {'met' if ratio <= 1.25 else 'MISSED'}")


if __name__ == "__main__":
    main()
