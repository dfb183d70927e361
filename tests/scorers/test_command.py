"""`bridgebench score`: figures of a file, and an error for every way a line can be bad."""

import json
import logging
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import pytest

from bridgebench.errors import BridgebenchError, RecordError
from bridgebench.scorers import command

GOOD = [
    {"id": "a", "prediction": "Lake Orin", "answers": ["Orin", "lake orin"]},
    {"id": 2, "prediction": "Orin sea", "answers": ["Orin"]},
    {"id": "c", "prediction": "", "answers": ["Orin"]},
    {"id": "d", "prediction": None, "answers": ["Orin"]},
]


def score(path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    parser = ArgumentParser()
    command.add_arguments(parser)
    assert command.run(parser.parse_args([str(path), *options])) == 0
    return json.loads(capsys.readouterr().out)


def write(path: Path, lines: list[Any], **options: Any) -> Path:
    path.write_bytes(b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines))
    return path


def test_figures_are_fractions_and_null_is_no_answer(tmp_path, capsys) -> None:
    figures = score(write(tmp_path / "p.jsonl", GOOD), capsys, "--metric", "hotpotqa")
    assert figures == {
        "metric": "hotpotqa",
        "n": 3,
        "unscored": 1,
        "skipped": 0,
        "em": pytest.approx(1 / 3),
        "f1": pytest.approx((1 + 2 / 3) / 3),
    }


def test_byte_order_mark_crlf_and_blank_lines_are_no_fault(tmp_path, capsys) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + b"\r\n\r\n".join(json.dumps(record).encode() for record in GOOD) + b"\r\n")
    assert score(path, capsys, "--metric", "musique")["n"] == 3


BAD = [
    (b"{", "(line)", "not JSON"),
    (b'"x"', "(line)", "JSON object"),
    (b'{"id": "\xff"}', "(line)", "not UTF-8"),
    (b"[" * 100_000, "(line)", "not JSON"),
    (b'{"id": ' + b"1" * 5000 + b"}", "(line)", "not JSON"),
    ({"prediction": "x", "answers": ["x"]}, "id", "got None"),
    ({"id": True, "prediction": "x", "answers": ["x"]}, "id", "got True"),
    ({"id": "a", "prediction": "x", "answers": ["x"]}, "id", "also on line 1"),
    ({"id": "z", "answers": ["x"]}, "prediction", "absent"),
    ({"id": "z", "prediction": ["x"], "answers": ["x"]}, "prediction", "a string"),
    ({"id": "z", "prediction": "x"}, "answers", "absent"),
    ({"id": "z", "prediction": "x", "answers": "x"}, "answers", "list of strings"),
    ({"id": "z", "prediction": "x", "answers": []}, "answers", "non-empty"),
    ({"id": "z", "prediction": "x", "answers": ["x", None]}, "answers", "list of strings"),
]


@pytest.mark.parametrize(("line", "field", "says"), BAD, ids=[f"{field}-{says}" for _, field, says in BAD])
def test_bad_line_is_named_or_skipped_and_counted(tmp_path, capsys, caplog, line, field, says) -> None:
    path = write(tmp_path / "p.jsonl", [*GOOD, line])
    with pytest.raises(RecordError, match=says) as caught:
        score(path, capsys, "--metric", "hotpotqa")
    assert str(path) in str(caught.value)
    assert (caught.value.record, caught.value.field) == ("line 5", field)
    with caplog.at_level(logging.WARNING):
        figures = score(path, capsys, "--metric", "hotpotqa", "--on-bad-record", "skip")
    assert (figures["n"], figures["skipped"]) == (3, 1)
    assert "line 5" in caplog.text


def test_duplicate_ids_count_numbers_and_strings_alike(tmp_path, capsys) -> None:
    path = write(tmp_path / "p.jsonl", [*GOOD, {"id": "2", "prediction": "x", "answers": ["x"]}])
    with pytest.raises(RecordError, match="also on line 2"):
        score(path, capsys, "--metric", "hotpotqa")


@pytest.mark.parametrize("lines", [[], [{"id": "d", "prediction": None, "answers": ["x"]}]])
def test_nothing_to_score_is_an_error(tmp_path, capsys, lines) -> None:
    with pytest.raises(BridgebenchError, match="no usable record|none of the 1"):
        score(write(tmp_path / "p.jsonl", lines), capsys, "--metric", "hotpotqa")


def test_absent_file_is_an_error(tmp_path, capsys) -> None:
    with pytest.raises(BridgebenchError, match="cannot be read"):
        score(tmp_path / "nowhere.jsonl", capsys, "--metric", "hotpotqa")


ANNOTATION = {"type": "singleAnswer", "answer": ["Orin"]}
PAIRS = {
    "type": "multipleQAs",
    "qaPairs": [{"question": "?", "answer": ["Orin"]}, {"question": "?", "answer": ["Vessa"]}],
}


