"""Multi-hop records: upstream's shape, and answers that follow from the facts and stand in the gold paragraphs."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from bridgebench.benchmarks.world import Knobs, World, records
from bridgebench.benchmarks.world.contexts import find
from bridgebench.benchmarks.world.facts import magnitude
from bridgebench.benchmarks.world.reasoning import Question
from bridgebench.benchmarks.world.scene import Scene

SHAPES = (
    "2hop", "2hop_named", "3hop1", "3hop2", "4hop1", "4hop2", "4hop3", "comparison", "shared", "kinship", "bridged",
    "bridged_shared",
)  # fmt: skip
SIZE = 120
HOTPOTQA, TWOWIKI, MUSIQUE = (list(records(name, size=SIZE)) for name in ("hotpotqa", "twowiki", "musique"))


def follows(world: World, question: Question) -> bool:
    """Whether the answer is what the facts alone lead to: a solver that reads nothing but the facts."""
    *earlier, last = question.facts
    assert all(fact in world.facts for fact in question.facts)
    if question.shape in ("3hop2", "4hop3"):
        meeting = earlier[-1]
        candidates = set(world.subjects(meeting.relation, meeting.object)) & set(
            world.subjects(last.relation, last.object)
        )
        ends = {fact.object for fact in earlier[:-1]}
        assert {meeting.object, last.object} <= ends
        return candidates == {question.answer_entity}
    if question.shape == "4hop2":
        one, other = earlier[-2:]
        assert set(world.subjects(one.relation, one.object)) & set(world.subjects(other.relation, other.object)) == {
            last.subject
        }
        return world.text(last.object).removeprefix("the ") == question.answer
    if question.shape in ("2hop", "3hop1", "4hop1", "kinship"):
        assert [fact.object for fact in earlier] == [fact.subject for fact in question.facts[1:]]
        return world.text(last.object).removeprefix("the ") == question.answer
    one, other = question.facts[-2:]
    if question.answer in ("yes", "no"):
        return (one.object == other.object) == (question.answer == "yes")
    wants_least = bool(re.search(r"\b(first|older|earlier)\b", question.text))
    wants_most = bool(re.search(r"\b(later|younger|last|more|newer|longer|larger|greater)\b", question.text))
    assert wants_least != wants_most, question.text
    best = (min if wants_least else max)((one, other), key=lambda fact: magnitude(fact.object))
    assert magnitude(one.object) != magnitude(other.object)
    if question.shape == "bridged":
        best = next(fact for fact in question.facts[:2] if fact.object == best.subject)
    return best.subject == question.answer_entity and world.entities[best.subject].title == question.answer


@pytest.mark.parametrize("split", ["validation", "train"])
@pytest.mark.parametrize("shape", SHAPES)
def test_answers_follow_from_the_facts(shape: str, split: Any) -> None:
    scene = Scene.of(3, split, 300, Knobs())
    for number in range(60):
        question = scene.ask(scene.rng(number), shape)
        assert follows(scene.world, question), question


def test_every_gold_sentence_states_its_fact() -> None:
    scene = Scene.of(1, "validation", 300, Knobs())
    world = scene.world
    for number in range(300):
        question = scene.ask(scene.rng(number), SHAPES[number % len(SHAPES)])
        passages = scene.retriever.passages(question, scene.rng(number, "context"), distractors=6, sentences=(2, 3))
        assert sum(passage.is_gold for passage in passages) == len(question.needs)
        for fact in question.facts:
            position, sentence = find(fact, passages)
            assert world.text(fact.object) in passages[position].sentences[sentence], (fact, passages[position])


def test_no_sentence_is_false_without_contradictions() -> None:
    """Every name, date and number in a passage is one that the world holds of its entity."""
    scene = Scene.of(2, "validation", 300, Knobs())
    world = scene.world
    for number in range(60):
        question = scene.ask(scene.rng(number), "2hop")
        for passage in scene.retriever.passages(question, scene.rng(number), distractors=8, sentences=(3,)):
            true = " ".join(world.text(fact.object) for fact in world.facts_of[passage.entity].values())
            for figure in re.findall(r"\d[\d,]*\d", passage.text.replace(world.entities[passage.entity].name, "")):
                assert figure in true, (figure, passage)


def paragraphs(record: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    yield from record["context"]


def words(texts: list[str]) -> float:
    return sum(len(text.split()) for text in texts)


def test_hotpotqa_has_the_raw_schema() -> None:
    sizes = Counter(len(record["context"]) for record in HOTPOTQA)
    assert sizes[10] > 0.9 * SIZE
    assert min(sizes) < 10
    for record in HOTPOTQA:
        assert list(record) == ["_id", "answer", "question", "supporting_facts", "context", "type", "level"]
        assert re.fullmatch(r"[0-9a-f]{24}", record["_id"])
        assert record["type"] in ("bridge", "comparison")
        assert record["level"] == "hard"
        texts = dict(paragraphs(record))
        assert len(texts) == len(record["context"])
        for _, sentences in paragraphs(record):
            assert not sentences[0].startswith(" ")
            assert all(re.match(r" \S", sentence) for sentence in sentences[1:])
        gold = {title for title, _ in record["supporting_facts"]}
        assert len(gold) == 2
        assert all(0 <= number < len(texts[title]) for title, number in record["supporting_facts"])
        if record["type"] == "bridge":
            assert record["answer"] in texts[record["supporting_facts"][-1][0]][record["supporting_facts"][-1][1]]
        else:
            assert record["answer"] in gold | {"yes", "no"}
    answers = Counter(record["answer"] for record in HOTPOTQA)
    assert min(answers["yes"], answers["no"]) >= 4
    assert Counter(record["type"] for record in HOTPOTQA)["bridge"] == 0.75 * SIZE


def test_twowiki_has_the_raw_schema() -> None:
    repeated = 0
    for record in TWOWIKI:
        assert list(record) == [
            "_id", "type", "question", "context", "entity_ids", "supporting_facts", "evidences", "answer",
            "evidences_id", "answer_id",
        ]  # fmt: skip
        assert re.fullmatch(r"[0-9a-f]{32}", record["_id"])
        assert len(record["context"]) == 10
        gold = {title for title, _ in record["supporting_facts"]}
        assert len(gold) == (4 if record["type"] == "bridge_comparison" else 2)
        assert len(record["entity_ids"].split("_")) == len(gold)
        assert not any(sentence.startswith(" ") for _, sentences in paragraphs(record) for sentence in sentences)
        repeated += len({title for title, _ in paragraphs(record)}) < 10
        for (title, number), (_, _, end) in zip(record["supporting_facts"], record["evidences"], strict=True):
            holders = [lines for name, lines in paragraphs(record) if name == title and number < len(lines)]
            assert any(end in lines[number] for lines in holders)
        assert bool(record["evidences_id"]) == (record["type"] in ("compositional", "inference"))
        if record["answer_id"] and record["evidences_id"]:
            assert record["answer_id"] == record["evidences_id"][-1][-1]
    kinds = Counter(record["type"] for record in TWOWIKI)
    assert set(kinds) == {"comparison", "inference", "compositional", "bridge_comparison"}
    assert min(kinds.values()) >= SIZE / 8
    assert 3 <= repeated <= SIZE / 5


def test_musique_has_the_raw_schema() -> None:
    doubles = aliased = 0
    for record in MUSIQUE:
        assert list(record) == [
            "id", "paragraphs", "question", "question_decomposition", "answer", "answer_aliases", "answerable",
        ]  # fmt: skip
        hops = int(record["id"][0])
        steps = record["question_decomposition"]
        assert record["id"].split("__")[1] == "_".join(str(step["id"]) for step in steps)
        assert [paragraph["idx"] for paragraph in record["paragraphs"]] == list(range(20))
        assert sum(paragraph["is_supporting"] for paragraph in record["paragraphs"]) == hops == len(steps)
        assert steps[-1]["answer"] == record["answer"]
        assert record["answerable"] is True
        for number, step in enumerate(steps):
            paragraph = record["paragraphs"][step["paragraph_support_idx"]]
            assert paragraph["is_supporting"]
            assert step["answer"] in f"{paragraph['title']} {paragraph['paragraph_text']}"
            for mark in re.findall(r"#(\d)", step["question"]):
                assert 1 <= int(mark) <= number
        text = " ".join(paragraph["paragraph_text"] for paragraph in record["paragraphs"])
        assert all(alias in text and alias != record["answer"] for alias in record["answer_aliases"])
        doubles += len({paragraph["title"] for paragraph in record["paragraphs"]}) < 20
        aliased += bool(record["answer_aliases"])
    assert {record["id"].split("__")[0] for record in MUSIQUE} == {"2hop", "3hop1", "3hop2", "4hop1", "4hop2", "4hop3"}
    assert 0.3 * SIZE < doubles < 0.8 * SIZE
    assert aliased >= 5


def test_documents_are_about_five_hundred_tokens() -> None:
    """In words: invented names take about 1.8 tokens of the embedded model's a word."""
    hotpotqa = sum(words(sentences) for record in HOTPOTQA for _, sentences in paragraphs(record)) / SIZE
    twowiki = sum(words(sentences) for record in TWOWIKI for _, sentences in paragraphs(record)) / SIZE
    musique = (
        sum(words([paragraph["paragraph_text"]]) for record in MUSIQUE for paragraph in record["paragraphs"]) / SIZE
    )
    assert 190 < hotpotqa < 300
    assert 190 < twowiki < 300
    assert 230 < musique < 360


