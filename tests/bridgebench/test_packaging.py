"""What is on disk is in the wheel, and the wheel gives the names that the checkout gives."""

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("benchmarks", "leaderboard", "models", "scorers", "solvers", "suites")
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text())
DATA = (".yaml", ".jsonl", ".jinja", ".csv", ".json", ".js", ".css", ".md", ".typed")

NAMES = """
import json
from inspect_ai.util import registry_info
import bridgebench._registry as registry

def name(thing):
    info = registry_info(thing)
    return f"{info.type} {info.name}"

print(json.dumps(sorted(name(getattr(registry, each)) for each in registry.__all__)))
print(registry.__file__)
"""


def folders() -> set[str]:
    """Import names of all folders that hold Python files."""
    found = {"bridgebench"}
    for room in ROOMS:
        for init in (ROOT / room).rglob("__init__.py"):
            found.add(".".join(("bridgebench", *init.parent.relative_to(ROOT).parts)))
    return found


def files() -> set[str]:
    """Every module and data file, by its path in the wheel."""
    found = {f"bridgebench/{path.name}" for path in (ROOT / "src" / "bridgebench").iterdir() if path.is_file()}
    for room in ROOMS:
        for path in (ROOT / room).rglob("*"):
            if path.is_file() and path.suffix in (".py", *DATA) and "__pycache__" not in path.parts:
                found.add(f"bridgebench/{path.relative_to(ROOT).as_posix()}")
    return found


def names(python_path: str | None = None, cwd: Path | None = None) -> tuple[list[str], str]:
    environment = {**os.environ, **({"PYTHONPATH": python_path} if python_path else {})}
    done = subprocess.run(
        [sys.executable, "-c", NAMES], env=environment, cwd=cwd, capture_output=True, text=True, check=True
    )
    listed, origin = done.stdout.splitlines()
    return json.loads(listed), origin


def test_pyproject_lists_the_folders_on_disk() -> None:
    assert set(CONFIG["tool"]["setuptools"]["packages"]) == folders()
    rooms = {
        name.removeprefix("bridgebench."): path for name, path in CONFIG["tool"]["setuptools"]["package-dir"].items()
    }
    assert rooms == {"bridgebench": "src/bridgebench", **{room: room for room in ROOMS}}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel made as a release makes it: from the sdist, which must therefore be whole."""
    folder = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = folder.glob("*.whl")
    return made


@pytest.mark.slow
def test_the_wheel_holds_every_file_and_nothing_else(wheel: Path) -> None:
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == files()


@pytest.mark.slow
def test_wheel_and_checkout_give_the_same_names(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site-packages"  # Inspect tells an installed package by this folder's name
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(site), str(wheel)], check=True
    )
    from_wheel, origin = names(str(site), tmp_path)
    assert origin.startswith(str(site))
    from_checkout, _ = names(cwd=ROOT)
    from_elsewhere, _ = names(cwd=tmp_path)
    assert from_wheel == from_checkout == from_elsewhere
    assert all(" bridgebench/" in name for name in from_wheel)


def test_the_core_imports_without_torch_spacy_or_transformers() -> None:
    script = (
        "import sys\n"
        "absent = ('torch', 'spacy', 'transformers', 'sentence_transformers', 'trl', 'vllm')\n"
        "for name in absent: sys.modules[name] = None\n"
        "import bridgebench._registry, bridgebench.cli, bridgebench.testing\n"
        "import bridgebench.leaderboard, bridgebench.suites, bridgebench.scorers\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
