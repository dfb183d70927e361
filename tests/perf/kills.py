"""Twenty ``kill -9`` at random moments of a sweep: what is lost is the work in flight, and nothing else.

The sweep has a bridge stage (a summary a question) and a generation stage. Its model waits a moment, answers by a hash
of the prompt, and writes down when each call begins and ends. Calls that were answered and had to be made again are
what a kill lost beside the calls in flight.

    python tests/perf/kills.py [--kills 20] [--questions 60]
"""

import argparse
import hashlib
import os
import platform
import random
import sys
import tempfile
import time
from collections import Counter
from multiprocessing import get_context
from multiprocessing.context import ForkProcess
from pathlib import Path

import anyio
import yaml
from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample_summaries
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

import bridgebench.suites.command  # noqa: F401 (imported before the forks)
from bridgebench.cli import main

CONNECTIONS = 8
LATENCY = 0.2
WINDOW = 4.0
"""Seconds after the first call of a run within which it is killed."""


@modelapi(name="slow")
class Slow(ModelAPI):
    """Answers after `LATENCY` seconds; ``CALLS_FILE`` gets a line when a call begins and when it ends."""

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        call = hashlib.sha256(f"{self.model_name}\n{input[-1].text}".encode()).hexdigest()[:12]
        write(f"begin {call}")
        await anyio.sleep(LATENCY)
        output = ModelOutput.from_content(self.model_name, f"{call[:2]} the answer")
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        write(f"end {call}")
        return output


def write(line: str) -> None:
    file = os.open(os.environ["CALLS_FILE"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, f"{line}\n".encode())
    os.close(file)


def suite(questions: int) -> dict[str, object]:
    """Each cell has prompts of its own, so that a call says which cell it belongs to."""
    return {
        "name": "kills",
        "benchmarks": [{name: {"source": f"world:size={questions},seed=5"}} for name in ("hotpotqa", "twowiki")],
        "bridges": ["summarize", *({"shuffle": {"seed": seed}} for seed in range(3, 6))],
        "generators": ["slow/generator"],
        "roles": {"bridge": {"model": "slow/bridge", "config": {"max_connections": CONNECTIONS}}},
        "controls": ["naive", "no_documents"],
        "generation": {"max_connections": CONNECTIONS},
        "max_tasks": 2,
        "max_samples": CONNECTIONS,
    }


def sweep(folder: Path) -> None:
    """The child: ``bridgebench run`` in a process of its own."""
    output = os.open(folder / "output", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.environ |= {
        "CALLS_FILE": str(folder / "calls"),
        "BRIDGEBENCH_BRIDGE_CACHE": str(folder / "cache"),
        "XDG_DATA_HOME": str(folder / "data"),  # Inspect's own buffers
    }
    sys.exit(main(["run", str(folder / "suite.yaml"), "--log-dir", str(folder / "logs")]))


def start(folder: Path) -> ForkProcess:
    """Forked, so that what is imported here is not imported twenty times."""
    process = get_context("fork").Process(target=sweep, args=(folder,))
    process.start()
    return process


def finish(folder: Path) -> None:
    process = start(folder)
    process.join()
    if process.exitcode:
        raise SystemExit(f"the sweep ended with status {process.exitcode}: {(folder / 'output').read_text()[-2000:]}")


def lines(folder: Path) -> list[str]:
    path = folder / "calls"
    return path.read_text().splitlines() if path.exists() else []


def kill_once(folder: Path, rng: random.Random) -> bool:
    """One run that is killed; False when it ended before."""
    before = len(lines(folder))
    process = start(folder)
    while process.is_alive() and len(lines(folder)) == before:
        time.sleep(0.02)
    process.join(rng.uniform(0, WINDOW))
    ended = not process.is_alive()
    process.kill()  # SIGKILL
    process.join()
    return not ended


def results(folder: Path) -> dict[tuple[str, str], str]:
    """Cell and question to score, of the complete logs."""
    found = {}
    for info in list_eval_logs(str(folder / "logs"), recursive=False):
        header = read_eval_log(info, header_only=True)
        if header.status == "success" and header.eval.metadata:
            for summary in read_eval_log_sample_summaries(info):
                score = (summary.scores or {}).get("qa_f1")
                found[str(header.eval.metadata["cell"]), str(summary.id)] = str(score and score.value)
    return found


def report(kills: int, questions: int) -> None:
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as name:
        calm, killed = Path(name) / "calm", Path(name) / "killed"
        for folder in (calm, killed):
            folder.mkdir()
            (folder / "suite.yaml").write_text(yaml.safe_dump(suite(questions)))
        finish(calm)
        needed = len(lines(calm)) // 2
        done = sum(kill_once(killed, rng) for _ in range(kills))
        finish(killed)
        calls = Counter(line for line in lines(killed))
        begun = sum(count for line, count in calls.items() if line.startswith("begin"))
        ended = sum(count for line, count in calls.items() if line.startswith("end"))
        again = sum(count - 1 for line, count in calls.items() if line.startswith("end"))
        finish(killed)
        print(f"{platform.platform()}, {os.cpu_count()} CPUs")
        print(f"{done} of {kills} runs killed at a random moment; {needed} calls needed, {begun} made")
        print(f"in flight when killed: {begun - ended} calls, at most {CONNECTIONS} at a time")
        print(f"answered, not yet in the log, and made again: {again} calls, {again / max(1, done):.1f} a kill")
        print(f"a finished sweep run again: {len(lines(killed)) - begun - ended} calls")
        found = results(killed)
        same = found == results(calm)
        print(f"{len(found)} scores, {'equal to' if same else 'NOT'} those of a run that nobody killed")
        if not same or done < kills or len(lines(killed)) != begun + ended:
            raise SystemExit(1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--questions", type=int, default=60)
    arguments = parser.parse_args()
    report(arguments.kills, arguments.questions)
