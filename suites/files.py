"""Suite files: found by path or by the name of a packaged one, read safely, changed from the command line."""

import copy
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from bridgebench.errors import BridgebenchError
from bridgebench.suites.schema import Suite, parse_suite


def load_suite(suite: str, *, smoke: bool = False, changes: Sequence[str] = ()) -> Suite:
    """Read a suite.

    Args:
        suite: Path of a YAML file, or the name of a packaged suite (``demo``).
        smoke: Replace the keys that its ``smoke`` section holds.
        changes: ``key=value``, applied last: the key is a path (``generation.max_tokens``, ``bridges.0``), the value
            is YAML.

    Raises:
        BridgebenchError: When there is no such file, it is not YAML, or a key or value in it is wrong.
    """
    path = _find(suite, Path())
    raw = _extended(path)
    if smoke:
        if "smoke" not in raw:
            raise BridgebenchError(f"{path}: there is no 'smoke' section")
        raw = {**raw, "name": f"{raw.get('name', path.stem)}-smoke", **raw["smoke"]}
    for change in changes:
        raw = changed(raw, change)
    return parse_suite(raw, str(path))


def packaged_suites() -> list[str]:
    """Names of the suites that come with the package."""
    return sorted(
        file.name.removesuffix(".yaml")
        for file in resources.files("bridgebench.suites").iterdir()
        if file.name.endswith(".yaml")
    )


def read_yaml(path: Path) -> Any:
    """Read one YAML document; a key that stands twice is an error, not a silent choice.

    Raises:
        BridgebenchError: Naming the file and the line.
    """
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_UniqueKeys)  # noqa: S506 (a SafeLoader)
    except yaml.YAMLError as error:
        raise BridgebenchError(f"{path}: not valid YAML: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BridgebenchError(f"{path}: {error}") from None


class _UniqueKeys(yaml.SafeLoader):
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise yaml.MarkedYAMLError(
                    problem=f"a key must be a string, got {key!r}", problem_mark=key_node.start_mark
                )
            if key in seen:
                raise yaml.MarkedYAMLError(problem=f"the key '{key}' stands twice", problem_mark=key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)

    def refuse_date(self, node: yaml.ScalarNode) -> None:
        raise yaml.MarkedYAMLError(
            problem=f"{node.value} is read as a date: put it in quotes", problem_mark=node.start_mark
        )


_UniqueKeys.add_constructor("tag:yaml.org,2002:timestamp", _UniqueKeys.refuse_date)


def _extended(path: Path, seen: tuple[Path, ...] = ()) -> dict[str, Any]:
    """A file's keys over those of the suite that its key ``extends`` names (a path from this file, or a packaged one).

    ``smoke`` sections are joined key by key, all other keys replaced.
    """
    raw = read_yaml(path)
    if not isinstance(raw, dict):
        raise BridgebenchError(f"{path}: a suite is a mapping, got {type(raw).__name__}")
    if not isinstance(raw.get("smoke", {}), dict):
        raise BridgebenchError(f"{path}: smoke: must be a mapping, got {raw['smoke']!r}")
    if "extends" not in raw:
        return raw
    if not isinstance(raw["extends"], str):
        raise BridgebenchError(f"{path}: extends: must name a suite, got {raw['extends']!r}")
    if path in seen:
        raise BridgebenchError(f"{path}: extends: it extends itself, through {' and '.join(map(str, seen))}")
    base = _extended(_find(raw["extends"], path.parent), (*seen, path))
    own = {key: value for key, value in raw.items() if key != "extends"}
    smoke = {**base.get("smoke", {}), **own.get("smoke", {})}
    return {**{key: value for key, value in base.items() if key != "name"}, **own, "smoke": smoke}


def _find(suite: str, folder: Path) -> Path:
    path = folder / Path(suite).expanduser()
    if path.is_file():
        return path
    if suite in packaged_suites():
        return Path(str(resources.files("bridgebench.suites") / f"{suite}.yaml"))
    raise BridgebenchError(f"there is no suite file '{suite}', nor a packaged suite ({', '.join(packaged_suites())})")


def changed(raw: Any, change: str) -> Any:
    """A copy of `raw` with one key replaced, ``key=value`` as `load_suite` takes it.

    Raises:
        BridgebenchError: When there is no such place, or the value is no YAML.
    """
    key, sign, text = change.partition("=")
    if not sign:
        raise BridgebenchError(f"--set takes key=value, got '{change}'")
    try:
        value = yaml.load(text, Loader=_UniqueKeys)  # noqa: S506 (a SafeLoader)
    except yaml.YAMLError as error:
        raise BridgebenchError(f"--set {key}: not a YAML value: {error}") from None
    raw = copy.deepcopy(raw)
    *parents, last = key.split(".")
    place: Any = raw
    for step in parents:
        place = place.setdefault(step, {}) if isinstance(place, dict) else _item(place, step, key)
    if isinstance(place, dict):
        place[last] = value
    else:
        _item(place, last, key)
        place[int(last)] = value
    return raw


def _item(place: Any, step: str, key: str) -> Any:
    if not isinstance(place, list) or not step.isdecimal() or int(step) >= len(place):
        raise BridgebenchError(f"--set {key}: there is no '{step}' there")
    return place[int(step)]
