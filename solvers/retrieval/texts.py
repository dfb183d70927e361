"""What of a corpus is indexed: one text of each paper, or several."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bridgebench.errors import BridgebenchError


@dataclass(frozen=True)
class Texts:
    """Texts of papers, in the order of the corpus.

    Attributes:
        papers: Ids of the papers that have a text; no other can be found.
        texts: Their texts, those of a paper side by side.
        owners: Position in `papers` of each text's paper, ascending.
        without: How many papers of the corpus have none.
    """

    papers: tuple[str, ...]
    texts: tuple[str, ...]
    owners: tuple[int, ...]
    without: int

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Position of each paper's first text."""
        return np.flatnonzero(np.diff(self.owners, prepend=-1))

    def of(self, paper: int) -> range:
        """Positions of a paper's texts."""
        ends = [*self.starts[1:], len(self.texts)]
        return range(int(self.starts[paper]), int(ends[paper]))

    @property
    def figures(self) -> dict[str, float]:
        """Sizes, for the table: texts, their bytes, papers that have one and that have none."""
        return {
            "papers": len(self.papers),
            "without_text": self.without,
            "texts": len(self.texts),
            "text_bytes": sum(len(text.encode(errors="surrogatepass")) for text in self.texts),
        }


def gather(texts_of: Iterable[tuple[str, Sequence[str]]]) -> Texts:
    """Texts by paper; blank ones are none.

    Args:
        texts_of: Id and texts of each paper.

    Raises:
        BridgebenchError: When no paper has any.
    """
    papers: list[str] = []
    texts: list[str] = []
    owners: list[int] = []
    without = 0
    for paper, given in texts_of:
        kept = [text for text in given if text.strip()]
        without += not kept
        if kept:
            texts += kept
            owners += [len(papers)] * len(kept)
            papers.append(paper)
    if not papers:
        raise BridgebenchError(f"nothing to index: none of the corpus's {without} papers has such a text")
    return Texts(tuple(papers), tuple(texts), tuple(owners), without)
