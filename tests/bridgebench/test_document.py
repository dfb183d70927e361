"""Shared types: JSON and back, and errors that name the field."""

import json
from typing import Any

import pytest

from bridgebench import BridgebenchError, BridgeResult, Document
from bridgebench.document import count_characters, count_words
from bridgebench.errors import MissingExtraError, require


def test_a_retrieved_document_is_its_own_source() -> None:
    assert Document("7", "T", "x").sources == ("7",)


def test_documents_are_json_and_back() -> None:
    document = Document("7", "T", "x", ("1", "2"))
    assert Document.from_dict(json.loads(json.dumps(document.to_dict()))) == document


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"title": "t", "text": "x"}, "id"),
        ({"id": "1", "title": None, "text": "x"}, "title"),
        ({"id": "1", "title": "t", "text": 5}, "text"),
        ({"id": "1", "title": "t", "text": "x", "sources": "1"}, "sources"),
    ],
)
def test_a_bad_document_names_its_field(value: dict[str, object], field: str) -> None:
    with pytest.raises(BridgebenchError, match=f"field '{field}'"):
        Document.from_dict(value)


def test_a_bad_document_is_named_by_its_id() -> None:
    with pytest.raises(BridgebenchError, match="document 'd7': field 'text' must be a string, got None"):
        Document.from_dict({"id": "d7", "title": "t", "text": None})


@pytest.mark.parametrize("value", ["a passage", None, ["id"]])
def test_what_is_no_mapping_is_no_document(value: Any) -> None:
    with pytest.raises(BridgebenchError, match="must be a mapping, got "):
        Document.from_dict(value)


def test_counts_cover_titles_and_texts() -> None:
    documents = [Document("1", "Two words", "three more words"), Document("2", "", "  ")]
    assert count_words(documents) == 5
    assert count_characters(documents) == len("Two words") + len("three more words") + 2
    assert count_words(BridgeResult(()).documents) == 0


def test_a_missing_extra_is_one_line_that_says_what_to_install() -> None:
    with pytest.raises(MissingExtraError, match=r"run: pip install 'bridgebench\[local\]'") as caught:
        require("a_module_nobody_has", "local")
    assert "\n" not in str(caught.value)


def test_an_error_inside_an_installed_module_is_not_hidden(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "half_installed.py").write_text("import another_missing_module")  # type: ignore[operator]
    with pytest.raises(ModuleNotFoundError, match="another_missing_module") as caught:
        require("half_installed", "local")
    assert not isinstance(caught.value, MissingExtraError)