def test_distractors_look_like_gold() -> None:
    """Distractors share a name with a gold page, or the object of a fact, or have to do with it, or are of its kind."""
    scene = Scene.of(0, "validation", 300, Knobs())
    world = scene.world
    shares: Counter[str] = Counter()
    for number in range(60):
        question = scene.ask(scene.rng(number), "2hop")
        passages = scene.retriever.passages(question, scene.rng(number), distractors=8, sentences=(2,))
        gold = [world.entities[passage.entity] for passage in passages if passage.is_gold]
        others = [world.entities[passage.entity] for passage in passages if not passage.is_gold]
        shares["name"] += bool({entity.name_key for entity in gold} & {entity.name_key for entity in others})
        shares["object"] += any(world.object(o.id, f.relation) == f.object for o in others for f in question.facts)
        shares["kind"] += {entity.kind for entity in gold} <= {entity.kind for entity in others}
    assert shares["name"] > 20
    assert shares["object"] > 40
    assert shares["kind"] > 50


def order(record: dict[str, Any]) -> list[bool]:
    gold = {title for title, _ in record["supporting_facts"]}
    return [title in gold for title, _ in record["context"]]


@pytest.mark.parametrize(
    ("position", "expected"),
    [("first", [1, 1, 0, 0, 0, 0, 0, 0]), ("middle", [0, 0, 0, 1, 1, 0, 0, 0]), ("last", [0, 0, 0, 0, 0, 0, 1, 1])],
)
def test_gold_position_and_number_of_distractors(position: Any, expected: list[int]) -> None:
    for record in records("hotpotqa", size=40, knobs=Knobs(distractors=6, gold_position=position)):
        assert order(record) == [bool(mark) for mark in expected]


