"""Rows in the schema of LongBench: questions over long contexts."""

from collections.abc import Callable
from random import Random
from typing import Any

from bridgebench.benchmarks.world import arxiv_cards
from bridgebench.benchmarks.world.chinese import ChineseTexts
from bridgebench.benchmarks.world.reasoning import Question
from bridgebench.benchmarks.world.scene import Scene

# Sixty rows hold every dataset, half of them of the two that LongBench's multi-hop results are told on.
_TURNS = (
    "2wikimqa", "2wikimqa_e", "hotpotqa", "2wikimqa", "2wikimqa_e", "multifieldqa_zh", "2wikimqa", "2wikimqa_e",
    "qasper", "musique", "2wikimqa_e", "2wikimqa", "multifieldqa_en", "2wikimqa_e", "triviaqa", "2wikimqa", "dureader",
    "narrativeqa", "2wikimqa", "2wikimqa_e",
)  # fmt: skip
# Words of the context, in turn: buckets 0-4k, 4-8k, 8k+.
_LENGTHS = (600, 1_800, 4_600, 3_600, 8_300, 2_700, 6_200)
_SHAPES = {
    "2wikimqa": ("2hop", "bridged", "kinship", "comparison", "shared"),
    "2wikimqa_e": ("2hop", "bridged", "kinship", "comparison", "shared"),
    "hotpotqa": ("2hop", "comparison"),
    "musique": ("3hop1", "2hop", "4hop1"),
}
_PASSAGES = 10
_SHORT = 125


def record(scene: Scene, index: int) -> dict[str, Any]:
    """The row at this place of the dataset."""
    dataset = _TURNS[index % len(_TURNS)]
    rng = scene.rng("longbench", index)
    write = _passages if dataset in _SHAPES else _OTHERS[dataset]
    question, context, answers = write(scene, index, dataset, rng)
    is_chinese = dataset in ("multifieldqa_zh", "dureader")
    count: Callable[[str], int] = len if is_chinese else lambda text: len(text.split())
    return {
        "input": question,
        "context": context,
        "answers": answers,
        "length": count(context) + count(question) + count(answers[0]),
        "dataset": dataset,
        "language": "zh" if is_chinese else "en",
        "all_classes": None,
        "_id": scene.digest("longbench", index)[:48],
    }


def _page(scene: Scene, rng: Random, question: Question, words: int) -> list[str]:
    """Paragraphs about what the question asks about."""
    (fact,) = question.facts
    return scene.articles.paragraphs(scene.pages.passage(fact.subject, rng, need=[fact.relation]), rng, words)


def _passages(scene: Scene, index: int, dataset: str, rng: Random) -> tuple[str, str, list[str]]:
    """Ten passages of a multi-hop question, each drawn out to an article."""
    shapes = _SHAPES[dataset]
    question = scene.ask(rng, shapes[index // 3 % len(shapes)])
    search, distractors = scene.rng("longbench", index, "context"), _PASSAGES - len(question.needs)
    passages = scene.retriever.passages(question, search, distractors=distractors, sentences=(3, 4))
    words = _LENGTHS[index // 3 % len(_LENGTHS)] // len(passages)
    texts = ["\n".join(scene.articles.paragraphs(passage, search, words)) for passage in passages]
    titled = enumerate(zip(passages, texts, strict=True), 1)
    numbered = [f"Passage {number}:\n{passage.title}\n{text}" for number, (passage, text) in titled]
    aliases = scene.world.aliases(question.answer_entity) if question.answer_entity and dataset == "musique" else []
    return question.text, "\n".join(numbered), [question.answer, *aliases]


def _one_article(scene: Scene, index: int, dataset: str, rng: Random) -> tuple[str, str, list[str]]:
    """One article without headers, and a question about what it begins with, in the middle of it."""
    question = scene.ask(rng, "1hop")
    first, *others = _page(scene, rng, question, _LENGTHS[index // 3 % len(_LENGTHS)] // 2)
    others.insert(rng.randrange(len(others) + 1), first)
    return question.text, "\n\n".join(others), [question.answer, f"It is {question.answer}."][: 1 + index % 2]


def _paper(scene: Scene, index: int, dataset: str, rng: Random) -> tuple[str, str, list[str]]:
    paper = arxiv_cards.record(scene, index)
    asked = rng.choice([qa for qa in paper["qas"] if qa["answers"][0]["answer"]["extractive_spans"]])
    sections = [f"{part['section_name']}\n" + "\n".join(part["paragraphs"]) for part in paper["full_text"]]
    return asked["question"], "\n".join(sections), asked["answers"][0]["answer"]["extractive_spans"]


def _trivia(scene: Scene, index: int, dataset: str, rng: Random) -> tuple[str, str, list[str]]:
    """The passage stands in the input; the context is examples."""

    def example() -> tuple[str, str, list[str]]:
        question = scene.ask(rng, "1hop")
        text = " ".join(_page(scene, rng, question, _SHORT))
        aliases = scene.world.aliases(question.answer_entity) if question.answer_entity else []
        return f"Passage:\n{text}\nQuestion:\n{question.text}\nAnswer:", question.answer, aliases

    shown = [example() for _ in range(5)]
    asked, answer, aliases = example()
    return asked, "\n\n".join(f"{text}\n{answer}" for text, answer, _ in shown), [answer, *aliases]


def _chinese_notice(scene: Scene, index: int, dataset: str, rng: Random) -> tuple[str, str, list[str]]:
    texts = ChineseTexts(scene.world)
    companies = rng.sample(scene.world.of_kind("company"), 12)
    question, answer = texts.company_question(rng.choice(companies), rng)
    return question, texts.notice(companies, rng), [answer]


def _chinese_passages(scene: Scene, index: int, dataset: str, rng: Random) -> tuple[str, str, list[str]]:
    texts = ChineseTexts(scene.world)
    towns = rng.sample(scene.world.of_kind("town"), _PASSAGES)
    question, answers = texts.town_question(rng.choice(towns))
    passages = [f"文章{number}\n{texts.town_passage(town)}" for number, town in enumerate(towns, 1)]
    return question, "\n\n".join(passages), answers


_OTHERS: dict[str, Callable[[Scene, int, str, Random], tuple[str, str, list[str]]]] = {
    "qasper": _paper,
    "multifieldqa_en": _one_article,
    "narrativeqa": _one_article,
    "triviaqa": _trivia,
    "multifieldqa_zh": _chinese_notice,
    "dureader": _chinese_passages,
}
