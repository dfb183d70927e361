"""A bridge in a package of its own: cached, checked, and named ``bridgebench_lead/lead`` everywhere.

::

    inspect eval bridgebench/hotpotqa -T source=sample --model local/smollm2 --solver bridgebench_lead/lead -S n=2
    inspect eval ... --solver bridgebench/rag -S bridges=bm25_reranker,bridgebench_lead/lead
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from bridgebench import Bridge, Document, bridge


@bridge(version=1, family="pruner", licence="MIT")
def lead(n: Annotated[int, Field(ge=1)] = 2) -> Bridge:
    """Keep the first `n` sentences of each document."""

    async def run(question: str, documents: Sequence[Document]) -> list[Document]:
        return [replace(document, text=" ".join(document.text.split(". ")[:n])) for document in documents]

    return run
