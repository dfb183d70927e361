"""`bridgebench calibrate-judge`: whether a judge may be trusted, by labels that are known."""

import json
import math
import sys
from argparse import ArgumentParser, Namespace
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from inspect_ai.scorer import Score

from bridgebench.scorers.agreement import agreement
from bridgebench.scorers.command import add_grading_arguments, grading_of
from bridgebench.scorers.grading import Answered, grade
from bridgebench.scorers.records import Fields, read_records

LABELS = ("correct", "incorrect", "missing")
UNREADABLE = "unreadable"


@dataclass(frozen=True)
class Labelled:
    """An answer and the verdict it deserves; `kind` groups answers in the report."""

    answered: Answered
    label: str
    kind: str


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "labels",
        type=Path,
        nargs="?",
        help="JSON lines with 'id', 'question', 'prediction', 'answers', 'label' (correct, incorrect or missing) and "
        "perhaps 'kind'; default: 200 pairs of the fictional world, labelled by construction",
    )
    add_grading_arguments(parser, required=True)


def run(args: Namespace) -> int:
    """Write the report as JSON to standard output; nan becomes null.

    Raises:
        BridgebenchError: When a line is bad, or the grading ends in an error.
    """
    if args.labels:
        pairs, _ = read_records(args.labels, read_labelled)
    else:
        with resources.as_file(resources.files("bridgebench.scorers").joinpath("data", "judge_pairs.jsonl")) as path:
            pairs, _ = read_records(path, read_labelled)
    grading = grading_of(args)
    scores = grade({id: pair.answered for id, pair in pairs.items()}, grading)
    heading = {"grader": args.grader, "prompt": args.prompt, "votes": args.votes}
    sys.stdout.write(json.dumps(_without_nan(heading | report(pairs, scores)), indent=2) + "\n")
    return 0


def read_labelled(record: Mapping[str, Any], fields: Fields) -> Labelled:
    """One labelled pair.

    Raises:
        RecordError: When a field is absent, of another type, or the label is unknown.
    """
    label = fields.text(record, "label")
    if label not in LABELS:
        raise fields.error("label", f"must be one of {', '.join(LABELS)}, got '{label}'")
    answered = Answered(
        fields.text(record, "question"), fields.text(record, "prediction"), fields.texts(record, "answers")
    )
    return Labelled(answered, label, fields.text(record, "kind") if "kind" in record else "all")


def report(pairs: Mapping[str, Labelled], scores: Mapping[str, Score]) -> dict[str, Any]:
    """What the judge made of the labels.

    Returns:
        ``n``; ``unreadable`` (replies without a verdict, left out of what follows); ``by_model`` (the verdicts
        that no rule decided); agreement and Cohen's kappa with 95 % intervals (`Agreement`), null without a
        readable verdict; ``agreement_lower``, with unreadable replies as disagreements; ``confusion``, label to
        verdict to count; ``by_kind``, kind to its number of answers and of agreements.
    """
    verdicts = {id: _verdict(scores[id]) for id in pairs}
    confusion = Counter((pair.label, verdicts[id]) for id, pair in pairs.items())
    kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for id, pair in pairs.items():
        kinds[pair.kind].update(n=1, agreed=int(verdicts[id] == pair.label))
    readable = [(pair.label, verdicts[id]) for id, pair in pairs.items() if verdicts[id] != UNREADABLE]
    agreed = sum(label == verdict for label, verdict in readable)
    return {
        "n": len(pairs),
        "unreadable": len(pairs) - len(readable),
        "by_model": sum((scores[id].metadata or {})["decided_by"] == "model" for id in pairs),
        "agreement": asdict(agreement([p[0] for p in readable], [p[1] for p in readable])) if readable else None,
        "agreement_lower": agreed / len(pairs),
        "confusion": {label: {v: confusion[label, v] for v in (*LABELS, UNREADABLE)} for label in LABELS},
        "by_kind": {kind: dict(counts) for kind, counts in sorted(kinds.items())},
    }


def _verdict(score: Score) -> str:
    value = score.as_dict()
    for label, measure in zip(LABELS, ("accuracy", "hallucination", "missing"), strict=True):
        if value[measure] == 1.0:
            return label
    return UNREADABLE


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(part) for part in value]
    return None if isinstance(value, float) and math.isnan(value) else value
