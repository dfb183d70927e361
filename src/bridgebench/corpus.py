"""A corpus that a retrieval task shares with its solvers: too large to stand in every sample."""

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property

from bridgebench.errors import BridgebenchError


@dataclass(frozen=True)
class Section:
    """A section of a paper; the name is empty where upstream has none."""

    name: str
    text: str


@dataclass(frozen=True)
class Paper:
    """A paper as a retriever may read it."""

    id: str
    title: str
    abstract: str
    sections: tuple[Section, ...]

    @property
    def full_text(self) -> str:
        """Title, abstract and sections."""
        parts = [self.title, self.abstract, *(f"{section.name}\n{section.text}" for section in self.sections)]
        return "\n\n".join(part.strip() for part in parts if part.strip())


@dataclass(frozen=True)
class Corpus:
    """Papers in the order of their source."""

    papers: tuple[Paper, ...]

    @cached_property
    def sha256(self) -> str:
        """Hash of the contents: the name under which solvers ask for it, and keep an index of it."""
        digest = hashlib.sha256()
        for paper in self.papers:
            digest.update(json.dumps(asdict(paper)).encode())
        return digest.hexdigest()


_published: dict[str, Corpus] = {}


def publish(corpus: Corpus) -> str:
    """Make a corpus known to the solvers of this process; its hash goes into ``sample.metadata["corpus"]``."""
    _published[corpus.sha256] = corpus
    return corpus.sha256


def published(sha256: object) -> Corpus:
    """The corpus of that hash.

    Raises:
        BridgebenchError: When no task of this process has published it.
    """
    if isinstance(sha256, str) and sha256 in _published:
        return _published[sha256]
    raise BridgebenchError(f"no task of this process has a corpus {sha256!r}: retrieval solvers run on retrieval tasks")
