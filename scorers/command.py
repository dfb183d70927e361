"""`bridgebench score`: score predictions that were made elsewhere."""

import json
import logging
import math
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bridgebench.errors import BridgebenchError
from bridgebench.scorers.file_metrics import FILE_METRICS
from bridgebench.scorers.grading import Answered, Grading, grade
from bridgebench.scorers.judging import READERS
from bridgebench.scorers.records import Fields, read_records

logger = logging.getLogger(__name__)

JUDGE = "judge"


@dataclass(frozen=True)
class Prediction:
    """One line: what was answered, None where its maker gave no answer, and what it is compared with."""

    prediction: Any
    answers: Any
    question: str = ""


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "predictions",
        type=Path,
        help="JSON lines with 'id', 'prediction' (null: no answer) and 'answers'; for ambigqa_f1 'annotations' in "
        "place of 'answers'; for judge also 'question'; for ranking and any_of_3 'prediction' is a list",
    )
    parser.add_argument("--metric", required=True, choices=[*FILE_METRICS, JUDGE], help="whose official rules")
    parser.add_argument(
        "--on-bad-record",
        choices=("error", "skip"),
        default="error",
        help="stop at the first bad line (default), or skip bad lines, name and count them",
    )
    add_grading_arguments(parser, required=False)


def add_grading_arguments(parser: ArgumentParser, required: bool) -> None:
    """Arguments that say which model judges, and how."""
    parser.add_argument("--grader", required=required, help="the judge, any Inspect model, such as vllm/<id>")
    parser.add_argument("-M", "--grader-arg", action="append", default=[], metavar="NAME=VALUE", help="of its provider")
    parser.add_argument("--votes", type=int, default=1, help="gradings an answer, odd; the majority decides")
    parser.add_argument("--prompt", choices=list(READERS), default="judge", help="how the judge is asked")
    parser.add_argument("--max-tokens", type=int, default=512, help="most tokens of a reply (default: %(default)s)")
    parser.add_argument("--log-dir", default="logs/judge", help="where Inspect logs the gradings")


def grading_of(args: Namespace) -> Grading:
    """The grading that the arguments ask for.

    Raises:
        BridgebenchError: When there is no grader, or a provider argument is no ``NAME=VALUE``.
    """
    if args.grader is None:
        raise BridgebenchError("the judge needs --grader: it is never the model under test, and has no default")
    pairs = [pair.partition("=") for pair in args.grader_arg]
    if not all(name and sign for name, sign, _ in pairs):
        raise BridgebenchError(f"-M takes NAME=VALUE, got {' '.join(args.grader_arg)}")
    options = {name: yaml.safe_load(value) for name, _, value in pairs}
    return Grading(args.grader, args.votes, args.prompt, args.max_tokens, args.log_dir, options)


def run(args: Namespace) -> int:
    """Write the figures as one JSON object to standard output; nan becomes null.

    Raises:
        BridgebenchError: When the file or a line of it is bad, or nothing in it can be scored.
    """
    grading = grading_of(args) if args.metric == JUDGE else None

    def parse(record: Mapping[str, Any], fields: Fields) -> Prediction:
        return read_prediction(args.metric, record, fields)

    lines, bad = read_records(args.predictions, parse, skip=args.on_bad_record == "skip")
    for error in bad:
        logger.warning("skipped: %s", error)
    given = {id: line for id, line in lines.items() if line.prediction is not None}
    if not given:
        raise BridgebenchError(f"{args.predictions}: none of the {len(lines)} questions has a prediction")
    figures = judge_figures(given, grading) if grading else metric_figures(args.metric, given)
    counts = {"metric": args.metric, "n": len(given), "unscored": len(lines) - len(given), "skipped": len(bad)}
    shown = {name: None if math.isnan(figure) else figure for name, figure in figures.items()}
    sys.stdout.write(json.dumps(counts | shown) + "\n")
    return 0


def read_prediction(metric: str, record: Mapping[str, Any], fields: Fields) -> Prediction:
    """One record's fields, as the metric needs them.

    Raises:
        RecordError: When one is absent or of another type.
    """
    kind = FILE_METRICS["hotpotqa" if metric == JUDGE else metric]
    absent = "prediction" in record and record["prediction"] is None
    return Prediction(
        prediction=None if absent else kind.prediction(fields, record),
        answers=kind.answers(fields, record),
        question=fields.text(record, "question") if metric == JUDGE else "",
    )


def metric_figures(metric: str, lines: Mapping[str, Prediction]) -> dict[str, float]:
    """Figures of a metric that needs no model."""
    return FILE_METRICS[metric].figures(
        [line.prediction for line in lines.values()], [line.answers for line in lines.values()]
    )


def judge_figures(lines: Mapping[str, Prediction], grading: Grading) -> dict[str, float]:
    """Means of the judge's values over the answers they are known for, and the number of unreadable replies."""
    items = {id: Answered(line.question, line.prediction, line.answers) for id, line in lines.items()}
    values = [score.as_dict() for score in grade(items, grading).values()]
    figures: dict[str, float] = {"unreadable": sum(math.isnan(float(value["accuracy"] or 0)) for value in values)}
    for name in values[0]:
        known = [figure for value in values if not math.isnan(figure := float(value[name] or 0))]
        figures[name] = sum(known) / len(known) if known else float("nan")
    return figures
