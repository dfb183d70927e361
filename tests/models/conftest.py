from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

TEXT = """The town of Velmora lies on the river Ansel. Its bridge was built in 1871 by Ida Morrow, who was born in
Tarn. Which river does the bridge of Velmora cross? Who built it, and where was she born? The film Grey Harbour was
shot there. Questions are answered from the documents alone; an answer is a few words. Yes or no: is Tarn larger?"""

TEMPLATE = (
    "{% for message in messages %}<|start|>{{ message['role'] }}\n{{ message['content'] }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant\n{% endif %}"
)


@dataclass(frozen=True)
class Tiny:
    """A randomly initialised model of some architecture, saved as a checkpoint."""

    path: Path
    weights: Any


def save_tokenizer(path: Path, template: str | None) -> int:
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<|start|>", "<|end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train_from_iterator([TEXT], trainer)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=bpe, bos_token="<|start|>", eos_token="<|end|>", pad_token="<|end|>"
    )
    tokenizer.chat_template = template
    tokenizer.save_pretrained(path)
    return len(tokenizer)


def save_model(path: Path, kind: str, template: str | None, **changes: Any) -> None:
    import transformers

    vocabulary = save_tokenizer(path, template)
    config_class, model_class = {
        "llama": (transformers.LlamaConfig, transformers.LlamaForCausalLM),
        "mistral": (transformers.MistralConfig, transformers.MistralForCausalLM),
        "gemma3": (transformers.Gemma3TextConfig, transformers.Gemma3ForCausalLM),
    }[kind]
    options: dict[str, Any] = {
        "vocab_size": vocabulary,
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "max_position_embeddings": 256,
        "initializer_range": 0.2,  # wide, so that greedy answers differ between prompts
        "bos_token_id": 0,
        "eos_token_id": 1,
        "pad_token_id": 1,
    }
    transformers.set_seed(7)
    model_class(config_class(**{**options, **changes})).save_pretrained(path)


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Tiny]:
    """Makes a tiny model, once for each kind and template."""
    for module in ("torch", "transformers"):
        pytest.importorskip(module, reason="needs the extra 'local'")
    from bridgebench.models.weights import WeightsSpec, load_weights

    made: dict[tuple[Any, ...], Tiny] = {}

    def make(kind: str = "llama", template: str | None = TEMPLATE, **changes: Any) -> Tiny:
        key = (kind, template, repr(changes))
        if key not in made:
            path = tmp_path_factory.mktemp(kind)
            save_model(path, kind, template, **changes)
            made[key] = Tiny(path, load_weights(WeightsSpec(str(path), dtype="float32", device="cpu").resolve()))
        return made[key]

    return make


@pytest.fixture(scope="session")
def tiny(tiny_model: Callable[..., Tiny]) -> Tiny:
    return tiny_model()


@pytest.fixture(scope="session")
def prompts() -> Callable[[Any], list[tuple[int, ...]]]:
    """Tokens of twelve chats of many lengths."""

    def make(weights: Any) -> list[tuple[int, ...]]:
        words = TEXT.split()
        texts = [" ".join(words[index : 2 * index + 3 + index % 4]) for index in range(12)]
        return [tuple(weights.encode([{"role": "user", "content": text}])) for text in texts]

    return make
