import math

import anyio
import pytest
import torch
import transformers

from bridgebench.document import BridgeResult, Document
from bridgebench.errors import BridgebenchError
from bridgebench.solvers.recomp_extractive import recomp_extractive, select_top
from bridgebench.testing import DOCUMENTS, QUESTION, check_bridge

SENTENCES = [
    ["Ida Marsh is a painter.", "She was born in Tarnholm.", "Her brother Olof is a pilot."],
    ["Tarnholm is a town in the north.", "The river Sella flows through it."],
    ["Ida Marsh (ship) is a ferry, built in 1931 and named after nobody in particular."],
    ["A passage without a title: the Sella rises in the hills and reaches the sea at Vik."],
]


def run(model: str, documents=DOCUMENTS, **args) -> BridgeResult:
    return anyio.run(recomp_extractive(model=model, **args).bridge, QUESTION, documents)


def flat(result: BridgeResult) -> list[float]:
    return [score for row in result.notes["scores"] for score in row]


def test_contract(tiny) -> None:
    check_bridge(recomp_extractive, model=tiny("recomp_extractive"))
    check_bridge(recomp_extractive, model=tiny("recomp_extractive"), order="score", per_document=True)


def test_scores_are_dot_products_of_mean_states(tiny) -> None:
    folder = tiny("recomp_extractive")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.BertModel.from_pretrained(folder).eval()

    def embed(text: str) -> torch.Tensor:
        with torch.inference_mode():
            return network(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].mean(dim=0)

    question = embed(QUESTION)
    expected = [
        [float(question @ embed(f"{document.title} {sentence}".strip())) for sentence in row]
        for document, row in zip(DOCUMENTS, SENTENCES, strict=True)
    ]
    scores = run(folder).notes["scores"]
    assert [len(row) for row in scores] == [3, 2, 1, 1]
    for row, expected_row in zip(scores, expected, strict=True):
        assert row == pytest.approx(expected_row, abs=2e-4)


def test_sentences_are_kept_in_document_order_or_by_score(tiny) -> None:
    result = run(tiny("recomp_extractive"), top_n=3)
    scores = result.notes["scores"]
    best = sorted((number, at) for number in range(4) for at in range(len(scores[number])))
    best = sorted(best, key=lambda place: -scores[place[0]][place[1]])[:3]
    expected = {}
    for number, at in sorted(best):
        expected.setdefault(str(number), []).append(SENTENCES[number][at])
    assert {document.id: document.text for document in result.documents} == {
        name: " ".join(texts) for name, texts in expected.items()
    }
    assert all(document.title == DOCUMENTS[int(document.id)].title for document in result.documents)
    by_score = run(tiny("recomp_extractive"), top_n=3, order="score")
    assert [document.text for document in by_score.documents] == [SENTENCES[number][at] for number, at in best]
    assert [document.sources for document in by_score.documents] == [(str(number),) for number, _ in best]


def test_selection_counts_by_question_or_by_document_above_a_least_score() -> None:
    scores = [[1.0, 3.0], [2.0], [], [3.0]]
    assert select_top(scores, 2, False, None) == [(0, 1), (3, 0)]
    assert select_top(scores, None, False, None) == [(0, 1), (3, 0), (1, 0), (0, 0)]
    assert select_top(scores, 1, True, None) == [(0, 1), (3, 0), (1, 0)]
    assert select_top(scores, 3, False, 2.5) == [(0, 1), (3, 0)]
    assert select_top(scores, 3, True, 9.0) == []


def test_a_least_score_that_nothing_reaches_leaves_nothing(tiny) -> None:
    result = run(tiny("recomp_extractive"), min_score=1e6)
    assert (result.documents, result.parse) == ((), "empty")


def test_missing_weights_are_an_error_but_the_pooler_s_are_not_used(tiny, broken) -> None:
    def drop_pooler(tensors: dict[str, torch.Tensor]) -> None:
        for name in [name for name in tensors if name.startswith("pooler.")]:
            del tensors[name]

    without_pooler = broken(tiny("recomp_extractive"), drop_pooler)
    scores = flat(run(tiny("recomp_extractive")))
    assert flat(run(without_pooler)) == pytest.approx(scores, abs=1e-4)


def test_missing_weights_are_an_error(tiny, broken) -> None:
    model = broken(tiny("recomp_extractive"), lambda tensors: tensors.pop("embeddings.word_embeddings.weight"))
    with pytest.raises(BridgebenchError, match=r"1 weights missing: embeddings\.word_embeddings\.weight"):
        run(model)


def test_a_score_that_is_no_number_is_an_error(tiny, broken) -> None:
    model = broken(tiny("recomp_extractive"), lambda tensors: tensors["embeddings.LayerNorm.bias"].fill_(math.nan))
    with pytest.raises(BridgebenchError, match="the dot product of document '0' is nan"):
        run(model)


def test_titles_are_a_switch(tiny) -> None:
    bare = tuple(Document(document.id, "", document.text) for document in DOCUMENTS)
    folder = tiny("recomp_extractive")
    without = pytest.approx(flat(run(folder, titles=False)), abs=1e-4)
    assert flat(run(folder, bare)) == without
    assert flat(run(folder)) != without
