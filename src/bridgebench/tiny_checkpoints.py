"""Tiny checkpoints with the architectures, tokenizers and file names of published ones, and random weights.

Tests and ``suites/bridges_smoke.yaml`` run the real loading and inference code on them, without a network. What
such a model scores or writes means nothing. ``python -m bridgebench.tiny_checkpoints FOLDER`` writes them all.
"""

import argparse
import re
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers

TEXT = (
    "Ida Marsh is a painter who was born in Tarnholm, the town on the river Sella. Which film came out first, and who "
    "directed it? Her brother Olof founded the company; the novel was written by their mother, of the north."
)
WORDS = sorted(set(re.findall(r"\w+", TEXT)))
"""Words that have a piece of their own; all others fall to characters."""

SIZE: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "initializer_range": 0.3,  # with the usual 0.02 all texts would score alike
}


def _pieces(*special: str) -> list[tuple[str, float]]:
    """Pieces of a Unigram tokenizer with their log-probabilities: special tokens, words, characters."""
    words = [(f"▁{word}", -4.0) for word in WORDS]
    return [*((token, 0.0) for token in special), *words, *((char, -9.0) for char in "▁" + string.printable.strip())]


def _save(folder: Path, model: Any, tokenizer: Any) -> Path:
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _config(kind: str, tokenizer: Any, **values: Any) -> Any:
    return transformers.AutoConfig.for_model(kind, **{**SIZE, "vocab_size": len(tokenizer), **values})


def cross_encoder(folder: Path, tokens: int = 128, **size: Any) -> Path:
    """XLM-RoBERTa with one label, as ``BAAI/bge-reranker-large``.

    Args:
        folder: Where to.
        tokens: How many the model reads.
        **size: Of the architecture, in place of `SIZE`.
    """
    torch.manual_seed(0)
    tokenizer = transformers.XLMRobertaTokenizer(
        vocab=_pieces("<s>", "<pad>", "</s>", "<unk>", "<mask>"), model_max_length=tokens
    )
    positions = {"max_position_embeddings": tokens + 2, "type_vocab_size": 1}  # two for the offset of padding
    config = _config("xlm-roberta", tokenizer, num_labels=1, **positions, **size)
    return _save(folder, transformers.XLMRobertaForSequenceClassification(config), tokenizer)


CHECKPOINTS: dict[str, Callable[[Path], Path]] = {"bge_reranker": cross_encoder}
"""By the bridge that loads it."""


def main() -> None:
    """Write every checkpoint into a folder, one subfolder a bridge."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    for name, write in CHECKPOINTS.items():
        write(folder / name)


if __name__ == "__main__":
    main()
