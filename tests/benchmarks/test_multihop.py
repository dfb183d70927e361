"""HotpotQA, 2WikiMultihopQA and MuSiQue: shapes, joining, gold by position."""

import copy
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.dataset import Sample

from bridgebench.benchmarks._fields import Record
from bridgebench.benchmarks._wiki_paragraphs import gold_positions
from bridgebench.benchmarks.hotpotqa import hotpotqa
from bridgebench.benchmarks.musique import musique
from bridgebench.benchmarks.twowiki import twowiki
from bridgebench.errors import BridgebenchError, RecordError

Upstream = dict[str, dict[str, Any]]
AsRecord = Callable[..., Record]


def texts(sample: Sample) -> list[str]:
    return [document["text"] for document in (sample.metadata or {})["documents"]]


def shown(sample: Sample) -> list[str]:
    return [document["id"] for document in (sample.metadata or {})["documents"]]


def gold(sample: Sample) -> list[str]:
    return list((sample.metadata or {})["gold_documents"])


def hub_shape(record: dict[str, Any]) -> dict[str, Any]:
    """The same record with the hub's columns."""
    hub = copy.deepcopy(record)
    hub["id"] = hub.pop("_id")
    titles, sentences = zip(*record["context"], strict=True)
    hub["context"] = {"title": list(titles), "sentences": list(sentences)}
    names, numbers = zip(*record["supporting_facts"], strict=True)
    hub["supporting_facts"] = {"title": list(names), "sent_id": list(numbers)}
    return hub


def json_shape(record: dict[str, Any]) -> dict[str, Any]:
    """The same record as copies write it whose tables are JSON strings."""
    return {key: json.dumps(value) if isinstance(value, list) else value for key, value in record.items()}


def test_hotpotqa(upstream: Upstream, as_record: AsRecord) -> None:
    sample = hotpotqa.record_to_sample(as_record(upstream["hotpotqa"]))
    assert (sample.id, sample.target) == ("h1", "Orland")
    assert texts(sample) == [
        "The Tall Lamp was made by Ada Brin. It is tall.",
        "It is short.",
        "Ada Brin makes lamps. She lives in Orland.",
    ]
    assert gold(sample) == ["0", "2"]
    metadata = sample.metadata or {}
    assert (metadata["question_type"], metadata["level"], metadata["cluster"]) == ("bridge", "hard", "h1")
    assert metadata["counts"] == {}


def test_twowiki_joins_with_a_space(upstream: Upstream, as_record: AsRecord) -> None:
    sample = twowiki.record_to_sample(as_record(upstream["twowiki"]))
    first, second = texts(sample)
    assert first == "The Tall Lamp was made by Ada Brin. It is tall."
    assert second == "Ada Brin makes lamps. She lives in Orland."
    assert ((sample.metadata or {})["question_type"], (sample.metadata or {})["hops"]) == ("compositional", 2)
    assert "aliases" not in (sample.metadata or {})


@pytest.mark.parametrize("name", ["hotpotqa", "twowiki"])
@pytest.mark.parametrize("shape", [hub_shape, json_shape])
def test_all_shapes_give_the_same_sample(
    upstream: Upstream, as_record: AsRecord, loaders: dict[str, Any], name: str, shape: Any
) -> None:
    raw = upstream[name]
    assert loaders[name](as_record(shape(raw))) == loaders[name](as_record(raw))


@pytest.mark.parametrize("module", [hotpotqa, twowiki])
def test_gold_documents_alone(upstream: Upstream, as_record: AsRecord, module: Any) -> None:
    record = as_record(upstream[module.__name__.rpartition(".")[2]])
    sample = module.record_to_sample(record, documents="gold")
    assert shown(sample) == gold(sample) == gold(module.record_to_sample(record))


@pytest.mark.parametrize(
    ("titles", "lengths", "facts", "gold", "counts"),
    [
        (["a", "b"], [2, 2], [("b", 1)], [1], {}),
        (["a", "a", "b"], [1, 3, 1], [("a", 2)], [1], {}),
        (["a", "a", "b"], [1, 1, 1], [("a", 0)], [0, 1], {"supporting_title_repeated": 1}),
        (["a", "b"], [1, 1], [("a", 5)], [0], {"supporting_sentence_out_of_range": 1}),
        (["a", "b"], [1, 1], [("a", -1)], [0], {"supporting_sentence_out_of_range": 1}),
        (["a", "b"], [1, 1], [("c", 0), ("b", 0)], [1], {"supporting_title_not_in_context": 1}),
        (["a"], [1], [], [], {}),
    ],
)
def test_gold_by_position(
    titles: list[str], lengths: list[int], facts: list[tuple[str, int]], gold: list[int], counts: dict[str, int]
) -> None:
    assert gold_positions(titles, lengths, facts) == (gold, counts)


