"""A run that is killed goes on where it was: only papers in work are asked about again."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bridgebench.cards import read_cards
from bridgebench.cli import main

PAPERS, CALLS = 6, 3
WAIT_SECONDS = 300


def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    count = tmp_path / "calls"
    count.touch()
    command = [
        *(str(Path(sys.executable).parent / "inspect"), "eval-set", "bridgebench/cards", "--display", "none"),
        *("-T", "source=sample", "-T", f"papers={PAPERS}", "-T", "questions=1", "-T", "attempts=1"),
        *("--model", "fake/slow", "-M", "latency=1.0", "-M", f"count_file={count}", "-M", 'answer="Problem: none"'),
        *("--log-dir", str(tmp_path / "logs"), "--max-samples", "1", "--log-buffer", "1"),
    ]
    first = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        started = time.monotonic()
        while len(count.read_text().splitlines()) < 4 * CALLS:
            assert first.poll() is None, "it ended before it was killed"
            if time.monotonic() - started > WAIT_SECONDS:
                pytest.fail("it never came that far")
            time.sleep(0.1)
    finally:
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()
    before = len(count.read_text().splitlines())
    assert before < PAPERS * CALLS
    subprocess.run(command, check=True, timeout=WAIT_SECONDS, capture_output=True)
    again = len(count.read_text().splitlines()) - PAPERS * CALLS
    assert 0 <= again <= 2 * CALLS  # the paper in work, and one whose sample was not on disk yet
    assert main(["cards", str(tmp_path / "logs"), "-o", str(tmp_path / "out")]) == 0
    assert len(read_cards(tmp_path / "out")) == PAPERS
