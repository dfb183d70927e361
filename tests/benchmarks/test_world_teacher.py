"""The teacher by rules: what it keeps, what it skips, and that no answer is needed for it."""

from functools import cache

import pytest
from inspect_ai.model import GenerateConfig, get_model

from bridgebench.benchmarks.world import Knobs, records
from bridgebench.benchmarks.world.generate import scene_of
from bridgebench.benchmarks.world.teacher import SKIP, Rules, reply
from bridgebench.document import Document
from bridgebench.errors import BridgebenchError
from bridgebench.solvers.neutralise import Guard
from bridgebench.solvers.prompting import bridge_prompt
from bridgebench.solvers.r2u_format import LABELS, parse_rewrites, parse_teacher, split_steps
from bridgebench.solvers.r2u_teacher import single_messages, teacher_messages

KNOBS = Knobs(distractors=3)
SIZE = 40


@cache
def rules(split: str) -> Rules:
    return Rules(scene_of("msmarco", size=SIZE, seed=11, split=split, knobs=KNOBS))  # type: ignore[arg-type]


def passages(split: str) -> list[tuple[str, str, bool, list[str]]]:
    """Query, passage, whether it is selected, answers; of the questions that can be answered."""
    made = records("msmarco", size=SIZE, seed=11, split=split, knobs=KNOBS)  # type: ignore[arg-type]
    return [
        (record["query"], text, bool(selected), record["answers"])
        for record in made
        if record["answers"] != ["No Answer Present."]
        for text, selected in zip(record["passages"]["passage_text"], record["passages"]["is_selected"], strict=True)
    ]


@pytest.mark.parametrize("split", ["train", "validation"])
def test_it_keeps_what_is_asked_and_skips_most_else(split: str) -> None:
    every = passages(split)
    selected = [rules(split).rewrite(query, text) for query, text, is_gold, _ in every if is_gold]
    others = [rules(split).rewrite(query, text) for query, text, is_gold, _ in every if not is_gold]
    assert SKIP not in selected
    skipped = sum(text == SKIP for text in others) / len(others)
    assert 0.5 < skipped < 0.95  # some mislead, so that there is something to prefer


def test_a_value_that_a_passage_tells_is_in_its_rewrite() -> None:
    told = [
        (rules("train").rewrite(query, text), golds) for query, text, is_gold, golds in passages("train") if is_gold
    ]
    short = [
        (text, golds[0].lstrip("\u200b")) for text, golds in told if len(golds[0].split()) < 3 and len(golds[0]) > 3
    ]
    assert len(short) > 5
    assert all(gold in text for text, gold in short)


def test_passages_of_the_demo_are_four_and_short() -> None:
    texts = [
        record["passages"]["passage_text"]
        for record in records("msmarco", size=SIZE, seed=11, split="train", knobs=KNOBS)
    ]
    assert {len(listed) for listed in texts} == {4}
    assert max(len(text.split()) for listed in texts for text in listed) <= 60


def test_training_and_test_worlds_share_no_names() -> None:
    words = [
        {word for _, text, _, _ in passages(split) for word in text.split() if word[0].isupper() and len(word) > 7}
        for split in ("train", "validation")
    ]
    assert all(len(part) > 50 for part in words)
    common = words[0] & words[1]
    assert len(common) < 0.1 * min(map(len, words)), common  # titles and ordinary words at a sentence's beginning


def test_it_replies_to_the_teachers_prompts() -> None:
    (query, *_), documents = (
        passages("train")[0],
        [Document(str(n), "", text) for n, (_, text, _, _) in enumerate(passages("train")[:4])],
    )
    prompt, single = bridge_prompt("r2u_teacher", None), bridge_prompt("r2u_teacher_single", None)
    expected = [rules("train").rewrite(query, document.text) for document in documents]
    for target, rewrite in enumerate(expected):
        (message,) = teacher_messages(prompt, query, documents, target, Guard(*LABELS))
        read = parse_teacher(reply(rules("train"), message.text))
        assert (read.parse, read.rewrite) == ("ok", "" if rewrite == SKIP else rewrite)
    (message,) = single_messages(single, query, documents, Guard(*LABELS))
    steps = split_steps(reply(rules("train"), message.text))
    assert parse_rewrites(steps.rewrite or "", 4).texts == tuple("" if text == SKIP else text for text in expected)
    with pytest.raises(BridgebenchError, match="no prompt of R2U's teacher"):
        reply(rules("train"), "Who are you?")


@pytest.mark.anyio
async def test_as_a_provider_it_stops_where_it_is_told() -> None:
    model = get_model("world_teacher/rules", source=f"world:size={SIZE},seed=11,distractors=3", memoize=False)
    query, text, _, _ = next(found for found in passages("train") if found[2])
    (message,) = teacher_messages(bridge_prompt("r2u_teacher", None), query, [Document("1", "", text)], 0, Guard())
    output = await model.generate([message], config=GenerateConfig(stop_seqs=["Step 2. Explain and answer"]))
    assert output.completion == f"Step 1. Document rewrite: {rules('train').rewrite(query, text)}"
    with pytest.raises(BridgebenchError, match="no argument answers"):
        get_model("world_teacher/rules", answers={}, memoize=False)
