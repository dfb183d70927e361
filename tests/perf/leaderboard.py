"""How long the leaderboard takes over many large logs, beside Inspect's own `samples_df` over the same files.

Run:  python tests/perf/leaderboard.py [--bridges 8 --benchmarks 4 --generators 7 --samples 1000]

Writes synthetic logs (10 documents of 100 words a sample, every sample with an id of its own) into a folder that
is kept between runs unless it is a temporary one, then measures in fresh processes: reading and comparing, the
statistics in it, the whole command with its peak memory, `samples_df` over some of the logs, and in Chromium, where
there is one, the time to open the page and to sort its longest table.
"""

import argparse
import importlib.util
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

BRIDGES = ("naive", "no_documents", "bge_reranker", "rank_zephyr", "provence", "compact", "refiner", "exit", "r2u")
BENCHMARKS = ("ambigqa", "hotpotqa", "twowiki", "musique", "msmarco", "crag")
GENERATORS = (
    "Llama-3.1-8B-Instruct", "Llama-3.2-1B-Instruct", "Llama-3.2-3B-Instruct", "Qwen2.5-0.5B-Instruct",
    "Qwen2.5-1.5B-Instruct", "Qwen2.5-3B-Instruct", "Qwen2.5-7B-Instruct",
)  # fmt: skip


FRAME = "samples_df, s a log"


def write_log(job: tuple[str, str, str, str, int]) -> None:
    """One cell's log; called in a worker."""
    folder, benchmark, bridge, generator, samples = job
    path = Path(__file__).parents[1] / "leaderboard" / "synthetic.py"
    spec = importlib.util.spec_from_file_location("leaderboard_synthetic", path)
    assert spec is not None
    assert spec.loader is not None
    synthetic = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(synthetic)
    synthetic.write_cell(
        Path(folder) / f"{benchmark}-{generator}",
        bridge,
        n=samples,
        skill=0.3 + 0.04 * BRIDGES.index(bridge),
        benchmark=f"bridgebench/{benchmark}",
        generator=f"synthetic/{generator}",
        ids=lambda i: f"{benchmark}-{i}",
        documents_each=10,
        words_each=100,
    )


def report(logs: Path, out: Path) -> dict[str, float]:
    """What a fresh process measures of the leaderboard."""
    started = time.perf_counter()
    from bridgebench.leaderboard.command import write
    from bridgebench.leaderboard.drilldown import compare
    from bridgebench.leaderboard.logs import read_logs
    from bridgebench.leaderboard.report import build_report

    imported = time.perf_counter()
    found = read_logs([logs])
    read = time.perf_counter()
    built = build_report(found)
    compared = time.perf_counter()
    questions = compare(built)
    chosen = time.perf_counter()
    page, *_ = write(built, out, questions)
    written = time.perf_counter()
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "imports, s": imported - started,
        "reading, s": read - imported,
        "statistics, s": compared - read,
        "single questions, s": chosen - compared,
        "writing, s": written - chosen,
        "whole command, s": written - started,
        "peak memory (sum of process and largest worker), MB": (own + children) / 1024,
        "page, MB": page.stat().st_size / 1e6,
    }


def data_frame(*logs: Path) -> dict[str, float]:
    """What a fresh process measures of `samples_df` over these logs, with all defaults and slim."""
    from inspect_ai.analysis import SampleSummary, samples_df

    paths = [str(path) for path in logs]
    times = {"samples_df logs": float(len(paths))}
    for name, options in ((FRAME, {}), (f"{FRAME} (summary columns)", {"columns": SampleSummary})):
        started = time.perf_counter()
        rows = len(samples_df(paths, quiet=True, **options))
        times[name] = (time.perf_counter() - started) / len(paths)
        times["samples_df rows"] = rows
    return times


def browser(page: Path) -> dict[str, float]:
    """Seconds to open the page, and to sort its longest table once; empty without Chromium and selenium."""
    chromium, driver = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
    if not (chromium and driver and importlib.util.find_spec("selenium")):
        print("  no Chromium with chromedriver and selenium: the page is not opened")
        return {}
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu"):
        options.add_argument(argument)
    chrome = webdriver.Chrome(options=options, service=Service(driver))
    try:
        chrome.get(page.as_uri())
        load = chrome.execute_script("return performance.getEntriesByType('navigation')[0].loadEventEnd / 1000")
        sort = chrome.execute_script(
            """const tables = [...document.querySelectorAll("table")].sort((a, b) => b.rows.length - a.rows.length);
            const button = tables[0].querySelector("th:nth-child(2) button"); const start = performance.now();
            button.click(); document.body.offsetHeight; return performance.now() - start;"""
        )
    finally:
        chrome.quit()
    return {"open in Chromium, s": load, "sort the longest table, ms": sort}


def measured(part: str, *arguments: str) -> dict[str, float]:
    """One part in a fresh process."""
    command = [sys.executable, __file__, "--part", part, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bridges", type=int, default=8)
    parser.add_argument("--benchmarks", type=int, default=4)
    parser.add_argument("--generators", type=int, default=7)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--frames", type=int, default=8, help="logs that samples_df reads: all take some minutes")
    parser.add_argument("--folder", type=Path, help="keeps the logs for another run (default: temporary)")
    parser.add_argument("--part", nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.part:
        parts = {"report": report, "data_frame": data_frame, "browser": browser}
        print(json.dumps(parts[args.part[0]](*map(Path, args.part[1:]))))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.folder or Path(temporary)
        logs, out = folder / "logs", folder / "out"
        jobs = [
            (str(logs), benchmark, bridge, generator, args.samples)
            for benchmark in BENCHMARKS[: args.benchmarks]
            for generator in GENERATORS[: args.generators]
            for bridge in BRIDGES[: args.bridges]
        ]
        print(f"{platform.platform()}, {os.cpu_count()} processors, Python {platform.python_version()}")
        if not logs.exists():
            with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
                list(pool.map(write_log, jobs))
        written = sorted(logs.rglob("*.eval"))
        size = sum(path.stat().st_size for path in written)
        print(f"{len(jobs)} logs of {args.samples} samples, {size / 1e6:.0f} MB")
        ours = measured("report", str(logs), str(out))
        theirs = measured("data_frame", *map(str, written[: args.frames]))
        for name, value in {**ours, **theirs, **browser(out / "leaderboard.html")}.items():
            print(f"  {name:54} {value:10.2f}")
        for name in ("reading", "whole command"):
            each = ours[f"{name}, s"] / len(jobs)
            print(f"  {f'{name}, s a log':54} {each:10.2f}")
            print(f"  {f'samples_df / {name}':54} {theirs[FRAME] / each:10.2f}")


if __name__ == "__main__":
    main()
