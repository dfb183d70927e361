"""Every test keeps its caches and logs to itself, and off the network."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("INSPECT_DISPLAY", "none")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest file comes first: with several workers it would else run alone at the end."""
    items.sort(key=lambda item: "test_distributed" not in item.nodeid)


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGEBENCH_BRIDGE_CACHE", str(tmp_path / "bridge_cache"))
    monkeypatch.setenv("BRIDGEBENCH_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path / "logs"))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of real records beside the checkout."""
    folder = Path(__file__).parents[2] / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("the folder of real records (../shared) is not here")
    return folder


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Folder of the tiny checkpoint of a bridge, written on first use."""
    from bridgebench.models.tiny_checkpoints import CHECKPOINTS

    root = tmp_path_factory.mktemp("tiny")

    def folder(name: str) -> str:
        if not (root / name).exists():
            CHECKPOINTS[name](root / name)
        return str(root / name)

    return folder


@pytest.fixture
def broken(tmp_path: Path) -> Callable[[str, Callable[[dict[str, Any]], object]], str]:
    """Copies a checkpoint and changes its tensors."""
    from safetensors.torch import load_file, save_file

    def copy(folder: str, edit: Callable[[dict[str, Any]], object]) -> str:
        shutil.copytree(folder, tmp_path / "broken")
        file = tmp_path / "broken" / "model.safetensors"
        tensors = load_file(file)
        edit(tensors)
        save_file(tensors, file, metadata={"format": "pt"})
        return str(tmp_path / "broken")

    return copy
