import math

import anyio
import numpy
import pytest
import torch
import transformers
from hypothesis import given
from hypothesis import strategies as st

from bridgebench.document import BridgeResult
from bridgebench.errors import BridgebenchError
from bridgebench.solvers.llmlingua2 import llmlingua2
from bridgebench.solvers.token_pruning import Word, keep_words, merge_words, split_chunks
from bridgebench.testing import DOCUMENTS, QUESTION, check_bridge


def run(model: str, documents=DOCUMENTS, **args) -> BridgeResult:
    return anyio.run(llmlingua2(model=model, **args).bridge, QUESTION, documents)


@pytest.mark.parametrize("checkpoint", ["llmlingua2", "llmlingua2_bert"])
def test_contract(tiny, checkpoint) -> None:
    check_bridge(llmlingua2, model=tiny(checkpoint))


def test_kept_words_equal_a_plain_recomputation(tiny) -> None:
    folder = tiny("llmlingua2")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.XLMRobertaForTokenClassification.from_pretrained(folder).eval()
    expected = {}
    for document in DOCUMENTS:
        with torch.inference_mode():
            logits = network(**tokenizer(document.text, return_tensors="pt")).logits[0, 1:-1]
        tokens = tokenizer.tokenize(document.text)
        words: list[tuple[str, list[float]]] = []
        for token, probability in zip(tokens, logits.softmax(-1)[:, 1].tolist(), strict=True):
            if token.startswith("▁") or token in ".,:()":
                words.append((token, [probability]))
            else:
                words[-1] = (words[-1][0] + token, [*words[-1][1], probability])
        means = [float(numpy.mean(values)) for _, values in words]
        spread = [mean for mean, (_, values) in zip(means, words, strict=True) for _ in values]
        threshold = numpy.percentile(spread, 51)
        kept = [text for mean, (text, _) in zip(means, words, strict=True) if mean > threshold]
        expected[document.id] = "".join(kept).replace("▁", " ").strip()
    result = run(folder)
    assert {document.id: document.text for document in result.documents} == expected


@pytest.mark.parametrize("rate", [0.2, 0.5, 0.8])
def test_about_the_asked_share_of_tokens_is_kept(tiny, rate) -> None:
    long = [document.text for document in DOCUMENTS]
    documents = tuple(type(DOCUMENTS[0])(str(at), "", " ".join(long) * 3) for at in range(2))
    result = run(tiny("llmlingua2"), documents, rate=rate)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny("llmlingua2"))
    before = sum(len(tokenizer.tokenize(document.text)) for document in documents)
    after = sum(len(tokenizer.tokenize(document.text)) for document in result.documents)
    assert rate - 0.12 < after / before <= rate + 0.02  # ties and whole words keep it a little lower
    assert result.notes["chunks"] > 2


def test_rate_one_changes_nothing(tiny) -> None:
    assert run(tiny("llmlingua2"), rate=1.0).documents == DOCUMENTS


def test_forced_tokens_and_digits_are_kept(tiny) -> None:
    folder = tiny("llmlingua2")
    for document in run(folder, rate=0.1, force_tokens=["."]).documents:
        assert document.text.count(".") == DOCUMENTS[int(document.id)].text.count(".")
    assert (
        "1931"
        in next(document for document in run(folder, rate=0.3, force_digits=True).documents if document.id == "2").text
    )


def test_a_forced_token_must_be_one(tiny) -> None:
    with pytest.raises(BridgebenchError, match=r"force_tokens: '\\n' is no token"):
        run(tiny("llmlingua2"), force_tokens=["\n"])


def test_missing_weights_are_an_error(tiny, broken) -> None:
    model = broken(tiny("llmlingua2"), lambda tensors: tensors.pop("classifier.weight"))
    with pytest.raises(BridgebenchError, match=r"1 weights missing: classifier\.weight"):
        run(model)


def test_a_probability_that_is_no_number_is_an_error(tiny, broken) -> None:
    model = broken(tiny("llmlingua2"), lambda tensors: tensors["classifier.bias"].fill_(math.nan))
    with pytest.raises(BridgebenchError, match="the keep probability of document '0' is nan"):
        run(model)


def test_words_are_merged_by_the_tokenizer_s_own_marks() -> None:
    words = merge_words(["▁Tarn", "holm", ",", "▁it"], [0.2, 0.4, 0.9, 0.5], wordpiece=False)
    assert [(word.text, pytest.approx(word.probability)) for word in words] == [
        ("▁Tarnholm", 0.3),
        (",", 0.9),
        ("▁it", 0.5),
    ]
    words = merge_words(["Tarn", "##holm", ",", "it"], [0.2, 0.4, 0.9, 0.5], wordpiece=True, how="first")
    assert [(word.text, word.probability) for word in words] == [("Tarnholm", 0.2), (",", 0.9), ("it", 0.5)]
    forced = merge_words(["▁a", ".", "▁19", "3"], [0.1] * 4, wordpiece=False, force_tokens=["."], force_digits=True)
    assert [word.probability for word in forced] == [0.1, 1.0, 1.0]


def test_a_repeated_forced_word_is_kept_once() -> None:
    words = [Word(("?",), 1.0), Word(("▁a",), 0.1), Word(("?",), 1.0), Word(("▁b",), 0.8)]
    kept = keep_words(words, 0.7, ["?"], drop_consecutive=True)
    assert [word.text for word in kept] == ["?", "▁b"]
    assert [word.text for word in keep_words(words, 0.7, ["?"])] == ["?", "?", "▁b"]


@given(tokens=st.lists(st.sampled_from(["a", "b", "."]), max_size=60), size=st.integers(1, 12))
def test_chunks_cover_all_tokens_and_end_at_a_stop_where_there_is_one(tokens: list[str], size: int) -> None:
    chunks = [tokens[chunk] for chunk in split_chunks(tokens, size, ".")]
    assert [token for chunk in chunks for token in chunk] == tokens
    assert all(0 < len(chunk) <= size for chunk in chunks)
    for chunk in chunks[:-1]:
        assert chunk[-1] == "." or (len(chunk) == size and "." not in chunk)
