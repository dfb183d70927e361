import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra 'local'")

from bridgebench.errors import BridgebenchError, MissingExtraError  # noqa: E402
from bridgebench.models import weights as module  # noqa: E402
from bridgebench.models.local import local  # noqa: E402
from bridgebench.models.weights import WeightsSpec, load_weights  # noqa: E402


def test_one_set_of_weights_has_one_spec(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = WeightsSpec(str(tiny.path), dtype="float32", device="cpu").resolve()
    assert load_weights(spec) is tiny.weights
    monkeypatch.chdir(tiny.path.parent)
    assert WeightsSpec(f"./{tiny.path.name}", dtype="float32", device="cpu").resolve() == spec
    assert WeightsSpec(str(tiny.path), dtype="bfloat16", device="cpu").resolve() != spec


@pytest.mark.parametrize(("native", "dtype"), [(True, "bfloat16"), (False, "float32")])
def test_auto_takes_bfloat16_only_where_it_is_native(native: bool, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx2": True, "avx512_bf16": native})
    assert WeightsSpec("smollm2", device="cpu").resolve().dtype == dtype
    assert WeightsSpec("smollm2", dtype="float32", device="cpu").resolve().dtype == "float32"


def test_what_is_loaded(tiny: Any) -> None:
    assert tiny.weights.context == 256
    assert tiny.weights.ends == {1}
    assert tiny.weights.commit is None
    assert tiny.weights.device == tiny.weights.device_name == "cpu"
    assert tiny.weights.model.dtype == torch.float32
    assert not tiny.weights.model.training


def test_a_chat_template_is_followed(tiny: Any) -> None:
    chat = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who?"}]
    expected = "<|start|>system\nBe brief.<|end|>\n<|start|>user\nWho?<|end|>\n<|start|>assistant\nIda"
    assert tiny.weights.tokenizer.decode(tiny.weights.encode(chat, "Ida")) == expected


def test_a_base_model_reads_the_texts_alone(tiny_model: Any) -> None:
    base = tiny_model(template=None).weights
    chat = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who?\nAnswer:"}]
    assert base.tokenizer.decode(base.encode(chat, " Ida")) == "Be brief.\n\nWho?\nAnswer: Ida"


def test_no_such_folder() -> None:
    with pytest.raises(BridgebenchError, match=r"local/\./nowhere: no such folder"):
        WeightsSpec("./nowhere").resolve()


def test_a_hub_id_is_loaded_at_one_known_commit(tiny: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit, repository = "c0ffee" + "0" * 34, tmp_path / "models--someone--tiny"
    shutil.copytree(tiny.path, repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    for revision in (None, "main", commit):
        spec = WeightsSpec("someone/tiny", revision, "float32", "cpu").resolve()
        assert load_weights(spec).commit == commit
    with pytest.raises(BridgebenchError, match="local/someone/tiny: "):
        load_weights(WeightsSpec("someone/tiny", "other").resolve())


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(BridgebenchError, match=f"local/{tmp_path}: "):
        load_weights(WeightsSpec(str(tmp_path)).resolve())


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda tensors: tensors.pop("model.norm.weight"), "1 weights missing: model.norm.weight"),
        (lambda tensors: tensors.update(stray=torch.zeros(1)), "1 weights unexpected: stray"),
        (lambda tensors: tensors.update({"model.norm.weight": torch.zeros(3)}), "."),
    ],
    ids=["missing", "unexpected", "shape"],
)
def test_a_checkpoint_that_does_not_fit_is_an_error(tiny: Any, tmp_path: Path, change: Any, problem: str) -> None:
    from safetensors.torch import load_file, save_file

    shutil.copytree(tiny.path, tmp_path / "model")
    file = tmp_path / "model" / "model.safetensors"
    tensors = load_file(file)
    change(tensors)
    save_file(tensors, file, metadata={"format": "pt"})
    with pytest.raises(BridgebenchError, match=problem):
        load_weights(WeightsSpec(str(tmp_path / "model")).resolve())


def test_a_folder_that_was_trained_again_is_not_answered_from_memory(tiny: Any, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    shutil.copytree(tiny.path, tmp_path / "model")
    spec = WeightsSpec(str(tmp_path / "model"), dtype="float32", device="cpu").resolve()
    assert load_weights(spec) is load_weights(spec)
    file = tmp_path / "model" / "model.safetensors"
    save_file({name: tensor + 1 for name, tensor in load_file(file).items()}, file, metadata={"format": "pt"})
    with pytest.raises(BridgebenchError, match="has changed since this process loaded it"):
        load_weights(spec)


def test_pickled_weights_are_not_read(tiny: Any, tmp_path: Path) -> None:
    shutil.copytree(tiny.path, tmp_path / "model")
    (tmp_path / "model" / "model.safetensors").unlink()
    torch.save(tiny.weights.model.state_dict(), tmp_path / "model" / "pytorch_model.bin")
    with pytest.raises(BridgebenchError, match="safetensors"):
        load_weights(WeightsSpec(str(tmp_path / "model")).resolve())


def test_layers_without_keys_and_values_are_refused(tmp_path: Path, tiny: Any) -> None:
    import transformers

    shutil.copytree(tiny.path, tmp_path / "model", ignore=shutil.ignore_patterns("*.safetensors", "config.json"))
    config = transformers.MambaConfig(vocab_size=400, hidden_size=32, num_hidden_layers=1, state_size=4)
    transformers.MambaForCausalLM(config).save_pretrained(tmp_path / "model")
    with pytest.raises(BridgebenchError, match="key-value cache"):
        load_weights(WeightsSpec(str(tmp_path / "model")).resolve())


@pytest.mark.parametrize("missing", ["torch", "transformers"])
def test_a_missing_extra_is_one_line(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(
        MissingExtraError, match=rf"^'{missing}' is not installed; run: pip install 'bridgebench\[local\]'$"
    ):
        local.__wrapped__() if hasattr(local, "__wrapped__") else local()


def test_loading_happens_once_for_callers_at_the_same_time(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from concurrent.futures import ThreadPoolExecutor

    loads = []
    monkeypatch.setattr(module, "_load", lambda spec: loads.append(spec) or object())
    spec = WeightsSpec("never/loaded-before", dtype="float32", device="cpu")
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(load_weights, [spec] * 8))
    assert loads == [spec]
    assert all(result is results[0] for result in results)
    del module._loaded[spec]
