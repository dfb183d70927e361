"""What SFT and DPO share: loading the student, the trainer's arguments, watching, resuming, saving."""

# mypy: disable-error-code="misc,attr-defined,no-untyped-call"
# transformers and trl have types, but not everywhere

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import datasets
import torch
import transformers
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from transformers.integrations import is_deepspeed_zero3_enabled
from transformers.trainer_utils import PREFIX_CHECKPOINT_DIR
from trl.trainer import utils as trl_utils

from bridgebench.models.training.guards import check_finite, check_tokenizer
from bridgebench.models.training.settings import Lora, TrainSettings
from bridgebench.models.weights import WeightsSpec, checkpoint_folder, tokenizer_source

METRICS = "metrics.jsonl"
MODEL = "model"
CHECKPOINTS = "checkpoints"
_COMPLETE = "complete"


def arguments(settings: TrainSettings, folder: Path) -> dict[str, Any]:
    """Arguments of TRL's configuration classes; nothing that matters is left to a default that may change."""
    cpu = settings.device == "cpu" or not torch.cuda.is_available()
    return {
        "output_dir": str(folder / CHECKPOINTS),
        "num_train_epochs": settings.epochs,
        "per_device_train_batch_size": settings.batch_size,
        "per_device_eval_batch_size": settings.batch_size,
        "gradient_accumulation_steps": settings.accumulate,
        "learning_rate": settings.learning_rate,
        "lr_scheduler_type": settings.schedule,
        "warmup_steps": settings.warmup,  # below 1 it is a share of all steps
        "weight_decay": settings.weight_decay,
        "max_grad_norm": settings.max_grad_norm,
        "bf16": settings.precision == "bfloat16",
        "fp16": False,
        "use_cpu": cpu,
        "dataloader_pin_memory": not cpu,
        "gradient_checkpointing": settings.gradient_checkpointing,
        "seed": settings.seed,
        "data_seed": settings.seed,
        "save_strategy": "steps",
        "save_steps": settings.save_every,
        "save_total_limit": 2,  # the older one is deleted before the newer one is known to be complete
        "logging_steps": 1,  # a loss that is no number must be seen before the next checkpoint
        "logging_nan_inf_filter": False,
        "eval_strategy": "no",
        "disable_tqdm": True,
        "report_to": "none",
    }


def load_student(name: str, settings: TrainSettings, revision: str | None = None, pad_token: str | None = None) -> Any:
    """The model and its tokenizer.

    Args:
        name: ``smollm2``, a local folder (of an adapter too), or a hub id.
        settings: For precision; with adapters or ZeRO-3 weights are held in it, else in float32 (AdamW's updates are
            below what bfloat16 weights resolve).
        revision: Branch, tag or commit of a hub id.
        pad_token: For a tokenizer that has none.

    Raises:
        BridgebenchError: When the tokenizer lacks what training needs.
    """
    transformers.utils.logging.disable_progress_bar()  # `Watch` shows what there is to see
    datasets.disable_progress_bars()
    folder = checkpoint_folder(WeightsSpec(name, revision).resolve())
    tokenizer = transformers.AutoTokenizer.from_pretrained(tokenizer_source(folder), trust_remote_code=False)
    if tokenizer.pad_token is None and pad_token in tokenizer.get_vocab():
        tokenizer.pad_token = pad_token
    check_tokenizer(tokenizer, name)
    small = settings.precision == "bfloat16" and (settings.lora is not None or is_deepspeed_zero3_enabled())
    options: dict[str, Any] = {
        "dtype": torch.bfloat16 if small else torch.float32,
        "trust_remote_code": False,
        "use_safetensors": True,
    }
    if (folder / "adapter_config.json").is_file():
        import peft

        return peft.AutoPeftModelForCausalLM.from_pretrained(folder, is_trainable=True, **options), tokenizer
    return transformers.AutoModelForCausalLM.from_pretrained(folder, **options), tokenizer


def lora_config(lora: Lora) -> Any:
    """The adapters' configuration for peft."""
    import peft

    return peft.LoraConfig(
        r=lora.rank,
        lora_alpha=lora.alpha,
        lora_dropout=lora.dropout,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )


