"""Step 5, DPO: the rewriter comes to prefer what lets the generator answer (arXiv 2509.15577, equation 9).

The reference is the frozen SFT model: of a full model its first weights, of an adapter a frozen copy of it.
"""

# mypy: disable-error-code="attr-defined"
# trl exports lazily

from pathlib import Path

import datasets
import trl

from bridgebench.models.training.guards import clear_errors
from bridgebench.models.training.provenance import write_provenance
from bridgebench.models.training.settings import DpoSettings
from bridgebench.models.training.tokens import pair_rows, read_rows
from bridgebench.models.training.trainer import Watch, arguments, fit, load_student


def run_dpo(settings: DpoSettings, start: Path, pairs: Path, out: Path) -> Path:
    """Train the SFT checkpoint `start` on ``pairs/train.jsonl``; margins of ``pairs/dev.jsonl`` before and after.

    Returns:
        The checkpoint's folder, ``out/model``.

    Raises:
        BridgebenchError: As `bridgebench.models.training.sft.run_sft`.
    """
    with clear_errors("dpo", out):
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
        trainer = trl.DPOTrainer(
            model=model,
            args=args,
            train_dataset=datasets.Dataset.from_list(rows["train"]),
            eval_dataset=datasets.Dataset.from_list(rows["dev"]),
            processing_class=tokenizer,
            callbacks=[Watch("dpo", out)],
        )
        figures = fit(trainer, out)
        if trainer.is_world_process_zero():
            counts = {f"{name}_pairs": len(made) for name, made in rows.items()}
            write_provenance(out, "dpo", settings, {"start": start, "pairs": pairs}, {**counts, **figures})
    return out / "model"
