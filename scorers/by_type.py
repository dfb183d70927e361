"""A metric that splits a mean by question type."""

from collections import defaultdict

from inspect_ai.scorer import Metric, SampleScore, Value, metric

UNSPECIFIED = "unspecified"


@metric
def by_question_type() -> Metric:
    """Mean for each ``question_type`` of the samples' metadata; samples without one are ``unspecified``.

    Inspect's own `grouped` raises on a sample without the key, which would lose the figures of a whole run.
    """

    def by_type(scores: list[SampleScore]) -> Value:
        groups: defaultdict[str, list[float]] = defaultdict(list)
        for score in scores:
            kind = (score.sample_metadata or {}).get("question_type") or UNSPECIFIED
            groups[str(kind)].append(score.score.as_float())
        return {kind: sum(values) / len(values) for kind, values in sorted(groups.items())}

    return by_type
