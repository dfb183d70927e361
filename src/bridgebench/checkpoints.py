"""What is said of loaded weights: whether they are complete and still those on disk, and their device's name."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bridgebench.errors import BridgebenchError, require

_REPORTED = (
    ("missing_keys", "missing"),
    ("unexpected_keys", "unexpected"),
    ("mismatched_keys", "of another shape"),
)


def device_name(device: str) -> str:
    """What a table calls a torch device: the GPU's product name, or its kind (``cpu``)."""
    torch = require("torch", "local")
    kind = str(torch.device(device).type)
    return str(torch.cuda.get_device_name(device)) if kind == "cuda" else kind


Files = tuple[tuple[str, int, int], ...]


def weight_files(checkpoint: str) -> Files:
    """Name, size in bytes and time of change in ns of a folder's weights; none for a hub id."""
    files = sorted(Path(checkpoint).expanduser().glob("*.safetensors"))
    return tuple((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files)


def refuse_changed(checkpoint: str, loaded: Files) -> None:
    """Raise a `BridgebenchError` when a folder has other weights than were loaded from it.

    A process loads a checkpoint once, and results are cached under the content of its folder: after another training
    into the same folder, what the old weights say would be kept as the new ones' result.

    Args:
        checkpoint: Folder or hub id.
        loaded: Its `weight_files` when it was loaded.
    """
    if weight_files(checkpoint) != loaded:
        raise BridgebenchError(f"checkpoint '{checkpoint}' has changed since this process loaded it; start a new one")


def refuse_misfit(checkpoint: str, architecture: str, report: Mapping[str, Any], ignore: tuple[str, ...] = ()) -> None:
    """Raise a `BridgebenchError` when a checkpoint has not the weights of its architecture, and only those.

    Args:
        checkpoint: Its name, for the message.
        architecture: What it was loaded as, for the message.
        report: What transformers returns for ``output_loading_info=True``.
        ignore: Prefixes of weights that may be missing or left over, because they are not used.
    """
    problems = [str(message) for message in report.get("error_msgs", ())]
    for key, word in _REPORTED:
        names = sorted(name if isinstance(name, str) else name[0] for name in report.get(key, ()))
        names = [name for name in names if not name.startswith(ignore)]
        if names:
            shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
            problems.append(f"{len(names)} weights {word}: {shown}")
    if problems:
        raise BridgebenchError(f"checkpoint '{checkpoint}' does not fit {architecture}: {'; '.join(problems)}")
