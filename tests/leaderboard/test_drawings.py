"""Figures, marks and curves as pure functions."""

import math
from pathlib import Path
from types import ModuleType

import pytest

from bridgebench.document import Document
from bridgebench.leaderboard.curves import family_and_size, size_curves, spread, stress_curves
from bridgebench.leaderboard.figures import Point, pareto, pareto_front, table_figures, table_points
from bridgebench.leaderboard.grids import table_grid
from bridgebench.leaderboard.ledger import ledger_figure, ledgers
from bridgebench.leaderboard.marking import counts, mark
from bridgebench.leaderboard.report import read_report
from bridgebench.leaderboard.svg import Axis, axis, element, label, placed


def document(id: str, text: str, *sources: str) -> Document:
    return Document(id, "", text, sources)


def test_the_front_keeps_what_nothing_beats() -> None:
    points = [Point(name, cost, quality, False) for name, cost, quality in (
        ("cheap", 1, 10), ("worse", 2, 9), ("better", 2, 12), ("dear", 5, 12), ("best", 9, 20))]  # fmt: skip
    assert [point.name for point in pareto_front(points)] == ["cheap", "better", "best"]


def test_one_point_is_no_figure() -> None:
    assert pareto([Point("one", 1, 1, False)], "t", "x", "y") == ""


def test_axes_hold_all_values_and_have_round_ticks() -> None:
    scale = axis([3.0, 47.0], 0, 100)
    assert scale.low < 3 < 47 < scale.high
    assert axis([0.0, 0.0], 0, 1).low == 0
    assert scale.ticks() == [0, 10, 20, 30, 40, 50]
    assert Axis(0, 0.0012, 0, 1).ticks() == pytest.approx([0, 0.0002, 0.0004, 0.0006, 0.0008, 0.001, 0.0012])
    assert axis([5.0], 0, 1).low < 5 < axis([5.0], 0, 1).high
    assert (label(-0.5), label(12345)) == ("−0.5", "12,345")


def test_names_of_near_points_do_not_overlap() -> None:
    places = placed([(100, 50, "first"), (101, 51, "second"), (102, 49, "third")], 0, 500)
    boxes = []
    for (x, y, anchor), name in zip(places, ("first", "second", "third"), strict=True):
        width = 6.3 * len(name)
        left = x - width if anchor == "end" else x
        boxes.append((left, y - 10, left + width, y + 2))
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            assert not (a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3])


def test_svg_text_and_attributes_are_escaped() -> None:
    drawn = element("text", "</text><script>", class_='"><script>')
    assert "<script>" not in drawn


def test_crowded_names_are_spread_above_the_bottom() -> None:
    heights = spread([100, 101, 102, 40], 13, 110)
    ordered = sorted(heights)
    assert all(b - a >= 13 - 1e-9 for a, b in zip(ordered, ordered[1:], strict=False))
    assert max(heights) <= 110
    assert heights[3] == 40


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("vllm/meta-llama/Llama-3.1-8B-Instruct", ("Llama", 8.0)),
        ("vllm/Qwen/Qwen2.5-0.5B-Instruct", ("Qwen", 0.5)),
        ("local/SmolLM2-135M", ("SmolLM", 0.135)),
        ("openai/gpt-4o", None),
        ("vllm/mistral-7Bx", None),
    ],
)
def test_family_and_size_come_from_the_name(name: str, expected: tuple[str, float] | None) -> None:
    assert family_and_size(name) == expected


def test_curves_over_sizes_need_two_of_a_family(synthetic: ModuleType, tmp_path: Path) -> None:
    for generator in ("x/Llama-3.2-1B-Instruct", "x/Llama-3.1-8B-Instruct", "x/Qwen2.5-3B-Instruct"):
        for benchmark in ("hotpotqa", "musique"):
            synthetic.write_cell(tmp_path, "naive", n=4, benchmark=f"bridgebench/{benchmark}", generator=generator)
    figures = [str(figure) for figure in size_curves(read_report([tmp_path], resamples=50))]
    assert len(figures) == 2, "F1 and EM, of Llama alone"
    assert all("Llama, parameters" in figure and ">8B<" in figure for figure in figures)


def test_stress_curves_need_three_values_of_one_argument(synthetic: ModuleType, tmp_path: Path) -> None:
    for distractors in (0, 10, 40):
        arguments = {"source": "sample", "documents": "all", "distractors": distractors}
        synthetic.write_cell(tmp_path, "naive", n=4, task_args=arguments)
    (figure,) = stress_curves(read_report([tmp_path], resamples=50))
    assert "F1 against distractors" in figure


