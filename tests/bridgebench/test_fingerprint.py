"""A checkpoint's identity: its content, its commit, and those of an adapter's base."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from inspect_ai.model import get_model

from bridgebench import fingerprint as module
from bridgebench.fingerprint import checkpoint_fingerprint, model_fingerprint

COMMITS = ("a" * 40, "b" * 40)


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    """Makes a folder of small files."""

    def make(name: str, **files: str) -> Path:
        (tmp_path / name).mkdir(exist_ok=True)
        for stem, text in files.items():
            (tmp_path / name / f"{stem}.json").write_text(text)
        return tmp_path / name

    return make


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """A hub cache, offline: commits of repositories and where ``main`` points to."""
    pytest.importorskip("huggingface_hub", reason="needs the extra 'local'")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)

    def add(repository: str, commit: str, **files: str) -> None:
        root = tmp_path / "hub" / f"models--{repository.replace('/', '--')}"
        (root / "snapshots" / commit).mkdir(parents=True)
        (root / "refs").mkdir(exist_ok=True)
        (root / "refs" / "main").write_text(commit)
        for stem, text in files.items():
            (root / "snapshots" / commit / f"{stem}.json").write_text(text)

    module._snapshot.cache_clear()
    yield add
    module._snapshot.cache_clear()


def test_a_folder_is_its_content_wherever_it_lies(folder: Callable[..., Path], tmp_path: Path) -> None:
    path = folder("model", config="{}", weights="1")
    before = checkpoint_fingerprint(str(path))
    shutil.copytree(path, tmp_path / "copy")
    assert checkpoint_fingerprint(str(tmp_path / "copy")) == before
    (path / ".cache/huggingface").mkdir(parents=True)
    (path / ".cache/huggingface/config.json.metadata").touch()
    assert checkpoint_fingerprint(str(path)) == before
    folder("model", weights="22")
    assert checkpoint_fingerprint(str(path)) != before


def test_an_adapter_is_another_one_on_another_base(folder: Callable[..., Path]) -> None:
    base = folder("base", config="{}", weights="1")
    adapter = folder("adapter", adapter_config=json.dumps({"base_model_name_or_path": str(base)}))
    before = checkpoint_fingerprint(str(adapter))
    assert checkpoint_fingerprint(str(adapter)) == before
    folder("base", weights="22")
    assert checkpoint_fingerprint(str(adapter)) != before


def test_an_adapter_may_lie_beside_its_base(folder: Callable[..., Path], tmp_path: Path) -> None:
    both = folder("both", adapter_config=json.dumps({"base_model_name_or_path": str(tmp_path / "both")}))
    before = checkpoint_fingerprint(str(both))
    folder("both", weights="1")
    assert checkpoint_fingerprint(str(both)) != before


def test_a_hub_id_is_its_commit(hub: Callable[..., None]) -> None:
    hub("someone/model", COMMITS[0], config="{}")
    assert checkpoint_fingerprint("someone/model") == {"id": "someone/model", "revision": COMMITS[0]}
    assert checkpoint_fingerprint("someone/model", COMMITS[0]) == {"id": "someone/model", "revision": COMMITS[0]}
    assert checkpoint_fingerprint("someone/other", "v1") == {"id": "someone/other", "revision": "v1"}  # nobody has it


def test_the_commit_is_known_before_the_weights_are_loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Else the first results would have a key that no later run asks for."""
    from huggingface_hub.errors import EntryNotFoundError

    fetched = []

    def fetch(model: str, name: str, revision: str | None) -> str:
        if name == "adapter_config.json":
            raise EntryNotFoundError("no such file")
        fetched.append((model, name, revision))
        return str(tmp_path / COMMITS[0] / name)

    monkeypatch.setattr("huggingface_hub.hf_hub_download", fetch)
    module._snapshot.cache_clear()
    for _ in range(2):
        assert checkpoint_fingerprint("someone/new")["revision"] == COMMITS[0]
    assert fetched == [("someone/new", "config.json", None)]  # and asked for once
    module._snapshot.cache_clear()


def test_an_adapter_of_the_hub_is_its_commit_and_its_base_s(hub: Callable[..., None]) -> None:
    hub("someone/base", COMMITS[1], config="{}")
    hub("someone/adapter", COMMITS[0], adapter_config=json.dumps({"base_model_name_or_path": "someone/base"}))
    assert checkpoint_fingerprint("someone/adapter") == {
        "id": "someone/adapter",
        "revision": COMMITS[0],
        "base": {"id": "someone/base", "revision": COMMITS[1]},
    }


def test_a_local_model_of_the_hub_is_its_commit(hub: Callable[..., None]) -> None:
    pytest.importorskip("torch", reason="needs the extra 'local'")
    hub("someone/model", COMMITS[0], config="{}")
    model = get_model("local/someone/model", memoize=False)
    assert model_fingerprint(model)["weights"] == {"id": "someone/model", "revision": COMMITS[0]}
    assert model_fingerprint(get_model("mockllm/some/model", memoize=False))["weights"] is None


def test_a_local_model_that_computes_in_another_dtype_is_another_one(
    folder: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch", reason="needs the extra 'local'")
    name = f"local/{folder('model', config='{}')}"
    found = []
    for native in (True, False):
        monkeypatch.setattr("bridgebench.models.weights._computes_bfloat16", lambda device, native=native: native)
        found.append(model_fingerprint(get_model(name, memoize=False)))
    assert [fingerprint["dtype"] for fingerprint in found] == ["bfloat16", "float32"]
    assert found[0] != found[1]
