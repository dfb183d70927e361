"""``-T source=world:...``: the fictional world with its knobs, without a file."""

import pytest
from inspect_ai import Task
from inspect_ai.util import registry_create

from bridgebench.errors import BridgebenchError


def task(benchmark: str, source: str) -> Task:
    return registry_create("task", f"bridgebench/{benchmark}", source=source)


@pytest.mark.parametrize("benchmark", ["hotpotqa", "twowiki", "musique"])
def test_knobs_change_the_documents_and_not_the_questions(benchmark: str) -> None:
    few = task(benchmark, "world:size=5,seed=3,distractors=2")
    many = task(benchmark, "world:size=5,seed=3,distractors=6,contradictions=1,gold_position=last")
    assert [(s.id, s.input, s.target) for s in few.dataset] == [(s.id, s.input, s.target) for s in many.dataset]
    for short, long in zip(few.dataset, many.dataset, strict=True):
        assert short.metadata is not None
        assert long.metadata is not None
        assert len(short.metadata["documents"]) < len(long.metadata["documents"])
    assert few.metadata is not None
    assert few.metadata["provenance"]["knobs"]["distractors"] == 2


def test_a_source_that_the_command_line_split_at_its_commas_is_whole_again() -> None:
    split = registry_create("task", "bridgebench/hotpotqa", source=["world:size=5", "seed=3"])
    whole = task("hotpotqa", "world:size=5,seed=3")
    assert [sample.id for sample in split.dataset] == [sample.id for sample in whole.dataset]
    assert split.metadata == whole.metadata


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("world:sizes=3", "'sizes'"),
        ("world:size=0", "'size'"),
        ("world:size=many", "'size'"),
        ("world:gold_position=top", "'gold_position'"),
        ("world:distractors=1,contradictions=2", "do not fit"),
    ],
)
def test_a_wrong_knob_is_named(source: str, problem: str) -> None:
    with pytest.raises(BridgebenchError, match=problem):
        task("hotpotqa", source)