def test_time_axes_never_mix_devices(synthetic: ModuleType, tmp_path: Path) -> None:
    for bridge in ("naive", "provence", "r2u"):
        synthetic.write_cell(tmp_path, bridge, n=4)
    table = read_report([tmp_path], resamples=50).tables[0]
    assert {point.name for point in table_points(table, "cost.seconds", "cpu")} == {"naive", "provence", "r2u"}
    assert table_points(table, "cost.seconds", "NVIDIA H100") == []
    assert any("bridge seconds a question on cpu" in figure for figure in table_figures(table))


def test_words_are_marked_by_what_became_of_them() -> None:
    before = [document("a", "The river Sella flows north."), document("b", "Oslo is a city.")]
    after = [document("r", "Sella flows north of Oslo quickly.", "a")]
    left, right = mark(before, after, frozenset({"a"}))
    assert left[0].runs == (("removed", "The river"), ("kept", "Sella flows north."))
    assert left[1].runs == (("removed", "Oslo is a city."),)
    assert right[0].runs == (
        ("kept", "Sella flows north"),
        ("added", "of"),
        ("rewritten", "Oslo"),
        ("added", "quickly."),
    )
    assert (left[0].gold, left[1].gold, right[0].gold) == (True, False, True)
    assert counts(right) == {"kept": 3, "added": 2, "rewritten": 1}


def test_a_reordered_document_is_kept_whole() -> None:
    before = [document("a", "one two"), document("b", "three four")]
    left, right = mark(before, [before[1], before[0]])
    assert [passage.runs for passage in [*left, *right]] == [
        (("kept", "one two"),),
        (("kept", "three four"),),
        (("kept", "three four"),),
        (("kept", "one two"),),
    ]


def test_a_merged_document_keeps_words_of_all_its_sources() -> None:
    before = [document("a", "one two"), document("b", "three four")]
    left, right = mark(before, [document("m", "one two three four", "a", "b")])
    assert right[0].runs == (("kept", "one two three four"),)
    assert all(kind == "kept" for passage in left for kind, _ in passage.runs)


def test_nothing_in_nothing_out() -> None:
    left, right = mark([document("a", "one")], [])
    assert (left[0].runs, right) == ((("removed", "one"),), [])


def test_the_ledger_adds_up_and_uses_the_closed_book_run(synthetic: ModuleType, tmp_path: Path) -> None:
    synthetic.write_cell(tmp_path, "naive", values=[1.0, 1.0, 0.0, math.nan])
    synthetic.write_cell(tmp_path, "no_documents", values=[1.0, 0.0, 0.0, 0.0])
    table = read_report([tmp_path], resamples=50).tables[0]
    by_label = {row.label: counts for row, counts in ledgers(table)}
    assert {name: n for name, n in by_label["naive"].items() if n} == {
        "right_with_answer": 1,
        "right_without_documents": 1,
        "generator_failed": 1,
        "unclassified": 1,
    }
    assert by_label["no_documents"]["bridge_lost"] == 3
    figure = ledger_figure(table)
    assert "right, answer in context" in figure
    assert "wrong, never retrieved" not in figure, "what never happened is not in the legend"


def test_a_line_without_pairs_does_not_blur_the_others(synthetic: ModuleType, tmp_path: Path) -> None:
    synthetic.write_cell(tmp_path, "naive", values=[0.0, 1.0, 0.0])
    synthetic.write_cell(tmp_path, "exit", values=[1.0, 1.0, 1.0], ids="other {}".format)
    synthetic.write_cell(tmp_path, "provence", values=[1.0, math.nan, math.nan])
    synthetic.write_cell(tmp_path, "r2u", values=[1.0, 1.0, 1.0])
    grid = table_grid(read_report([tmp_path], resamples=200).tables[0])
    column = [column.title for column in grid.columns].index("interval")
    drawn = {line.label: str(line.fields[column].drawing) for line in grid.lines}
    assert drawn["exit"] == ""
    assert "nan" not in "".join(drawn.values())
    assert ("whisker" in drawn["provence"], "dot" in drawn["provence"]) == (False, True), "one pair has no interval"
    assert "whisker" in drawn["r2u"]


def test_averages_over_other_benchmarks_are_not_joined(synthetic: ModuleType, tmp_path: Path) -> None:
    for size, benchmarks in (("1B", "ab"), ("3B", "abc"), ("8B", "abc")):
        for benchmark in benchmarks:
            synthetic.write_cell(tmp_path, "naive", n=4, benchmark=f"own/{benchmark}", generator=f"x/M-{size}")
    figures = [str(figure) for figure in size_curves(read_report([tmp_path], resamples=50))]
    assert len(figures) == 2, "F1 and EM"
    assert all("3B" in figure and "8B" in figure and "1B" not in figure for figure in figures)
    assert "of a, b, c by size of M" in figures[0]
