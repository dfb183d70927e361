import math

import anyio
import pytest
import torch
import transformers
from hypothesis import given
from hypothesis import strategies as st

from bridgebench.document import BridgeResult, Document
from bridgebench.errors import BridgebenchError
from bridgebench.solvers._provence_model import OpenProvence, Provence
from bridgebench.solvers.provence import provence
from bridgebench.solvers.pruning import normalise_question, pruned, select_sentences, split_blocks
from bridgebench.testing import DOCUMENTS, QUESTION, check_bridge

SENTENCES = {
    "0": ["Ida Marsh is a painter. ", "She was born in Tarnholm. ", "Her brother Olof is a pilot."],
    "1": ["Tarnholm is a town in the north. ", "The river Sella flows through it."],
    "2": ["Ida Marsh (ship) is a ferry, built in 1931 and named after nobody in particular."],
    "3": ["A passage without a title: the Sella rises in the hills and reaches the sea at Vik."],
}


def run(model: str, documents=DOCUMENTS, question: str = QUESTION, **args) -> BridgeResult:
    return anyio.run(provence(model=model, **args).bridge, question, documents)


@pytest.mark.parametrize("checkpoint", ["provence", "open_provence"])
def test_contract(tiny, checkpoint) -> None:
    check_bridge(provence, model=tiny(checkpoint), threshold=0.4)


@pytest.mark.parametrize("rounding", ["decision", "probability"])
@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.7])
@pytest.mark.parametrize("kind", ["provence", "open_provence"])
def test_decisions_equal_a_plain_recomputation(tiny, kind, threshold, rounding) -> None:
    """One passage at a time, sentences tokenised apart, straight from the network's states."""
    folder = tiny(kind)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = (Provence if kind == "provence" else OpenProvence).from_pretrained(folder).eval()
    question = normalise_question(QUESTION) if kind == "provence" else QUESTION
    head = [tokenizer.cls_token_id, *tokenizer.encode(question, add_special_tokens=False), tokenizer.sep_token_id]
    expected, scores = {}, []
    for document in DOCUMENTS:
        title = [document.title + (" " if kind == "provence" else "\n")] if document.title else []
        sentences = [*title, *SENTENCES[document.id]]
        if kind == "provence":
            pieces = [tokenizer.encode(sentence, add_special_tokens=False) for sentence in sentences]
        else:  # byte-level tokens may begin with the space between sentences: each belongs to its last character's
            encoded = tokenizer("".join(sentences), add_special_tokens=False, return_offsets_mapping=True)
            sentence_of = [number for number, sentence in enumerate(sentences) for _ in sentence]
            pieces = [[] for _ in sentences]
            for token, (_, end) in zip(encoded["input_ids"], encoded["offset_mapping"], strict=True):
                pieces[sentence_of[end - 1]].append(token)
        ids = torch.tensor([[*head, *(token for piece in pieces for token in piece), tokenizer.sep_token_id]])
        with torch.inference_mode():
            score, keep = network(ids, torch.ones_like(ids))
        scores.append(float(score))
        values = keep[0, len(head) : -1].split([len(piece) for piece in pieces])
        if rounding == "decision":
            values = [(value > threshold).float() for value in values]
        kept = [bool(value.mean() > threshold) for value in values]
        if any(kept):
            expected[document.id] = "".join(
                sentence for sentence, keep in list(zip(sentences, kept, strict=True))[len(title) :] if keep
            ).strip()
    result = run(folder, threshold=threshold, rounding=rounding, reorder=False)
    assert {document.id: document.text for document in result.documents} == expected
    assert result.notes["scores"] == pytest.approx(scores, abs=1e-4)


def test_the_open_network_reads_states_before_the_final_norm(tiny) -> None:
    network = OpenProvence.from_pretrained(tiny("open_provence")).eval()
    seen = []
    network.ranking_model.model.final_norm.register_forward_pre_hook(lambda module, args: seen.append(args[0]))
    ids = torch.arange(20)[None]
    with torch.inference_mode():
        _, keep = network(ids, torch.ones_like(ids))
        expected = network.pruning_head["classifier"](seen[0]).softmax(-1)[..., 1]
    assert torch.equal(keep, expected)