def test_knobs_leave_questions_and_answers_alone() -> None:
    knobs = Knobs(distractors=5, gold_position="last", near_duplicates=1, contradictions=2)
    for name, plain in (("hotpotqa", HOTPOTQA), ("twowiki", TWOWIKI), ("musique", MUSIQUE)):
        changed = list(records(name, size=SIZE, knobs=knobs))
        assert [(r["question"], r["answer"]) for r in changed] == [(r["question"], r["answer"]) for r in plain]


def test_near_duplicates_repeat_and_contradictions_deny() -> None:
    scene = Scene.of(0, "validation", 300, Knobs(near_duplicates=2, contradictions=2))
    reworded = denied = 0
    for number in range(40):
        question = scene.ask(scene.rng(number), "2hop")
        passages = scene.retriever.passages(question, scene.rng(number), distractors=8, sentences=(2,))
        assert len(passages) == 10
        gold = {passage.entity: passage for passage in passages if passage.is_gold}
        almanac = [passage for passage in passages if "Almanac" in passage.title]
        gazette = [passage for passage in passages if "Gazette" in passage.title]
        assert len(almanac) == len(gazette) == 2
        for fact in question.facts:
            value = scene.world.text(fact.object)
            assert any(value in passage.text for passage in almanac if passage.entity == fact.subject)
            denied += all(value not in passage.text for passage in gazette if passage.entity == fact.subject)
        reworded += sum(passage.text != gold[passage.entity].text for passage in almanac)
    assert reworded > 70
    assert denied > 70  # the value of another fact may be the same
