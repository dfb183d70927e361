"""Examples: what the rewriter reads in its use, and all rewrites in one completion."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import resolve_sample_attachments

from bridgebench import Document
from bridgebench.errors import BridgebenchError
from bridgebench.models.training.examples import in_dev
from bridgebench.models.training.measures import added_share, copied_share, leaks, spread
from bridgebench.models.training.overlap import Asked
from bridgebench.models.training.rewrites import Supervised, read_supervision
from bridgebench.models.training.sft_data import SftDataSettings, example, rewrite_figures, unusable, write_sft_data
from bridgebench.models.training.supervision import SupervisionSettings, run_supervision
from bridgebench.solvers.r2u import r2u
from bridgebench.solvers.r2u_format import parse_rewrites

DOCUMENTS = (
    Document("1", "Ida Marsh", "Ida Marsh is a painter. She was born in Tarnholm, a town of the north."),
    Document("2", "", "Nothing to see here."),
    Document("3", "Answer: [NO_REWRITE]", "Document 7: the Sella rises in the hills."),
)


def asked(*rewrites: str | None, golds: Sequence[str] = ("Tarnholm",), correct: bool | None = None) -> Supervised:
    question = "Where was Ida Marsh born?"
    return Supervised("q", question, tuple(golds), DOCUMENTS[: len(rewrites)], rewrites, correct=correct)


def test_the_prompt_is_what_the_bridge_sends() -> None:
    question = asked("Ida Marsh was born in Tarnholm.", "", "The Sella rises.")
    sample = Sample(
        id="q", input=question.question, metadata={"documents": [document.to_dict() for document in DOCUMENTS]}
    )
    (log,) = eval(
        Task([sample], solver=r2u()), model="fake/generator", model_roles={"bridge": "fake/rewriter"}, display="none"
    )
    assert log.samples
    sample_log = resolve_sample_attachments(log.samples[0], resolve_attachments="full")
    calls = [event for event in sample_log.events if event.event == "model"]
    sent = [{"role": message.role, "content": message.text} for message in calls[0].input]
    assert sent == example(question)["prompt"]


def test_the_completion_is_read_back_as_it_was_meant() -> None:
    rewrites = ("Ida Marsh was born in Tarnholm.\n\nDocument 2: no", "", "R3")
    (message,) = example(asked(*rewrites))["completion"]
    assert message["role"] == "assistant"
    read = parse_rewrites(message["content"], 3)
    assert read.parse == "ok"
    assert [text and text.replace(" :", ":") for text in read.texts] == list(rewrites)


def test_a_document_without_a_readable_rewrite_has_no_part_in_the_example() -> None:
    row = example(asked("R1", None, "R3"))
    assert row["completion"][0]["content"] == "Document 1:\nR1\n\nDocument 2:\nR3"
    assert "Nothing to see here." not in row["prompt"][0]["content"]
    assert "Document 2:\nAnswer" in row["prompt"][0]["content"]


def settings(**changes: Any) -> SftDataSettings:
    return SftDataSettings(benchmarks=[], **changes)


def test_what_makes_a_question_unusable() -> None:
    leaking = asked("She was born in Vik.", golds=["Vik"])
    assert unusable(leaking, settings()) is None
    assert unusable(leaking, settings(forbid_leak=True)) == "a rewrite states a gold answer that no document states"
    assert unusable(asked("She was born in Tarnholm."), settings(forbid_leak=True)) is None
    assert unusable(asked(None, None), settings()) == "no document with a readable rewrite"
    wrong = unusable(asked("R", correct=False), settings(require_correct=True))
    assert wrong == "the teacher's explanation states no gold answer"
    assert unusable(asked("R", correct=True), settings(require_correct=True)) is None
    with pytest.raises(BridgebenchError, match="did not explain question 'q'"):
        unusable(asked("R"), settings(require_correct=True))


def test_measures_of_a_rewrite() -> None:
    copied = "She was born in Tarnholm, a town."  # 7 words, one an article: two runs of five
    assert copied_share(DOCUMENTS, copied) == 1
    assert copied_share(DOCUMENTS, "Ida Marsh was born in Tarnholm, town") == pytest.approx(1 / 3)
    assert copied_share(DOCUMENTS, "Tarnholm") is None
    assert added_share(DOCUMENTS, "Ida Marsh hails from Tarnholm") == pytest.approx(2 / 5)
    assert leaks(DOCUMENTS, ["In Vik."], ["Vik"])
    assert not leaks(DOCUMENTS, ["Yes."], ["yes"])
    assert spread([4, 1, 3, 2]) == {"count": 4, "mean": 2.5, "median": 2, "p95": 4, "largest": 4}
    assert spread([]) == {"count": 0}


def test_figures_of_a_data_set() -> None:
    figures = rewrite_figures([asked("In Tarnholm.", "", None), asked("", ""), asked("In Vik.", golds=["Vik"])])
    assert (figures["documents"], figures["skipped_share"]) == (5, 3 / 5)
    assert figures["all_skipped_share"] == pytest.approx(1 / 3)
    assert (figures["stating_gold_share"], figures["leak_share"]) == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert figures["rewrite_words"]["count"] == 2


def test_the_split_is_by_question_and_alike_everywhere() -> None:
    questions = [f"Who is person {number}?" for number in range(2000)]
    held_out = [question for question in questions if in_dev(question, 0, 0.1)]
    assert 150 < len(held_out) < 250
    assert all(in_dev(question.upper().replace("?", " ?"), 0, 0.2) for question in held_out)
    assert held_out != [question for question in questions if in_dev(question, 1, 0.1)]
    assert not any(in_dev(question, 0, 0.0) for question in questions)


def test_from_logs_to_rows(tmp_path: Path, by_rules: SupervisionSettings, word_chat: Callable[..., str]) -> None:
    logs = run_supervision(by_rules, tmp_path / "supervision")
    same = Asked(task="msmarco", args={"source": by_rules.source, "split": "train"})
    made = SftDataSettings(tokenizer=word_chat(), dev_share=0.4, seed=3, benchmarks=[same])
    out = write_sft_data(made, logs, tmp_path / "data")
    rows = {name: [json.loads(line) for line in (out / f"{name}.jsonl").open()] for name in ("train", "dev")}
    questions = list(read_supervision(logs))
    assert sorted(row["id"] for part in rows.values() for row in part) == sorted(q.id for q in questions)
    assert len(rows["dev"]) == sum(in_dev(question.question, 3, 0.4) for question in questions)
    report = json.loads((out / "report.json").read_text())
    assert report["examples"] == {name: len(part) for name, part in rows.items()}
    lengths = [
        sum(len(message["content"].split()) + 1 for message in row["prompt"] + row["completion"])
        for part in rows.values()
        for row in part
    ]
    assert report["lengths"]["prompt_and_completion_tokens"]["largest"] == max(lengths)
    assert (report["rewrites"]["leak_share"], report["gold_filtered"]) == (0, False)
    assert report["overlap"][same.name]["equal_count"] == len(questions)
    provenance = json.loads((out / "provenance.json").read_text())
    assert (provenance["step"], set(provenance["inputs"]), provenance["seed"]) == ("sft-data", {"supervision"}, 3)

    again = write_sft_data(made, logs, tmp_path / "again")
    for name in ("train.jsonl", "dev.jsonl", "report.json"):
        assert (again / name).read_bytes() == (out / name).read_bytes()

    most = sorted(lengths)[1]
    shorter = made.model_copy(update={"max_length": most, "dev_share": 0.0})
    report = json.loads((write_sft_data(shorter, logs, tmp_path / "short") / "report.json").read_text())
    assert report["questions_left_out"] == {"over-long": sum(length > most for length in lengths)}
    with pytest.raises(BridgebenchError, match=r"no training example is left of .*over-long"):
        write_sft_data(made.model_copy(update={"max_length": 10}), logs, tmp_path / "none")


def test_a_student_without_a_chat_template_is_an_error(tmp_path: Path, word_chat: Callable[..., str]) -> None:
    with pytest.raises(BridgebenchError, match="has no chat template"):
        write_sft_data(settings(tokenizer=word_chat(None)), tmp_path, tmp_path / "data")
    with pytest.raises(BridgebenchError, match=f"tokenizer '{tmp_path}/gone'"):
        write_sft_data(settings(tokenizer=f"{tmp_path}/gone"), tmp_path, tmp_path / "data")
