"""Agreement by hand, the packaged pairs, and the command with judges whose faults are known."""

import json
import math
import re
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path

import pytest
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from bridgebench.benchmarks.world.judge_pairs import pairs
from bridgebench.errors import BridgebenchError, RecordError
from bridgebench.scorers import calibrate, grading
from bridgebench.scorers.agreement import agreement, cohen_kappa
from bridgebench.scorers.judging import decide_by_rule

DATA = Path(grading.__file__).parent / "data"
PAIRS = [json.loads(line) for line in (DATA / "judge_pairs.jsonl").read_text(encoding="utf-8").splitlines()]


def test_kappa_by_hand() -> None:
    # 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: p_o 0.7, p_e 0.5 * 0.6 + 0.5 * 0.4 = 0.5.
    labels = ["yes"] * 25 + ["no"] * 25
    verdicts = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert cohen_kappa(labels, verdicts) == pytest.approx(0.4)
    assert cohen_kappa(labels, labels) == 1.0
    assert math.isnan(cohen_kappa(["yes"], ["yes"]))
    figures = agreement(labels, verdicts)
    assert (figures.n, figures.observed, figures.kappa) == (50, 0.7, pytest.approx(0.4))
    # Large-sample standard error of kappa: sqrt(p_o (1 - p_o) / n) / (1 - p_e) = 0.13.
    low, high = figures.kappa_interval
    assert (low, high) == (pytest.approx(0.4 - 1.96 * 0.13, abs=0.05), pytest.approx(0.4 + 1.96 * 0.13, abs=0.05))
    assert figures == agreement(labels, verdicts)


def test_kappa_equals_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    labels = [pair["label"] for pair in PAIRS]
    verdicts = labels[7:] + labels[:7]
    assert cohen_kappa(labels, verdicts) == pytest.approx(metrics.cohen_kappa_score(labels, verdicts))


def test_script_makes_such_pairs_and_the_same_every_time() -> None:
    # Not equality with the packaged file: the world may be reworded, and the labels of old answers stay true.
    made = list(pairs())
    assert made == list(pairs())
    assert [(pair["id"], pair["kind"], pair["label"]) for pair in made] == [
        (pair["id"], pair["kind"], pair["label"]) for pair in PAIRS
    ]


def test_packaged_pairs_hold_every_kind_and_a_true_label() -> None:
    assert len(PAIRS) == len({pair["id"] for pair in PAIRS}) == 200
    assert Counter(pair["label"] for pair in PAIRS) == {"correct": 87, "incorrect": 101, "missing": 12}
    for pair in PAIRS:
        # Where a rule of the protocol decides, it must give the label; the rest is left to the judge.
        assert decide_by_rule(pair["prediction"], pair["answers"]) in (None, pair["label"]), pair
    left = Counter(pair["kind"] for pair in PAIRS if decide_by_rule(pair["prediction"], pair["answers"]) is None)
    assert set(left) == {"paraphrase", "wrong_entity", "partly_right", "refusal", "injected", "injected_against"}


def judge_that(decides):
    """A grader that is shown the parsed prompt's answer and acceptable answers, and whose verdict `decides` gives."""

    def reply(input, tools, tool_choice, config) -> ModelOutput:
        prompt = input[0].text
        code = re.search(r"the code ([0-9a-f]{12})", prompt)[1]
        blocks = dict(re.findall(rf"<(answer|acceptable) {code}>\n(.*?)\n</\1 {code}>", prompt, re.DOTALL))
        output = ModelOutput.from_content("grader", decides(blocks["answer"], blocks["acceptable"], code))
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model("mockllm/grader", custom_outputs=reply, memoize=False)


TRUTH = {(pair["prediction"], pair["answers"][0]): pair["label"] for pair in PAIRS}


def calibrated(grader, tmp_path, capsys, monkeypatch, *arguments: str):
    monkeypatch.setattr(grading, "get_model", lambda name, **args: grader)
    parser = ArgumentParser()
    calibrate.add_arguments(parser)
    args = parser.parse_args([*arguments, "--grader", "mockllm/grader", "--log-dir", str(tmp_path)])
    assert calibrate.run(args) == 0
    return json.loads(capsys.readouterr().out)


def test_a_judge_that_knows_agrees_fully(tmp_path, capsys, monkeypatch) -> None:
    knows = judge_that(lambda answer, gold, code: f"VERDICT {code}: {TRUTH[answer, gold]}")
    report = calibrated(knows, tmp_path, capsys, monkeypatch)
    assert (report["n"], report["unreadable"], report["by_model"]) == (200, 0, 158)
    assert report["agreement"]["kappa"] == report["agreement"]["observed"] == report["agreement_lower"] == 1.0
    assert report["confusion"]["missing"] == {"correct": 0, "incorrect": 0, "missing": 12, "unreadable": 0}


def some_pairs(tmp_path) -> tuple[str, list[dict]]:
    """Every fourth pair, as a file of one's own."""
    path, pairs = tmp_path / "some.jsonl", PAIRS[::4]
    path.write_text("\n".join(map(json.dumps, pairs)))
    return str(path), pairs


def test_a_judge_that_says_yes_to_all(tmp_path, capsys, monkeypatch) -> None:
    path, pairs = some_pairs(tmp_path)
    report = calibrated(
        judge_that(lambda answer, gold, code: f"VERDICT {code}: CORRECT"), tmp_path, capsys, monkeypatch, path
    )
    incorrect = sum(pair["label"] == "incorrect" for pair in pairs)
    assert report["confusion"]["incorrect"] == {"correct": incorrect, "incorrect": 0, "missing": 0, "unreadable": 0}
    assert report["agreement"]["observed"] == pytest.approx(1 - incorrect / len(pairs))
    assert report["agreement"]["kappa"] < 0.2


def test_a_judge_that_parrots_the_answer_is_unreadable_not_fooled(tmp_path, capsys, monkeypatch) -> None:
    path, pairs = some_pairs(tmp_path)
    report = calibrated(judge_that(lambda answer, gold, code: answer), tmp_path, capsys, monkeypatch, path)
    assert report["unreadable"] == report["by_model"] > 30
    assert report["by_kind"]["injected"]["agreed"] == report["confusion"]["incorrect"]["correct"] == 0
    assert report["agreement_lower"] == pytest.approx(1 - report["unreadable"] / len(pairs))


def test_own_labels(tmp_path, capsys, monkeypatch) -> None:
    path = tmp_path / "labels.jsonl"
    line = {"id": "a", "question": "?", "prediction": "Orin", "answers": ["orin"], "label": "correct"}
    path.write_text(json.dumps(line))
    report = calibrated(judge_that(lambda *_: ""), tmp_path, capsys, monkeypatch, str(path))
    assert (report["n"], report["agreement"]["observed"], report["agreement"]["kappa"]) == (1, 1.0, None)
    assert report["by_kind"] == {"all": {"n": 1, "agreed": 1}}
    path.write_text(json.dumps(line | {"label": "right"}))
    with pytest.raises(RecordError, match="label"):
        calibrated(judge_that(lambda *_: ""), tmp_path, capsys, monkeypatch, str(path))


def test_a_grader_that_fails_is_an_error_not_a_verdict(tmp_path, capsys, monkeypatch) -> None:
    def fails(answer, gold, code) -> str:
        raise RuntimeError("device lost")

    with pytest.raises(BridgebenchError, match="device lost"):
        calibrated(judge_that(fails), tmp_path, capsys, monkeypatch, some_pairs(tmp_path)[0])
