"""What a generator makes of rewrites, and the pairs that come of it; the fake generator answers by what it reads."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalSample, read_eval_log
from inspect_ai.model import ChatMessage, ModelOutput

from bridgebench.errors import BridgebenchError
from bridgebench.models.fake import FakeAPI, calls
from bridgebench.models.training.asker import Answered
from bridgebench.models.training.pairs import PairSettings, write_pairs
from bridgebench.models.training.preferences import PreferenceSettings, PreferenceStore, run_preferences
from bridgebench.models.training.rewrites import finished_log
from bridgebench.models.training.served import ServedModel
from bridgebench.models.training.supervision import SupervisionSettings, run_supervision
from bridgebench.solvers.r2u_format import parse_rewrites

RECORDS = [
    {
        "query_id": 1,
        "query": "where was ida marsh born",
        "query_type": "LOCATION",
        "answers": ["Tarnholm by the sea"],
        "passages": {"passage_text": ["one", "two", "three", "four", "five"], "is_selected": [1, 0, 0, 0, 0]},
    },
    {
        "query_id": 2,
        "query": "who built the bridge",
        "query_type": "PERSON",
        "answers": ["Vik"],
        "passages": {"passage_text": ["one"], "is_selected": [1]},
    },
]
# By the target document: (c), (b), (a), the same text as the third, and one to skip.
REWRITES = {"one": "RIGHT", "two": "HALF", "three": "WRONG", "four": "WRONG", "five": "[NO_REWRITE]"}


@pytest.fixture
def supervised(tmp_path: Path) -> Path:
    """Two questions, rewritten by script."""
    source = tmp_path / "train.jsonl"
    source.write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    answers = {
        rf"Target document:\s+Document \d+: \n{text}$": f"Step 1. Document rewrite: {rewrite}"
        for text, rewrite in REWRITES.items()
    }
    teacher = ServedModel(model="fake/teacher", args={"answers": answers})
    return run_supervision(
        SupervisionSettings(teacher=teacher, source=str(source), split=None, limit=None), tmp_path / "supervision"
    )


def settings(**changes: Any) -> PreferenceSettings:
    rules = {"RIGHT": "Tarnholm by the sea", "HALF": "Tarnholm", "WRONG": "Elsewhere"}
    args = {"answers": rules, **changes.pop("args", {})}
    return PreferenceSettings(generator=ServedModel(model="fake/generator", args=args), sets=20, **changes)


def first_sample(folder: Path) -> EvalSample:
    samples = read_eval_log(finished_log(folder, "preferences")).samples or []
    return next(sample for sample in samples if sample.id == "1")


def test_kinds_and_outcomes_with_each_text_asked_once(tmp_path: Path, supervised: Path) -> None:
    calls.clear()
    out = run_preferences(settings(), supervised, tmp_path / "preferences")
    store = first_sample(out).store_as(PreferenceStore)
    assert [(told["place"], told["kind"], told["score"]) for told in store.alone] == [
        (0, "c", 1),
        (1, "b", 0.5),
        (2, "a", 0),
        (3, "a", 0),
    ]
    outcomes = {tuple(told["members"]): told["outcome"] for told in store.sets}
    assert len(outcomes) == 2**4 - 2  # all but the empty set and (b) alone
    assert outcomes == {m: "win" if 0 in m else "neither" if 1 in m else "lose" for m in outcomes}
    # place 2 and place 3 say the same: RIGHT, HALF, WRONG, each with any, and WRONG once or twice
    different = {tuple("RHWW"[place] for place in members) for members in [*outcomes, (1,)]}
    assert store.calls == len(different) == 11
    assert store.contexts == 4 + 14
    assert calls["generator"] == 11 + 1


def test_a_generator_that_gives_no_answer_is_not_wrong(tmp_path: Path, supervised: Path) -> None:
    out = run_preferences(
        settings(args={"stop_reason": "model_length", "when": "RIGHT"}), supervised, tmp_path / "preferences"
    )
    sample = first_sample(out)
    store = sample.store_as(PreferenceStore)
    assert (store.alone[0]["kind"], store.alone[0]["problem"]) == (None, "model_length")
    assert not any(0 in told["members"] for told in store.sets)
    assert sample.scores
    assert sample.scores["preferred"].value["unscored"] == 1


def test_the_generator_is_asked_as_its_config_says(
    tmp_path: Path, supervised: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, asked = FakeAPI.generate, set()

    async def generate(self: FakeAPI, input: list[ChatMessage], **others: Any) -> ModelOutput:
        config = others["config"]
        asked.add((config.temperature, config.seed, config.max_tokens, config.max_retries))
        return await original(self, input, **others)

    monkeypatch.setattr(FakeAPI, "generate", generate)
    generator = ServedModel(model="fake/generator", config={"temperature": 0.7, "seed": 3})
    run_preferences(PreferenceSettings(generator=generator, max_tokens=9), supervised, tmp_path / "preferences")
    assert asked == {(0.7, 3, 9, 6)}


def test_a_stopped_run_asks_only_what_is_missing(
    tmp_path: Path, supervised: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = FakeAPI.generate
    broken = True

    async def generate(self: FakeAPI, input: list[ChatMessage], **others: Any) -> ModelOutput:
        if broken and "who built the bridge" in input[-1].text:
            raise RuntimeError("out of memory")
        return await original(self, input, **others)

    monkeypatch.setattr(FakeAPI, "generate", generate)
    calls.clear()
    with pytest.raises(BridgebenchError, match="1 of 2 samples failed, the first with: .*out of memory"):
        run_preferences(settings(), supervised, tmp_path / "preferences")
    assert calls["generator"] == 11
    broken = False
    run_preferences(settings(), supervised, tmp_path / "preferences")
    assert calls["generator"] == 12


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for name in ("train", "dev") for line in (folder / f"{name}.jsonl").open()]


def places(message: list[dict[str, str]]) -> list[int]:
    texts = parse_rewrites(message[0]["content"], 5).texts
    assert None not in texts
    return [place for place, text in enumerate(texts) if text]


def test_pairs_share_the_prompt_and_differ_in_what_is_skipped(
    tmp_path: Path, supervised: Path, word_chat: Callable[..., str]
) -> None:
    preferred = run_preferences(settings(), supervised, tmp_path / "preferences")
    common = PairSettings(tokenizer=word_chat(), dev_share=0.0)
    many = write_pairs(common.model_copy(update={"pairs_per_question": 100}), preferred, tmp_path / "many")
    rows = rows_of(many)
    assert all(0 in places(row["chosen"]) and set(places(row["rejected"])) <= {2, 3} for row in rows)
    assert len({(row["chosen"][0]["content"], row["rejected"][0]["content"]) for row in rows}) == len(rows) == 8 * 3
    assert len({row["id"] for row in rows}) == len(rows)
    assert {row["kind"] for row in rows} == {f"{mix}>a" for mix in ("bc", "c", "ac", "abc")}
    assert {row["prompt"][0]["content"].count("\nDocument 5:\nfive") for row in rows} == {1}
    report = json.loads((many / "report.json").read_text())
    assert report["questions_left_out"] == {"no set wins": 1}
    # words of the chosen minus those of the rejected: [NO_REWRITE] and each rewrite are a word, so all are as long
    assert report["chosen_minus_rejected_tokens"]["mean"] == 0
    assert report["skipped_documents"]["rejected"]["mean"] == pytest.approx(5 - 4 / 3, abs=1e-4)

    one = write_pairs(common, preferred, tmp_path / "one")
    assert rows_of(one) == [{**rows[0], "id": "1/0"}]
    naive = common.model_copy(update={"variant": "naive", "pairs_per_question": 9})
    rows = rows_of(write_pairs(naive, preferred, tmp_path / "naive"))
    assert sorted((places(row["chosen"]), places(row["rejected"]), row["kind"]) for row in rows) == [
        ([0], [2], "c>a"),
        ([0], [3], "c>a"),
    ]
    capped = common.model_copy(update={"pairs_per_question": 100, "max_pairs": 5})
    report = json.loads((write_pairs(capped, preferred, tmp_path / "capped") / "report.json").read_text())
    assert (report["pairs"], report["pairs_left_out"]) == ({"train": 5, "dev": 0}, {"over max_pairs": 19})
    with pytest.raises(BridgebenchError, match=r"no pair for training is left of 2 questions"):
        write_pairs(common.model_copy(update={"max_length": 10}), preferred, tmp_path / "none")


def test_leaking_winners_can_be_left_out(tmp_path: Path, supervised: Path, word_chat: Callable[..., str]) -> None:
    preferred = run_preferences(
        settings(args={"answers": {"RIGHT": "Vik"}, "answer": "no"}), supervised, tmp_path / "p"
    )
    strict = PairSettings(tokenizer=word_chat(), dev_share=0.0, forbid_leak=True)
    with pytest.raises(BridgebenchError, match="no set wins"):  # nobody wrote the answer: the generator knew it
        write_pairs(strict, preferred, tmp_path / "pairs")


def test_an_answer_in_a_sentence_may_count_as_right() -> None:
    told = Answered("It was Tarnholm, by the sea.")
    assert told.score(["Tarnholm by the sea"], "f1") == pytest.approx(0.75)
    assert told.score(["Vik", "Tarnholm by the sea"], "states") == 1
    assert told.score(["Tarn"], "states") == 0
    assert Answered("", "model_length").score(["Vik"], "states") is None


def test_mixes_are_checked() -> None:
    with pytest.raises(ValueError, match="a mix is some of a, b and c in this order, got 'ba', ''"):
        PreferenceSettings(mixes=["a", "ba", ""])
