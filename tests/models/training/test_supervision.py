"""A teacher over a training split: what it is shown, what is kept of it, and what a stopped run has to do again."""

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ChatMessage, ModelOutput

from bridgebench.errors import BridgebenchError
from bridgebench.models.fake import FakeAPI, calls
from bridgebench.models.training.rewrites import finished_log, read_supervision, rewrites_of
from bridgebench.models.training.served import ServedModel
from bridgebench.models.training.supervision import SupervisionSettings, cites_before_answering, run_supervision

WORLD = "world:size=4,seed=11,distractors=3"
REPLY = "Step 1. Document rewrite: R.\nStep 2. Explain and answer: Document 1 says it. The answer is Vik."


def settings(answer: str = REPLY, **changes: Any) -> SupervisionSettings:
    args = {"answer": answer, **changes.pop("args", {})}
    return SupervisionSettings(
        teacher=ServedModel(model="fake/teacher", args=args), source=WORLD, limit=None, **changes
    )


def log_of(folder: Path) -> EvalLog:
    return read_eval_log(finished_log(folder, "supervision"), resolve_attachments=True)


def replies_in(log: EvalLog) -> list[Any]:
    return [event for sample in log.samples or [] for event in sample.events if event.event == "model"]


def test_every_document_is_asked_about_once_and_step_2_is_in_no_log(tmp_path: Path) -> None:
    calls.clear()
    run_supervision(settings(), tmp_path / "out")
    log = log_of(tmp_path / "out")
    questions = list(read_supervision(tmp_path / "out"))
    assert [question.rewrites for question in questions] == [("R.",) * 4] * len(questions)
    assert calls["teacher"] == 4 * len(questions) == len(replies_in(log))
    assert [reply.output.completion.strip() for reply in replies_in(log)] == ["Step 1. Document rewrite: R."] * 12
    made = json.loads((tmp_path / "out" / "provenance.json").read_text())
    assert (made["step"], made["seed"], made["extra"]["means"]["rewritten"]) == ("supervision", 0, 4)
    assert made["extra"]["means"]["cited"] is None


def test_the_gold_answer_is_never_shown(tmp_path: Path) -> None:
    """Golds that no document states in so many words are in no prompt; what the documents say is."""
    run_supervision(settings(), tmp_path / "out")
    hidden = 0
    for sample in log_of(tmp_path / "out").samples or []:
        documents = [document["text"] for document in sample.metadata["documents"]]
        prompts = [event.input[-1].text for event in sample.events if event.event == "model"]
        assert all(text in prompt for text in documents for prompt in prompts)
        for gold in sample.target:
            if not any(gold in text for text in documents):
                hidden += 1
                assert not any(gold in prompt for prompt in prompts)
    assert hidden


def test_an_explaining_teacher_is_measured_and_its_explanation_is_part_of_no_result(tmp_path: Path) -> None:
    run_supervision(settings(explain=True), tmp_path / "out")
    (sample, *_) = log_of(tmp_path / "out").samples or []
    assert sample.scores
    assert {key: sample.scores["supervised"].value[key] for key in ("cited", "correct")} == {"cited": 1, "correct": 0}
    assert "Vik" not in json.dumps(sample.store)
    assert next(read_supervision(tmp_path / "out")).correct is False


def test_unreadable_and_cut_replies_are_asked_for_again_and_then_dropped(tmp_path: Path) -> None:
    calls.clear()
    rules = {r"(?s)\nTarget document:\s+Document 1:": "no label at all", r"(?s)\nTarget document:\s+Document 2:": ""}
    run_supervision(settings(args={"answers": rules}), tmp_path / "out")
    questions = list(read_supervision(tmp_path / "out"))
    assert [question.rewrites for question in questions] == [(None, None, "R.", "R.")] * len(questions)
    assert [question.retried for question in questions] == [2] * len(questions)
    assert calls["teacher"] == 6 * len(questions)
    assert json.loads((tmp_path / "out" / "provenance.json").read_text())["extra"]["means"]["dropped"] == 2


