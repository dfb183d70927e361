import json
import os
import sys
from pathlib import Path

import pytest

from bridgebench.errors import BridgebenchError
from bridgebench.models.training.launch import command_of, environment, launch, write_config
from bridgebench.models.training.recipe import load_recipe, packaged_recipes
from bridgebench.models.training.settings import Launcher


@pytest.mark.parametrize("name", packaged_recipes())
def test_packaged_recipes_are_valid_and_survive_json(name: str, tmp_path: Path) -> None:
    recipe = load_recipe(name)
    path = tmp_path / "recipe.json"
    path.write_text(json.dumps(recipe.model_dump(mode="json")))
    assert load_recipe(str(path)) == recipe


def test_effective_batches_of_the_paper_recipe() -> None:
    recipe = load_recipe("paper")
    assert recipe.supervision.limit == 36_000
    assert recipe.sft.batch_size * recipe.sft.accumulate * (recipe.launcher.processes or 1) == 64
    assert recipe.dpo.batch_size * recipe.dpo.accumulate * (recipe.launcher.processes or 1) == 32


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("sft.learning_rat=1", "sft.learning_rat: there is no such key"),
        ("tft=1", "tft: there is no such key"),
        ("dpo.beta=0", "dpo.beta: Input should be greater than 0"),
        ("sft.batch_size='2'", "sft.batch_size: Input should be a valid integer, got '2'"),
        ("sft.schedule=up", "sft.schedule: Input should be 'cosine'"),
        ("sft_data.max_length=4096", "sft_data.max_length is 4096, more than training's 1024"),
        ("pairs.seed=5", "pairs.seed must be sft_data.seed"),
        ("pairs.tokenizer=other", "pairs.tokenizer must be sft.model"),
        ("dpo.lora={}", "dpo.lora must be sft.lora"),
        ("sft_data.dev_share=0.0", "pairs.dev_share must be"),
        ("preferences.mixes=[]", "preferences.mixes: a mix is some of a, b and c in this order, got none"),
        ("sft_data.require_correct=true", "sft_data.require_correct needs supervision.explain"),
        ("sft.epochs=.inf", "sft.epochs: Input should be a finite number"),
        ("sft.seed=-1", "sft.seed: Input should be greater than or equal to 0"),
        ("supervision.benchmark_args={split: dev}", "supervision.benchmark_args: split: a key of supervision itself"),
        ("sft=3", "sft: "),
    ],
)
def test_a_wrong_key_or_value_names_its_place(change: str, problem: str) -> None:
    with pytest.raises(BridgebenchError) as caught:
        load_recipe("smoke", [change])
    assert "smoke.yaml: " in str(caught.value)
    assert problem in str(caught.value)


def test_what_would_fail_after_hours_fails_at_once() -> None:
    held_out = ["sft_data.dev_share=0.0", "pairs.dev_share=0.0"]
    with pytest.raises(BridgebenchError, match=r"sft_data.dev_share must be above 0"):
        load_recipe("smoke", held_out)
    with pytest.raises(BridgebenchError, match=r"vllm reads no folder of adapters"):
        load_recipe("single_gpu", ["evaluate.provider=vllm"])


def test_adapters_that_dpo_would_not_have_are_refused() -> None:
    """DPO trains the adapters of SFT: a rank of its own would be a claim that the weights do not keep."""
    with pytest.raises(BridgebenchError, match=r"dpo.lora must be sft.lora"):
        load_recipe("single_gpu", ["dpo.lora.rank=8"])


def test_numbers_as_people_write_them() -> None:
    assert load_recipe("smoke", ["sft.learning_rate=1e-5"]).sft.learning_rate == 1e-5


def test_no_such_recipe() -> None:
    with pytest.raises(BridgebenchError, match=r"no recipe 'nothing'; packaged ones: .*paper"):
        load_recipe("nothing")


def test_plain_and_accelerated_commands(tmp_path: Path) -> None:
    plain = command_of("sft", Path("r.json"), tmp_path, Launcher())
    assert plain[1:] == ["-m", "bridgebench.models.training.worker", "sft", "r.json", str(tmp_path)]
    launcher = Launcher(accelerate="zero3_gpu", processes=16, arguments=["--num_machines", "2", "--machine_rank", "1"])
    command = command_of("dpo", Path("r.json"), tmp_path, launcher)
    assert command[command.index("--num_processes") + 1] == "16"
    assert command[command.index("--machine_rank") + 1] == "1"
    assert command[-3:] == ["dpo", "r.json", str(tmp_path)]


def test_accelerate_finds_the_deepspeed_file_wherever_it_starts(tmp_path: Path) -> None:
    import yaml

    config = yaml.safe_load(write_config("zero3_gpu", tmp_path).read_text())
    named = Path(config["deepspeed_config"]["deepspeed_config_file"])
    assert named.is_absolute()
    assert json.loads(named.read_text())["zero_optimization"]["stage"] == 3
    with pytest.raises(BridgebenchError, match="packaged ones: acc_cpu, zero3_cpu, zero3_gpu"):
        write_config("zero4", tmp_path)


def test_processes_share_cores_unless_told_otherwise() -> None:
    launcher = Launcher(accelerate="acc_cpu", environment={"DS_ACCELERATOR": "cpu"})
    made = environment(launcher, {"PATH": "/usr/bin"})
    beside = str(Path(sys.executable).parent)
    assert made == {"OMP_NUM_THREADS": "1", "DS_ACCELERATOR": "cpu", "PATH": f"{beside}{os.pathsep}/usr/bin"}
    assert environment(launcher, {"OMP_NUM_THREADS": "3"})["OMP_NUM_THREADS"] == "3"
    assert "OMP_NUM_THREADS" not in environment(Launcher(), {})


@pytest.mark.parametrize(
    ("code", "reason"), [("9", "most likely for want of memory"), ("term", "ended with status -15")]
)
def test_how_training_ended(code: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker is replaced by a shell that dies as the system would make it die."""
    number = "9" if code == "9" else "15"
    monkeypatch.setattr(
        "bridgebench.models.training.launch.command_of", lambda *_: ["/bin/sh", "-c", f"kill -{number} $$"]
    )
    with pytest.raises(BridgebenchError, match=reason):
        launch("sft", Path("r"), tmp_path, Launcher())
