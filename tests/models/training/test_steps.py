"""Steps run one by one, each with a recipe of its own: what the earlier ones were made with must stay true."""

from pathlib import Path

import pytest
from rich.console import Console

from bridgebench.errors import BridgebenchError
from bridgebench.models.training.provenance import write_provenance
from bridgebench.models.training.recipe import load_recipe
from bridgebench.models.training.steps import STEPS, run_steps


@pytest.fixture
def done(tmp_path: Path) -> Path:
    """The data steps as if complete."""
    recipe = load_recipe("smoke", ["supervision.teacher.base_url=http://localhost:8000/v1"])
    inputs = {"supervision": {}, "sft-data": {"supervision": tmp_path / "supervision"}}
    for name, paths in inputs.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "made").write_text(name)
        write_provenance(tmp_path / name, name, getattr(recipe, STEPS[name].section), paths, {})
    return tmp_path


def run(out: Path, step: str, *changes: str) -> None:
    run_steps([step], load_recipe("smoke", changes), out, Console(quiet=True))


def test_a_step_is_not_done_twice_wherever_its_teacher_was_served(done: Path) -> None:
    run(done, "sft-data")
    assert (done / "sft-data" / "made").read_text() == "sft-data"


@pytest.mark.parametrize("step", ["sft-data", "sft"])
def test_a_step_is_refused_with_another_recipe_than_those_before_it(done: Path, step: str) -> None:
    """Else a rewriter would be evaluated with another prompt than it was trained with, and its card be wrong."""
    with pytest.raises(BridgebenchError, match=r"supervision was made otherwise .settings.max_documents: 4, now 3"):
        run(done, step, "supervision.max_documents=3")
    template = [f"{section}.template=r2u_teacher" for section in ("sft_data", "pairs")]
    with pytest.raises(BridgebenchError, match=r"sft-data was made otherwise .*settings.template: None, now 'r2u_t"):
        run(done, step, *template)


def test_a_step_needs_those_before_it(done: Path) -> None:
    with pytest.raises(BridgebenchError, match=r"preferences: this step is not complete"):
        run(done, "pairs")
