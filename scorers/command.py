"""`bridgebench score`: score predictions that were made elsewhere."""

import json
import logging
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bridgebench.errors import BridgebenchError
from bridgebench.scorers.qa_metrics import QA_METRICS, qa_scores
from bridgebench.scorers.records import Fields, read_records

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Prediction:
    """One line: an answer, None where its maker gave none, and what would be acceptable."""

    prediction: str | None
    answers: Sequence[str]


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("predictions", type=Path, help="JSON lines with 'id', 'prediction' and 'answers'")
    parser.add_argument("--metric", required=True, choices=sorted(QA_METRICS), help="whose official rules")
    parser.add_argument(
        "--on-bad-record",
        choices=("error", "skip"),
        default="error",
        help="stop at the first bad line (default), or skip bad lines, name and count them",
    )


def run(args: Namespace) -> int:
    """Write the figures as one JSON object to standard output.

    Raises:
        BridgebenchError: When the file or a line of it is bad, or nothing in it can be scored.
    """
    predictions, bad = read_records(args.predictions, _prediction, skip=args.on_bad_record == "skip")
    for error in bad:
        logger.warning("skipped: %s", error)
    figures = score_predictions(args.metric, list(predictions.values())) | {"skipped": len(bad)}
    sys.stdout.write(json.dumps(figures) + "\n")
    return 0


def score_predictions(metric: str, predictions: Sequence[Prediction]) -> dict[str, Any]:
    """Mean of each measure over the questions that have a prediction.

    Returns:
        ``metric``, ``n`` (questions scored), ``unscored`` (without a prediction), and each measure as a fraction.

    Raises:
        BridgebenchError: When no question has a prediction.
    """
    scores = [qa_scores(metric, item.prediction, item.answers) for item in predictions if item.prediction is not None]
    if not scores:
        raise BridgebenchError(f"none of the {len(predictions)} questions has a prediction")
    means = {name: sum(score[name] for score in scores) / len(scores) for name in scores[0]}
    return {"metric": metric, "n": len(scores), "unscored": len(predictions) - len(scores)} | means


def _prediction(record: Mapping[str, Any], fields: Fields) -> Prediction:
    absent = "prediction" in record and record["prediction"] is None
    prediction = None if absent else fields.text(record, "prediction")
    return Prediction(prediction, fields.texts(record, "answers"))
