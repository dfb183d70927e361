import math

import anyio
import pytest

from bridgebench.document import BridgeResult, Document
from bridgebench.errors import BridgebenchError
from bridgebench.solvers.bm25_reranker import bm25_reranker
from bridgebench.testing import DOCUMENTS, check_bridge

CATS = (
    Document("a", "", "The dog sleeps by the door."),
    Document("b", "", "A cat meets another cat; the cat leaves."),
    Document("c", "Cat", "A small animal that sleeps."),
    Document("d", "", "Nothing of interest is said."),
)


def rerank(question: str, documents: tuple[Document, ...] = CATS, **args: object) -> BridgeResult:
    return anyio.run(bm25_reranker(**args).bridge, question, documents)


def order(result: BridgeResult) -> list[str]:
    return [document.id for document in result.documents]


def test_contract() -> None:
    check_bridge(bm25_reranker)
    check_bridge(bm25_reranker, top_k=2)


def test_documents_are_ordered_by_the_okapi_formula() -> None:
    result = rerank("cat?", titles=False)
    assert order(result) == ["b", "a", "c", "d"]  # those without the word tie, in their order
    # three of the 8 words of document b; k1 = 1.5, b = 0.75
    idf = math.log((4 - 1 + 0.5) / (1 + 0.5))
    lengths = [6, 8, 5, 5]
    expected = idf * 3 * 2.5 / (3 + 1.5 * (1 - 0.75 + 0.75 * 8 / (sum(lengths) / 4)))
    assert result.notes["scores"][1] == pytest.approx(expected, abs=1e-4)
    assert result.notes["scores"][0] == 0


def test_titles_count_unless_switched_off() -> None:
    titled = (*CATS[:2], Document("c", "Whale", "A small animal that sleeps."), *CATS[3:])
    assert rerank("whale", titled).notes["scores"][2] > 0
    assert rerank("whale", titled, titles=False).notes["scores"] == [0, 0, 0, 0]


def test_top_k_keeps_the_best() -> None:
    assert order(rerank("dog", top_k=1)) == ["a"]


def test_nothing_to_match_keeps_the_order() -> None:
    empty = (Document("1", "", ""), Document("2", "", "?!"))
    assert order(rerank("word", empty)) == ["1", "2"]
    assert order(rerank("zebra", DOCUMENTS)) == [document.id for document in DOCUMENTS]


def test_a_document_without_words_scores_nothing_even_with_full_normalisation() -> None:
    result = rerank("dog", (Document("e", "", " "), *CATS), b=1.0)
    assert order(result)[0] == "a"
    assert result.notes["scores"][0] == 0


@pytest.mark.parametrize(
    ("args", "name"), [({"top_k": 0}, "top_k"), ({"b": 2.0}, "b"), ({"k1": 0.0}, "k1"), ({"k": 1}, "k")]
)
def test_wrong_arguments_are_named(args: dict[str, object], name: str) -> None:
    with pytest.raises(BridgebenchError, match=f"argument '{name}'"):
        bm25_reranker(**args)
