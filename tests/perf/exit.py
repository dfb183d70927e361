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
from pathlib import Path
from typing import Any

import anyio
import torch
import transformers

from bridgebench.document import Document
from bridgebench.models.tiny_checkpoints import gemma_adapter
from bridgebench.solvers.exit_compressor import exit_compressor
from bridgebench.solvers.prompting import bridge_prompt

TARGET = 5.0
QUESTION = "Which river flows through the town where the painter was born?"
TEXT = "the painter was born in the town on the river and her brother founded the company"


def documents(number: int, sentences: int) -> list[Document]:
    """Documents of different sentences of up to 16 words, each of which is one token."""
    words = TEXT.split()
    lines = [[f"Which {' '.join(words[line % 5 :])} {page}." for line in range(sentences)] for page in range(number)]
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
    sentences = [[f"{part.strip()}." for part in document.text.split(".") if part.strip()] for document in given]
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
    ours = [p for row in shared.notes["probabilities"] for p in row]
    theirs = [p for row in released for p in row]
    ranked = sorted(theirs)
    middle = (ranked[len(ranked) // 2 - 1] + ranked[len(ranked) // 2]) / 2  # random weights say Yes to all, or to none
    same = sum((a >= middle) == (b >= middle) for a, b in zip(ours, theirs, strict=True))
    difference = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
    print(f"machine: {platform.processor() or platform.machine()}, {torch.get_num_threads()} threads")
    print(f"{len(ours)} sentences; {shared.cost.input_tokens} tokens read, common beginnings once")
    print(f"same decisions at the median: {same} of {len(ours)}; largest difference of P(Yes): {difference:.0e}")
    print(f"shared: {seconds_shared:.2f} s; released: {seconds_released:.2f} s; last logits only: {seconds_last:.2f} s")
    print(f"ratio: {seconds_released / seconds_shared:.1f}x (target {TARGET:.0f}x); ", end="")
    print(f"{seconds_last / seconds_shared:.1f}x with the last logits only")


if __name__ == "__main__":
    main()