def test_a_stopped_run_goes_on_where_its_log_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The failing call is repeated; what was answered is not asked again, neither finished questions nor documents."""
    original = FakeAPI.generate
    broken = True

    async def generate(self: FakeAPI, input: list[ChatMessage], **others: Any) -> ModelOutput:
        if broken and "tender field trio lead singer" in input[-1].text:
            raise RuntimeError("the server is gone")
        return await original(self, input, **others)

    monkeypatch.setattr(FakeAPI, "generate", generate)
    calls.clear()
    with pytest.raises(BridgebenchError, match=r"1 of 3 samples failed, the first with: .*the server is gone"):
        run_supervision(settings(), tmp_path / "out")
    with pytest.raises(BridgebenchError, match="no finished log of step 'supervision'"):
        list(read_supervision(tmp_path / "out"))
    assert calls["teacher"] == 8
    broken = False
    run_supervision(settings(), tmp_path / "out")
    assert calls["teacher"] == 12
    assert len(list(read_supervision(tmp_path / "out"))) == 3
    run_supervision(settings(), tmp_path / "out")
    assert calls["teacher"] == 12


def test_another_run_takes_replies_from_the_bridge_cache(tmp_path: Path) -> None:
    run_supervision(settings(), tmp_path / "one")
    calls.clear()
    run_supervision(settings(), tmp_path / "two")
    assert calls["teacher"] == 0
    assert list(read_supervision(tmp_path / "one")) == list(read_supervision(tmp_path / "two"))


def test_documents_over_the_limit_are_counted(tmp_path: Path) -> None:
    run_supervision(settings(max_documents=3), tmp_path / "out")
    samples = log_of(tmp_path / "out").samples or []
    assert [sample.metadata["documents_left_out"] for sample in samples] == [1] * len(samples)
    assert {len(question.documents) for question in read_supervision(tmp_path / "out")} == {3}


def test_all_documents_in_one_call(tmp_path: Path) -> None:
    calls.clear()
    listed = "".join(f"\nDocument {number}:\nR{number}\n" for number in (1, 2, 4))
    reply = f"Step 1. Document rewrite:{listed}Step 2. Explain and answer: Vik"
    run_supervision(settings(reply, single_pass=True), tmp_path / "out")
    questions = list(read_supervision(tmp_path / "out"))
    assert [question.rewrites for question in questions] == [("R1", "R2", None, "R4")] * len(questions)
    assert calls["teacher"] == len(questions)


def test_one_text_without_labels_is_no_rewrite_of_the_first_document(by_rules: SupervisionSettings) -> None:
    from bridgebench import Document

    documents = [Document("1", "", "A"), Document("2", "", "B")]
    whole = {"documents": [{"id": "1#r2u", "text": "All."}], "notes": {"missing": 2}}
    assert rewrites_of(documents, whole) == (None, None)
    apart = {"documents": [{"id": "2#r2u", "text": "B'"}], "notes": {"missing": 0}}
    assert rewrites_of(documents, apart) == ("", "B'")


@pytest.mark.parametrize(
    ("explanation", "cites"),
    [
        ("From Document 2 it follows. The answer is Vik.", True),
        ("Documents 1 and 3 agree.", True),
        ("**Answer:** Vik, says Document 2.", False),
        ("It is known that the answer is Vik.", False),
        ("Passage [4] answers it. Answer: Vik", True),
        ("", False),
    ],
)
def test_citing_before_answering(explanation: str, cites: bool) -> None:
    assert cites_before_answering(explanation) is cites


@pytest.mark.parametrize(
    ("change", "problem"),
    [({"max_document": 3}, "Extra inputs"), ({"seed": "1"}, "valid integer"), ({"limit": 0}, "greater than")],
)
def test_settings_are_strict(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        SupervisionSettings(**change)


def test_unknown_generation_settings_are_errors() -> None:
    with pytest.raises(ValueError, match="no generation setting named temprature"):
        ServedModel(model="fake/x", config={"temprature": 0})


def test_no_setting_makes_a_model_that_is_gone_be_asked_for_ever() -> None:
    assert ServedModel(model="fake/x").config == {"max_retries": 6}
    assert ServedModel(model="fake/x", config={"seed": 1}).config == {"max_retries": 6, "seed": 1}
    assert ServedModel(model="fake/x", config={"max_retries": 0}).config == {"max_retries": 0}
