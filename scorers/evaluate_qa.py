"""The QA metrics as an `evaluate.Metric`, for whoever's harness speaks that.

``evaluate.load(bridgebench.scorers.evaluate_qa.__file__, "hotpotqa")``, or `QaMetric("hotpotqa")`; neither needs a
network. The configuration is a key of `bridgebench.scorers.qa_metrics.QA_METRICS`.
"""

from collections.abc import Sequence
from typing import Any

import datasets
import evaluate

from bridgebench.errors import BridgebenchError
from bridgebench.scorers.qa_metrics import QA_METRICS, qa_scores

DESCRIPTION = "Exact match and token F1 by the official rules of multi-hop and long-context QA benchmarks."


class QaMetric(evaluate.Metric):  # type: ignore[misc]
    """Means over questions of `qa_scores`, as fractions: ``predictions`` are strings, ``references`` lists of them."""

    def _info(self) -> evaluate.MetricInfo:
        if self.config_name not in QA_METRICS:
            raise BridgebenchError(f"no metric '{self.config_name}'; there are: {', '.join(QA_METRICS)}")
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            citation="",
            inputs_description="predictions: list of str; references: list of lists of acceptable answers.",
            features=datasets.Features(
                {"predictions": datasets.Value("string"), "references": datasets.List(datasets.Value("string"))}
            ),
        )

    def _compute(self, predictions: Sequence[str], references: Sequence[Sequence[str]], **_: Any) -> dict[str, float]:
        pairs = zip(predictions, references, strict=True)
        scores = [qa_scores(self.config_name, prediction, golds) for prediction, golds in pairs]
        return {name: sum(score[name] for score in scores) / len(scores) for name in scores[0]}
