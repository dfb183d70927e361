"""Tiny checkpoints with the architectures, tokenizers and file names of published ones, and random weights.

Tests and ``suites/bridges_smoke.yaml`` run the real loading and inference code on them, without a network. What
such a model scores or writes means nothing. ``python -m bridgebench.models.tiny_checkpoints FOLDER`` writes them all.
"""

# mypy: disable-error-code="no-untyped-call"
# transformers has types, but not everywhere

import argparse
import json
import re
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

TEXT = (
    "Ida Marsh is a painter who was born in Tarnholm, the town on the river Sella. Which film came out first, and who "
    "directed it? Her brother Olof founded the company; the novel was written by their mother, word by word. "
    "Does this sentence help to answer the query? Answer only Yes or No."
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


def cross_encoder(folder: Path, tokens: int = 512, **size: Any) -> Path:
    """XLM-RoBERTa with one label, as ``BAAI/bge-reranker-large``.

    Args:
        folder: Where to.
        tokens: How many the model reads.
        **size: Of the architecture, in place of `SIZE`.
    """
    torch.manual_seed(0)
    tokenizer = _xlm_roberta_tokenizer(tokens)
    positions = {"max_position_embeddings": tokens + 2, "type_vocab_size": 1}  # two for the offset of padding
    config = _config("xlm-roberta", tokenizer, num_labels=1, **positions, **size)
    return _save(folder, transformers.XLMRobertaForSequenceClassification(config), tokenizer)


def token_classifier(folder: Path, tokens: int = 512, **size: Any) -> Path:
    """XLM-RoBERTa that says of each token whether to keep it, as LLMLingua-2."""
    torch.manual_seed(0)
    tokenizer = _xlm_roberta_tokenizer(tokens)
    config = _config("xlm-roberta", tokenizer, num_labels=2, max_position_embeddings=tokens + 2, **size)
    return _save(folder, transformers.XLMRobertaForTokenClassification(config), tokenizer)


def bert_token_classifier(folder: Path, tokens: int = 512, **size: Any) -> Path:
    """The same with BERT, as LLMLingua-2's small one."""
    torch.manual_seed(0)
    tokenizer = _wordpiece_tokenizer(tokens)
    config = _config("bert", tokenizer, num_labels=2, max_position_embeddings=tokens, **size)
    return _save(folder, transformers.BertForTokenClassification(config), tokenizer)


def provence(folder: Path, tokens: int = 512, **size: Any) -> Path:
    """DeBERTa-v3 with the heads of ``naver/provence-reranker-debertav3-v1``."""
    from bridgebench.solvers._provence_model import Provence

    torch.manual_seed(0)
    tokenizer = transformers.DebertaV2Tokenizer(
        vocab=_pieces("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"), model_max_length=tokens
    )
    relative = {"relative_attention": True, "position_buckets": 32, "pos_att_type": ["p2c", "c2p"]}
    shape = {"type_vocab_size": 0, "position_biased_input": False, "share_att_key": True, "norm_rel_ebd": "layer_norm"}
    config = _config("deberta-v2", tokenizer, max_position_embeddings=tokens, **relative, **shape, **size)
    return _save(folder, Provence(config), tokenizer)


def open_provence(folder: Path, tokens: int = 512, **size: Any) -> Path:
    """ModernBERT with the heads of ``hotchpotch/open-provence-reranker-v1``."""
    from bridgebench.solvers._provence_model import OpenProvence, OpenProvenceConfig

    torch.manual_seed(0)
    tokenizer = _bytes_tokenizer()
    pad, begin, end = (tokenizer.convert_tokens_to_ids(token) for token in ("[PAD]", "[CLS]", "[SEP]"))
    special = {"pad_token_id": pad, "cls_token_id": begin, "sep_token_id": end, "bos_token_id": begin}
    base = _config(
        "modernbert", tokenizer, max_position_embeddings=tokens, local_attention=16, eos_token_id=end, **special, **size
    )
    config = OpenProvenceConfig(base_model_config=base.to_dict(), num_labels=1)
    _save(folder, OpenProvence(config), tokenizer)
    path = folder / "config.json"  # as published; transformers refuses to save the field
    path.write_text(json.dumps({**json.loads(path.read_text()), "max_length": tokens}))
    return folder


def _bytes_tokenizer() -> Any:
    """Byte-level BPE with a piece for each of `WORDS`, as ModernBERT's."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(
        vocab_size=400, initial_alphabet=alphabet, special_tokens=["[PAD]", "[CLS]", "[SEP]"], show_progress=False
    )
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator([TEXT], trainer)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]"
    )


def bert(folder: Path, tokens: int = 512, **size: Any) -> Path:
    """BERT without a head, as RECOMP's extractive compressors (Contriever)."""
    torch.manual_seed(0)
    tokenizer = _wordpiece_tokenizer(tokens)
    config = _config("bert", tokenizer, max_position_embeddings=tokens, **size)
    return _save(folder, transformers.BertModel(config), tokenizer)


def t5(folder: Path, **size: Any) -> Path:
    """T5, as RECOMP's abstractive compressors."""
    torch.manual_seed(0)
    tokenizer = transformers.T5Tokenizer(vocab=_pieces("<pad>", "</s>", "<unk>"), extra_ids=0)
    shape = {"d_model": 32, "d_ff": 64, "d_kv": 16, "num_layers": 2, "num_heads": 2, "initializer_factor": 3.0}
    shape |= {"vocab_size": len(tokenizer), "decoder_start_token_id": 0}
    config: Any = transformers.AutoConfig.for_model("t5", **{**shape, **size})
    return _save(folder, transformers.T5ForConditionalGeneration(config), tokenizer)


def gemma_adapter(folder: Path, **size: Any) -> Path:
    """A LoRA adapter on Gemma in ``folder/base``, as ``doubleyyh/exit-gemma-2b``."""
    import peft

    torch.manual_seed(0)
    tokenizer = _gemma_tokenizer()
    shape = {"num_key_value_heads": 1, "head_dim": 16, "max_position_embeddings": 2048}
    special = {f"{name}_token_id": getattr(tokenizer, f"{name}_token_id") for name in ("pad", "bos", "eos")}
    base = transformers.GemmaForCausalLM(_config("gemma", tokenizer, **{**shape, **special, **size}))
    _save(folder / "base", base, tokenizer)
    lora = peft.LoraConfig(r=4, lora_alpha=2, target_modules="all-linear", task_type="CAUSAL_LM")
    adapted: Any = peft.get_peft_model(base, lora)
    for name, weight in adapted.named_parameters():
        if "lora_B" in name:  # zero at first: the adapter would do nothing
            torch.nn.init.normal_(weight, std=SIZE["initializer_range"])
    adapted.peft_config["default"].base_model_name_or_path = str(folder / "base")
    return _save(folder, adapted, tokenizer)


def _xlm_roberta_tokenizer(tokens: int) -> Any:
    special = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
    return transformers.XLMRobertaTokenizer(vocab=_pieces(*special), model_max_length=tokens)


def _wordpiece_tokenizer(tokens: int) -> Any:
    """BERT's, with pieces for whole words, characters that begin a word, and characters inside one."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    characters = string.printable.strip()
    pieces = [*special, *WORDS, *characters, *(f"##{char}" for char in characters)]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    return transformers.BertTokenizer(vocab=vocabulary, do_lower_case=False, model_max_length=tokens)


def _gemma_tokenizer() -> Any:
    """Gemma's: characters and bytes, with a piece for each of `WORDS`, "Yes", "No" and the markers of a turn."""
    special = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>"]
    whole = ["Yes", "No", *(f"▁{word}" for word in WORDS)]
    merges: Any = list(dict.fromkeys((word[:end], word[end]) for word in whole for end in range(1, len(word))))
    pieces = [*special, *(f"<0x{byte:02X}>" for byte in range(256)), "▁", "\n", *string.printable.strip()]
    vocabulary = {piece: number for number, piece in enumerate([*pieces, *(a + b for a, b in merges)])}
    tokenizer = transformers.GemmaTokenizer(vocab=vocabulary, merges=merges)
    tokenizer.add_special_tokens({"additional_special_tokens": ["<start_of_turn>", "<end_of_turn>"]})
    return tokenizer


CHECKPOINTS: dict[str, Callable[[Path], Path]] = {
    "bge_reranker": cross_encoder,
    "exit_compressor": gemma_adapter,
    "provence": provence,
    "llmlingua2": token_classifier,
    "llmlingua2_bert": bert_token_classifier,
    "open_provence": open_provence,
    "recomp_abstractive": t5,
    "recomp_extractive": bert,
}
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
