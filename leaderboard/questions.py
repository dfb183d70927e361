"""The matrix behind a table: one row a question, one column a cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridgebench.leaderboard.cells import Cell
from bridgebench.leaderboard.samples import Samples
from bridgebench.leaderboard.statistics import Floats, average_epochs

ANY_OF_3 = "any_of_3_word_containment"
"""The card paper's measure of three sampled answers (epochs), which it calls F1; a column of its own, never F1's."""


@dataclass(frozen=True)
class Questions:
    """Scores of several cells on the same questions, epochs averaged.

    Attributes:
        ids: All questions that any cell was asked, sorted.
        clusters: Cluster of each as a number; None when every question is a cluster of its own.
        types: Question type of each; empty where there is none.
        values: Metric to a matrix (questions, cells); NaN is unscored, or not asked.
        missing: Metric to the share of each question's epochs without a score, same shape.
        asked: Whether a cell was asked a question, shape (questions, cells).
    """

    ids: NDArray[np.str_]
    clusters: NDArray[np.int64] | None
    types: NDArray[np.str_]
    values: Mapping[str, Floats]
    missing: Mapping[str, Floats]
    asked: NDArray[np.bool_]

    def scored(self, metric: str, cell: int) -> bool:
        """Whether the cell has any score by that metric."""
        return metric in self.values and not bool(np.isnan(self.values[metric][:, cell]).all())


def align(cells: Sequence[Cell]) -> Questions:
    """Bring cells onto the union of their questions; a question's cluster and type are those of the first cell."""
    columns = [cell.samples for cell in cells]
    samples = [column for column in columns if column is not None]
    if len(samples) != len(cells) or not samples:
        raise ValueError("only finished cells can be compared")
    ids = np.unique(np.concatenate([column.ids for column in samples]))
    metrics = list(dict.fromkeys(name for column in samples for name in column.scores))
    values = {metric: np.full((len(ids), len(cells)), np.nan) for metric in metrics}
    missing = {metric: np.ones((len(ids), len(cells))) for metric in metrics}
    asked = np.zeros((len(ids), len(cells)), dtype=bool)
    clusters, types = ids.astype(object), np.full(len(ids), "", dtype=object)
    for position in reversed(range(len(samples))):
        column = samples[position]
        where = np.searchsorted(ids, column.ids)
        clusters[where], types[where] = column.clusters, column.types
        asked[where, position] = True
        for metric, scores in column.scores.items():
            questions, means = average_epochs(column.ids, np.stack([scores, np.isnan(scores)], axis=1))
            rows = np.searchsorted(ids, questions)
            values[metric][rows, position], missing[metric][rows, position] = means.T
    if "word_containment" in values:
        values[ANY_OF_3] = np.stack([_any_of_3(column, ids) for column in samples], axis=1)
        missing[ANY_OF_3] = np.isnan(values[ANY_OF_3]).astype(float)
    names, numbers = np.unique(clusters.astype(np.str_), return_inverse=True)
    return Questions(ids, None if len(names) == len(ids) else numbers, types.astype(np.str_), values, missing, asked)


def _any_of_3(samples: Samples, ids: NDArray[np.str_]) -> Floats:
    """Whether any of a question's three epochs holds the answer; NaN unless all three were scored."""
    best = np.full(len(ids), np.nan)
    scores = samples.scores.get("word_containment", np.full(len(samples.ids), np.nan))
    where, counts = np.searchsorted(ids, samples.ids), np.zeros(len(ids))
    np.fmax.at(best, where, scores)
    np.add.at(counts, where, ~np.isnan(scores))
    return np.where(counts == 3, best, np.nan)
