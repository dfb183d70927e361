"""AmbigQA, MS MARCO and CRAG records: upstream's shape and traps, and answers that the shown results hold."""

import html
import re
from collections import Counter
from typing import Any

from bridgebench.benchmarks.world import World, records

SIZE = 60
AMBIGQA, MSMARCO, CRAG = (list(records(name, size=SIZE)) for name in ("ambigqa", "msmarco", "crag"))


def plain(snippet: str) -> str:
    return " ".join(html.unescape(re.sub(r"</?b>", "", snippet)).split())


def golds(record: dict[str, Any]) -> list[list[str]]:
    annotations = record["annotations"]
    return [pair["answer"] for annotation in annotations for pair in annotation.get("qaPairs", [annotation])]


def test_ambigqa_has_the_raw_schema_of_full() -> None:
    kinds: Counter[str] = Counter()
    for record in AMBIGQA:
        assert list(record) == [
            "viewed_doc_titles", "used_queries", "annotations", "nq_answer", "id", "nq_doc_title", "question",
        ]  # fmt: skip
        assert re.fullmatch(r"-?\d{10,19}", record["id"])
        assert re.fullmatch(r"[A-Z].*\?", record["question"])
        for annotation in record["annotations"]:
            expected = {"singleAnswer": ["type", "answer"], "multipleQAs": ["type", "qaPairs"]}[annotation["type"]]
            assert list(annotation) == expected
        for query in record["used_queries"]:
            assert len(query["results"]) == 10
            assert all(list(result) == ["title", "snippet"] for result in query["results"])
        types = {annotation["type"] for annotation in record["annotations"]}
        kinds[types.pop() if len(types) == 1 else "mixed"] += 1
        kinds["two queries"] += len(record["used_queries"]) == 2
        kinds["duplicates"] += len(record["annotations"]) > len({str(a) for a in record["annotations"]})
        kinds["three"] += len(record["annotations"]) == 3
        kinds["negative id"] += record["id"].startswith("-")
        kinds["bar"] += "|" in str(record["annotations"])
        kinds["blank behind"] += any(answer != answer.strip() for group in golds(record) for answer in group)
    assert min(kinds[kind] for kind in ("singleAnswer", "multipleQAs", "mixed", "two queries", "duplicates")) >= 5
    assert min(kinds[kind] for kind in ("three", "negative id", "bar", "blank behind")) >= 2


def test_ambigqa_results_hold_an_answer_of_every_reading() -> None:
    escaped = 0
    for record in AMBIGQA:
        first = record["used_queries"][0]["results"]
        text = " ".join(f"{result['title']} {plain(result['snippet'])}" for result in first)
        for group in golds(record):
            assert any(answer.strip() in text for answer in group), (record["question"], group)
        snippets = " ".join(result["snippet"] for result in first)
        escaped += "&#39;" in snippets
        assert "<b>" in snippets or record["question"].count(" ") < 4
        assert "\n" in snippets
        assert "'" not in snippets
    assert escaped >= 5


def test_ambigqa_readings_follow_from_the_facts() -> None:
    """Of each dated reading there is one work, and its year is the one the reading names."""
    world = World(0)
    checked = 0
    for record in AMBIGQA:
        for annotation in record["annotations"]:
            for pair in annotation.get("qaPairs", []):
                answer, year = pair["answer"][0].strip(), re.search(r"\b(1[89]|20)\d\d\b", pair["question"])
                works = [e for k in ("film", "novel", "album") for e in world.of_kind(k) if e.name == answer]
                if works and year:
                    checked += 1
                    assert year[0] in {world.object(work.id, "publication date") for work in works}
    assert checked > 40