@contextmanager
def scores_where_labelled() -> Iterator[None]:
    """Within it, TRL's fused head computes vocabulary scores on a CPU only where a label is; elsewhere nothing changes.

    TRL does the same on GPUs with Triton. On every other device it scores the prompt as well, to keep the shapes that
    some compilers want: with prompts of four fifths of a row that is a third of a step. The loss is the same.
    """
    original = getattr(trl_utils, "_use_triton", None)
    if original is None:  # another TRL, which may have learned it
        yield
        return
    try:
        trl_utils._use_triton = lambda device: device.type == "cpu" or original(device)
        yield
    finally:
        trl_utils._use_triton = original


class Watch(transformers.TrainerCallback):
    """Writes metrics, shows progress, stops what has diverged, and marks checkpoints that are wholly written."""

    def __init__(self, step: str, folder: Path) -> None:
        self.step, self.folder = step, folder
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self.progress = Progress(*columns, TextColumn("{task.fields[loss]}"), console=Console(stderr=True))
        self.task = self.progress.add_task(step, total=None, loss="")

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Show the bar, from where an earlier run stopped."""
        if state.is_world_process_zero:
            self.progress.start()
        self.progress.update(self.task, total=state.max_steps, completed=state.global_step)

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **_: Any) -> None:
        """Check and keep what was measured."""
        check_finite(self.step, state.global_step, logs or {})
        if state.is_world_process_zero:
            write_metrics(self.folder, state.log_history)
        if logs and "loss" in logs:
            self.progress.update(self.task, completed=state.global_step, loss=f"loss {float(logs['loss']):.4f}")

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Every process has written its part by now: the checkpoint counts from here on."""
        if torch.distributed.is_initialized():
            torch.distributed.barrier()
        if state.is_world_process_zero:
            (Path(args.output_dir) / f"{PREFIX_CHECKPOINT_DIR}-{state.global_step}" / _COMPLETE).touch()

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Leave the bar as it stands."""
        self.progress.stop()


def write_metrics(folder: Path, history: Sequence[dict[str, Any]]) -> None:
    """Write everything that was measured so far, a step a line; the file is replaced whole."""
    part = folder / f".{METRICS}.part"
    part.write_text("".join(json.dumps(entry) + "\n" for entry in history), encoding="utf-8")
    part.replace(folder / METRICS)


def fit(trainer: Any, folder: Path) -> dict[str, Any]:
    """Train from the last complete checkpoint, measure the held-out rows before and after, save ``folder/model``.

    The model's folder appears whole or not at all. Checkpoints stay: the step removes them when it is complete, so
    that one which is killed before goes on from the last of them.

    Returns:
        Held-out figures: ``before`` and ``after``, each by its name, and the number of ``steps``.
    """
    checkpoints = folder / CHECKPOINTS
    if trainer.is_world_process_zero():
        for unfinished in checkpoints.glob(f"{PREFIX_CHECKPOINT_DIR}-*"):
            if not (unfinished / _COMPLETE).exists():
                shutil.rmtree(unfinished)
    trainer.accelerator.wait_for_everyone()
    done = sorted(checkpoints.glob(f"{PREFIX_CHECKPOINT_DIR}-*"), key=lambda path: int(path.name.rpartition("-")[2]))
    trainer.args.eval_on_start = not done
    trainer.remove_callback(transformers.PrinterCallback)  # `Watch` shows the same
    trainer.train(resume_from_checkpoint=str(done[-1]) if done else None)
    trainer.evaluate()
    _save(trainer, folder / MODEL)
    held_out = [entry for entry in trainer.state.log_history if "eval_loss" in entry]
    figures = [{key: entry[key] for key in entry if key.startswith("eval_")} for entry in held_out]
    return {"before": figures[0], "after": figures[-1], "steps": trainer.state.global_step}


def _save(trainer: Any, path: Path) -> None:
    """Save beside, then rename; every process takes part, as ZeRO-3 gathers its parts from all."""
    staged = path.with_name(f".{path.name}.part")
    if trainer.is_world_process_zero():
        shutil.rmtree(staged, ignore_errors=True)
    trainer.accelerator.wait_for_everyone()
    trainer.save_model(str(staged))
    trainer.accelerator.wait_for_everyone()
    if trainer.is_world_process_zero():
        (staged / "training_args.bin").unlink(missing_ok=True)  # a pickle
        shutil.rmtree(staged / "ref", ignore_errors=True)  # DPO's frozen copy of an adapter
        shutil.rmtree(path, ignore_errors=True)
        os.rename(staged, path)
    trainer.accelerator.wait_for_everyone()
