"""Time and memory of loading: a large JSONL validated, 1,000 questions drawn from it, and a smaller one loaded whole.

Targets: validating 1 GB, and ``limit=1000`` from it, each under 500 MB at their peak, imports included. For a full
load the ratio of memory to file size is reported; ``json`` reading the same lines and keeping nothing is the yardstick
for time.

    python tests/perf/loading.py [--megabytes 1000] [--full-megabytes 100]
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

MB = 1_000_000


def write_records(path: Path, megabytes: int) -> int:
    """Write HotpotQA-shaped records of about 6 kB, as the real ones are; how many."""
    sentences = [f" In year {year} the river Sella rose over the mills of Tarnholm." for year in range(1900, 1908)]
    context = [[f"Page {number}", sentences] for number in range(10)]
    common = {"question": "Which river rose?", "answer": "Sella", "type": "bridge", "level": "hard"}
    facts = {"supporting_facts": [["Page 0", 0], ["Page 3", 1]], "context": context}
    count, size = 0, 0
    with path.open("w") as stream:
        while size < megabytes * MB:
            size += stream.write(json.dumps({"_id": f"{count:024x}", **common, **facts}) + "\n")
            count += 1
    return count


def do(what: str, path: str) -> int:
    """One of the measured jobs; the number of records it handled."""
    if what == "json alone":
        with Path(path).open("rb") as stream:
            return sum(bool(json.loads(line)) for line in stream)

    from bridgebench.benchmarks._samples import sample_id
    from bridgebench.benchmarks._sources import Place, open_source
    from bridgebench.benchmarks._tally import Tally, convert_records
    from bridgebench.benchmarks.hotpotqa.hotpotqa import HOTPOTQA, hotpotqa, record_to_sample

    if what == "imports":
        return 0
    if what == "validate":
        place = Place(HOTPOTQA.hub, "bridgebench.benchmarks.hotpotqa", None)
        tally = Tally()
        return sum(1 for _ in convert_records(open_source(path, place).items, record_to_sample, sample_id, tally))
    return len(hotpotqa(source=path, limit=1000 if what == "limit=1000" else None).dataset)


def measure(what: str, path: Path) -> tuple[int, float, float]:
    """Run a job in a process of its own: records, seconds, peak memory in MB."""
    command = [sys.executable, __file__, "--do", what, "--path", str(path)]
    count, seconds, peak = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return int(count), float(seconds), float(peak)


def jobs(folder: Path, megabytes: int, full_megabytes: int) -> Iterator[tuple[str, Path]]:
    """What is measured, on which file."""
    large, small = folder / "large.jsonl", folder / "small.jsonl"
    print(f"{write_records(large, megabytes)} records in {large.stat().st_size / MB:.0f} MB")
    for what in ("imports", "json alone", "validate", "limit=1000"):
        yield what, large
    write_records(small, full_megabytes)
    yield "full load", small


def main() -> None:
    """Print one line a job."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--full-megabytes", type=int, default=100)
    parser.add_argument("--do")
    parser.add_argument("--path")
    args = parser.parse_args()
    if args.do:
        started = time.perf_counter()
        count = do(args.do, args.path)
        unit = 1 if platform.system() == "Darwin" else 1024
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MB
        print(count, time.perf_counter() - started, peak)
        return
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    imports, plain = 0.0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        for what, path in jobs(Path(folder), args.megabytes, args.full_megabytes):
            count, seconds, peak = measure(what, path)
            size = path.stat().st_size / MB
            line = f"{what:11} {count:8} records {seconds:7.1f} s {peak:7.0f} MB"
            if what == "imports":
                imports = peak
            elif what == "json alone":
                plain = seconds
            elif what == "full load":
                line += f"   {(peak - imports) / size:.1f} times the file of {size:.0f} MB"
            else:
                line += f"   {seconds / plain:.1f} times json alone   {'met' if peak < 500 else 'MISSED'}: under 500 MB"
            print(line)


if __name__ == "__main__":
    main()
