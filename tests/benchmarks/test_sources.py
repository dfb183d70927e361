"""Records come from a file, a folder, a zip, the bundled sample or a hub id, and it is written down from where."""

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from bridgebench.benchmarks._fields import Record
from bridgebench.benchmarks._sources import Hub, Place, open_source, select_files
from bridgebench.errors import BridgebenchError, RecordError

PLACE = Place(Hub("owner/name", ("distractor",)), "bridgebench.benchmarks.hotpotqa", "validation")
ROW = {"id": "a", "context": {"title": ["t"], "sentences": [["s1", "s2"]]}}


def touch(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(ROW) + "\n")
    return folder


@pytest.mark.parametrize(
    ("names", "split", "chosen"),
    [
        (["train.jsonl", "dev.jsonl", "README.md"], "validation", ["dev.jsonl"]),
        (["hotpot_dev_distractor_v1.json", "hotpot_train_v1.1.json"], "validation", ["hotpot_dev_distractor_v1.json"]),
        (["train-00000-of-00002.parquet", "train-00001-of-00002.parquet"], "train", None),
        (["subset_1.jsonl.bz2", "subset_2.jsonl.bz2"], "validation", None),
        (["distractor/dev.jsonl", "distractor/train.jsonl", "fullwiki/dev.jsonl"], "dev", ["distractor/dev.jsonl"]),
        (["train.jsonl", "dev.jsonl", "test.jsonl"], "train+validation", ["dev.jsonl", "train.jsonl"]),
        (["train.jsonl", "dev.jsonl"], None, None),
        (["data/dev.jsonl", "__MACOSX/data/._dev.jsonl"], "validation", ["data/dev.jsonl"]),
    ],
)
def test_files_of_a_folder(tmp_path: Path, names: list[str], split: str | None, chosen: list[str] | None) -> None:
    touch(tmp_path, *names)
    files = select_files(tmp_path, Place(PLACE.hub, PLACE.package, split))
    assert [file.name for file in files] == [str(tmp_path / name) for name in chosen or sorted(names)]


def test_file_by_name_from_folder_and_zip(tmp_path: Path) -> None:
    touch(tmp_path / "data", "2wikimqa.jsonl", "2wikimqa_e.jsonl")
    archive = tmp_path / "data.zip"
    with zipfile.ZipFile(archive, "w") as written:
        for name in ("2wikimqa.jsonl", "2wikimqa_e.jsonl"):
            written.write(tmp_path / "data" / name, f"data/{name}")
    place = Place(PLACE.hub, PLACE.package, None, "2wikimqa")
    for source in (tmp_path / "data", archive):
        opened = open_source(str(source), place)
        (item,) = opened.items
        assert isinstance(item, Record)
        assert item.file.endswith("data/2wikimqa.jsonl")
        assert item.values == ROW


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda folder: folder / "absent.jsonl", "there is no such file or folder"),
        (lambda folder: touch(folder, "r.csv") / "r.csv", "must be .json, .jsonl or .parquet"),
        (lambda folder: touch(folder, "train.jsonl"), "no file of split 'validation' among train.jsonl"),
        (lambda folder: touch(folder, "notes.txt"), "no file of split 'validation' among its files"),
        (lambda folder: touch(folder, "bad.zip") / "bad.zip", "not a zip file"),
    ],
)
def test_unusable_paths(tmp_path: Path, make: Any, problem: str) -> None:
    with pytest.raises(BridgebenchError, match=problem):
        open_source(str(make(tmp_path)), PLACE)


def test_provenance_of_files(tmp_path: Path) -> None:
    path = touch(tmp_path, "dev.jsonl") / "dev.jsonl"
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    entry = {"name": str(path), "bytes": path.stat().st_size, "sha256": digest}
    assert open_source(str(path), PLACE).provenance == {"kind": "file", "files": [entry]}
    assert open_source(str(tmp_path), PLACE).provenance == {"kind": "file", "files": [entry], "split": "validation"}


def test_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = open_source("sample", PLACE)
    first = next(opened.items)
    assert isinstance(first, Record)
    assert first.file == "hotpotqa/sample.jsonl"
    assert opened.provenance["kind"] == "sample"
    assert len(opened.provenance["files"][0]["sha256"]) == 64


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A local copy of a dataset repository, as `datasets` reads it."""
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    folder = touch(tmp_path / "repository", "distractor/validation.jsonl")
    configs = (
        "configs:\n- config_name: distractor\n  data_files:\n  - split: validation\n    path: distractor/*.jsonl\n"
    )
    (folder / "README.md").write_text(f"---\n{configs}---\n")
    return folder


def test_hub_id_may_be_a_local_folder(repository: Path) -> None:
    opened = open_source(f"hub:{repository}", PLACE)
    (item,) = opened.items
    assert isinstance(item, Record)
    assert dict(item.values) == ROW
    assert item.place == 'distractor/validation row 1 (id "a")'
    assert opened.provenance == {
        "kind": "hub",
        "id": str(repository),
        "revision": None,
        "commit": None,
        "configs": ["distractor"],
        "split": "validation",
    }


def test_hub_problems_are_named(repository: Path) -> None:
    with pytest.raises(BridgebenchError, match="configuration other, split validation.*-T source=PATH"):
        list(open_source(f"hub:{repository}", Place(Hub("x", ("other",)), PLACE.package, "validation")).items)
    with pytest.raises(BridgebenchError, match="split train"):
        list(open_source(f"hub:{repository}", Place(PLACE.hub, PLACE.package, "train")).items)


def test_hub_without_network_says_so(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    opened = open_source("hub:bridgebench-tests/absent@main", PLACE)
    assert "commit could not be resolved" in caplog.text
    with pytest.raises(BridgebenchError, match="hub dataset bridgebench-tests/absent"):
        list(opened.items)
    archive = Hub("bridgebench-tests/absent", archive="data.zip")
    with pytest.raises(BridgebenchError, match="hub file bridgebench-tests/absent/data.zip"):
        open_source("hub", Place(archive, PLACE.package, None, "2wikimqa"))


def test_archive_of_a_local_repository(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "data.zip", "w") as archive:
        archive.writestr("data/2wikimqa.jsonl", json.dumps(ROW) + "\nnot JSON\n")
    place = Place(Hub("owner/name", archive="data.zip"), PLACE.package, None, "2wikimqa")
    opened = open_source(f"hub:{tmp_path}", place)
    first, second = opened.items
    assert isinstance(first, Record)
    assert isinstance(second, RecordError)
    assert opened.provenance["kind"] == "hub"
    assert opened.provenance["files"][0]["name"].endswith("data.zip/data/2wikimqa.jsonl")
