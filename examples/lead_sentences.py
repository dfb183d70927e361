"""A bridge in one file: keep the first sentences of each document.

::

    inspect eval bridgebench/hotpotqa -T source=sample --model local/smollm2 \
        --solver examples/lead_sentences.py@lead_sentences -S n=2
"""

from collections.abc import Sequence
from dataclasses import replace

from inspect_ai.solver import Solver, solver

from bridgebench import Document, rag


@solver
def lead_sentences(n: int = 2) -> Solver:
    """Keep the first `n` sentences of each document."""

    async def lead(question: str, documents: Sequence[Document]) -> list[Document]:
        return [replace(document, text=" ".join(document.text.split(". ")[:n])) for document in documents]

    return rag(lead)