def test_wrong_values_are_named(upstream: Upstream, as_record: AsRecord) -> None:
    with pytest.raises(RecordError, match="field 'level': must be one of easy, medium, hard"):
        hotpotqa.record_to_sample(as_record(upstream["hotpotqa"] | {"level": "hardest"}))
    with pytest.raises(RecordError, match="field 'context': holds no paragraph"):
        hotpotqa.record_to_sample(as_record(upstream["hotpotqa"] | {"context": []}))
    with pytest.raises(RecordError, match=r"field 'supporting_facts\[0\]\.sent_id': must be a whole number"):
        twowiki.record_to_sample(as_record(upstream["twowiki"] | {"supporting_facts": [["a", "0"]]}))


def test_twowiki_aliases(upstream: Upstream, as_record: AsRecord, tmp_path: Path) -> None:
    path = tmp_path / "id_aliases.json"
    path.write_text('{"Q_id": "Q7", "aliases": ["Or Land"], "demonyms": ["Orlander"]}\n')
    aliases = twowiki.read_aliases(str(path))
    record = upstream["twowiki"]
    for answer_id, expected in (("Q7", ["Or Land", "Orlander"]), ("Q8", []), (None, [])):
        sample = twowiki.record_to_sample(as_record(record | {"answer_id": answer_id}), aliases=aliases)
        assert (sample.target, (sample.metadata or {})["aliases"]) == ("Orland", expected)
    without = {field: value for field, value in upstream["twowiki"].items() if field != "answer_id"}
    with pytest.raises(RecordError, match="field 'answer_id': is missing: aliases go by it"):
        twowiki.record_to_sample(as_record(without), aliases=aliases)
    task = twowiki.twowiki(source="sample", aliases=str(path))
    assert (task.metadata or {})["alias_file"]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    path.write_text('{"Q_id": "Q7", "aliases": "Or Land"}\n')
    with pytest.raises(RecordError, match=r"id_aliases\.json: line 1: field 'aliases'"):
        twowiki.read_aliases(str(path))
    with pytest.raises(BridgebenchError, match="no such file"):
        twowiki.read_aliases(str(tmp_path / "absent.json"))


@pytest.mark.parametrize(
    ("documents", "expected", "supporting", "not_shown"),
    [
        ("first_10", [str(i) for i in range(10)], ["0"], 1),
        ("all", [str(i) for i in range(20)], ["0", "11"], 0),
        ("gold", ["0", "11"], ["0", "11"], 0),
    ],
)
def test_musique_documents(
    upstream: Upstream,
    as_record: AsRecord,
    documents: musique.Documents,
    expected: list[str],
    supporting: list[str],
    not_shown: int,
) -> None:
    sample = musique.record_to_sample(as_record(upstream["musique"]), documents)
    assert (shown(sample), gold(sample)) == (expected, supporting)
    assert (sample.metadata or {})["counts"].get("gold_not_shown", 0) == not_shown
    assert sample.target == ["Orland", "Or Land"]
    assert ((sample.metadata or {})["question_type"], (sample.metadata or {})["hops"]) == ("2hop", 2)


def test_musique_gold_and_distractors(upstream: Upstream, as_record: AsRecord) -> None:
    record = as_record(upstream["musique"])
    drawn = [shown(musique.record_to_sample(record, "gold_and_distractors", seed)) for seed in range(30)]
    assert all({"0", "11"} <= set(ids) and len(set(ids)) == 10 for ids in drawn)
    assert all(ids == sorted(ids, key=int) for ids in drawn)
    assert len({tuple(ids) for ids in drawn}) > 20
    assert drawn[3] == shown(musique.record_to_sample(record, "gold_and_distractors", 3))


def test_musique_full_asks_half_its_questions_without_gold(upstream: Upstream, as_record: AsRecord) -> None:
    record = upstream["musique"] | {"answerable": False}
    assert musique.unanswerable(musique.record_to_sample(as_record(record))) == "unanswerable"
    assert musique.unanswerable(musique.record_to_sample(as_record(upstream["musique"]))) is None


def test_musique_id_tells_the_hops(upstream: Upstream, as_record: AsRecord) -> None:
    sample = musique.record_to_sample(as_record(upstream["musique"] | {"id": "3hop1__4_5_6"}))
    assert (sample.metadata or {})["question_type"] == "3hop1"
    with pytest.raises(RecordError, match="field 'id': must start with the kind of question"):
        musique.record_to_sample(as_record(upstream["musique"] | {"id": "17"}))
