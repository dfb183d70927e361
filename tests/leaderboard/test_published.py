"""The papers' numbers: carried over whole, consistent where they are, known where they are not."""

import csv
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from bridgebench.leaderboard.published import (
    CHECKPOINTS,
    METHODS,
    Published,
    published_cards,
    published_tables,
    published_values,
)
from bridgebench.leaderboard.report import read_report

FACTS = Path(__file__).parents[2].parent / "shared" / "facts"


@pytest.mark.parametrize("name", ["r2u", "cards"])
def test_the_data_files_are_the_facts(name: str) -> None:
    facts = FACTS / f"published_{name}.csv"
    if not facts.exists():
        pytest.skip("the facts are not beside the checkout")
    ours = Path(__file__).parents[2] / "leaderboard" / "published" / f"{name}.csv"
    assert list(csv.reader(ours.open(encoding="utf-8"))) == list(csv.reader(facts.open(encoding="utf-8")))


def test_how_many_values_there_are() -> None:
    assert len(published_values()) == 652
    assert len(published_cards()) == 20


def test_averages_recompute_but_for_the_one_that_is_misprinted() -> None:
    groups: dict[tuple[str, str, str], dict[str, float]] = defaultdict(dict)
    for value in published_values():
        groups[value.table, value.method, value.metric][value.benchmark] = value.value
    off = {}
    for key, by_benchmark in groups.items():
        stated = by_benchmark.pop("Average", None)
        if stated is not None:
            mean = sum(by_benchmark.values()) / len(by_benchmark)
            if abs(mean - stated) > 0.1:
                off[key] = (stated, round(mean, 1))
    assert off == {("Table 9", "R2U", "EM"): (40.6, 39.6), ("Table 9", "R2U", "F1"): (53.9, 52.4)}


def test_every_mapped_method_is_in_the_tables() -> None:
    published = {value.method for value in published_values()}
    assert {name for names in [*METHODS.values(), *CHECKPOINTS.values()] for name in names} <= published


def test_measured_values_stand_beside_table_1(synthetic: ModuleType, tmp_path: Path) -> None:
    synthetic.write_cell(tmp_path, "naive", values=[1.0, 0.0, 0.0, 0.0])
    synthetic.write_cell(tmp_path, "r2u", values=[1.0, 1.0, 1.0, 0.0])
    (found,) = published_tables(read_report([tmp_path], resamples=100))
    assert found.grid.title == "Table 1, Llama-3.1-8B-Instruct"
    columns = [(column.title, column.unit) for column in found.grid.columns]
    fields = {line.label: dict(zip(columns, line.fields, strict=True)) for line in found.grid.lines}
    r2u = fields["R2U"]["HotpotQA", "F1"]
    assert (r2u.text, r2u.small) == ("69.2", "75.0 (+5.8)")
    assert fields["R2U"]["MuSiQue", "F1"].small == "", "not measured"
    assert fields["R2U"]["Average", "F1"].small == "", "an average needs all four benchmarks"
    assert fields["EXIT"]["HotpotQA", "F1"].small == ""
    assert any("4 questions of the fictional world" in line for line in found.differs)


def test_another_generator_is_named_as_a_difference(synthetic: ModuleType, tmp_path: Path) -> None:
    synthetic.write_cell(tmp_path, "naive", n=3, generator="local/smollm2")
    (found,) = published_tables(read_report([tmp_path], resamples=100))
    assert "with local/smollm2 in place of Llama-3.1-8B-Instruct" in " ".join(found.differs)


def test_the_generator_chooses_the_table(synthetic: ModuleType, tmp_path: Path) -> None:
    synthetic.write_cell(tmp_path, "naive", n=3, generator="vllm/Qwen/Qwen2.5-3B-Instruct")
    titles = [found.grid.title for found in published_tables(read_report([tmp_path], resamples=100))]
    assert titles == ["Table 12, Qwen2.5-3B-Instruct"]


def test_an_average_never_mixes_generators(synthetic: ModuleType, tmp_path: Path) -> None:
    for benchmark in ("ambigqa", "hotpotqa", "twowiki", "musique"):
        options = {"values": [1.0], "benchmark": f"bridgebench/{benchmark}"}
        synthetic.write_cell(tmp_path / "both", "naive", generator="local/other", **options)
        generator = "local/other" if benchmark == "musique" else "synthetic/Llama-3.1-8B-Instruct"
        synthetic.write_cell(tmp_path / "both", "naive", generator=generator, **options)
        synthetic.write_cell(tmp_path / "one", "naive", **options)
    for folder, small in (("one", "100.0 (+49.9)"), ("both", "")):
        table = published_tables(read_report([tmp_path / folder], resamples=50))[0]
        columns = [(column.title, column.unit) for column in table.grid.columns]
        naive = next(line for line in table.grid.lines if line.label == "Naive")
        assert naive.fields[columns.index(("Average", "F1"))].small == small


def test_nothing_is_published_for_a_benchmark_of_ones_own(synthetic: ModuleType, tmp_path: Path) -> None:
    synthetic.write_cell(tmp_path, "naive", n=3, benchmark="theirs/quiz")
    assert published_tables(read_report([tmp_path], resamples=100)) == []


def test_subsets_and_ablations_find_their_columns(synthetic: ModuleType, tmp_path: Path) -> None:
    """Table 5 asks two subsets of MS MARCO; Table 4 compares checkpoints of one bridge."""
    for subset, values in (("extractive", [1.0, 1.0]), ("abstractive", [1.0, 0.0])):
        arguments = {"source": "hub", "documents": "all", "subset": subset}
        synthetic.write_cell(tmp_path / "5", "naive", values=values, task_args=arguments, **MSMARCO)
    found = {part.grid.title.split(",")[0]: part for part in _published(tmp_path / "5", "R2U Table 5")}
    heads = [column.title for column in found["Table 5"].grid.columns]
    naive = next(line for line in found["Table 5"].grid.lines if line.label == "Naive")
    measured = {head: field.small.split(" ")[0] for head, field in zip(heads, naive.fields, strict=True)}
    assert measured["MS MARCO extractive"] == "100.0"
    assert measured["MS MARCO abstractive"] == "50.0"

    for end, values in (("r2u", [1.0] * 4), ("r2u-sft", [1.0, 0.0, 0.0, 0.0])):
        synthetic.write_cell(tmp_path / "4", "r2u", values=values, roles={"bridge": f"vllm/checkpoints/{end}"})
    (part,) = _published(tmp_path / "4", "R2U Table 4")
    column = [(column.title, column.unit) for column in part.grid.columns].index(("HotpotQA", "F1"))
    measured = {line.label: line.fields[column].small.split(" ")[0] for line in part.grid.lines}
    assert (measured["R2U"], measured["w/o DPO"], measured["w/ DPO_naive"]) == ("100.0", "25.0", "")


MSMARCO = {"benchmark": "bridgebench/msmarco", "headline": ("judge", "accuracy")}


def _published(folder: Path, name: str) -> list[Published]:
    return published_tables(replace(read_report([folder], resamples=50), published=(name,)))
