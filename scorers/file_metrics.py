"""Metrics over files of predictions: which fields each reads, and what it makes of all of them together."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from bridgebench.errors import BridgebenchError
from bridgebench.scorers.ambigqa_metrics import ambigqa_f1, answer_groups, is_multi
from bridgebench.scorers.containment import SAMPLES, any_of_3
from bridgebench.scorers.overlap import NO_ANSWER, corpus_bleu, rouge_l
from bridgebench.scorers.qa_metrics import QA_METRICS, qa_scores
from bridgebench.scorers.ranking import ranking_scores
from bridgebench.scorers.records import Fields

Record = Mapping[str, Any]


@dataclass(frozen=True)
class FileMetric:
    """A metric of `bridgebench score`.

    Attributes:
        prediction: Reads the record's prediction.
        answers: Reads what it is compared with.
        figures: (predictions, answers) of all records that have a prediction, to named fractions and counts.
    """

    prediction: Callable[[Fields, Record], Any]
    answers: Callable[[Fields, Record], Any]
    figures: Callable[[Sequence[Any], Sequence[Any]], dict[str, float]]


def _text(fields: Fields, record: Record) -> str:
    return fields.text(record, "prediction")


def _answers(fields: Fields, record: Record) -> list[str]:
    return fields.texts(record, "answers")


def _text_or_texts(fields: Fields, record: Record) -> list[str]:
    one = isinstance(record.get("prediction"), str)
    return [_text(fields, record)] if one else fields.texts(record, "prediction")


def _three_texts(fields: Fields, record: Record) -> list[str]:
    texts = fields.texts(record, "prediction")
    if len(texts) != SAMPLES:
        raise fields.error("prediction", f"must hold {SAMPLES} sampled answers, got {len(texts)}")
    return texts


def _ranking(fields: Fields, record: Record) -> list[str]:
    ranked = [] if record.get("prediction") == [] else fields.texts(record, "prediction")
    if len(set(ranked)) != len(ranked):
        raise fields.error("prediction", "lists an id twice; keep its best rank only")
    return ranked


def _annotations(fields: Fields, record: Record) -> list[Mapping[str, Any]]:
    annotations = record.get("annotations")
    if not isinstance(annotations, list) or not annotations:
        raise fields.error("annotations", "must be a non-empty list of AmbigQA annotations")
    for annotation in annotations:
        if not isinstance(annotation, Mapping):
            raise fields.error("annotations", f"must be JSON objects, got {annotation!r:.80}")
        try:
            answer_groups(annotation)
        except BridgebenchError as error:
            raise fields.error("annotations", str(error)) from error
    return annotations


def _means(
    score: Callable[[Any, Any], Mapping[str, float]], predictions: Sequence[Any], answers: Sequence[Any]
) -> dict[str, float]:
    scores = [score(prediction, answer) for prediction, answer in zip(predictions, answers, strict=True)]
    return {name: _mean([score[name] for score in scores]) for name in scores[0]}


def _mean(values: Sequence[float]) -> float:
    counted = [value for value in values if not math.isnan(value)]
    return sum(counted) / len(counted) if counted else float("nan")


def _set_f1(predictions: Sequence[str], annotations: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    figure = ambigqa_f1(annotations, predictions)
    return {"ambigqa_f1": figure, "ambigqa_f1_multi": figure if is_multi(annotations) else float("nan")}


def _msmarco(predictions: Sequence[str], answers: Sequence[Sequence[str]]) -> dict[str, float]:
    pairs = [pair for pair in zip(predictions, answers, strict=True) if NO_ANSWER not in pair[1]]
    counts = {"answerable": len(pairs)}
    if not pairs:
        raise BridgebenchError(f"none of the {len(predictions)} questions has an answer")
    rouge = _mean([rouge_l(prediction, references) for prediction, references in pairs])
    return counts | {"rouge_l": rouge} | corpus_bleu([pair[0] for pair in pairs], [pair[1] for pair in pairs])


FILE_METRICS: Mapping[str, FileMetric] = {
    name: FileMetric(_text, _answers, partial(_means, partial(qa_scores, name))) for name in QA_METRICS
} | {
    "ambigqa_f1": FileMetric(_text_or_texts, _annotations, partial(_means, _set_f1)),
    "msmarco": FileMetric(_text, _answers, _msmarco),
    "any_of_3_word_containment": FileMetric(
        _three_texts,
        _answers,
        partial(_means, lambda answers, golds: {"any_of_3_word_containment": float(any_of_3(answers, golds[0]))}),
    ),
    "ranking": FileMetric(_ranking, _answers, partial(_means, ranking_scores)),
}
"""Name of a metric to how it is computed from a file; the judge is apart, because it asks a model."""
