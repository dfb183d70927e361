"""`fit` keeps the budget, whatever the documents, and counts what it cut."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgebench import Document
from bridgebench.document import count_words
from bridgebench.solvers.fit import fit

DOCUMENTS = [
    Document("0", "Title one", "a b c d"),  # 6 words
    Document("1", "", "e  f\ng h"),  # 4
    Document("2", "Two", "i j k"),  # 4
]


def test_no_budget_changes_nothing() -> None:
    fitted = fit(DOCUMENTS, None)
    assert fitted.documents == tuple(DOCUMENTS)
    assert (fitted.size, fitted.kept, fitted.documents_dropped, fitted.documents_cut) == (14, 14, 0, 0)


def test_end_drops_whole_documents_then_cuts_the_last_kept() -> None:
    fitted = fit(DOCUMENTS, 8)
    assert [document.text for document in fitted.documents] == ["a b c d", "e  f"]
    assert (fitted.size, fitted.kept, fitted.documents_dropped, fitted.documents_cut) == (14, 8, 1, 1)


def test_a_title_without_room_for_text_is_dropped() -> None:
    assert fit(DOCUMENTS, 2).documents == ()
    assert fit(DOCUMENTS, 3).documents == (Document("0", "Title one", "a"),)


def test_middle_keeps_both_ends() -> None:
    fitted = fit(DOCUMENTS, 8, cut="middle")
    assert [(document.title, document.text) for document in fitted.documents] == [
        ("Title one", "a b"),
        ("Two", "i j k"),
    ]
    assert (fitted.kept, fitted.documents_dropped, fitted.documents_cut) == (8, 1, 1)


def test_middle_cuts_inside_one_long_document() -> None:
    fitted = fit([Document("0", "T", "a b c d e f g")], 5, cut="middle")
    assert fitted.documents == (Document("0", "T", "a b f g"),)


def test_a_cut_document_keeps_its_sources() -> None:
    (document,) = fit([Document("x", "", "a b c", ("1", "2"))], 1).documents
    assert document.sources == ("1", "2")


texts = st.text(alphabet="ab \n\t", max_size=30)


@given(
    st.lists(st.builds(Document, id=st.uuids().map(str), title=texts, text=texts), max_size=6),
    st.integers(1, 40),
    st.sampled_from(["end", "middle"]),
)
def test_the_budget_is_kept_and_nothing_is_invented(documents: list[Document], budget: int, cut: str) -> None:
    fitted = fit(documents, budget, cut=cut)  # type: ignore[arg-type]
    assert fitted.kept == count_words(fitted.documents) <= max(budget, 0)
    assert fitted.size == count_words(documents)
    assert fitted.documents_dropped == len(documents) - len(fitted.documents)
    if fitted.size <= budget:
        assert fitted.documents == tuple(documents)
    before = {document.id: document.text.split() for document in documents}
    for document in fitted.documents:
        assert set(document.text.split()) <= set(before[document.id])


def test_tokens_of_a_named_tokenizer() -> None:
    pytest.importorskip("transformers", reason="needs the local extra")
    tokenizers = pytest.importorskip("tokenizers")
    import tempfile

    from transformers import PreTrainedTokenizerFast

    raw = tokenizers.Tokenizer(tokenizers.models.WordLevel({"<unk>": 0}, unk_token="<unk>"))
    raw.pre_tokenizer = tokenizers.pre_tokenizers.Split("", "isolated")  # every character is a token
    with tempfile.TemporaryDirectory() as folder:
        PreTrainedTokenizerFast(tokenizer_object=raw, unk_token="<unk>").save_pretrained(folder)
        fitted = fit([Document("0", "", "abcdefgh")], 3, tokenizer=folder)
        assert fitted.documents == (Document("0", "", "abc"),)
        assert (fitted.unit, fitted.size, fitted.kept) == (folder, 8, 3)


@pytest.mark.parametrize("cut", ["end", "middle"])
def test_a_cut_inside_a_character_keeps_the_budget(cut: str, tmp_path: Path) -> None:
    """Tokens of bytes: each of a character's three has the whole of it as its place."""
    pytest.importorskip("transformers", reason="needs the local extra")
    tokenizers = pytest.importorskip("tokenizers")
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    raw = tokenizers.Tokenizer(tokenizers.models.BPE({byte: number for number, byte in enumerate(alphabet)}, []))
    raw.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    PreTrainedTokenizerFast(tokenizer_object=raw).save_pretrained(tmp_path)
    fitted = fit([Document("0", "", "東京都港区")], 7, tokenizer=str(tmp_path), cut=cut)  # type: ignore[arg-type]
    (document,) = fitted.documents
    assert fitted.kept == len(document.text.encode()) <= 7
    assert document.text.startswith("東")
