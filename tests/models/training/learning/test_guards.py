"""Failures of machine, model and data: each ends with an error that says what to do."""

import errno
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import transformers

from bridgebench.errors import BridgebenchError, RecordError
from bridgebench.models.training.guards import alone, check_finite, clear_errors
from bridgebench.models.training.settings import SftSettings
from bridgebench.models.training.sft import run_sft
from bridgebench.models.training.tokens import IGNORED, completion_rows, read_rows


def run(student: Path, data: Path, out: Path, settings: dict[str, Any], **changes: Any) -> None:
    out.mkdir(exist_ok=True)
    run_sft(SftSettings(**{**settings, "model": str(student), **changes}), data, out)


def without(student: Path, folder: Path, *keys: str) -> Path:
    """A copy of a checkpoint whose tokenizer lacks something."""
    shutil.copytree(student, folder)
    path = folder / "tokenizer_config.json"
    config = json.loads(path.read_text())
    path.write_text(json.dumps({key: value for key, value in config.items() if key not in keys}))
    if "chat_template" in keys:
        (folder / "chat_template.jinja").unlink()
    return folder


def test_no_chat_template(student: Path, sft_data: Path, tmp_path: Path, settings: dict[str, Any]) -> None:
    model = without(student, tmp_path / "base", "chat_template")
    with pytest.raises(BridgebenchError, match="no chat template"):
        run(model, sft_data, tmp_path / "out", settings)


def test_no_pad_token(student: Path, sft_data: Path, tmp_path: Path, settings: dict[str, Any]) -> None:
    model = without(student, tmp_path / "base", "pad_token")
    with pytest.raises(BridgebenchError, match=r"no pad token; name one .* sft.pad_token"):
        run(model, sft_data, tmp_path / "out", settings)
    with pytest.raises(BridgebenchError, match="no pad token"):  # nor is that one of its tokens
        run(model, sft_data, tmp_path / "out", settings, pad_token="<|none|>")
    run(model, sft_data, tmp_path / "out", settings, pad_token="<|end|>", epochs=0.1)
    assert transformers.AutoTokenizer.from_pretrained(tmp_path / "out/model").pad_token == "<|end|>"


def test_rows_are_refused_and_never_cut(
    student: Path, sft_data: Path, tmp_path: Path, settings: dict[str, Any]
) -> None:
    with pytest.raises(BridgebenchError, match=r"train.jsonl: 24 of 24 rows are longer than max_length = 64 tokens"):
        run(student, sft_data, tmp_path / "out", settings, max_length=64)


def test_the_loss_covers_the_completion_with_its_end(student: Path, sft_data: Path) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(student)
    path = sft_data / "dev.jsonl"
    rows = read_rows(path, "prompt", "completion")
    for row, made in zip(rows, completion_rows(rows, tokenizer, 512, path), strict=True):
        learned = [id for id, label in zip(made["input_ids"], made["labels"], strict=True) if label != IGNORED]
        assert tokenizer.decode(learned) == row["completion"][0]["content"] + "<|end|>\n"
        prompt = tokenizer.apply_chat_template(row["prompt"], tokenize=False, add_generation_prompt=True)
        assert tokenizer.decode(made["input_ids"][: -len(learned)]) == prompt


@pytest.mark.parametrize(
    ("line", "problem"), [("{", "line 2: field '(all)': not JSON"), ('{"id": "1"}', "line 2: field 'prompt': missing")]
)
def test_a_bad_row_is_named(line: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    path.write_text(json.dumps({"id": "0", "prompt": [], "completion": []}) + "\n" + line + "\n")
    with pytest.raises(RecordError) as caught:
        read_rows(path, "prompt", "completion")
    assert problem in str(caught.value)
    path.write_text("")
    with pytest.raises(BridgebenchError, match="there is no row"):
        read_rows(path)


def test_a_diverged_run_stops_and_leaves_no_model(
    student: Path, sft_data: Path, tmp_path: Path, settings: dict[str, Any]
) -> None:
    with pytest.raises(BridgebenchError, match=r"(loss|grad_norm) is (nan|inf) at step \d; lower sft.learning_rate"):
        run(student, sft_data, tmp_path / "out", settings, learning_rate=1e30)
    assert not (tmp_path / "out/model").exists()


def test_what_is_no_number() -> None:
    check_finite("sft", 1, {"loss": "1.5", "grad_norm": 3.0})
    with pytest.raises(BridgebenchError, match="dpo: eval_loss is nan at step 4"):
        check_finite("dpo", 4, {"eval_loss": float("nan")})


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        RuntimeError("[enforce fail at inline_container.cc:672] . PytorchStreamWriter failed writing file data/0"),
        Exception("Error while serializing: I/O error: No space left on device (os error 28)"),
    ],
)
def test_a_full_disk(error: Exception, tmp_path: Path) -> None:
    with pytest.raises(BridgebenchError, match="no space left for"), clear_errors("sft", tmp_path):
        raise error


def test_a_disk_that_fills_up_while_the_model_is_saved(
    student: Path, sft_data: Path, tmp_path: Path, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The full device is real: the staged file is a link to /dev/full."""
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    save = transformers.PreTrainedModel.save_pretrained

    def on_a_full_disk(self: Any, folder: str, **options: Any) -> None:
        if Path(folder).name == ".model.part":
            Path(folder).mkdir(exist_ok=True)
            (Path(folder) / "config.json").symlink_to("/dev/full")
        save(self, folder, **options)

    monkeypatch.setattr(transformers.PreTrainedModel, "save_pretrained", on_a_full_disk)
    with pytest.raises(BridgebenchError, match="no space left for"):
        run(student, sft_data, tmp_path / "out", settings, epochs=0.3)
    assert not (tmp_path / "out/model").exists()
    assert not (tmp_path / "out/provenance.json").exists()


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"),
        RuntimeError("[enforce fail at alloc_cpu.cpp:117] DefaultCPUAllocator: can't allocate memory"),
    ],
)
def test_no_memory(error: Exception, tmp_path: Path) -> None:
    with pytest.raises(BridgebenchError, match="out of memory; lower dpo.batch_size"), clear_errors("dpo", tmp_path):
        raise error


def test_two_runs_in_one_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from bridgebench.models.training.worker import main

    with alone(tmp_path / "sft"):
        assert main(["sft", "smoke", str(tmp_path)]) == 2
        assert "another process is training there" in " ".join(capsys.readouterr().err.split())
        with alone(tmp_path / "sft", first=False):  # a further process of the same run
            pass
    with alone(tmp_path / "sft"):
        pass


def test_other_errors_pass_as_they_are(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="something else"), clear_errors("dpo", tmp_path):
        raise ValueError("something else")
