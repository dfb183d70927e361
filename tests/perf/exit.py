"""`exit_compressor` against the released way: a forward over the whole prompt for each sentence.

A random Gemma of 12 layers x 512 with Gemma's vocabulary of 256,000, and 10 documents of 8 sentences, each judged in
its own document; the decisions must be the same. Target: at least 5 times as fast. The released code computes the
logits of every position of a prompt; its time with those of the last position alone is printed beside it.

    python tests/perf/exit.py [--documents 10] [--sentences 8] [--layers 12] [--vocabulary 256000]
"""

import argparse
import platform
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import anyio
import torch
import transformers

from bridgebench.document import Document
from bridgebench.models.tiny_checkpoints import gemma_adapter
from bridgebench.solvers._sentences import split_sentences
from bridgebench.solvers.exit_compressor import exit_compressor
from bridgebench.solvers.prompting import bridge_prompt

TARGET = 5.0
QUESTION = "Which river flows through the town where the painter was born?"
TEXT = "the painter was born in the town on the river and her brother founded the company"


def documents(number: int, sentences: int) -> list[Document]:
    """Documents of different sentences of up to 16 words, each of which is one token."""
    words = TEXT.split()
    lines = [[f"Which {page} {' '.join(words[line % 5 :])}." for line in range(sentences)] for page in range(number)]
    return [Document(str(page), f"Page {page}", " ".join(of_page)) for page, of_page in enumerate(lines)]


def one_by_one(
    network: Any, tokenizer: Any, given: list[Document], sentences: list[list[str]], keep: int
) -> list[list[float]]:
    """P(Yes) as in the released code; logits of the last `keep` positions, 0 for all."""
    answers = [tokenizer.convert_tokens_to_ids(word) for word in ("Yes", "No")]
    prompt = bridge_prompt("exit", None)
    probabilities = []
    for document, row in zip(given, sentences, strict=True):
        values = []
        for sentence in row:
            text = prompt.text("user", query=QUESTION, context=document.full_text, sentence=sentence)
            ids = torch.tensor([[tokenizer.bos_token_id, *tokenizer(text)["input_ids"]]])
            with torch.inference_mode():
                logits = network(ids, logits_to_keep=keep).logits[0, -1]
            values.append(float(logits[answers].softmax(-1)[0]))
        probabilities.append(values)
    return probabilities


def widest_gap(values: list[float]) -> float:
    """The middle of the widest gap between neighbours in the middle half: a threshold that no rounding decides."""
    ranked = sorted(values)[len(values) // 4 : -len(values) // 4]
    low, high = max(pairwise(ranked), key=lambda pair: pair[1] - pair[0])
    return (low + high) / 2


def timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """What `run` returns, and its seconds."""
    started = time.perf_counter()
    result = run()
    return result, time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=10)
    parser.add_argument("--sentences", type=int, default=8)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--vocabulary", type=int, default=256_000)
    options = parser.parse_args()
    given = documents(options.documents, options.sentences)
    split = anyio.run(split_sentences, [document.text for document in given])  # both judge the same sentences
    sentences = [[sentence.strip() for sentence in text] for text in split.texts]
    shape = {"hidden_size": 512, "intermediate_size": 2048, "num_attention_heads": 8, "head_dim": 64}
    size = {**shape, "num_hidden_layers": options.layers, "vocab_size": options.vocabulary}
    with tempfile.TemporaryDirectory() as folder:
        model = str(gemma_adapter(Path(folder), initializer_range=0.05, **size))
        bridge = exit_compressor(model=model).bridge
        anyio.run(bridge, QUESTION, given[:1])  # loads the weights
        shared, seconds_shared = timed(lambda: anyio.run(bridge, QUESTION, given))
        tokenizer: Any = transformers.AutoTokenizer.from_pretrained(model)
        network: Any = transformers.AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32).eval()
        released, seconds_released = timed(lambda: one_by_one(network, tokenizer, given, sentences, keep=0))
        _, seconds_last = timed(lambda: one_by_one(network, tokenizer, given, sentences, keep=1))
        theirs = [p for row in released for p in row]
        threshold = widest_gap(theirs)  # random weights say Yes to all, or to none
        decided = anyio.run(exit_compressor(model=model, threshold=threshold).bridge, QUESTION, given)
    ours = [p for row in shared.notes["probabilities"] for p in row]
    difference = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
    kept = {document.id: document.text for document in decided.documents}
    expected = {
        document.id: " ".join(sentence for sentence, p in zip(row, values, strict=True) if p >= threshold)
        for document, row, values in zip(given, sentences, released, strict=True)
    }
    same = kept == {id: text for id, text in expected.items() if text}
    print(f"machine: {platform.processor() or platform.machine()}, {torch.get_num_threads()} threads")
    print(f"{len(ours)} sentences; {shared.cost.input_tokens} tokens read, common beginnings once")
    print(f"largest difference of P(Yes): {difference:.0e} (ours are rounded to 1e-4)")
    print(f"{sum(p >= threshold for p in theirs)} kept at a threshold of {threshold:.5f}: ", end="")
    print("the same sentences" if same else "OTHER sentences")
    print(f"shared: {seconds_shared:.2f} s; released: {seconds_released:.2f} s; last logits only: {seconds_last:.2f} s")
    print(f"ratio: {seconds_released / seconds_shared:.1f}x (target {TARGET:.0f}x); ", end="")
    print(f"{seconds_last / seconds_shared:.1f}x with the last logits only")


if __name__ == "__main__":
    main()
