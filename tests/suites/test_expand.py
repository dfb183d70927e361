"""Which cells a suite has."""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import pytest
from inspect_ai.solver import Solver, solver
from pydantic import Field

from bridgebench.document import Bridge, Document
from bridgebench.errors import BridgebenchError
from bridgebench.solvers.bridge import bridge, bridge_info
from bridgebench.solvers.generate import load_prompt
from bridgebench.solvers.rag import rag
from bridgebench.suites.cells import Cell
from bridgebench.suites.contents import content_hashes
from bridgebench.suites.expand import expand
from bridgebench.suites.schema import parse_suite
from bridgebench.suites.selection import choose, take_shard


def _same() -> Bridge:
    async def run(question: str, documents: Sequence[Document]) -> Sequence[Document]:
        return documents

    return run


@bridge(family="pruner", version=3)
def suite_pruner(share: Annotated[float, Field(gt=0, le=1)] = 0.5) -> Bridge:
    return _same()


@bridge(family="reranker")
def suite_reranker(top_k: int | None = None) -> Bridge:
    return _same()


@bridge(family="rewriter", roles=("bridge",))
def suite_rewriter() -> Bridge:
    return _same()


@solver
def suite_bare() -> Solver:
    async def run(question: str, documents: Sequence[Document]) -> Sequence[Document]:
        return documents

    return rag(run)


def cells_of(suite: dict[str, Any], **changes: Any) -> tuple[Cell, ...]:
    return expand(parse_suite(suite | changes, "s.yaml"))


def rows(cells: Sequence[Cell]) -> list[str]:
    return list(dict.fromkeys(cell.row for cell in cells))


def test_a_cell_of_every_combination(suite: dict[str, Any]) -> None:
    cells = cells_of(suite, generators=["fake/a", "fake/b"], benchmarks=["hotpotqa", "musique"], controls="none")
    assert [(cell.task, cell.generator.model) for cell in cells] == [
        ("bridgebench/hotpotqa", "fake/a"),
        ("bridgebench/musique", "fake/a"),
        ("bridgebench/hotpotqa", "fake/b"),
        ("bridgebench/musique", "fake/b"),
    ]
    assert all(dict(cell.task_args) == {"limit": 3, "seed": 0} for cell in cells)


def test_every_argument_is_written_out(suite: dict[str, Any]) -> None:
    (cell,) = cells_of(suite, bridges=["suite_pruner"], controls="none")
    assert cell.chain == ({"suite_pruner": {"share": 0.5}},)
    (same,) = cells_of(suite, bridges=[{"suite_pruner": {"share": 0.5}}], controls="none")
    assert same.id == cell.id
    (other,) = cells_of(suite, bridges=[{"suite_pruner": {"share": 0.25}}], controls="none")
    assert other.id != cell.id


def test_all_controls_by_default(suite: dict[str, Any]) -> None:
    del suite["controls"]
    found = rows(cells_of(suite, bridges=["suite_pruner", "suite_reranker"]))
    assert found == [
        "naive",
        "no_documents",
        "suite_pruner",
        "suite_reranker",
        "truncate(like=suite_pruner)",
        "shuffle(seed=0)",
        "shuffle(seed=1)",
        "shuffle(seed=2)",
        "suite_pruner (originals when empty)",
    ]
    gold = [cell for cell in cells_of(suite) if cell.task_args.get("documents") == "gold"]
    assert [(cell.row, cell.control) for cell in gold] == [("naive", "gold_documents")]


def test_a_reranker_that_drops_documents_is_measured_against_its_length(suite: dict[str, Any]) -> None:
    found = rows(cells_of(suite, bridges=[{"suite_reranker": {"top_k": 2}}], controls=["truncate"]))
    assert found == ["suite_reranker(top_k=2)", "truncate(like=suite_reranker(top_k=2))"]


def test_no_controls(suite: dict[str, Any]) -> None:
    assert rows(cells_of(suite, bridges=["suite_pruner"], controls="none")) == ["suite_pruner"]


