"""LongBench rows and research papers: upstream's shape, lengths by upstream's formula, answers in the text."""

import re
from collections import Counter

import pytest

from bridgebench.benchmarks.world import Knobs, World, records
from bridgebench.benchmarks.world.chinese import transcribe
from bridgebench.benchmarks.world.papers import Papers
from bridgebench.errors import BridgebenchError

LONGBENCH, PAPERS = list(records("longbench", size=60)), list(records("arxiv_cards", size=109))
CHINESE = ("multifieldqa_zh", "dureader")


def test_longbench_has_the_row_schema_and_upstreams_length() -> None:
    for row in LONGBENCH:
        assert list(row) == ["input", "context", "answers", "length", "dataset", "language", "all_classes", "_id"]
        assert re.fullmatch(r"[0-9a-f]{48}", row["_id"])
        assert row["all_classes"] is None
        assert row["language"] == ("zh" if row["dataset"] in CHINESE else "en")
        parts = [row["context"], row["input"], row["answers"][0]]
        assert row["length"] == sum(len(part) if row["language"] == "zh" else len(part.split()) for part in parts)
    assert set(Counter(row["dataset"] for row in LONGBENCH)) == {
        "2wikimqa", "2wikimqa_e", "hotpotqa", "musique", "multifieldqa_en", "multifieldqa_zh", "qasper", "narrativeqa",
        "triviaqa", "dureader",
    }  # fmt: skip


def test_longbench_multi_hop_rows_fill_every_bucket() -> None:
    for dataset in ("2wikimqa", "2wikimqa_e"):
        lengths = [row["length"] for row in LONGBENCH if row["dataset"] == dataset]
        buckets = Counter("0-4k" if length < 4000 else "4-8k" if length < 8000 else "8k+" for length in lengths)
        assert min(buckets[name] for name in ("0-4k", "4-8k", "8k+")) >= 2


def test_longbench_passages_are_numbered_and_titled() -> None:
    for row in LONGBENCH:
        if row["dataset"] in ("2wikimqa", "2wikimqa_e", "hotpotqa", "musique"):
            assert re.findall(r"^Passage (\d+):$", row["context"], re.MULTILINE) == [str(n) for n in range(1, 11)]
        if row["dataset"] == "dureader":
            assert re.findall(r"^文章(\d+)$", row["context"], re.MULTILINE) == [str(n) for n in range(1, 11)]


def test_longbench_answers_stand_in_the_context() -> None:
    for row in LONGBENCH:
        text = row["input"] if row["dataset"] == "triviaqa" else row["context"]
        if row["answers"][0] not in ("yes", "no"):
            assert any(answer in text for answer in row["answers"]), (row["dataset"], row["input"], row["answers"])


def test_transcription_is_chinese_throughout() -> None:
    world = World(0, 100)
    for entity in world.entities.values():
        if entity.kind in ("town", "river", "region", "person"):
            written = transcribe(entity.name)
            assert re.fullmatch(r"[\u4e00-\u9fff·]+", written), (entity.name, written)
    assert transcribe("Bana River") == "巴纳河"


def test_papers_have_qaspers_raw_schema() -> None:
    kinds: Counter[str] = Counter()
    assert len({paper["id"] for paper in PAPERS}) == len({paper["title"] for paper in PAPERS}) == 109
    for paper in PAPERS:
        assert list(paper) == ["id", "title", "abstract", "full_text", "qas"]
        assert re.fullmatch(r"\d{4}\.\d{5}", paper["id"])
        assert len(paper["full_text"]) >= 8
        assert any(" ::: " in section["section_name"] for section in paper["full_text"])
        text = [text for section in paper["full_text"] for text in section["paragraphs"]]
        whole = " ".join([paper["title"], paper["abstract"], *text])
        assert not re.search(r"[{}]|\[[^\]]*\|", re.sub(r"\$.*?\$", "", whole))
        assert "BIBREF" in whole
        for qa in paper["qas"]:
            assert list(qa) == [
                "question", "question_id", "nlp_background", "topic_background", "paper_read", "search_query",
                "question_writer", "answers",
            ]  # fmt: skip
            (annotated,) = qa["answers"]
            answer = annotated["answer"]
            assert list(answer) == [
                "unanswerable", "extractive_spans", "yes_no", "free_form_answer", "evidence", "highlighted_evidence",
            ]  # fmt: skip
            assert all(evidence in text or evidence.startswith("FLOAT SELECTED: ") for evidence in answer["evidence"])
            assert all(line in answer["evidence"][0] for line in answer["highlighted_evidence"])
            assert all(span in " ".join(answer["evidence"]) for span in answer["extractive_spans"])
            kinds["unanswerable"] += answer["unanswerable"]
            kinds["extractive"] += bool(answer["extractive_spans"])
            kinds["yes"] += answer["yes_no"] is True
            kinds["no"] += answer["yes_no"] is False
            kinds["free"] += bool(answer["free_form_answer"])
            assert answer["unanswerable"] == (not answer["evidence"])
    assert min(kinds.values()) >= 10
    assert any("FLOAT SELECTED" in str(paper["qas"]) for paper in PAPERS)


def test_papers_come_in_topics_of_near_duplicates() -> None:
    papers = Papers(World(0, 100))
    for start in range(0, 100, 5):
        facts = [papers.facts(index) for index in range(start, start + 5)]
        for shared in ("task", "language", "dataset", "baseline", "metric"):
            assert len({fact[shared] for fact in facts}) == 1
        for own in ("method", "mechanism"):
            assert len({fact[own] for fact in facts}) == 5
        for fact in facts:
            assert round(float(fact["score"]) - float(fact["baseline_score"]), 1) == float(fact["gain"])
            assert float(fact["baseline_score"]) <= float(fact["ablated"]) <= float(fact["score"])
    assert len({papers.facts(index)["method"] for index in range(1000)}) == 1000
    assert papers.facts(3) == Papers(World(0, 100)).facts(3)


def test_knobs_do_not_apply_to_a_corpus() -> None:
    with pytest.raises(BridgebenchError, match="the knobs do not apply"):
        records("arxiv_cards", size=3, knobs=Knobs(near_duplicates=1))
