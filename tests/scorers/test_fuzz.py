"""Whatever comes in, the readers end in a named error or a value, never in a traceback from the middle."""

import json
import math
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridgebench.errors import BridgebenchError
from bridgebench.scorers.ambigqa_metrics import answer_groups
from bridgebench.scorers.command import metric_figures, read_prediction
from bridgebench.scorers.crag_parse import parse_crag_reply
from bridgebench.scorers.file_metrics import FILE_METRICS
from bridgebench.scorers.judging import decide_by_rule, read_verdict
from bridgebench.scorers.qa_metrics import exact_match, qa_scores
from bridgebench.scorers.records import read_records

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
ANNOTATION = st.fixed_dictionaries({}, optional={"type": VALUES, "answer": VALUES, "qaPairs": VALUES})
RECORDS = st.fixed_dictionaries(
    {}, optional={"id": VALUES, "prediction": VALUES, "answers": VALUES, "annotations": st.lists(ANNOTATION) | VALUES}
)
# The Chinese metrics and MS MARCO's need packages that their own tests ask for.
METRICS = sorted(set(FILE_METRICS) - {"longbench_zh", "dureader", "msmarco"})


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(RECORDS.map(lambda record: json.dumps(record).encode()) | st.binary(max_size=30), max_size=5),
    metric=st.sampled_from(METRICS),
)
def test_files_of_anything(tmp_path, lines, metric) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(b"\n".join(lines))
    try:
        records, bad = read_records(path, lambda record, fields: read_prediction(metric, record, fields), skip=True)
    except BridgebenchError:  # no usable record at all
        return
    written = b"\n".join(lines).removeprefix(b"\xef\xbb\xbf").split(b"\n")
    assert len(records) + len(bad) == sum(bool(line.strip()) for line in written)
    given_ = {id: record for id, record in records.items() if record.prediction is not None}
    if given_:
        assert all(math.isnan(v) or 0 <= v <= 1 for v in metric_figures(metric, given_).values())


@given(ANNOTATION)
def test_annotations_of_any_shape(annotation) -> None:
    try:
        groups = answer_groups(annotation)
    except BridgebenchError:
        return
    assert groups
    assert all(isinstance(alias, str) for group in groups for alias in group)


@given(st.text(), st.lists(st.text(), min_size=1, max_size=4))
def test_metrics_are_fractions_and_a_match_is_a_full_score(prediction, golds) -> None:
    for metric in ("hotpotqa", "twowiki", "musique", "ambigqa"):
        scores = qa_scores(metric, prediction, golds)
        assert all(0 <= value <= 1 for value in scores.values())
        nothing = exact_match(prediction, "") == 1.0  # two empty answers: EM 1, F1 by the benchmark's rule
        assert scores["f1"] == pytest.approx(1.0) or scores["em"] == 0.0 or nothing
        assert qa_scores(metric, golds[0], golds)["em"] == 1.0


@given(st.text(), st.text())
def test_verdicts_are_read_or_not(reply, code) -> None:
    assert read_verdict(reply, re.escape(code)) in (None, "correct", "incorrect")
    assert decide_by_rule(reply, [code]) in (None, "correct", "incorrect", "missing")
    score, explanation = parse_crag_reply(reply)
    assert score in (-1, 0, 1)
    assert isinstance(explanation, str)


@given(st.text(alphabet='{}"score: 01,', max_size=60))
def test_last_object_is_the_one_the_script_takes(reply) -> None:
    objects = re.findall(r"\{[^}]*\}", reply)
    expected = re.search(r'"score"\s*:\s*(\d+)', objects[-1]) if objects else None
    assert parse_crag_reply(reply)[0] == (int(expected[1]) if expected and int(expected[1]) in (0, 1) else -1)


@pytest.mark.parametrize(
    "reply",
    ["{" * 1_000_000, "{}" * 500_000, "VERDICT " * 100_000, "*" * 1_000_000, '{"score":' + " " * 1_000_000],
    ids=lambda reply: reply[:9],
)
def test_hostile_replies_are_read_in_linear_time(reply) -> None:
    # In quadratic time this would not end.
    assert parse_crag_reply(reply)[0] == -1
    assert read_verdict(reply, "0123456789ab") is None
    assert decide_by_rule(reply, ["x"]) is None
