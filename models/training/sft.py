"""Step 3, SFT: the student learns to write all rewrites in one pass (arXiv 2509.15577, equation 8).

The loss covers the completion only. Rows of like length share a batch and are padded to its longest, no further.
"""

# mypy: disable-error-code="attr-defined"
# trl exports lazily

import shutil
from pathlib import Path

import datasets
import trl

from bridgebench.models.training.guards import clear_errors
from bridgebench.models.training.provenance import write_provenance
from bridgebench.models.training.settings import SftSettings
from bridgebench.models.training.tokens import completion_rows, in_like_lengths, read_rows
from bridgebench.models.training.trainer import (
    CHECKPOINTS,
    Watch,
    arguments,
    fit,
    load_student,
    lora_config,
    scores_where_labelled,
)


def run_sft(settings: SftSettings, data: Path, out: Path) -> Path:
    """Train on ``data/train.jsonl``; the loss on ``data/dev.jsonl`` is measured before and after.

    Returns:
        The checkpoint's folder, ``out/model``.

    Raises:
        BridgebenchError: When a row is too long, the loss is no number, or the machine has no room left.
    """
    with clear_errors("sft", out), scores_where_labelled():
        args = trl.SFTConfig(
            **{**arguments(settings, out), "num_train_epochs": 1},  # the order of rows covers all epochs
            train_sampling_strategy="sequential",
            # Rows come tokenised and checked: TRL must not cut them (its default is 1,024 tokens).
            max_length=None,
            dataset_kwargs={"skip_prepare_dataset": True},
            packing=False,  # without flash attention packed rows would see each other
            pad_to_multiple_of=None,
        )
        model, tokenizer = load_student(settings.model, settings, settings.revision, settings.pad_token)
        files = {name: data / f"{name}.jsonl" for name in ("train", "dev")}
        rows = {
            name: completion_rows(read_rows(path, "prompt", "completion"), tokenizer, settings.max_length, path)
            for name, path in files.items()
        }
        rows["dev"] = rows["dev"][: settings.dev_rows]
        lengths = [row["length"] for row in rows["train"]]
        order = in_like_lengths(lengths, settings.batch_size, settings.epochs, settings.seed)
        trainer = trl.SFTTrainer(
            model=model,
            args=args,
            train_dataset=datasets.Dataset.from_list([rows["train"][row] for row in order]),
            eval_dataset=datasets.Dataset.from_list(rows["dev"]),
            processing_class=tokenizer,
            peft_config=lora_config(settings.lora) if settings.lora else None,
            callbacks=[Watch("sft", out)],
        )
        figures = fit(trainer, out)
        if trainer.is_world_process_zero():
            counts = {f"{name}_rows": len(made) for name, made in rows.items()}
            write_provenance(out, "sft", settings, {"data": data}, {**counts, **figures})
            shutil.rmtree(out / CHECKPOINTS, ignore_errors=True)
    return out / "model"
