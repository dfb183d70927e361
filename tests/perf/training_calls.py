"""Model calls of the data steps of training, side by side with the plain way, for the same data.

Supervision: the plain way asks the teacher once for every document of every run, and lets it explain. Ours takes what
it has from the bridge cache, and stops the teacher where its rewrite ends. Preferences: the plain way asks the
generator once for every rewrite and every set; ours once for every different text.

    python tests/perf/training_calls.py [--questions 8] [--generator local/smollm2]
"""

import argparse
import os
import platform
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ChatMessageUser

from bridgebench.models.training.asker import Answered, Asker
from bridgebench.models.training.preferences import PreferenceSettings, run_preferences
from bridgebench.models.training.rewrites import finished_log, read_supervision
from bridgebench.models.training.served import ServedModel
from bridgebench.models.training.supervision import SupervisionSettings, run_supervision

SETS = 8


async def plain_answers(self: Asker, sets: Sequence[tuple[int, ...]]) -> dict[tuple[int, ...], Answered]:
    """One call a context, one after the other."""
    found = {}
    for members in sets:
        output = await self._model.generate([ChatMessageUser(content=self._prompt(members))])
        self.calls += 1
        found[members] = Answered.of(output, self._answer)
    return found


def usage(log: EvalLog) -> tuple[int, int]:
    """Model calls and tokens written."""
    calls = sum(event.event == "model" for sample in log.samples or [] for event in sample.events)
    return calls, sum(used.output_tokens for used in log.stats.model_usage.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=8)
    parser.add_argument("--generator", default="local/smollm2")
    args = parser.parse_args()
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; "
        f"{args.questions} questions of a fictional world with 4 passages, teacher by rules, {args.generator}"
    )
    source = f"world:size={2 * args.questions + 8},seed=11,distractors=3"
    teacher = ServedModel(model="world_teacher/rules", args={"source": source})
    supervision = SupervisionSettings(teacher=teacher, source=source, limit=args.questions)
    preferences = PreferenceSettings(
        generator=ServedModel(model=args.generator), sets=SETS, max_tokens=16, measure="states"
    )
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"BRIDGEBENCH_BRIDGE_CACHE": folder}):
        out = Path(folder)
        run_supervision(supervision.model_copy(update={"explain": True}), out / "explained")  # never from the cache
        for name in ("first", "again"):
            run_supervision(supervision, out / name)
        logs = {
            name: read_eval_log(finished_log(out / name, "supervision")) for name in ("explained", "first", "again")
        }
        for name, log in logs.items():
            calls, written = usage(log)
            label = {"explained": "plain", "first": "ours", "again": "ours, another run"}[name]
            print(
                f"supervision, {label}: {calls / args.questions:.2f} calls a question, "
                f"{written / args.questions:.1f} words written"
            )
        same = [q.rewrites for q in read_supervision(out / "explained")] == [
            q.rewrites for q in read_supervision(out / "first")
        ]
        print(f"supervision, same rewrites: {same}")
        stores, seconds = {}, {}
        for name in ("ours", "plain"):
            patch = mock.patch.object(Asker, "answers", plain_answers if name == "plain" else Asker.answers)
            with patch:
                started = time.perf_counter()
                run_preferences(preferences, out / "first", out / name)
                seconds[name] = time.perf_counter() - started
            log = read_eval_log(finished_log(out / name, "preferences"))
            stores[name] = {
                sample.id: (sample.store["PreferenceStore:alone"], sample.store["PreferenceStore:sets"])
                for sample in log.samples or []
            }
            calls = sum(sample.store["PreferenceStore:calls"] for sample in log.samples or [])
            print(f"preferences, {name}: {calls / args.questions:.2f} calls a question, {seconds[name]:.1f} s")
        equal = sum(stores["ours"][id] == stores["plain"][id] for id in stores["plain"])
        print(f"preferences, same answers and outcomes: {equal} of {len(stores['plain'])} questions")


if __name__ == "__main__":
    main()
