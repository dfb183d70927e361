"""Step 5, DPO: the rewriter comes to prefer what lets the generator answer (arXiv 2509.15577, equation 9).

The reference is the frozen SFT model: of a full model its first weights, of an adapter a frozen copy of it.
"""

# mypy: disable-error-code="attr-defined"
# trl exports lazily

import shutil
from pathlib import Path
from typing import Any

import datasets
import transformers
import trl

from bridgebench.models.training.guards import clear_errors
from bridgebench.models.training.provenance import write_provenance
from bridgebench.models.training.settings import DpoSettings
from bridgebench.models.training.tokens import pair_rows, read_rows
from bridgebench.models.training.trainer import CHECKPOINTS, Watch, arguments, fit, load_student, scores_where_labelled


def run_dpo(settings: DpoSettings, start: Path, pairs: Path, out: Path) -> Path:
    """Train the SFT checkpoint `start` on ``pairs/train.jsonl``; margins of ``pairs/dev.jsonl`` before and after.

    Returns:
        The checkpoint's folder, ``out/model``.

    Raises:
        BridgebenchError: As `bridgebench.models.training.sft.run_sft`.
    """
    with clear_errors("dpo", out), scores_where_labelled():
        args = trl.DPOConfig(
            **arguments(settings, out),
            max_length=settings.max_length,  # longer rows were refused: nothing is cut
            beta=settings.beta,
            loss_type=["sigmoid"],
            label_smoothing=0.0,
            precompute_ref_log_probs=settings.precompute_reference,
        )
        model, tokenizer = load_student(str(start), settings)
        files = {name: pairs / f"{name}.jsonl" for name in ("train", "dev")}
        rows = {
            name: pair_rows(read_rows(path, "prompt", "chosen", "rejected"), tokenizer, settings.max_length, path)
            for name, path in files.items()
        }
        shared = {name: _on_disk(made, out / "rows" / name, args) for name, made in rows.items()}
        trainer = trl.DPOTrainer(
            model=model,
            args=args,
            train_dataset=shared["train"],
            eval_dataset=shared["dev"],
            processing_class=tokenizer,
            callbacks=[Watch("dpo", out)],
        )
        figures = fit(trainer, out)
        if trainer.is_world_process_zero():
            counts = {f"{name}_pairs": len(made) for name, made in rows.items()}
            write_provenance(out, "dpo", settings, {"start": start, "pairs": pairs}, {**counts, **figures})
            for leftover in ("rows", CHECKPOINTS):
                shutil.rmtree(out / leftover, ignore_errors=True)
    return out / "model"


def _on_disk(rows: list[dict[str, Any]], folder: Path, args: transformers.TrainingArguments) -> datasets.Dataset:
    """The rows in a folder that all processes see: TRL keeps the reference's log-probabilities beside them."""
    with args.main_process_first(local=False):
        if args.process_index == 0:
            datasets.Dataset.from_list(rows).save_to_disk(str(folder))
        return datasets.load_from_disk(str(folder))
