"""The two ways to add a bridge, run as a user runs them: through the `inspect` command."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

from bridgebench import BridgeStore
from bridgebench.testing import check_bridge

EXAMPLES = Path(__file__).parents[1] / "examples"


def inspect_eval(folder: Path, *solver: str, python_path: str = "") -> EvalLog:
    """Evaluate two questions of the bundled sample; returns the log."""
    command = [
        *(sys.executable, "-m", "inspect_ai._cli.main", "eval", "bridgebench/hotpotqa"),
        *("-T", "source=sample", "-T", "limit=2", "--model", "fake/any", "--log-dir", str(folder / "logs")),
        *("--solver", *solver),
    ]
    environment = {**os.environ, "PYTHONPATH": python_path}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (log,) = list_eval_logs(str(folder / "logs"))
    return read_eval_log(log)


def first_step(log: EvalLog) -> dict[str, object]:
    assert log.samples
    return log.samples[0].store_as(BridgeStore).steps[0]


@pytest.mark.slow
def test_a_bridge_in_one_file(tmp_path: Path) -> None:
    log = inspect_eval(tmp_path, f"{EXAMPLES / 'lead_sentences.py'}@lead_sentences", "-S", "n=1")
    assert log.status == "success"
    step = first_step(log)
    assert step["cache"] == "off"  # a bare function: nothing would say when it changes
    assert isinstance(step["words_out"], int)
    assert isinstance(step["words_in"], int)
    assert 0 < step["words_out"] < step["words_in"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example package, installed into a folder of its own."""
    temporary = tmp_path_factory.mktemp("site")
    package = shutil.copytree(EXAMPLES / "package", temporary / "package")  # a build leaves files beside its source
    folder = temporary / "site-packages"  # Inspect tells an installed package by this name
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--target", str(folder), str(package)], check=True)
    return folder


@pytest.mark.slow
def test_a_bridge_in_a_package_alone_and_in_a_chain(tmp_path: Path, site: Path) -> None:
    alone, chained = tmp_path / "alone", tmp_path / "chained"
    alone.mkdir()
    chained.mkdir()
    log = inspect_eval(alone, "bridgebench_lead/lead", "-S", "n=1", python_path=str(site))
    assert (log.status, log.eval.solver) == ("success", "bridgebench_lead/lead")
    assert (first_step(log)["bridge"], first_step(log)["cache"]) == ("bridgebench_lead/lead", "miss")
    bridges = '[{"bridgebench_lead/lead": {"n": 1}}, "shuffle"]'
    log = inspect_eval(chained, "bridgebench/rag", "-S", f"bridges={bridges}", python_path=str(site))
    assert log.status == "success"
    assert first_step(log)["cache"] == "hit"  # the same bridge on the same questions: paid for once


@pytest.mark.slow
def test_a_wrong_argument_stops_before_the_run(tmp_path: Path, site: Path) -> None:
    with pytest.raises(AssertionError, match=r"argument 'n': .* got 0"):
        inspect_eval(tmp_path, "bridgebench_lead/lead", "-S", "n=0", python_path=str(site))
    assert not list((tmp_path).glob("logs/*.eval"))


def test_the_package_keeps_the_contract(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(site))
    from bridgebench_lead import lead  # type: ignore[import-not-found]

    check_bridge(lead, n=1)