def test_msmarco_has_the_hub_columns() -> None:
    counts: Counter[str] = Counter()
    for record in MSMARCO:
        assert sorted(record) == ["answers", "passages", "query", "query_id", "query_type", "wellFormedAnswers"]
        passages = record["passages"]
        assert list(passages) == ["is_selected", "passage_text", "url"]
        assert len({len(column) for column in passages.values()}) == 1
        assert 7 <= len(passages["url"]) <= 10
        assert all(address.split("/")[2].endswith(".example") for address in passages["url"])
        assert 0 < record["query_id"] < 2**31
        assert record["query_type"] in ("LOCATION", "NUMERIC", "PERSON", "DESCRIPTION", "ENTITY")
        assert not record["query"].endswith("?")
        assert record["query"] == record["query"].lower()
        selected, text = sum(passages["is_selected"]), " ".join(passages["passage_text"])
        if record["answers"] == ["No Answer Present."]:
            counts["unanswerable"] += 1
            assert selected == 0
            assert record["wellFormedAnswers"] == []
            continue
        counts[f"{selected} selected"] += 1
        answer = record["answers"][0].strip("\u200b")
        counts["zero width"] += "\u200b" in record["answers"][0]
        counts["extractive"] += answer in text or answer.replace("'", "\u2019") in text
        counts["well-formed"] += bool(record["wellFormedAnswers"])
        counts["twice"] += len(record["answers"]) == 2
        counts[answer] += answer in ("Yes", "No")
    assert 0.2 * SIZE <= counts["unanswerable"] <= 0.45 * SIZE
    assert min(counts["Yes"], counts["No"], counts["2 selected"], counts["0 selected"], counts["zero width"]) >= 1
    assert min(counts["extractive"], counts["well-formed"], counts["twice"]) >= 2
    assert counts["1 selected"] > SIZE / 3
    assert any(record["query"].startswith(". ") for record in MSMARCO)
    assert any("\u2019" in " ".join(record["passages"]["passage_text"]) for record in MSMARCO)


def test_msmarco_unanswerable_passages_do_not_tell() -> None:
    """The page asked about is there, but not the value: on no passage that names what is asked about."""
    world = World(0)
    checked = 0
    for record in MSMARCO:
        if record["answers"] != ["No Answer Present."]:
            continue
        texts = [text.replace("\u2019", "'") for text in record["passages"]["passage_text"]]
        # The longest name in the query is the one that is meant.
        candidates = [entity for entity in world.entities.values() if entity.name.lower() in record["query"]]
        named = max(candidates, key=lambda entity: len(entity.name))
        about = [text for text in texts if named.name in text.split(". ")[0]]
        assert about
        words = {
            "born": "date of birth", "birth": "date of birth", "die": "date of death", "popul": "population",
            "inhabitants": "population", "released": "publication date", "published": "publication date",
            "come out": "publication date", "founded": "founded", "how long": "length", "area": "area",
        }  # fmt: skip
        for relation in {relation for word, relation in words.items() if word in record["query"]}:
            value = world.object(named.id, relation)
            if value and not named.is_ambiguous:
                checked += 1
                assert not any(world.text(value) in text for text in about)
    assert checked >= 8


def page_text(page: str) -> str:
    body = page.split("<article>")[-1].split("</article>")[0]
    return html.unescape(re.sub(r"<script>.*?</script>|<[^>]+>", " ", body)).lower()


