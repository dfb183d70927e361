"""Where a benchmark's records come from: the hub, a file or folder, or the sample that ships with the package."""

import hashlib
import logging
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

from bridgebench.benchmarks._files import DataFile, Item, as_item, read_file, record_suffix
from bridgebench.benchmarks.world.source import PREFIX, world_records
from bridgebench.errors import BridgebenchError

logger = logging.getLogger(__name__)

_SPLIT_NAMES = {"train": {"train"}, "validation": {"validation", "valid", "val", "dev"}, "test": {"test"}}
_FULL_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class Hub:
    """A dataset of the hub that loads without a script.

    Attributes:
        id: ``owner/name``, or a local copy of the repository.
        configs: Configurations, read one after the other.
        revision: A full commit where one is known, or a branch; None is the default branch.
        archive: A zip in the repository that is downloaded and read as a local file would be.
    """

    id: str
    configs: tuple[str | None, ...] = (None,)
    revision: str | None = None
    archive: str | None = None


@dataclass(frozen=True)
class Place:
    """What to read of a source.

    Attributes:
        hub: The dataset's place on the hub.
        package: The package that holds ``sample.jsonl``.
        split: Split of the hub (or several, ``train+validation``), and of a folder whose file names speak of splits;
            None reads all files.
        name: Name without suffix of the one file to read from a folder or zip of many datasets.
        keyed: Whether a ``.json`` file is an object of records by their ids.
    """

    hub: Hub
    package: str
    split: str | None
    name: str | None = None
    keyed: bool = False


@dataclass(frozen=True)
class Source:
    """A stream of records, and what to write down about it.

    Attributes:
        items: Records, and errors in place of bad ones; it can be walked once.
        provenance: JSON: names, sizes and sha256 of files, or id and commit on the hub.
    """

    items: Iterator[Item]
    provenance: dict[str, Any]


def open_source(source: str, place: Place) -> Source:
    """Open ``hub``, ``hub:<id or folder>[@<revision>]``, ``sample``, ``world:<knobs>``, or a file or folder.

    Raises:
        BridgebenchError: When there is nothing readable at `source`.
    """
    if source == "hub" or source.startswith("hub:"):
        return _open_hub(_hub(source, place.hub), place)
    if source == "sample":
        path = Path(str(resources.files(place.package) / "sample.jsonl"))
        return _open_files("sample", [DataFile(f"{place.package.rpartition('.')[2]}/sample.jsonl", path)])
    if source.startswith(PREFIX):
        written, provenance = world_records(source, place.package.rpartition(".")[2], place.split or "validation")
        return Source((as_item(record, source, f"record {n}") for n, record in enumerate(written, 1)), provenance)
    opened = _open_files("file", select_files(Path(source).expanduser(), place))
    return opened if is_single_file(source) else Source(opened.items, {**opened.provenance, "split": place.split})


def is_single_file(source: str) -> bool:
    """Whether a source is one file of records, which no split can select from."""
    path = Path(source).expanduser()
    return source == "sample" or (path.is_file() and path.suffix != ".zip")


def select_files(path: Path, place: Place) -> list[DataFile]:
    """The files of records at a path: the file itself, or those of a folder or zip that belong to `place`.

    In a folder or zip a file belongs when it bears `place.name`; without one, when its name speaks of the split
    (``dev`` and ``validation`` are one), or, when none does, of no split at all. A folder named like the hub's
    configuration is preferred, so that a clone of the repository works.
    """
    if not path.exists():
        raise BridgebenchError(f"source '{path}': there is no such file or folder (nor is it 'hub' or 'sample')")
    if path.is_file() and path.suffix != ".zip":
        if not record_suffix(path.name):
            raise BridgebenchError(
                f"source '{path}': must be .json, .jsonl or .parquet, perhaps with .gz or .bz2, or .zip"
            )
        return [DataFile(str(path), path, keyed=place.keyed)]
    names = _members(path) if path.is_file() else _paths(path)
    chosen = _choose(names, place)
    if not chosen:
        wanted = f"named '{place.name}'" if place.name else f"of split '{place.split}'"
        raise BridgebenchError(f"source '{path}': no file {wanted} among {', '.join(names[:20]) or 'its files'}")
    if path.is_file():
        return [DataFile(f"{path}/{name}", path, name, place.keyed) for name in chosen]
    return [DataFile(str(path / name), path / name, keyed=place.keyed) for name in chosen]


