import hashlib
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bridgebench.errors import BridgebenchError, MissingExtraError
from bridgebench.models import embedded
from bridgebench.paths import cache_dir


def installed() -> bool:
    try:
        return bool(metadata.version(embedded.PACKAGE))
    except metadata.PackageNotFoundError:
        return False


needs_package = pytest.mark.skipif(
    not installed(), reason=f"needs pip install --no-deps {embedded.PACKAGE}=={embedded.VERSION}"
)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BRIDGEBENCH_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_without_the_package_one_line_says_how_to_get_it(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "PACKAGE", "llm-absent")
    with pytest.raises(MissingExtraError, match=r"^[^\n]*run: pip install --no-deps llm-absent==0.1.2$"):
        embedded.embedded_model()


@needs_package
def test_another_file_is_refused(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "GGUF_SHA256", "0" * 64)
    with pytest.raises(BridgebenchError, match=r"Q4_1\.gguf: sha256 is b179c9523d0e.*expected 0000"):
        embedded.embedded_model()
    assert not elsewhere.exists()


class Stub:
    """Stands for torch, transformers and their classes: loads nothing, saves a small file, may be overtaken."""

    float32 = None

    def __init__(self, overtaken_by: Path | None = None, broken: bool = False) -> None:
        self.overtaken_by, self.broken = overtaken_by, broken
        self.AutoModelForCausalLM = self.AutoTokenizer = SimpleNamespace(from_pretrained=lambda *args, **options: self)

    def GgufConfig(self, dequantize: bool) -> None:
        assert dequantize

    def save_pretrained(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True, parents=True)
        (folder / "model.safetensors").write_text("mine")
        if self.broken:
            raise OSError("disk full")
        if self.overtaken_by is not None:
            self.overtaken_by.mkdir(exist_ok=True)
            (self.overtaken_by / "model.safetensors").write_text("theirs")


@pytest.mark.parametrize("overtaken", [False, True])
def test_the_folder_appears_whole_also_when_another_process_is_first(
    overtaken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache" / "smollm2"
    stub = Stub(folder if overtaken else None)
    monkeypatch.setattr(embedded, "require", lambda module, extra: stub)
    embedded._convert(tmp_path / "x.gguf", folder)
    assert (folder / "model.safetensors").read_text() == ("theirs" if overtaken else "mine")
    assert list(folder.parent.iterdir()) == [folder], "nothing is left beside it"


def test_a_failed_conversion_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "require", lambda module, extra: Stub(broken=True))
    with pytest.raises(OSError, match="disk full"):
        embedded._convert(tmp_path / "x.gguf", tmp_path / "cache" / "smollm2")
    assert list((tmp_path / "cache").iterdir()) == []


@needs_package
def test_the_model_is_the_dequantised_release(tmp_path: Path) -> None:
    """Against gguf's own dequantisation of a tensor; the conversion is kept in the user's cache."""
    gguf = pytest.importorskip("gguf", reason="needs the extra 'local'")
    safetensors = pytest.importorskip("safetensors", reason="needs the extra 'local'")
    folder = embedded.embedded_model()
    assert folder.parent == cache_dir()
    assert embedded.embedded_model() == folder
    file = embedded._gguf()
    assert hashlib.sha256(file.read_bytes()).hexdigest() == embedded.GGUF_SHA256
    [tensor] = [tensor for tensor in gguf.GGUFReader(file).tensors if tensor.name == "blk.7.ffn_down.weight"]
    assert tensor.tensor_type.name.startswith("Q4")
    with safetensors.safe_open(folder / "model.safetensors", "numpy") as tensors:
        ours: Any = tensors.get_tensor("model.layers.7.mlp.down_proj.weight")
    assert ours.dtype.name == "float32"
    assert (ours == gguf.quants.dequantize(tensor.data, tensor.tensor_type)).all()
