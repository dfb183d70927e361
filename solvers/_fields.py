"""Fitting a text into a prompt that a model can read, by cutting that text alone."""

from collections.abc import Callable
from typing import Any, Literal

from bridgebench.errors import BridgebenchError


def fit_field(
    render: Callable[[str], list[int]],
    text: str,
    tokenizer: Any,
    limit: int,
    cut: Literal["end", "middle"] = "end",
) -> str:
    """As much of a text as a prompt of at most `limit` tokens can hold.

    Args:
        render: Token ids of the prompt that holds a text.
        text: The whole text.
        tokenizer: A tokenizer that gives offsets.
        limit: Most tokens of the prompt.
        cut: Where the text is cut: `middle` keeps its beginning and its end.

    Raises:
        BridgebenchError: When the prompt is too long even without the text.
    """
    over = len(render(text)) - limit
    if over <= 0:
        return text
    encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
    starts = [start for start, _ in encoded["offset_mapping"]]
    keep = len(starts) - over
    while keep >= 0:
        head = keep if cut == "end" else (keep + 1) // 2
        tail = starts[len(starts) - (keep - head)] if keep > head else len(text)
        shorter = text[: starts[head]] + text[tail:]
        over = len(render(shorter)) - limit
        if over <= 0:
            return shorter
        keep -= over
    raise BridgebenchError(f"the prompt has {len(render(''))} tokens without any document; the bridge reads {limit}")