def test_the_bridges_own_model_answers_once_for_each_model(suite: dict[str, Any]) -> None:
    bridges = [
        "suite_rewriter",
        {"chain": ["suite_rewriter"], "roles": {"bridge": "fake/large"}},
        {"chain": ["suite_pruner", "suite_rewriter"], "roles": {"bridge": "fake/large"}},
    ]
    cells = cells_of(suite, bridges=bridges, roles={"bridge": "fake/small"}, controls=["answer_directly"])
    direct = [cell for cell in cells if cell.control == "answer_directly"]
    assert [cell.roles["bridge"].model for cell in direct] == ["fake/small", "fake/large"]


def test_without_a_bridge_role_nothing_answers_directly(suite: dict[str, Any]) -> None:
    assert rows(cells_of(suite, bridges=["suite_pruner"], controls=["answer_directly"])) == ["suite_pruner"]


def test_only_cells_that_call_a_model_depend_on_it(suite: dict[str, Any]) -> None:
    def ids(model: str) -> dict[str, str]:
        cells = cells_of(suite, bridges=["suite_rewriter"], roles={"bridge": model, "grader": "fake/judge"})
        return {cell.row: cell.id for cell in cells}

    small, large = ids("fake/small"), ids("fake/large")
    assert {row for row in small if small[row] != large[row]} == {"suite_rewriter"}


def test_a_role_that_nobody_names_is_an_error(suite: dict[str, Any]) -> None:
    with pytest.raises(BridgebenchError, match=r"bridges\.1: it calls the model role 'bridge'"):
        cells_of(suite, bridges=["naive", "suite_rewriter"])


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("no_such_bridge", r"bridges\.0: no bridge is named 'no_such_bridge'"),
        ({"suite_pruner": {"share": 2.0}}, r"bridges\.0: bridge 'suite_pruner': argument 'share'"),
        ({"suite_pruner": {"part": 0.5}}, "there is no such argument"),
    ],
)
def test_a_wrong_bridge_is_an_error_that_names_its_place(suite: dict[str, Any], row: Any, problem: str) -> None:
    with pytest.raises(BridgebenchError, match=problem):
        cells_of(suite, bridges=[row])


def test_a_version_changes_the_cells_of_its_bridge_alone(suite: dict[str, Any]) -> None:
    bridges = [["shuffle", "suite_pruner"], "suite_reranker"]
    before = {cell.row: cell.id for cell in cells_of(suite, bridges=bridges, controls="default")}
    info = bridge_info("bridgebench/shuffle")
    assert info is not None
    object.__setattr__(info, "version", 2)
    try:
        after = {cell.row: cell.id for cell in cells_of(suite, bridges=bridges, controls="default")}
    finally:
        object.__setattr__(info, "version", 1)
    assert before.keys() == after.keys()
    assert {row for row in before if before[row] == after[row]} == {"naive", "no_documents", "suite_reranker"}
    assert "truncate(like=shuffle(seed=0) → suite_pruner)" in before


@pytest.mark.parametrize(
    "change",
    [
        {"limit": 4},
        {"seed": 1},
        {"epochs": 2},
        {"budget": 100},
        {"prompt": "qa_b"},
        {"generation": {"max_tokens": 5}},
        {"on_empty": "originals"},
        {"generators": [{"model": "recorded/a", "args": {"dtype": "x"}}]},
    ],
)
def test_a_setting_changes_every_cell(suite: dict[str, Any], change: dict[str, Any]) -> None:
    before = {cell.id for cell in cells_of(suite, bridges=["suite_pruner"], controls="none")}
    after = {cell.id for cell in cells_of(suite | change, bridges=["suite_pruner"], controls="none")}
    assert len(before) == len(after) == 1
    assert not before & after


@pytest.mark.parametrize(
    "change",
    [
        {"max_tasks": 3, "max_samples": 2, "description": "x", "prices": {}, "fail_on_error": 0},
        {"generation": {"max_connections": 2, "max_retries": 1}},
        {"generators": [{"model": "recorded/a", "base_url": "http://other:8000/v1", "config": {"timeout": 3}}]},
    ],
)
def test_what_only_says_how_to_run_changes_no_cell(suite: dict[str, Any], change: dict[str, Any]) -> None:
    before = [cell.id for cell in cells_of(suite)]
    assert [cell.id for cell in cells_of(suite | change)] == before