def _members(path: Path) -> list[str]:
    try:
        with zipfile.ZipFile(path) as archive:
            return sorted(name for name in archive.namelist() if record_suffix(name))
    except (zipfile.BadZipFile, OSError) as error:
        raise BridgebenchError(f"source '{path}': {error}") from error


def _paths(path: Path) -> list[str]:
    return sorted(
        str(file.relative_to(path)) for file in path.rglob("*") if file.is_file() and record_suffix(file.name)
    )


def _choose(names: list[str], place: Place) -> list[str]:
    if place.name is not None:
        return [name for name in names if Path(name).name.split(".")[0] == place.name]
    configs = {config for config in place.hub.configs if config}
    names = [name for name in names if configs & set(Path(name).parts[:-1])] or names
    if place.split is None:
        return names
    wanted = set().union(*(_SPLIT_NAMES.get(split, {split}) for split in place.split.split("+")))
    words = {name: set(re.split(r"[^a-z]+", name.lower())) for name in names}
    any_split = set().union(*_SPLIT_NAMES.values())
    return [name for name in names if words[name] & wanted] or [name for name in names if not words[name] & any_split]


def _open_files(kind: str, files: list[DataFile]) -> Source:
    known = {file.path: file_provenance(file.path) for file in files}  # members of one zip share it
    listed = [{**known[file.path], "name": file.name} for file in files]
    return Source((item for file in files for item in read_file(file)), {"kind": kind, "files": listed})


def file_provenance(path: str | Path) -> dict[str, Any]:
    """Name, size in bytes and sha256 of a file.

    Raises:
        BridgebenchError: When it cannot be read.
    """
    try:
        with Path(path).expanduser().open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            return {"name": str(path), "bytes": stream.tell(), "sha256": digest}
    except OSError as error:
        raise BridgebenchError(f"'{path}': {error}") from error


def _hub(source: str, default: Hub) -> Hub:
    if source == "hub":
        return default
    name, _, revision = source.removeprefix("hub:").partition("@")
    return replace(default, id=name, revision=revision or None)


def _open_hub(hub: Hub, place: Place) -> Source:
    commit = _resolve_commit(hub)
    provenance: dict[str, Any] = {"kind": "hub", "id": hub.id, "revision": hub.revision, "commit": commit}
    if hub.archive is not None:
        path = _download(hub, commit)
        opened = _open_files("hub", select_files(path, place))
        return Source(opened.items, {**opened.provenance, **provenance})
    split = place.split or "train"
    return Source(_hub_items(hub, commit, split), {**provenance, "configs": list(hub.configs), "split": split})


def _hub_items(hub: Hub, commit: str | None, split: str) -> Iterator[Item]:
    for config in hub.configs:
        rows = _load_dataset(hub, config, split, commit)
        name = f"{hub.id}@{(commit or hub.revision or 'unresolved')[:12]}"
        where = f"{config}/{split}" if config else split
        for number, row in enumerate(rows, 1):
            yield as_item(row, name, f"{where} row {number}")


def _resolve_commit(hub: Hub) -> str | None:
    """The commit that the revision names now; None for a local folder, and without a network."""
    if hub.revision is not None and _FULL_COMMIT.fullmatch(hub.revision):
        return hub.revision
    if Path(hub.id).exists():
        return None
    import httpx
    from huggingface_hub import HfApi

    try:
        return HfApi().dataset_info(hub.id, revision=hub.revision).sha
    except (OSError, httpx.HTTPError) as error:
        logger.warning("%s: its commit could not be resolved and is not recorded: %s", hub.id, error)
        return None


def _load_dataset(hub: Hub, config: str | None, split: str, commit: str | None) -> Any:
    import datasets

    try:
        return datasets.load_dataset(hub.id, config, split=split, revision=commit or hub.revision)
    except (OSError, ValueError, RuntimeError, datasets.exceptions.DatasetsError) as error:
        where = f"{hub.id}, configuration {config or 'default'}, split {split}, revision {commit or hub.revision}"
        raise BridgebenchError(f"hub dataset {where}: {error} (a local copy works: -T source=PATH)") from error


def _download(hub: Hub, commit: str | None) -> Path:
    local = Path(hub.id) / str(hub.archive)
    if local.exists():
        return local
    from huggingface_hub import hf_hub_download

    try:
        return Path(hf_hub_download(hub.id, str(hub.archive), repo_type="dataset", revision=commit or hub.revision))
    except (OSError, ValueError) as error:
        raise BridgebenchError(
            f"hub file {hub.id}/{hub.archive}: {error} (a local copy works: -T source=PATH)"
        ) from error
