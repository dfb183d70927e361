"""Failures of a machine or a model that a trainer would report unclearly, or not at all."""

import errno
import fcntl
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bridgebench.errors import BridgebenchError

_FULL = ("no space left on device", "pytorchstreamwriter failed writing", "disk quota exceeded")
_MEMORY = ("out of memory", "can't allocate memory", "cannot allocate memory", "not enough memory")


@contextmanager
def clear_errors(step: str, folder: Path) -> Iterator[None]:
    """Turn a full disk and exhausted memory into errors that say what to do; all others pass as they are."""
    try:
        yield
    except BridgebenchError:
        raise
    except Exception as error:  # safetensors and torch have error classes of their own for a full disk
        text = str(error).lower()
        full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        if full or any(sign in text for sign in _FULL):
            raise BridgebenchError(
                f"{step}: no space left for {folder}; complete checkpoints are kept: free some, and run the step again"
            ) from error
        if isinstance(error, MemoryError) or any(sign in text for sign in _MEMORY):
            raise BridgebenchError(
                f"{step}: out of memory; lower {step}.batch_size (and raise {step}.accumulate as much), turn "
                f"{step}.gradient_checkpointing on, use {step}.lora, or launch with ZeRO-3 offload"
            ) from error
        raise


@contextmanager
def alone(folder: Path, first: bool = True) -> Iterator[None]:
    """Keep a second run out of a folder, such as one whose parent was killed; the lock dies with its process.

    Args:
        folder: Of a training step; made if need be.
        first: Whether this is the first of the processes that train together: it alone takes the lock.

    Raises:
        BridgebenchError: When another run trains there.
    """
    if not first:
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BridgebenchError(f"{folder}: another process is training there; wait for it, or end it") from None
        yield


def check_finite(step: str, number: int, logs: dict[str, Any]) -> None:
    """Raise when a loss or a gradient is no number: training has diverged, and no checkpoint of it may be kept."""
    for name in ("loss", "eval_loss", "grad_norm"):
        value = logs.get(name)
        if value is not None and not math.isfinite(float(value)):
            raise BridgebenchError(
                f"{step}: {name} is {value} at step {number}; lower {step}.learning_rate, or train in float32"
            )


def check_tokenizer(tokenizer: Any, model: str) -> None:
    """Raise when a tokenizer lacks what a chat model is trained with.

    Raises:
        BridgebenchError: When it has no chat template, no end token or no pad token.
    """
    if tokenizer.chat_template is None:
        raise BridgebenchError(
            f"{model}: its tokenizer has no chat template, as a base model's; train an instruct model, or save a "
            f"chat_template.jinja in its folder"
        )
    if tokenizer.eos_token is None:
        raise BridgebenchError(f"{model}: its tokenizer has no end-of-sequence token: the rewriter would never stop")
    if tokenizer.pad_token is None:
        raise BridgebenchError(
            f"{model}: its tokenizer has no pad token; name one of its special tokens that ends no turn as "
            f"sft.pad_token (Llama 3: <|finetune_right_pad_id|>)"
        )
