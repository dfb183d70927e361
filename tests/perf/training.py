"""Tokens a second of our SFT against TRL's defaults, same data, model, batch size and steps. Target on a CPU: 1.5x.

TRL as it comes checkpoints activations, draws rows of any length into a batch, and on a CPU scores the vocabulary at
every position; ours keeps activations (a setting of the recipe), batches rows of like length, and scores where a label
is. Tokens are those of the rows, without padding; loading and evaluation are not timed. Both are measured in turn, so
that a busy machine slows both.
"""

import argparse
import os
import platform
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import datasets
import torch
import transformers
import trl

from bridgebench.models.training.settings import SftSettings
from bridgebench.models.training.tokens import IGNORED, in_like_lengths
from bridgebench.models.training.trainer import arguments, load_student, scores_where_labelled

BATCH = 4


def rows_of(count: int, shortest: int, longest: int, vocabulary: int) -> list[dict[str, Any]]:
    """Rows whose lengths are spread evenly, three quarters of each a prompt."""
    generator = torch.Generator().manual_seed(0)
    rows = []
    for number in torch.randperm(count, generator=generator).tolist():
        length = shortest + (longest - shortest) * number // max(1, count - 1)
        ids = torch.randint(vocabulary, (length,), generator=generator).tolist()
        prompt = length * 3 // 4
        rows.append({"input_ids": ids, "labels": [IGNORED] * prompt + ids[prompt:], "length": length})
    return rows


class Clock(transformers.TrainerCallback):
    """Seconds from the first step's beginning to the last one's end."""

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        self.start = time.perf_counter()

    def on_train_end(self, *_: Any, **__: Any) -> None:
        self.seconds = time.perf_counter() - self.start


def seconds(config: trl.SFTConfig, settings: SftSettings, rows: list[dict[str, Any]]) -> float:
    model, tokenizer = load_student(settings.model, settings)
    clock = Clock()
    dataset = datasets.Dataset.from_list([{key: row[key] for key in ("input_ids", "labels")} for row in rows])
    trainer = trl.SFTTrainer(
        model=model, args=config, train_dataset=dataset, processing_class=tokenizer, callbacks=[clock]
    )
    trainer.remove_callback(transformers.PrinterCallback)
    trainer.train()
    return clock.seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="smollm2")
    parser.add_argument("--rows", type=int, default=16)
    parser.add_argument("--shortest", type=int, default=200)
    parser.add_argument("--longest", type=int, default=600)
    parser.add_argument("--repeats", type=int, default=2)
    args = parser.parse_args()
    settings = SftSettings(
        model=args.model,
        batch_size=BATCH,
        precision="float32",
        gradient_checkpointing=False,
        device="cpu",
        max_length=8192,
    )
    _, tokenizer = load_student(settings.model, settings)
    rows = rows_of(args.rows, args.shortest, args.longest, len(tokenizer))
    order = in_like_lengths([row["length"] for row in rows], BATCH, 1.0, seed=0)
    tokens = sum(row["length"] for row in rows)
    prepared = {"max_length": None, "dataset_kwargs": {"skip_prepare_dataset": True}}  # same tokens for both, none cut
    times: dict[str, list[float]] = {"TRL's defaults": [], "ours": []}
    for _ in range(args.repeats):
        with tempfile.TemporaryDirectory() as folder:
            same = {"save_strategy": "no", "num_train_epochs": 1, **prepared}
            defaults = {"per_device_train_batch_size": BATCH, "use_cpu": True, "bf16": False, "report_to": "none"}
            theirs = trl.SFTConfig(output_dir=folder, disable_tqdm=True, **defaults, **same)
            ours = trl.SFTConfig(
                **{**arguments(settings, Path(folder)), **same},
                pad_to_multiple_of=None,
                train_sampling_strategy="sequential",
            )
            times["TRL's defaults"].append(seconds(theirs, settings, rows))
            with scores_where_labelled():
                times["ours"].append(seconds(ours, settings, [rows[row] for row in order]))
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, {torch.get_num_threads()} threads")
    print(f"{args.model}, {len(rows)} rows of {args.shortest} to {args.longest} tokens, batch {BATCH}, float32")
    for name, measured in times.items():
        print(f"{name:15} {tokens / statistics.median(measured):8.1f} tokens/s (median of {args.repeats})")
    ratio = statistics.median(times["TRL's defaults"]) / statistics.median(times["ours"])
    print(f"ratio {ratio:.2f} (target 1.5): {'met' if ratio >= 1.5 else 'missed'}")


if __name__ == "__main__":
    main()
