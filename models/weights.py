"""Weights and tokenizers of local language models: loaded on first use, once per process."""

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
import transformers
from huggingface_hub import snapshot_download

from bridgebench.checkpoints import Files, device_name, refuse_changed, refuse_misfit, weight_files
from bridgebench.errors import BridgebenchError
from bridgebench.models.embedded import embedded_model

Dtype = Literal["auto", "float32", "bfloat16", "float16"]


@dataclass(frozen=True)
class WeightsSpec:
    """What tells two sets of weights in memory apart.

    Attributes:
        name: ``smollm2``, a local folder, or a hub id.
        revision: Branch, tag or commit of a hub id.
        dtype: ``float32``, ``bfloat16``, ``float16``, or ``auto``: bfloat16 where the device computes in it,
            float32 elsewhere.
        device: A torch device; None is the first GPU, or the CPU when there is none.
        attn: Attention implementation of transformers; None is its default.
    """

    name: str
    revision: str | None = None
    dtype: Dtype = "auto"
    device: str | None = None
    attn: str | None = None

    def resolve(self) -> "WeightsSpec":
        """With this machine's device and dtype and a folder's full path: one set of weights has one spec.

        Raises:
            BridgebenchError: When a name that can only be a folder is none.
        """
        folder = Path(self.name).expanduser()
        if self.name.startswith(("/", ".", "~")) and not folder.is_dir():
            raise BridgebenchError(f"local/{self.name}: no such folder")
        device = torch.device(self.device or ("cuda" if torch.cuda.is_available() else "cpu"))
        native: Dtype = "bfloat16" if _computes_bfloat16(device) else "float32"
        dtype = native if self.dtype == "auto" else self.dtype
        name = str(folder.resolve()) if folder.is_dir() else self.name
        return WeightsSpec(name, self.revision, dtype, str(device), self.attn)


@dataclass(frozen=True)
class Weights:
    """A causal language model, ready to run.

    Attributes:
        spec: What was loaded, resolved.
        commit: Commit that a hub id resolved to; None for a folder.
        context: Most positions the model was made for, prompt and output together.
        ends: Token ids that end an answer: those of the checkpoint's generation config and of its tokenizer.
    """

    spec: WeightsSpec
    model: Any
    tokenizer: Any
    commit: str | None
    context: int
    ends: frozenset[int]

    @property
    def device(self) -> str:
        """The torch device that holds the weights."""
        return str(self.model.device)

    @property
    def device_name(self) -> str:
        """What tables call it."""
        return device_name(self.device)

    def new_cache(self) -> Any:
        """An empty key-value cache with the model's own kinds of layers."""
        return transformers.DynamicCache(config=self.model.config)

    def encode(self, messages: Sequence[Mapping[str, str]], answer: str = "") -> list[int]:
        """Token ids of a chat up to the place where the model answers, and of an answer begun there.

        With a chat template: the chat rendered by it. Without one (a base model): the messages' texts with a
        blank line between them, no role names, and the tokenizer's own special tokens (such as a leading BOS).

        Args:
            messages: Each with ``role`` and ``content``.
            answer: Text that follows as it is, tokenised together with the chat.
        """
        if self.tokenizer.chat_template is None:
            text = "\n\n".join(message["content"] for message in messages)
        else:
            text = self.tokenizer.apply_chat_template(list(messages), tokenize=False, add_generation_prompt=True)
        encoded = self.tokenizer(text + answer, add_special_tokens=self.tokenizer.chat_template is None, verbose=False)
        return list(encoded["input_ids"])


_loaded: dict[WeightsSpec, tuple[Files, Weights]] = {}
_loading = threading.Lock()


def load_weights(spec: WeightsSpec) -> Weights:
    """The weights of a resolved `spec`: from memory, else loaded; callers at the same time wait for one load.

    Raises:
        BridgebenchError: When there is no such model, or its checkpoint does not fit its architecture or has changed
            since it was loaded.
    """
    with _loading:
        if spec not in _loaded:
            files = weight_files(spec.name)
            _loaded[spec] = (files, _load(spec))
        files, weights = _loaded[spec]
        refuse_changed(spec.name, files)
        return weights


def _load(spec: WeightsSpec) -> Weights:
    try:
        folder = checkpoint_folder(spec)
        tokenizer = transformers.AutoTokenizer.from_pretrained(tokenizer_source(folder), trust_remote_code=False)
        auto_model: Any = transformers.AutoModelForCausalLM  # its annotations leave out the loading report
        model, report = auto_model.from_pretrained(
            folder,
            dtype=spec.dtype,
            attn_implementation=spec.attn,
            use_safetensors=True,
            trust_remote_code=False,
            output_loading_info=True,
        )
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: weights of another shape
        raise BridgebenchError(f"local/{spec.name}: {str(error).strip().splitlines()[0]}") from error
    refuse_misfit(f"local/{spec.name}", type(model).__name__, report)
    context = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    layers = transformers.DynamicCache(config=model.config).layers
    if context is None or not all(hasattr(layer, "batch_select_indices") for layer in layers):
        raise BridgebenchError(
            f"local/{spec.name}: not a transformer with a key-value cache and a stated context; use vllm/"
        )
    return Weights(
        spec=spec,
        model=model.to(spec.device).eval(),
        tokenizer=tokenizer,
        commit=folder.name if folder.parent.name == "snapshots" else None,
        context=context,
        ends=_ends(model.generation_config.eos_token_id, tokenizer.eos_token_id),
    )


def checkpoint_folder(spec: WeightsSpec) -> Path:
    """Where the checkpoint lies; a hub id's is one commit of it, whose hash names the folder."""
    if spec.name == "smollm2":
        return embedded_model()
    if Path(spec.name).is_dir():
        return Path(spec.name)
    files = ["*.safetensors", "*.json", "*.jinja", "*.model", "*.txt", "README.md"]  # no pickles, no code
    snapshot = snapshot_download(
        spec.name, revision=spec.revision, allow_patterns=files, ignore_patterns=["*/*", "consolidated*"]
    )
    return Path(snapshot)


def tokenizer_source(folder: Path) -> str | Path:
    """The checkpoint's own, or its base's for a LoRA adapter that comes without one (transformers loads the base)."""
    adapter = folder / "adapter_config.json"
    if adapter.is_file() and not (folder / "tokenizer_config.json").is_file():
        return str(json.loads(adapter.read_text())["base_model_name_or_path"])
    return folder


def _ends(*ids: int | list[int] | None) -> frozenset[int]:
    return frozenset(
        end for value in ids if value is not None for end in (value if isinstance(value, list) else [value])
    )


def _computes_bfloat16(device: torch.device) -> bool:
    """Whether products in bfloat16 are native: emulated ones were measured seven times slower than float32."""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    capabilities = torch.cpu.get_capabilities()
    return device.type == "cpu" and any(capabilities.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16"))