def test_a_folder_or_file_counts_by_its_content(suite: dict[str, Any], tmp_path: Path) -> None:
    checkpoint, data = tmp_path / "checkpoint", tmp_path / "data.jsonl"
    checkpoint.mkdir()
    (checkpoint / "model.safetensors").write_text("trained once")
    data.write_text("{}")

    def ids() -> dict[str, str]:
        cells = cells_of(
            suite,
            bridges=["suite_rewriter"],
            roles={"bridge": f"vllm/{checkpoint}"},
            benchmarks=["twowiki", {"hotpotqa": {"source": str(data)}}],
        )
        return {cell.label: cell.id for cell in cells}

    first = ids()
    assert ids() == first
    (checkpoint / "model.safetensors").write_text("trained again")
    second = ids()
    assert {label.split()[1] for label in first if first[label] != second[label]} == {"suite_rewriter"}
    data.write_text("{} ")
    third = ids()
    assert {label.split()[0] for label in first if second[label] != third[label]} == {"hotpotqa"}


def test_punctuation_and_long_texts_name_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "log.eval").touch()
    monkeypatch.chdir(tmp_path)
    assert content_hashes([".", "./", "..", "a long text. " * 400, "~no_such_user/file"]) == {}
    assert content_hashes(["./log.eval"]).keys() == {"./log.eval"}


def test_a_prompt_counts_by_its_text(suite: dict[str, Any]) -> None:
    (cell,) = cells_of(suite, bridges=["suite_pruner"], controls="none", prompt="qa_b")
    assert cell.versions["prompt qa_b"] == load_prompt("qa_b").hash
    with pytest.raises(BridgebenchError, match="prompt 'qa_z'"):
        cells_of(suite, prompt="qa_z")


def test_generators_and_prompts_share_bridge_work(suite: dict[str, Any]) -> None:
    cells = cells_of(
        suite, bridges=["suite_pruner"], controls="default", generators=["fake/a", "fake/b"], prompt=["qa", "qa_b"]
    )
    works = {cell.work.id: cell.work for cell in cells if cell.work.chain}
    assert [work.chain for work in works.values()] == [({"suite_pruner": {"share": 0.5}},)]


def test_only(suite: dict[str, Any]) -> None:
    cells = cells_of(suite, bridges=["suite_pruner", "suite_reranker"], generators=["fake/a", "fake/b"])
    assert {cell.row for cell in choose(cells, ["bridge=suite_*"])} == {"suite_pruner", "suite_reranker"}
    assert len(choose(cells, ["bridge=suite_pruner", "bridge=naive", "generator=fake/b"])) == 2
    assert choose(cells, []) == list(cells)
    with pytest.raises(BridgebenchError, match="there are bridge: naive"):
        choose(cells, ["bridge=none_such"])
    with pytest.raises(BridgebenchError, match="axis"):
        choose(cells, ["bridges=naive"])


def test_shards_cover_all_cells_once_and_share_no_bridge_work(suite: dict[str, Any]) -> None:
    cells = cells_of(
        suite,
        bridges=["suite_pruner", "suite_reranker"],
        controls="default",
        generators=["fake/a", "fake/b"],
        benchmarks=["hotpotqa", "twowiki"],
    )
    shards = [take_shard(cells, f"{index}/3") for index in (1, 2, 3)]
    assert sorted(cell.id for shard in shards for cell in shard) == sorted(cell.id for cell in cells)
    works = [{cell.work.id for cell in shard if cell.work.chain} for shard in shards]
    assert len(works[0] | works[1] | works[2]) == sum(map(len, works)) > 0
    for wrong in ("0/3", "4/3", "1", "a/b", "²/3"):
        with pytest.raises(BridgebenchError, match="I/N"):
            take_shard(cells, wrong)