def test_ambigqa_f1_reads_annotations(tmp_path, capsys) -> None:
    lines = [
        {"id": "a", "prediction": ["orin", "vessa"], "annotations": [PAIRS]},
        {"id": "b", "prediction": "orin", "annotations": [PAIRS, ANNOTATION]},
    ]
    figures = score(write(tmp_path / "p.jsonl", lines), capsys, "--metric", "ambigqa_f1")
    assert (figures["ambigqa_f1"], figures["ambigqa_f1_multi"]) == (1.0, 1.0)
    for bad in (None, [], ["x"], [{"type": "single_answer", "answer": ["x"]}]):
        with pytest.raises(RecordError, match="line 1: field 'annotations'"):
            score(
                write(tmp_path / "p.jsonl", [{"id": "a", "prediction": "x", "annotations": bad}]),
                capsys,
                "--metric",
                "ambigqa_f1",
            )


def test_figure_without_a_question_is_null(tmp_path, capsys) -> None:
    lines = [{"id": "b", "prediction": "orin", "annotations": [ANNOTATION]}]
    figures = score(write(tmp_path / "p.jsonl", lines), capsys, "--metric", "ambigqa_f1")
    assert (figures["ambigqa_f1"], figures["ambigqa_f1_multi"]) == (1.0, None)


def test_msmarco_leaves_unanswerable_questions_out(tmp_path, capsys) -> None:
    pytest.importorskip("sacrebleu", reason="the extra 'metrics' is not installed")
    lines = [
        {"id": "a", "prediction": "the river runs east", "answers": ["The river runs east."]},
        {"id": "b", "prediction": "anything", "answers": ["No Answer Present."]},
    ]
    figures = score(write(tmp_path / "p.jsonl", lines), capsys, "--metric", "msmarco")
    assert (figures["n"], figures["answerable"], figures["rouge_l"]) == (2, 1, 1.0)
    assert 0 < figures["bleu_4"] < figures["bleu_1"] + 1e-9
    with pytest.raises(BridgebenchError, match="none of the 1"):
        score(write(tmp_path / "p.jsonl", lines[1:]), capsys, "--metric", "msmarco")


def test_ranking_and_containment_take_lists(tmp_path, capsys) -> None:
    lines = [
        {"id": "a", "prediction": ["p2", "p1"], "answers": ["p1"]},
        {"id": "b", "prediction": [], "answers": ["p1"]},
    ]
    figures = score(write(tmp_path / "p.jsonl", lines), capsys, "--metric", "ranking")
    assert (figures["hit@1"], figures["hit@3"], figures["mrr@10"]) == (0.0, 0.5, 0.25)
    with pytest.raises(RecordError, match="twice"):
        score(
            write(tmp_path / "p.jsonl", [{"id": "a", "prediction": ["p", "p"], "answers": ["p"]}]),
            capsys,
            "--metric",
            "ranking",
        )
    three = [{"id": "a", "prediction": ["no", "Lake Orin", "no"], "answers": ["Orin"]}]
    name = "any_of_3_word_containment"
    assert score(write(tmp_path / "p.jsonl", three), capsys, "--metric", name)[name] == 1.0
    with pytest.raises(RecordError, match="3 sampled answers"):
        score(
            write(tmp_path / "p.jsonl", [{"id": "a", "prediction": ["x"], "answers": ["x"]}]), capsys, "--metric", name
        )


def test_judge_needs_a_grader_and_questions(tmp_path, capsys) -> None:
    path = write(tmp_path / "p.jsonl", GOOD)
    with pytest.raises(BridgebenchError, match="--grader"):
        score(path, capsys, "--metric", "judge")
    with pytest.raises(RecordError, match="'question'"):
        score(path, capsys, "--metric", "judge", "--grader", "mockllm/grader")
    with pytest.raises(BridgebenchError, match="NAME=VALUE"):
        score(path, capsys, "--metric", "judge", "--grader", "mockllm/grader", "-M", "device")


def test_judge_figures(tmp_path, capsys, monkeypatch) -> None:
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def reply(input, tools, tool_choice, config) -> ModelOutput:
        output = ModelOutput.from_content("grader", "no idea")
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    seen = {}

    def grader(name, **args):
        seen.update(args, name=name)
        return get_model("mockllm/grader", custom_outputs=reply, memoize=False)

    monkeypatch.setattr("bridgebench.scorers.grading.get_model", grader)
    lines = [record | {"question": "Which lake?"} for record in GOOD]
    figures = score(
        write(tmp_path / "p.jsonl", lines),
        capsys,
        "--metric",
        "judge",
        "--grader",
        "mockllm/grader",
        "-M",
        "device=cpu",
        "--max-tokens",
        "99",
        "--log-dir",
        str(tmp_path / "logs"),
    )
    # "Lake Orin" and the empty answer are decided by rule, "Orin sea" is not read, null is no answer.
    assert (figures["n"], figures["unscored"], figures["unreadable"]) == (3, 1, 1)
    assert (figures["accuracy"], figures["official_accuracy"]) == (0.5, pytest.approx(1 / 3))
    assert figures["upper_accuracy"] == pytest.approx(2 / 3)
    assert seen.pop("config").max_tokens == 99
    assert seen == {"name": "mockllm/grader", "device": "cpu"}
