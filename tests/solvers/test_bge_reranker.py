import anyio
import pytest
import torch
from sentence_transformers import CrossEncoder

from bridgebench.document import BridgeResult, Document
from bridgebench.errors import BridgebenchError
from bridgebench.solvers.bge_reranker import bge_reranker
from bridgebench.testing import DOCUMENTS, QUESTION, check_bridge


def rerank(model: str, question: str = QUESTION, documents=DOCUMENTS, **args) -> BridgeResult:
    return anyio.run(bge_reranker(model=model, **args).bridge, question, documents)


def test_contract(tiny) -> None:
    check_bridge(bge_reranker, model=tiny("bge_reranker"), top_k=3)


def test_scores_are_the_library_s_own_logits(tiny) -> None:
    model = tiny("bge_reranker")
    result = rerank(model)
    passages = [document.full_text for document in DOCUMENTS]
    library = CrossEncoder(model, activation_fn=torch.nn.Identity())
    expected = library.predict([(QUESTION, passage) for passage in passages])
    assert result.notes["scores"] == pytest.approx(expected.tolist(), abs=1e-4)
    ranked = [DOCUMENTS[hit["corpus_id"]] for hit in library.rank(QUESTION, passages)]
    assert list(result.documents) == ranked
    assert result.cost.calls == 4
    assert result.cost.input_tokens == sum(
        len(library.tokenizer(QUESTION, passage)["input_ids"]) for passage in passages
    )


def test_titles_are_a_switch(tiny) -> None:
    bare = tuple(Document(document.id, "", document.text) for document in DOCUMENTS)
    model = tiny("bge_reranker")
    without = pytest.approx(rerank(model, titles=False).notes["scores"], abs=1e-5)
    assert rerank(model, documents=bare).notes["scores"] == without
    assert rerank(model).notes["scores"] != without


def test_only_the_passage_is_truncated_and_counted(tiny) -> None:
    model = tiny("bge_reranker")
    question = "Which film came out first?"
    long = Document("long", "", "The ferry crosses the sea. " * 100)
    other_question = "Which film came out first or which novel?"
    result = rerank(model, question, (long, *DOCUMENTS[:1]))
    assert result.notes["truncated"] == 1
    assert result.cost.input_tokens is not None
    assert result.cost.input_tokens <= 2 * 512
    # were the question cut with the passage, both questions would read alike
    scores = pytest.approx(rerank(model, question, (long,)).notes["scores"], abs=1e-5)
    assert rerank(model, other_question, (long,)).notes["scores"] != scores


def test_a_question_that_fills_the_encoder_is_an_error(tiny) -> None:
    with pytest.raises(BridgebenchError, match=r"the question has \d+ tokens; this cross-encoder reads 512"):
        rerank(tiny("bge_reranker"), "river " * 800)


@pytest.mark.parametrize(("words", "fits"), [(507, True), (508, False), (509, False)])
def test_a_question_is_refused_where_it_leaves_no_token_for_a_passage(tiny, words: int, fits: bool) -> None:
    """A pair has four special tokens around its two texts."""
    question = " ".join(["river"] * words)
    if fits:
        assert rerank(tiny("bge_reranker"), question).notes["truncated"] == len(DOCUMENTS)
    else:
        with pytest.raises(BridgebenchError, match=f"the question has {words + 4} tokens"):
            rerank(tiny("bge_reranker"), question)


def test_equal_passages_keep_their_order(tiny) -> None:
    twins = tuple(Document(str(index), "", "The river Sella flows through Tarnholm.") for index in range(20))
    assert rerank(tiny("bge_reranker"), documents=twins).documents == twins


def test_missing_and_unexpected_weights_are_errors(tiny, broken) -> None:
    model = broken(tiny("bge_reranker"), lambda tensors: tensors.pop("classifier.out_proj.weight"))
    with pytest.raises(BridgebenchError, match=r"1 weights missing: classifier\.out_proj\.weight"):
        rerank(model)


def test_unexpected_weights_are_errors(tiny, broken) -> None:
    model = broken(tiny("bge_reranker"), lambda tensors: tensors.update(extra=torch.zeros(1)))
    with pytest.raises(BridgebenchError, match="1 weights unexpected: extra"):
        rerank(model)


def test_a_checkpoint_that_is_not_there_is_named() -> None:
    with pytest.raises(BridgebenchError, match="checkpoint '/no/such/folder' cannot be loaded"):
        rerank("/no/such/folder")