def test_crag_has_the_schema_of_version_4() -> None:
    seen: Counter[str] = Counter()
    for record in CRAG:
        assert list(record) == [
            "interaction_id", "query_time", "domain", "question_type", "static_or_dynamic", "query", "answer",
            "alt_ans", "split", "search_results",
        ]  # fmt: skip
        assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", record["interaction_id"])
        assert re.fullmatch(r"\d\d/\d\d/2024, \d\d:\d\d:\d\d PT", record["query_time"])
        assert record["query"] == record["query"].lower()
        assert record["answer"] == record["answer"].lower()
        assert len(record["search_results"]) == 5
        for result in record["search_results"]:
            assert list(result) == ["page_name", "page_url", "page_snippet", "page_result", "page_last_modified"]
            assert not result["page_result"] or result["page_result"].startswith("<!DOCTYPE html>")
        for key in ("domain", "question_type", "static_or_dynamic"):
            seen[record[key]] += 1
        seen[f"split {record['split']}"] += 1
        addresses = {result["page_url"] for result in record["search_results"]}
        seen["repeated"] += len(addresses) < 5
        for trap in ("page_result", "page_snippet", "page_last_modified"):
            seen[trap] += any(not result[trap] for result in record["search_results"])
        seen["blank"] += any(result["page_last_modified"].startswith(" ") for result in record["search_results"])
        seen["entity"] += any("&#x27;" in result["page_snippet"] for result in record["search_results"])
        seen[record["answer"]] += record["answer"] in ("invalid question", "i don't know")
        seen["alternatives"] += bool(record["alt_ans"])
    expected = (
        "finance", "music", "movie", "sports", "open", "simple", "simple_w_condition", "comparison", "aggregation",
        "set", "false_premise", "post-processing", "multi-hop", "static", "slow-changing", "fast-changing", "real-time",
        "split 0", "split 1", "repeated", "page_result", "page_snippet", "page_last_modified", "blank", "entity",
        "invalid question", "i don't know", "alternatives",
    )  # fmt: skip
    assert min(seen[name] for name in expected) >= 1, {name: seen[name] for name in expected}


def test_crag_answers_can_be_read_off_the_results() -> None:
    world = World(0)
    derived = ("aggregation", "post-processing", "comparison", "false_premise")
    for record in CRAG:
        shown = [
            html.unescape(result["page_snippet"]).lower() or page_text(result["page_result"])
            for result in record["search_results"]
        ]
        text = " ".join([*shown, *(result["page_name"].lower() for result in record["search_results"])])
        if record["question_type"] == "set":
            names = [work.name.lower() for kind in ("film", "novel", "album") for work in world.of_kind(kind)]
            listed = [name for name in names if name in record["alt_ans"][0]]
            assert len(listed) >= 2
            assert all(name in text for name in listed)
        elif record["answer"] == "i don't know":
            continue  # its own test below
        elif record["question_type"] not in derived:
            assert record["answer"] in text, record["query"]


def test_crag_counts_and_spans_follow_from_the_facts() -> None:
    world = World(0)
    relations = {"film": "director", "novel": "author", "album": "performer"}
    checked = Counter[str]()
    for record in CRAG:
        if record["question_type"] == "aggregation":
            kind = next(kind for kind in relations if f"{kind}s" in record["query"])
            makers = {
                maker: len([w for w in world.subjects(relations[kind], maker) if world.entities[w].kind == kind])
                for maker in {world.object(work.id, relations[kind]) for work in world.of_kind(kind)}
                if maker and world.entities[maker].name.lower() in record["query"]
            }
            assert int(record["answer"]) in makers.values()
            checked["aggregation"] += 1
        if record["question_type"] == "post-processing":
            named = [
                int(world.facts_of[work.id]["publication date"].object)
                for kind in relations
                for work in world.of_kind(kind)
                if work.name.lower() in record["query"]
            ]
            assert any(str(abs(one - other)) == record["alt_ans"][0] for one in named for other in named)
            checked["post-processing"] += 1
    assert min(checked.values()) >= 3


def test_crag_hides_what_it_does_not_know() -> None:
    world = World(0)
    unknown = [record for record in CRAG if record["answer"] == "i don't know"]
    assert unknown
    for record in unknown:
        subject = next(company for company in world.of_kind("company") if company.name.lower() in record["query"])
        results = record["search_results"]
        assert any(result["page_name"] == subject.title for result in results)
        words = {
            "price": "share price",
            "cost": "share price",
            "shares are traded": "shares traded",
            "hands": "shares traded",
        }
        words |= {"founded": "founded", "begin": "founded", "start": "founded"}
        (relation,) = {relation for word, relation in words.items() if word in record["query"]}
        value = world.facts_of[subject.id][relation].object
        assert not any(value in html.unescape(result["page_result"] + result["page_snippet"]) for result in results)
