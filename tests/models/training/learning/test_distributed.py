"""Through ``accelerate launch`` with DeepSpeed ZeRO-3 and offload on CPUs: the losses of one plain process.

Offload to the CPU moves nothing where the CPU computes: these tests show that the configurations are valid, that
sharding, collectives and gathering give the same result, and not that memory is saved.
"""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from bridgebench.models.training.launch import build_locks, environment, launch, write_config
from bridgebench.models.training.recipe import parse_recipe
from bridgebench.models.training.settings import Launcher, SftSettings
from bridgebench.models.training.sft import run_sft
from bridgebench.models.weights import WeightsSpec, load_weights

PROGRAMS = environment(Launcher(), os.environ)["PATH"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(shutil.which(program, path=PROGRAMS) for program in ("g++", "ninja")),
        reason="DeepSpeed compiles: needs g++ and ninja",
    ),
]


@pytest.fixture(scope="module")
def cpu(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """DeepSpeed on the CPU; it builds elsewhere when a killed build has left its lock where it usually does."""
    elsewhere = {"TORCH_EXTENSIONS_DIR": str(tmp_path_factory.mktemp("extensions"))} if build_locks() else {}
    return {"DS_ACCELERATOR": "cpu", **elsewhere}


def losses(folder: Path) -> list[float]:
    entries = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [entry["loss"] for entry in entries if "loss" in entry]


@pytest.fixture(scope="module")
def common(student: Path) -> dict[str, Any]:
    return {
        "epochs": 1,
        "batch_size": 2,
        "learning_rate": 1e-3,
        "schedule": "constant",
        "warmup": 0.0,
        "max_length": 512,
        "precision": "float32",
        "gradient_checkpointing": False,
        "device": "cpu",
        "save_every": 100,
    }


@pytest.fixture(scope="module")
def plain(
    student: Path, sft_data: Path, common: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> list[float]:
    out = tmp_path_factory.mktemp("plain")
    run_sft(SftSettings(**{**common, "model": str(student), "accumulate": 2}), sft_data, out)
    return losses(out)


def run_folder(folder: Path, student: Path, data: dict[str, Path], common: dict[str, Any], processes: int) -> Path:
    """A run's folder in which the steps before a training are done; the effective batch is 4 rows."""
    training = {**common, "accumulate": 2 // processes}
    recipe = {
        "sft_data": {"tokenizer": str(student), "max_length": 512},
        "sft": {**training, "model": str(student)},
        "pairs": {"tokenizer": str(student), "max_length": 512},
        "dpo": training,
    }
    folder.mkdir()
    path = folder / "recipe.json"
    path.write_text(json.dumps(parse_recipe(recipe, "recipe").model_dump(mode="json")))
    for name, source in data.items():
        shutil.copytree(source, folder / name)
        (folder / name.replace("-data", "").replace("pairs", "dpo")).mkdir()
    return path


@pytest.mark.parametrize("processes", [1, 2])
def test_zero3_with_offload(
    processes: int,
    student: Path,
    sft_data: Path,
    pairs: Path,
    plain: list[float],
    common: dict[str, Any],
    cpu: dict[str, str],
    tmp_path: Path,
) -> None:
    out = tmp_path / "run"
    recipe = run_folder(out, student, {"sft-data": sft_data, "pairs": pairs}, common, processes)
    launcher = Launcher(accelerate="zero3_cpu", processes=processes, environment=cpu)
    launch("sft", recipe, out, launcher)
    assert losses(out / "sft") == pytest.approx(plain, rel=2e-3)
    load_weights(WeightsSpec(str(out / "sft/model"), dtype="float32", device="cpu").resolve())
    if processes == 2:
        launch("dpo", recipe, out, launcher)
        made = json.loads((out / "dpo/provenance.json").read_text())["extra"]
        assert made["before"]["eval_rewards/margins"] == pytest.approx(0, abs=1e-3)
        assert made["after"]["eval_rewards/margins"] > 0.1


def test_the_gpu_configuration_is_valid_and_trains_on_a_cpu(
    student: Path, sft_data: Path, plain: list[float], common: dict[str, Any], cpu: dict[str, str], tmp_path: Path
) -> None:
    config = yaml.safe_load(write_config("zero3_gpu", tmp_path).read_text())
    file = tmp_path / "gpu_on_cpu.yaml"
    file.write_text(yaml.safe_dump({**config, "use_cpu": True, "num_processes": 1}))
    out = tmp_path / "run"
    recipe = run_folder(out, student, {"sft-data": sft_data}, common, 1)
    launch("sft", recipe, out, Launcher(accelerate=str(file), environment=cpu))
    assert losses(out / "sft") == pytest.approx(plain, rel=5e-3)  # AdamW is DeepSpeed's own here


def test_a_lock_of_a_killed_build_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path))
    assert build_locks() == []
    lock = tmp_path / "py311_cpu" / "op" / "lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    assert build_locks() == [lock]
