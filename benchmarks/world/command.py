"""``bridgebench sample``: writes a benchmark's records about the fictional world, as many as one likes."""

import argparse
import json
import os
from pathlib import Path

from rich.console import Console
from rich.progress import track

from bridgebench.benchmarks.world.contexts import Knobs
from bridgebench.benchmarks.world.generate import BENCHMARKS, default_size, records


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("--benchmark", required=True, choices=BENCHMARKS)
    parser.add_argument("--size", type=int, help="number of records (default: 60; arxiv_cards: 109 papers)")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder for <benchmark>.jsonl")
    parser.add_argument("--seed", type=int, default=0, help="another seed is another world (default: %(default)s)")
    parser.add_argument(
        "--split",
        default="validation",
        choices=["train", "validation"],
        help="train and validation worlds share neither names nor sentences (default: %(default)s)",
    )
    parser.add_argument("--distractors", type=int, help="passages beside the gold ones (default: as in the dataset)")
    parser.add_argument("--gold-position", default="random", choices=["first", "middle", "last", "random"])
    parser.add_argument("--near-duplicates", type=int, default=0, help="distractors that repeat gold in other words")
    parser.add_argument("--contradictions", type=int, default=0, help="distractors that contradict gold")


def run(args: argparse.Namespace) -> int:
    """Writes ``<output>/<benchmark>.jsonl``, a record a line; an existing file is replaced only when all is written."""
    size = default_size(args.benchmark) if args.size is None else args.size
    knobs = Knobs(args.distractors, args.gold_position, args.near_duplicates, args.contradictions)
    written = records(args.benchmark, size=size, seed=args.seed, split=args.split, knobs=knobs)
    args.output.mkdir(parents=True, exist_ok=True)
    path = args.output / f"{args.benchmark}.jsonl"
    unfinished = path.with_suffix(".jsonl.part")
    with unfinished.open("w", encoding="utf-8", newline="\n") as lines:
        for record in track(written, description=str(path), total=size, console=Console(stderr=True)):
            lines.write(json.dumps(record, ensure_ascii=False) + "\n")
    os.replace(unfinished, path)
    return 0
