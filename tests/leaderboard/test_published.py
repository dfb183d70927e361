"""The papers' numbers: carried over whole, consistent where they are, known where they are not."""

import csv
from collections import defaultdict
from pathlib import Path
from types import ModuleType

import pytest

from bridgebench.leaderboard.published import METHODS, published_cards, published_tables, published_values
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
    assert {name for names in METHODS.values() for name in names} <= published


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
    assert any("bundled fictional sample" in line for line in found.differs)


def test_another_generator_is_named_as_a_difference(synthetic: ModuleType, tmp_path: Path) -> None:
    synthetic.write_cell(tmp_path, "naive", n=3, generator="local/smollm2")
    (found,) = published_tables(read_report([tmp_path], resamples=100))
    assert "with local/smollm2 in place of Llama-3.1-8B-Instruct" in " ".join(found.differs)


def test_the_generator_chooses_the_table(synthetic: ModuleType, tmp_path: Path) -> None:
    synthetic.write_cell(tmp_path, "naive", n=3, generator="vllm/Qwen/Qwen2.5-3B-Instruct")
    titles = [found.grid.title for found in published_tables(read_report([tmp_path], resamples=100))]
    assert titles == ["Table 12, Qwen2.5-3B-Instruct"]


def test_nothing_is_published_for_a_benchmark_of_ones_own(synthetic: ModuleType, tmp_path: Path) -> None:
    synthetic.write_cell(tmp_path, "naive", n=3, benchmark="theirs/quiz")
    assert published_tables(read_report([tmp_path], resamples=100)) == []