IN_A_FILE = """
from inspect_ai.solver import Solver, solver
from bridgebench import rag

@solver
def head(n: int = 2) -> Solver:
    async def lead(question, documents):
        return documents[:n]
    return rag(lead)

@solver
def two() -> Solver:
    async def one(question, documents):
        return documents
    async def other(question, documents):
        return documents
    return rag(one, other)
"""


def test_a_function_in_a_file_keeps_its_arguments_and_counts_by_its_source(
    suite: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(IN_A_FILE)
    name = f"{tmp_path / 'mine.py'}@head"

    def cells() -> tuple[Cell, ...]:
        return cells_of(suite, bridges=[{name: {"n": 1}}, {name: {"n": 3}}], controls="none")

    before = cells()
    assert [cell.chain for cell in before] == [({name: {"n": 1}},), ({name: {"n": 3}},)]
    assert [cell.id for cell in cells()] == [cell.id for cell in before]
    (tmp_path / "mine.py").write_text(IN_A_FILE.replace("documents[:n]", "documents[-n:]"))
    assert not {cell.id for cell in cells()} & {cell.id for cell in before}
    with pytest.raises(BridgebenchError, match=r"bridges.0: '.*mine.py@two' is a chain of 2"):
        cells_of(suite, bridges=[f"{tmp_path / 'mine.py'}@two"])


def test_a_bare_function_that_no_name_finds_is_refused(suite: dict[str, Any]) -> None:
    with pytest.raises(BridgebenchError, match="bridges.0: 'suite_bare' holds a bare function.*@bridge"):
        cells_of(suite, bridges=["suite_bare"])


@pytest.mark.parametrize(
    ("source", "args", "problem"),
    [
        ("def lead(n=1: pass", {}, "SyntaxError"),
        ("import no_such_module", {}, "no_such_module"),
        ("def lead(n=1): return print", {"m": 3}, "unexpected keyword argument 'm'"),
    ],
)
def test_a_bridge_file_that_is_wrong_names_its_row(
    suite: dict[str, Any], tmp_path: Path, source: str, args: dict[str, Any], problem: str
) -> None:
    (tmp_path / "mine.py").write_text(source)
    with pytest.raises(BridgebenchError, match=rf"bridges.1: .*{problem}"):
        cells_of(suite, bridges=["naive", {f"{tmp_path / 'mine.py'}@lead": args}])


def test_a_cells_command_asks_the_same_models(suite: dict[str, Any]) -> None:
    role = {"model": "fake/b", "args": {"answer": "x"}, "base_url": "http://b/v1", "config": {"temperature": 0.5}}
    generation = {"stop_seqs": ["\n", "Question:"], "extra_body": {"a": 1}}
    (cell,) = cells_of(
        suite, bridges=["suite_rewriter"], roles={"bridge": role}, generation=generation, controls="none"
    )
    words = shlex.split(cell.command)
    assert json.loads(words[words.index("--model-role") + 1].removeprefix("bridge=")) == {
        "model": "fake/b",
        "temperature": 0.5,
        "model_args": {"answer": "x", "base_url": "http://b/v1"},
    }
    assert words[words.index("--stop-seqs") + 1] == "\n,Question:"
    assert json.loads(words[words.index("--extra-body") + 1]) == {"a": 1}


def test_retrievers_rank_a_corpus_without_a_generator() -> None:
    raw = {"benchmarks": ["arxiv_cards"], "retrievers": ["bm25", {"bm25": {"field": "full_text"}}], "limit": 2}
    cells = cells_of(raw)
    assert [cell.row for cell in cells] == ["bm25", "bm25(field=full_text)"]
    assert {cell.generator.model for cell in cells} == {"none/none"}
    assert "--solver bridgebench/bm25 -S field=full_text --model none/none" in cells[1].command
    with pytest.raises(BridgebenchError, match=r"retrievers\.0: .*no_such"):
        cells_of(raw | {"retrievers": ["no_such"]})
    with pytest.raises(BridgebenchError, match=r"retrievers\.0: .*field"):
        cells_of(raw | {"retrievers": [{"bm25": {"field": "title"}}]})
