"""CPU time of writing records of the fictional world.

Target: 10,000 HotpotQA records in under a minute on one core.

    python tests/perf/world.py [--size 10000] [--benchmarks hotpotqa,twowiki,musique]
"""

import argparse
import os
import platform
import time

from bridgebench.benchmarks.world import records

TARGET = 60.0


def cpu_seconds(benchmark: str, size: int) -> float:
    """Seconds of one core, the building of the world included."""
    start = time.process_time()
    for _ in records(benchmark, size=size):
        pass
    return time.process_time() - start


def main() -> None:
    """One line a benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--benchmarks", default="hotpotqa")
    args = parser.parse_args()
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for benchmark in args.benchmarks.split(","):
        spent = cpu_seconds(benchmark, args.size)
        share = spent * 10_000 / args.size / TARGET
        verdict = "met" if share <= 1 else "MISSED"
        print(f"{benchmark}: {args.size} records in {spent:.1f} s, {share:.2f} of the target's time: {verdict}")


if __name__ == "__main__":
    main()
