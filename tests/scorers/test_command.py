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