def test_documents_are_ordered_by_score_and_capped(tiny) -> None:
    result = run(tiny("provence"), threshold=0.0, top_k=2)
    order = sorted(range(4), key=lambda index: -result.notes["scores"][index])
    assert [document.id for document in result.documents] == [str(index) for index in order[:2]]
    assert [document.id for document in run(tiny("provence"), threshold=0.0, reorder=False).documents] == list("0123")


def test_a_threshold_that_nothing_passes_leaves_nothing(tiny) -> None:
    result = run(tiny("provence"), threshold=1.0)
    assert (result.documents, result.parse) == ((), "empty")
    assert result.notes["sentences_kept"] == [0, 0, 0, 0]
    assert result.notes["sentences"] == [4, 3, 2, 1]


def test_long_passages_are_read_in_blocks_with_the_score_of_the_first(tiny) -> None:
    text = "The river Sella flows through Tarnholm. " * 120
    short = Document("short", "", text[: 40 * 3].strip())
    long = Document("long", "", text.strip())
    result = run(tiny("provence"), (long, short))
    assert result.cost.calls > 3
    assert result.notes["sentences"] == [120, 3]


def test_a_question_that_fills_the_encoder_is_an_error(tiny) -> None:
    with pytest.raises(BridgebenchError, match=r"the question has \d+ tokens; this model reads 512 in all"):
        run(tiny("provence"), question="river " * 800)


def test_missing_weights_are_an_error(tiny, broken) -> None:
    model = broken(tiny("provence"), lambda tensors: tensors.pop("token_classifier.bias"))
    with pytest.raises(BridgebenchError, match=r"1 weights missing: token_classifier\.bias"):
        run(model)


def test_a_probability_that_is_no_number_is_an_error(tiny, broken) -> None:
    model = broken(tiny("provence"), lambda tensors: tensors["token_classifier.bias"].fill_(math.nan))
    with pytest.raises(BridgebenchError, match="the keep probability of document '0' is nan"):
        run(model)


def test_unexpected_weights_are_an_error(tiny, broken) -> None:
    model = broken(tiny("open_provence"), lambda tensors: tensors.update({"pruning_head.more": torch.zeros(1)}))
    with pytest.raises(BridgebenchError, match=r"1 weights unexpected: pruning_head\.more"):
        run(model)


@given(lengths=st.lists(st.integers(0, 30), max_size=20), capacity=st.integers(1, 25))
def test_blocks_cover_all_tokens_in_order_and_cut_only_long_sentences(lengths: list[int], capacity: int) -> None:
    blocks = split_blocks(lengths, capacity)
    assert [index for block in blocks for index in range(block.start, block.stop)] == list(range(sum(lengths)))
    assert all(block.stop - block.start <= capacity for block in blocks)
    edges = {sum(lengths[:count]) for count in range(len(lengths) + 1)}
    for block in blocks[:-1]:
        if block.stop not in edges:  # it ends inside a sentence that fits in no block
            inside = next(count for count in range(len(lengths)) if sum(lengths[: count + 1]) > block.stop)
            assert lengths[inside] > capacity


def test_the_two_roundings_differ() -> None:
    probabilities = [0.2, 0.2, 0.9, 0.0, 0.4, 0.4]
    assert select_sentences(probabilities, [3, 3], 0.3, "probability", False) == [True, False]
    assert select_sentences(probabilities, [3, 3], 0.3, "decision", False) == [True, True]
    assert select_sentences(probabilities, [3, 3], 0.5, "decision", False) == [False, False]


def test_the_title_is_kept_with_any_sentence_but_not_alone() -> None:
    assert select_sentences([0.0, 0.9], [1, 1], 0.5, "probability", True) == [True, True]
    assert select_sentences([0.0, 0.1], [1, 1], 0.5, "probability", True) == [False, False]
    assert select_sentences([0.5], [0, 1], 0.1, "probability", False) == [False, True]  # a sentence without tokens
    document = Document("d", "Title", "One. Two.")
    sentences = ["Title ", "One. ", "Two."]
    assert pruned(document, sentences, [True, False, True], True) == Document("d", "Title", "Two.")
    assert pruned(document, sentences, [False, True, True], True) == Document("d", "", "One. Two.")
    assert pruned(document, sentences[1:], [True, False], False) == Document("d", "Title", "One.")
    assert pruned(document, sentences, [False] * 3, True) is None


def test_questions_are_normalised_as_in_training() -> None:
    assert normalise_question(' Who is  "Ida"  Marsh\'s mother?') == "who is ida marshs mother"
