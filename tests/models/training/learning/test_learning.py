"""The two trainings on a tiny model: what they learn, and what a killed run does when it goes on."""

import hashlib
import json
import os
import signal
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch
from trl.trainer import utils as trl_utils

from bridgebench.models.training.dpo import run_dpo
from bridgebench.models.training.provenance import read_provenance
from bridgebench.models.training.settings import DpoSettings, Lora, SftSettings
from bridgebench.models.training.sft import run_sft
from bridgebench.models.training.tokens import IGNORED, in_like_lengths
from bridgebench.models.training.trainer import load_student, scores_where_labelled
from bridgebench.models.weights import WeightsSpec, load_weights


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def metrics(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def trained(settings: dict[str, Any], student: Path, sft_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of an SFT that ran through: 30 steps."""
    out = tmp_path_factory.mktemp("sft")
    run_sft(sft_settings(settings, student, epochs=5), sft_data, out)
    return out


def sft_settings(common: dict[str, Any], student: Path, **changes: Any) -> SftSettings:
    return SftSettings(**{**common, "model": str(student), **changes})


def test_sft_lowers_the_loss_on_held_out_rows(trained: Path) -> None:
    made = read_provenance(trained)["extra"]
    assert made["steps"] == 30
    assert made["after"]["eval_loss"] < made["before"]["eval_loss"] / 4
    steps = [entry for entry in metrics(trained) if "loss" in entry]
    assert [entry["step"] for entry in steps] == list(range(1, 31))
    assert steps[-1]["loss"] < steps[0]["loss"] / 4


def test_batches_hold_rows_of_like_length_and_depend_on_the_seed_alone() -> None:
    lengths = [(7 * number) % 101 for number in range(101)]
    order = in_like_lengths(lengths, 4, 2.0, seed=1)
    assert order == in_like_lengths(lengths, 4, 2.0, seed=1) != in_like_lengths(lengths, 4, 2.0, seed=2)
    assert sorted(order) == sorted([*range(101), *range(101)])
    assert order[:101] != order[101:]
    batches = [[lengths[row] for row in order[start : start + 4]] for start in range(0, 2 * 101, 4)]
    between = batches.pop(101 // 4)  # the first epoch's odd row and the first rows of the second
    assert len(between) == 4
    assert max(max(batch) - min(batch) for batch in batches) <= 4
    assert sorted(in_like_lengths([5, 5, 5], 8, 3.0, seed=1)) == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert len(in_like_lengths(lengths, 4, 0.5, seed=1)) == 50


def test_the_vocabulary_is_scored_where_a_label_is_and_the_loss_stays_that_of_transformers(
    settings: dict[str, Any], student: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, _ = load_student(str(student), sft_settings(settings, student))
    ids = torch.randint(model.config.vocab_size, (2, 20), generator=torch.Generator().manual_seed(0))
    labels = ids.clone()
    labels[0, :15] = labels[1, :12] = IGNORED
    expected = model(input_ids=ids, labels=labels).loss.item()
    scored = []
    apply = trl_utils._ChunkedLogProbFunction.apply

    def spy(hidden: Any, *rest: Any) -> Any:
        scored.append(len(hidden))
        return apply(hidden, *rest)

    monkeypatch.setattr(trl_utils._ChunkedLogProbFunction, "apply", spy)
    trl_utils.add_fused_lm_head(model)
    for within in (nullcontext(), scores_where_labelled(), nullcontext()):
        with within:
            loss = model(input_ids=ids, labels=labels, fused_lm_head=True).loss.item()
        assert loss == pytest.approx(expected, rel=1e-5)
    assert scored == [2 * 19, 5 + 8, 2 * 19]


def test_the_held_out_loss_may_be_of_some_rows(
    settings: dict[str, Any], student: Path, sft_data: Path, tmp_path: Path
) -> None:
    run_sft(sft_settings(settings, student, epochs=1 / 6, dev_rows=3), sft_data, tmp_path)
    made = read_provenance(tmp_path)["extra"]
    assert (made["dev_rows"], made["train_rows"], made["steps"]) == (3, 24, 1)


def test_the_checkpoint_is_whole_and_holds_no_pickle(trained: Path) -> None:
    names = {path.name for path in (trained / "model").iterdir()}
    assert {"model.safetensors", "config.json", "tokenizer.json"} <= names
    assert not [name for name in names if name.endswith((".bin", ".pt", ".pth"))]
    assert {path.name for path in trained.iterdir()} == {"model", "metrics.jsonl", "provenance.json"}
    weights = load_weights(WeightsSpec(str(trained / "model"), dtype="float32", device="cpu").resolve())
    assert weights.tokenizer.chat_template


def test_dpo_raises_margins_on_held_out_pairs(
    settings: dict[str, Any], trained: Path, pairs: Path, tmp_path: Path
) -> None:
    own = DpoSettings(**{**settings, "epochs": 2, "learning_rate": 1e-3})
    run_dpo(own, trained / "model", pairs, tmp_path / "dpo")
    made = read_provenance(tmp_path / "dpo")["extra"]
    assert made["before"]["eval_rewards/margins"] == pytest.approx(0, abs=1e-4)  # the policy is the reference
    assert made["after"]["eval_rewards/margins"] > 1
    assert made["after"]["eval_loss"] < 0.5 < made["before"]["eval_loss"] < 0.7


KILLED = """
import os, signal, sys
import transformers
from pathlib import Path
from bridgebench.models.training.settings import SftSettings
from bridgebench.models.training.sft import run_sft

class Kill(transformers.TrainerCallback):
    def on_step_end(self, args, state, control, **_):
        if state.global_step == int(sys.argv[4]):
            os.kill(os.getpid(), signal.SIGKILL)

import bridgebench.models.training.sft as sft
watch = sft.Watch
class Watch(watch):
    on_step_end = Kill.on_step_end
sft.Watch = Watch
run_sft(SftSettings.model_validate_json(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
"""


def test_a_killed_run_goes_on_to_the_same_weights(
    settings: dict[str, Any], student: Path, sft_data: Path, tmp_path: Path
) -> None:
    own = sft_settings(settings, student)  # 6 steps, a checkpoint every second one
    run_sft(own, sft_data, tmp_path / "straight")
    killed = tmp_path / "killed"
    killed.mkdir()
    step = 3 + os.getpid() % 3  # another one in every run, after the first checkpoint
    arguments = [own.model_dump_json(), str(sft_data), str(killed), str(step)]
    ended = subprocess.run([sys.executable, "-c", KILLED, *arguments], capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr[-2000:]
    assert not (killed / "model").exists()
    # A checkpoint that was being written when the process died has no mark, and is not gone on from.
    (killed / "checkpoints/checkpoint-5").mkdir()
    run_sft(own, sft_data, killed)
    assert sha256(killed / "model/model.safetensors") == sha256(tmp_path / "straight/model/model.safetensors"), step
    losses = [
        [entry["loss"] for entry in metrics(tmp_path / name) if "loss" in entry] for name in ("straight", "killed")
    ]
    assert losses[0] == losses[1], step


def test_a_run_that_dies_before_it_is_complete_is_not_trained_again(
    settings: dict[str, Any], student: Path, sft_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = sft_settings(settings, student, epochs=1 / 3, save_every=1)  # 2 steps

    def dies(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("bridgebench.models.training.sft.write_provenance", dies)
        with pytest.raises(KeyboardInterrupt):
            run_sft(own, sft_data, tmp_path)
    assert (tmp_path / "checkpoints/checkpoint-2/complete").is_file()
    first, measured = sha256(tmp_path / "model/model.safetensors"), metrics(tmp_path)
    run_sft(own, sft_data, tmp_path)
    assert sha256(tmp_path / "model/model.safetensors") == first
    assert [entry for entry in metrics(tmp_path) if "loss" in entry] == [e for e in measured if "loss" in e]
    assert read_provenance(tmp_path)["extra"]["steps"] == 2
    assert {path.name for path in tmp_path.iterdir()} == {"model", "metrics.jsonl", "provenance.json"}


def test_adapters_are_saved_with_their_base_and_load(
    settings: dict[str, Any], student: Path, sft_data: Path, pairs: Path, tmp_path: Path
) -> None:
    lora = Lora(rank=8, alpha=16)
    run_sft(sft_settings(settings, student, lora=lora, learning_rate=2e-2), sft_data, tmp_path / "sft")
    config = json.loads((tmp_path / "sft/model/adapter_config.json").read_text())
    assert config["base_model_name_or_path"] == str(student)
    made = read_provenance(tmp_path / "sft")["extra"]
    assert made["after"]["eval_loss"] < made["before"]["eval_loss"]
    own = DpoSettings(**{**settings, "learning_rate": 1e-2, "lora": lora})
    run_dpo(own, tmp_path / "sft/model", pairs, tmp_path / "dpo")
    figures = read_provenance(tmp_path / "dpo")["extra"]
    assert figures["before"]["eval_rewards/margins"] == pytest.approx(0, abs=1e-4)  # SFT's adapter is the reference
    assert figures["after"]["eval_rewards/margins"] > 0.1
    assert {path.name for path in (tmp_path / "dpo/model").glob("adapter*")} == {
        "adapter_config.json",
        "adapter_model.safetensors",
    }
    weights = load_weights(WeightsSpec(str(tmp_path / "dpo/model"), dtype="float32", device="cpu").resolve())
    assert weights.encode([{"role": "user", "content": "a"}])


@pytest.mark.gpu
def test_on_a_gpu_in_bfloat16(settings: dict[str, Any], student: Path, sft_data: Path, tmp_path: Path) -> None:
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    own = sft_settings(settings, student, device="auto", precision="bfloat16", gradient_checkpointing=True, epochs=5)
    run_sft(own, sft_data, tmp_path / "sft")
    made = read_provenance(tmp_path / "sft")["extra"]
    assert made["after"]["eval_loss"] < made["before"]["eval_loss"] / 2
