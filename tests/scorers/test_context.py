"""What became of the documents, by small cases with the answer known."""

import math

import pytest
from inspect_ai.dataset import Sample

from bridgebench.document import Document
from bridgebench.scorers.context import context
from bridgebench.scorers.context_measures import (
    added_words,
    answer_measures,
    context_measures,
    duplicates,
    gold_measures,
    states,
)
from bridgebench.store import BridgeStore

LAKE = Document("1", "Lake Orin", "Lake Orin feeds the river Vess.")
TOWN = Document("2", "Tarn", "Tarn is a town of 1,204 people.")
DUCK = Document("3", "Ducks", "Ducks swim.")
RETRIEVED = [LAKE, TOWN, DUCK]
NAN = pytest.approx(float("nan"), nan_ok=True)


def rewritten(text: str, *sources: str, id: str = "r1") -> Document:
    return Document(id, "", text, sources)


def test_nothing_changes_under_naive() -> None:
    measures = context_measures(RETRIEVED, RETRIEVED, ["river Vess"], ["1", "2"])
    assert measures == {
        "words_in": 19.0,
        "words_out": 19.0,
        "words_kept": 1.0,
        "answer_retrieved": 1.0,
        "answer_in_context": 1.0,
        "answer_kept": 1.0,
        "answer_derived": NAN,
        "answer_added": NAN,
        "gold_recall": 1.0,
        "gold_precision": pytest.approx(2 / 3),
        "added_words": 0.0,
        "duplicates": 0.0,
    }


@pytest.mark.parametrize(
    ("read", "golds", "gold_documents", "expected"),
    [
        # kept, lost, derived with all gold documents at hand, added without them
        ([LAKE], ["The River Vess"], ["1"], {"answer_kept": 1.0}),
        ([TOWN], ["river Vess"], ["1"], {"answer_kept": 0.0, "answer_in_context": 0.0}),
        ([rewritten("It has two towns.", "1", "2")], ["two towns"], ["1", "2"], {"answer_derived": 1.0}),
        ([rewritten("It has two towns.", "1", "2")], ["two towns"], ["1", "9"], {"answer_added": 1.0}),
        ([rewritten("It has two towns.", "1", "2")], ["two towns"], [], {"answer_added": 1.0}),
        ([LAKE], ["two towns"], [], {"answer_added": 0.0, "answer_retrieved": 0.0}),
        ([], ["river Vess"], ["1"], {"answer_kept": 0.0}),
    ],
)
def test_where_the_answer_stands(read, golds, gold_documents, expected) -> None:
    measures = answer_measures(RETRIEVED, read, golds, gold_documents)
    asked = {name for name, value in measures.items() if not math.isnan(value)}
    assert asked - {"answer_retrieved", "answer_in_context"} <= set(expected)
    assert {name: measures[name] for name in expected} == expected


@pytest.mark.parametrize("golds", [["yes"], ["No."], ["12"], ["a"], [], ["the"]])
def test_golds_that_any_text_holds_are_not_searched_for(golds) -> None:
    assert all(math.isnan(value) for value in answer_measures(RETRIEVED, RETRIEVED, golds, ["1"]).values())


@pytest.mark.parametrize("gold", ["invalid question", "I don't know.", "No Answer Present."])
def test_no_document_is_asked_for_the_gold_that_there_is_no_answer(gold) -> None:
    measures = answer_measures(RETRIEVED, [rewritten(gold, "1")], [gold], [])
    assert all(math.isnan(value) for value in measures.values())  # else the ledger blames the retriever, or the bridge


def test_one_telling_gold_is_enough() -> None:
    assert answer_measures(RETRIEVED, RETRIEVED, ["no", "river Vess"], [])["answer_kept"] == 1.0


@pytest.mark.parametrize(
    ("text", "gold", "stated"),
    [
        ("A town of 1,204 people.", "1204", True),
        ("Vesser is a town.", "Vess", False),  # whole words only
        ("The Grey, Harbour", "grey harbour", True),
        ("小明来自北京大学。", "北京 大学", True),
        ("小明来自上海。", "北京", False),
        ("", "Vess", False),
    ],
)
def test_stated_means_in_so_many_words(text, gold, stated) -> None:
    assert states(Document("1", "", text), [gold]) is stated


def test_title_counts_as_text() -> None:
    assert states(Document("1", "Lake Orin", "A lake."), ["lake orin"])


@pytest.mark.parametrize(
    ("read", "gold_documents", "recall", "precision"),
    [
        ([LAKE], ["1", "2"], 0.5, 1.0),
        ([LAKE, DUCK], ["1"], 1.0, 0.5),
        ([LAKE], ["1", "9"], 1.0, 1.0),  # the retriever missed 9
        ([LAKE], ["9"], NAN, NAN),
        ([LAKE], [], NAN, NAN),
        ([], ["1"], 0.0, NAN),
        ([rewritten("all", "1", "2", "3")], ["1"], NAN, NAN),  # cites everything
        ([rewritten("two", "1", "2")], ["1"], 1.0, 0.5),
    ],
)
def test_gold_paragraphs(read, gold_documents, recall, precision) -> None:
    assert gold_measures(RETRIEVED, read, gold_documents) == {"gold_recall": recall, "gold_precision": precision}


def test_words_that_the_cited_sources_do_not_hold() -> None:
    assert added_words(RETRIEVED, [rewritten("Lake Orin feeds ducks", "1")]) == 0.25  # ducks swim in document 3
    assert added_words(RETRIEVED, [rewritten("Lake Orin feeds ducks", "1", "3")]) == 0.0
    assert added_words(RETRIEVED, [rewritten("Lake", "nowhere")]) == 1.0
    assert math.isnan(added_words(RETRIEVED, [rewritten("the", "1")]))


def test_duplicates_are_counted_after_normalising() -> None:
    texts = ["A lake.", "the lake", "Lake!", "", "", "sea"]
    assert duplicates([rewritten(text, "1", id=str(i)) for i, text in enumerate(texts)]) == 2


def test_scorer_reads_the_store_and_says_when_there_was_no_context(run_scorer, figures) -> None:
    documents = [document.to_dict() for document in RETRIEVED]
    samples = [
        Sample(id=id, input="?", target=["river Vess"], metadata={"documents": documents, "gold_documents": ["1"]})
        for id in ("kept", "lost", "failed")
    ]

    def fill(state) -> None:
        read = {"kept": [LAKE], "lost": [TOWN]}.get(state.sample_id)
        if read is not None:
            store = state.store_as(BridgeStore)
            store.prompt, store.documents = "qa@0", [document.to_dict() for document in read]

    scores = figures(run_scorer(context(), samples, {}, prepare=fill))
    assert scores["answer_kept"].metrics["mean"].value == 0.5
    assert scores["gold_recall"].metrics["mean"].value == 0.5
    assert scores["words_kept"].metrics["mean"].value == pytest.approx((8 + 8) / 2 / 19)
    assert (scores["words_kept"].scored_samples, scores["words_kept"].unscored_samples) == (2, 1)
    assert (scores["answer_added"].scored_samples, scores["answer_added"].unscored_samples) == (0, 3)
