"""What encoder bridges share: weights loaded once and checked to be complete, devices, and the cost of a batch."""

import os
import threading
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar, cast

import anyio.to_thread

from bridgebench.batching import Timed
from bridgebench.checkpoints import Files, device_name, refuse_changed, refuse_misfit, weight_files
from bridgebench.document import Cost
from bridgebench.errors import BridgebenchError, require

Loaded = TypeVar("Loaded")

_loaded: dict[Hashable, tuple[Files, Any]] = {}
_loading = threading.Lock()


async def load_once(key: tuple[Any, ...], load: Callable[[], Loaded]) -> Loaded:
    """What `load` returns, called in a thread, once a key for the life of the process.

    Args:
        key: What tells weights apart: kind of model, path, revision, and options that change what is loaded.
        load: Reads the weights and makes their queue.

    Raises:
        BridgebenchError: When the checkpoint has changed since it was loaded.
    """
    if key not in _loaded:
        await anyio.to_thread.run_sync(_load, key, load)
    files, loaded = _loaded[key]
    refuse_changed(key[1], files)
    return cast(Loaded, loaded)


def _load(key: tuple[Any, ...], load: Callable[[], Any]) -> None:
    with _loading:  # one at a time: two that load together would need memory for both at their peak
        if key not in _loaded:
            files = weight_files(key[1])
            _loaded[key] = (files, load())


def device() -> str:
    """Where encoders run: ``BRIDGEBENCH_DEVICE`` (a torch device), or the first GPU, or the CPU."""
    configured = os.environ.get("BRIDGEBENCH_DEVICE")
    return configured or ("cuda" if require("torch", "local").cuda.is_available() else "cpu")


def load_pretrained(cls: Any, model: str, *, ignore: tuple[str, ...] = (), **options: Any) -> Any:
    """``cls.from_pretrained``, from safetensors, that refuses an incomplete or a foreign checkpoint.

    Args:
        cls: A model class of transformers.
        model: Local folder or hub id.
        ignore: Prefixes of weights that may be missing or left over, because they are not used.
        **options: For ``from_pretrained``.

    Returns:
        The model, in evaluation mode.

    Raises:
        BridgebenchError: When there is no such checkpoint, or weights are missing, unexpected or of another shape.
    """
    try:
        loaded, info = cls.from_pretrained(model, output_loading_info=True, use_safetensors=True, **options)
    except OSError as error:
        raise BridgebenchError(f"checkpoint '{model}' cannot be loaded: {error}") from error
    except RuntimeError as error:  # transformers' report of weights of another shape
        raise BridgebenchError(f"checkpoint '{model}' does not fit {cls.__name__}: {error}") from error
    refuse_misfit(model, cls.__name__, info, ignore)
    return loaded.eval()


def encoder_cost(results: Sequence[Timed[Any]], tokens: int, tokenizer: str, device: str) -> Cost:
    """Cost of forward passes that write nothing.

    Args:
        results: One a forward pass over one item.
        tokens: Tokens read, without padding.
        tokenizer: Name of the tokenizer that counted them.
        device: Torch device.
    """
    seconds = sum(result.seconds for result in results)
    return Cost(seconds, len(results), tokens, 0, tokenizer, device_name(device))
