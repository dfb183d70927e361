"""Starts a training step as processes of its own: plain, or through ``accelerate launch``."""

import logging
import os
import subprocess
import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

import yaml

from bridgebench.errors import BridgebenchError
from bridgebench.models.training.settings import Launcher

logger = logging.getLogger(__name__)

WORKER = "bridgebench.models.training.worker"
_DEEPSPEED = "deepspeed_config"
_DEEPSPEED_FILE = "deepspeed_config_file"


def launch(step: str, recipe: Path, out: Path, launcher: Launcher) -> None:
    """Run a step to its end.

    Args:
        step: ``sft`` or ``dpo``.
        recipe: A recipe, its ``--set`` changes included.
        out: Folder of all steps.
        launcher: How.

    Raises:
        BridgebenchError: When it failed; its own message stands above on the terminal.
        KeyboardInterrupt: When the user stopped it.
    """
    command = command_of(step, recipe, out, launcher)
    if launcher.accelerate and (locks := build_locks()):
        logger.warning(
            "%s: training waits until what DeepSpeed builds there is built; if no other process builds, one was killed "
            "while it did: delete the file",
            ", ".join(map(str, locks)),
        )
    process = subprocess.Popen(command, env=environment(launcher, os.environ))
    try:
        status = process.wait()
    except BaseException:
        process.terminate()  # the terminal interrupts the processes too, a caller's signal does not
        process.wait()
        raise
    if status in (-9, 137):
        raise BridgebenchError(
            f"{step}: the system killed it, most likely for want of memory; lower {step}.batch_size, turn "
            f"{step}.gradient_checkpointing on, or use {step}.lora; the step goes on from its last checkpoint"
        )
    if status != 0:
        raise BridgebenchError(f"{step}: training ended with status {status}; the reason stands above")


def command_of(step: str, recipe: Path, out: Path, launcher: Launcher) -> list[str]:
    """The command of a step; a configuration of accelerate is written to `out` with absolute paths."""
    worker = ["-m", WORKER, step, str(recipe), str(out)]
    if launcher.accelerate is None:
        return [sys.executable, *worker]
    config = write_config(launcher.accelerate, out)
    count = ["--num_processes", str(launcher.processes)] if launcher.processes else []
    accelerate = [sys.executable, "-m", "accelerate.commands.accelerate_cli", "launch", "--config_file", str(config)]
    return [*accelerate, *count, *launcher.arguments, *worker]


def build_locks() -> list[Path]:
    """Files that say that an extension of torch is being built; a killed build leaves its own, and others wait on."""
    from torch.utils.cpp_extension import get_default_build_root

    root = Path(os.environ.get("TORCH_EXTENSIONS_DIR") or get_default_build_root())
    return sorted(root.glob("**/lock"))


def environment(launcher: Launcher, base: Mapping[str, str]) -> dict[str, str]:
    """The processes' environment; one thread each where several share the cores and nothing else was asked for.

    Python's own folder of programs is on the path: DeepSpeed builds with the ``ninja`` that was installed there.
    """
    several = {"OMP_NUM_THREADS": "1"} if launcher.accelerate and launcher.processes != 1 else {}
    path = os.pathsep.join([str(Path(sys.executable).parent), base.get("PATH", os.defpath)])
    return {**several, **base, "PATH": path, **launcher.environment}


def write_config(name: str, out: Path) -> Path:
    """Copy a configuration into `out`, the DeepSpeed file that it names by its absolute path.

    Raises:
        BridgebenchError: When there is no such file.
    """
    packaged = Path(str(resources.files("bridgebench.models.training").joinpath("configs")))
    source = Path(name) if Path(name).is_file() else packaged / f"{name}.yaml"
    if not source.is_file():
        known = ", ".join(sorted(file.stem for file in packaged.glob("*.yaml")))
        raise BridgebenchError(f"launcher.accelerate: there is no file '{name}'; packaged ones: {known}")
    config = yaml.safe_load(source.read_text(encoding="utf-8"))
    if _DEEPSPEED_FILE in config.get(_DEEPSPEED, {}):
        file = (source.parent / config[_DEEPSPEED][_DEEPSPEED_FILE]).resolve()
        if not file.is_file():
            raise BridgebenchError(f"{source}: there is no file {file}")
        config[_DEEPSPEED][_DEEPSPEED_FILE] = str(file)
    path = out / "accelerate.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return path
