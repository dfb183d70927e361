"""Every suite that ships: it expands, whole and small, and its small form needs no network."""

import csv
from importlib import resources
from pathlib import Path

import pytest

from bridgebench.document import Document
from bridgebench.solvers.bridge import bridge_infos
from bridgebench.solvers.generate import load_prompt
from bridgebench.suites.cells import short
from bridgebench.suites.expand import expand
from bridgebench.suites.files import load_suite, packaged_suites

SUITES = packaged_suites()
ALWAYS_OFFLINE = {"demo", "bridges_smoke"}
OFFLINE = ("local/smollm2", "fake/", "none/none")


@pytest.mark.parametrize("name", SUITES)
def test_it_expands(name: str) -> None:
    suite = load_suite(name)
    cells = expand(suite)
    assert suite.description
    assert cells
    assert len({cell.id for cell in cells}) == len(cells)
    assert all(cell.task.startswith("bridgebench/") for cell in cells)
    if not suite.retrievers:
        assert {cell.generator.model for cell in cells} == {model.model for model in suite.generators}


@pytest.mark.parametrize("name", [name for name in SUITES if name not in ALWAYS_OFFLINE])
def test_its_small_form_has_the_same_shape_and_is_offline(name: str) -> None:
    whole, small = load_suite(name), load_suite(name, smoke=True)
    assert len(small.bridges) == len(whole.bridges)
    assert len(small.generators) == len(whole.generators)
    assert len(small.retrievers) == len(whole.retrievers)
    assert {b.task for b in small.benchmarks} == {b.task for b in whole.benchmarks}
    for cell in expand(small):
        models = [cell.generator, *cell.roles.values()]
        assert all(model.model.startswith(OFFLINE) for model in models), cell.label
        assert str(cell.task_args["source"]).startswith(("sample", "world:")), cell.label
        for item in cell.chain:
            for args in item.values():
                assert str(args.get("model", "out/tiny/")).startswith(("out/tiny/", "minilm")), cell.label


@pytest.mark.parametrize("name", sorted(ALWAYS_OFFLINE & set(SUITES)))
def test_what_runs_offline_as_it_is(name: str) -> None:
    for cell in expand(load_suite(name)):
        assert cell.generator.model.startswith(OFFLINE)
        assert cell.task_args["source"] == "sample"


def test_every_bridge_is_in_the_smoke_suite() -> None:
    rows = {short(name) for cell in expand(load_suite("bridges_smoke")) for item in cell.chain for name in item}
    bridges = {short(info.name) for info in bridge_infos() if info.name.startswith("bridgebench/")}
    assert bridges - rows == {"precomputed", "shuffle", "truncate"}


def test_every_published_table_has_its_suite() -> None:
    file = resources.files("bridgebench.leaderboard") / "published" / "r2u.csv"
    published = {row["table"] for row in csv.DictReader(file.read_text().splitlines())}
    assert len(published) == 12
    repeated = {table for name in SUITES for table in load_suite(name).published}
    assert {f"R2U {table}" for table in published} <= repeated
    assert {f"R2U Figure {number}" for number in (1, 3, 4, 5)} <= repeated


def test_the_papers_models_and_bridges_are_named() -> None:
    cells = expand(load_suite("r2u_figure5"))
    assert len({cell.generator.model for cell in cells}) == 7
    own = {cell.row for cell in expand(load_suite("r2u_table1")) if cell.control in (None, "naive")}
    assert len(own) == 8


def test_bridges_run_once_for_all_seven_generators() -> None:
    one = expand(load_suite("r2u_figure5", changes=["generators=[fake/a]"]))
    seven = expand(load_suite("r2u_figure5"))
    assert {cell.work.id for cell in one if cell.work.chain} == {cell.work.id for cell in seven if cell.work.chain}


@pytest.mark.parametrize("documents", [[], [Document("1", "Vik", "A port."), Document("2", "", "No title.")]])
def test_prompts_say_the_same_in_other_words(documents: list[Document]) -> None:
    rendered = [load_prompt(name).render("Where is {Vik}?", documents) for name in ("qa", "qa_b", "qa_c")]
    assert len(set(rendered)) == 3
    for prompt in rendered:
        assert prompt.count("Where is {Vik}?") == 1
        positions = [prompt.index(document.text) for document in documents]
        assert positions == sorted(positions)
        assert all(position < prompt.index("Where is") for position in positions), "documents first: they are shared"
        assert all(document.title in prompt for document in documents)


def test_a_suite_can_extend_another(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(
        "benchmarks: [hotpotqa]\ngenerators: [fake/a]\nbridges: [naive]\nsmoke: {limit: 1, seed: 5}\n"
    )
    (tmp_path / "more.yaml").write_text("extends: base.yaml\ngenerators: [fake/b]\nsmoke: {limit: 2}\n")
    suite = load_suite(str(tmp_path / "more.yaml"))
    assert (suite.name, suite.generators[0].model, suite.bridges[0].chain) == ("more", "fake/b", ["naive"])
    assert suite.smoke == {"limit": 2, "seed": 5}
