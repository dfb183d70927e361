"""The scorer through Inspect: what is averaged, what is left out, and what is said about it."""

import math

import pytest
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput

from bridgebench.errors import BridgebenchError
from bridgebench.scorers.qa_f1 import qa_f1

TOO_LONG = ModelOutput.from_content("given", "error: prompt is too long", stop_reason="model_length")
FILTERED = ModelOutput.from_content("given", "", stop_reason="content_filter")
FAILED = ModelOutput.from_content("given", "Orin", error="HTTP 500")
CUT_OFF = ModelOutput.from_content("given", "Orin", stop_reason="max_tokens")


def sample(id: str, **metadata: object) -> Sample:
    return Sample(id=id, input="Which lake?", target=["Orin", "Lake Orin"], metadata=metadata)


def test_machine_failures_are_left_out_and_counted(run_scorer, figures) -> None:
    outputs = {"right": "Orin", "half": "Orin sea", "nothing": "", "cut": CUT_OFF}
    failures = {"long": TOO_LONG, "filtered": FILTERED, "failed": FAILED}
    ids = [*failures, *outputs, "absent"]
    log = run_scorer(qa_f1(metric="hotpotqa"), [sample(id) for id in ids], outputs | failures)
    f1, em = figures(log)["f1"], figures(log)["em"]
    # (1 + 2/3 + 0 + 1) / 4: the empty answer after a normal stop is wrong, the four failures are nothing.
    assert f1.metrics["mean"].value == pytest.approx((1 + 2 / 3 + 0 + 1) / 4)
    assert em.metrics["mean"].value == pytest.approx(2 / 4)
    assert (f1.scored_samples, f1.unscored_samples) == (4, 4)
    spread = [1, 2 / 3, 0, 1]
    mean = sum(spread) / 4
    expected = math.sqrt(sum((value - mean) ** 2 for value in spread) / 3 / 4)
    assert f1.metrics["stderr"].value == pytest.approx(expected)
    reasons = {s.id: s.scores["qa_f1"].reason for s in log.samples if s.scores["qa_f1"].reason}
    assert reasons == {
        "long": "model_length",
        "filtered": "content_filter",
        "failed": "generator_error",
        "absent": "no_output",
    }


def test_error_before_the_answer_is_unscored_when_inspect_scores_errors(run_scorer, figures) -> None:
    log = run_scorer(
        qa_f1(metric="hotpotqa"),
        [sample("right"), sample("broken")],
        {"right": "Orin", "broken": RuntimeError("device lost")},
        fail_on_error=False,
        score_on_error=True,
    )
    f1 = figures(log)["f1"]
    assert f1.metrics["mean"].value == 1.0
    assert (f1.scored_samples, f1.unscored_samples) == (1, 1)


def test_nothing_scored_has_no_mean(run_scorer, figures) -> None:
    f1 = figures(run_scorer(qa_f1(metric="hotpotqa"), [sample("long")], {"long": TOO_LONG}))["f1"]
    assert math.isnan(f1.metrics["mean"].value)
    assert (f1.scored_samples, f1.unscored_samples) == (0, 1)


def test_shared_context_widens_the_error(run_scorer, figures) -> None:
    answers = {"a": "Orin", "b": "Orin", "c": "sea", "d": "sea"}
    apart = figures(run_scorer(qa_f1(metric="hotpotqa"), [sample(id) for id in answers], answers))["f1"]
    clustered = [sample(id, cluster="x" if id in "ab" else "y") for id in answers]
    together = figures(run_scorer(qa_f1(metric="hotpotqa"), clustered, answers))["f1"]
    assert together.metrics["mean"].value == apart.metrics["mean"].value == 0.5
    assert together.metrics["stderr"].value > 1.5 * apart.metrics["stderr"].value


def test_types_are_split_and_a_missing_type_is_named(run_scorer, figures) -> None:
    samples = [sample("a", question_type="bridge"), sample("b", question_type="comparison"), sample("c")]
    log = run_scorer(qa_f1(metric="hotpotqa"), samples, {"a": "Orin", "b": "sea", "c": "Orin sea"})
    groups = {m.name: m.value for m in figures(log)["f1"].metrics.values() if m.group == "by_question_type"}
    assert groups == pytest.approx({"bridge": 1.0, "comparison": 0.0, "unspecified": 2 / 3})


def test_headline_is_the_ungrouped_mean_of_f1(run_scorer) -> None:
    log = run_scorer(qa_f1(metric="hotpotqa"), [sample("a", question_type="bridge")], {"a": "Orin"})
    headline = log.results.headline
    assert (headline.scorer, headline.score, headline.metric) == ("qa_f1", "f1", "mean")


def test_epochs_average_within_a_question(run_scorer, figures) -> None:
    log = run_scorer(qa_f1(metric="hotpotqa"), [sample("a"), sample("b")], {"a": "Orin", "b": "sea"}, epochs=3)
    f1 = figures(log)["f1"]
    assert (f1.metrics["mean"].value, f1.scored_samples) == (0.5, 2)


def test_aliases_stand_beside_the_single_gold(run_scorer, figures) -> None:
    samples = [
        Sample(id="a", input="Who?", target="Ada Venn", metadata={"aliases": ["A. Venn"]}),
        Sample(id="b", input="Who?", target="Ada Venn", metadata={"aliases": []}),
    ]
    log = run_scorer(qa_f1(metric="twowiki", beside="aliases"), samples, {"a": "A. Venn", "b": "A. Venn"})
    means = {name: score.metrics["mean"].value for name, score in figures(log).items()}
    # "a." normalises to an article and goes, so that half of the single gold is met: F1 2 * 1 * .5 / 1.5
    assert means == pytest.approx({"f1": 2 / 3, "em": 0.0, "f1_aliases": (1 + 2 / 3) / 2, "em_aliases": 0.5})


def test_single_gold_stands_beside_the_aliases(run_scorer, figures) -> None:
    samples = [Sample(id="a", input="Who?", target=["Ada Venn", "Venn"])]
    means = {
        name: score.metrics["mean"].value
        for name, score in figures(run_scorer(qa_f1("musique", beside="single"), samples, {"a": "Venn"})).items()
    }
    assert means == pytest.approx({"f1": 1.0, "em": 1.0, "f1_single": 2 / 3, "em_single": 0.0})


def test_wrong_arguments_fail_before_the_run() -> None:
    with pytest.raises(BridgebenchError, match="hotpotqa, twowiki"):
        qa_f1(metric="hotpot")
    with pytest.raises(BridgebenchError, match="beside"):
        qa_f1(metric="twowiki", beside="both")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("scorer", "item", "says"),
    [
        (qa_f1("twowiki", beside="aliases"), sample("a"), "aliases"),
        (qa_f1("hotpotqa"), Sample(id="a", input="Who?"), "target is empty"),
    ],
)
def test_missing_golds_are_errors_that_name_the_sample(run_scorer, scorer, item, says) -> None:
    log = run_scorer(scorer, [item], {"a": "Venn"})
    assert log.status == "error"
    assert "sample 'a'" in log.error.message
    assert says in log.error.message
