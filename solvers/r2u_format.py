"""The formats of R2U: a rewriter's numbered rewrites, and a teacher's two steps (arXiv 2509.15577, section 3.1).

Reading is total: whatever the text, it gives one entry a document and says how much of it was as specified.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bridgebench.document import Document, Parse
from bridgebench.solvers.llm import all_sources

SKIP = "[NO_REWRITE]"
"""What stands in place of the rewrite of a document that has nothing to do with the question."""

STEP_1 = "Step 1. Document rewrite:"
STEP_2 = "Step 2. Explain and answer:"

LABELS = (
    r"\[NO_REWRITE\]",
    r"(?i:document\s+\d+[*_]*:)",
    r"(?i:document rewrite[*_]*:)",
    r"(?i:explain and answer[*_]*:)",
    r"(?i:(?:question|documents|target document|answer)[*_]*:)",
)
"""What a document must not be able to say in a prompt, for `Guard`."""

Rewrite = str | None
"""A rewrite; empty where the document is to be skipped; None where the output says nothing readable of it."""

# Markdown around a label is forgiven; a space before its colon is not: `Guard` puts one there in documents, so that
# a label in an output is always the model's own.
_START, _END = r"^[ \t#*_]*", r"[*_]*:[ \t*_]*"
_FLAGS = re.IGNORECASE | re.MULTILINE
_DOCUMENT = re.compile(rf"{_START}document[ \t]+(\d+){_END}", _FLAGS)
_DOCUMENTS = re.compile(rf"(?:[\s#*_]*document[ \t]+\d+{_END})+", _FLAGS)
_STEP_1 = re.compile(rf"step\s*1\W{{1,4}}document rewrite{_END}", _FLAGS)
_STEP_2 = re.compile(rf"step\s*2\W{{1,4}}explain and answer|{_START}step\s*2\W{{1,4}}(?:expla|answer|reason)", _FLAGS)
_ANSWER = re.compile(rf"(?:{_START}|[.!?]\s+)(?:explain and |final |the )?answer{_END}", _FLAGS)


@dataclass(frozen=True)
class Rewrites:
    """What a rewriter wrote about `n` documents.

    Attributes:
        texts: One entry a document.
        parse: ``ok``, ``repaired`` (a document is missing, repeated, unknown or decorated), or ``fallback`` (nothing
            readable of any document).
        whole: The whole output, where it has no label but says something.
    """

    texts: tuple[Rewrite, ...]
    parse: Parse
    whole: str | None = None

    @property
    def missing(self) -> int:
        """Documents that the output says nothing of."""
        return sum(text is None for text in self.texts)

    @property
    def skipped(self) -> int:
        """Documents that were not rewritten because nothing in them matters."""
        return sum(text == "" for text in self.texts)


@dataclass(frozen=True)
class Steps:
    """A teacher's reply, taken apart.

    Attributes:
        rewrite: Step 1 alone; None where the reply has no step 1, or an answer in it.
        answer: Step 2; never part of a rewrite.
        clean: Whether both labels stand as specified, once, with nothing before them.
    """

    rewrite: str | None
    answer: str
    clean: bool


@dataclass(frozen=True)
class TeacherReply:
    """What a teacher wrote about its target document.

    Attributes:
        rewrite: Of the target document.
        answer: Of step 2; never part of a rewrite.
        parse: ``ok``, ``repaired`` (a label is missing or decorated) or ``fallback`` (nothing readable).
    """

    rewrite: Rewrite
    answer: str
    parse: Parse


def format_rewrites(rewrites: Sequence[str]) -> str:
    """Numbered rewrites as a rewriter is trained to write them: the inverse of `parse_rewrites`.

    Args:
        rewrites: One entry a document, empty where it is skipped.
    """
    safe = [_DOCUMENT.sub(lambda label: label[0].replace(":", " :"), text) for text in rewrites]
    return "\n\n".join(f"Document {number}:\n{text or SKIP}" for number, text in enumerate(safe, 1))


def parse_rewrites(text: str, n: int) -> Rewrites:
    """Read numbered rewrites of `n` documents.

    Text before the first label and under an unknown number is dropped; of a repeated number the first counts.
    """
    labels = list(_DOCUMENT.finditer(text))
    if not labels:
        whole, _ = _read(text)
        skipped = whole == ""
        return Rewrites(("" if skipped else None,) * n, "repaired" if skipped else "fallback", whole or None)
    clean = not text[: labels[0].start()].strip()
    texts: list[Rewrite] = [None] * n
    seen: set[str] = set()
    for label, following in zip(labels, [*labels[1:], None], strict=True):
        rewrite, exact = _read(text[label.end() : following.start() if following else len(text)])
        number = label[1].lstrip("0")
        known = number.isascii() and len(number) <= len(str(n)) and 1 <= int(number or 0) <= n
        if not known or number in seen:
            clean = False
            continue
        seen.add(number)
        texts[int(number) - 1] = rewrite
        clean = clean and exact
    return Rewrites(tuple(texts), _parse(texts, clean))


def _parse(texts: Sequence[Rewrite], clean: bool) -> Parse:
    if all(text is None for text in texts):
        return "fallback"
    return "ok" if clean and None not in texts else "repaired"


def without_last(rewrites: Rewrites) -> Rewrites:
    """Rewrites of an output that was cut off: the last one that it has is not whole, so it counts as missing."""
    last = max((index for index, text in enumerate(rewrites.texts) if text is not None), default=None)
    texts = tuple(None if index == last else text for index, text in enumerate(rewrites.texts))
    return Rewrites(texts, _parse(texts, clean=False))


def parse_teacher(text: str) -> TeacherReply:
    """Read a teacher's reply about one document."""
    steps = split_steps(text)
    rewrite, exact = _read(steps.rewrite or "")
    if rewrite is None:
        return TeacherReply(None, steps.answer, "fallback")
    return TeacherReply(rewrite, steps.answer, "ok" if steps.clean and exact else "repaired")


def split_steps(text: str) -> Steps:
    """Take a teacher's reply apart; nothing that follows the label of step 2 is part of step 1."""
    start = _STEP_1.search(text)
    if start is None:
        return Steps(None, "", clean=False)
    end = _STEP_2.search(text, start.end())
    rewrite = text[start.end() : end.start() if end else len(text)]
    answer = text[end.end() :].partition(":")[2].strip("*_ \t\n") if end else ""
    again = _STEP_1.search(rewrite)
    if again:
        rewrite = rewrite[: again.start()]
    rewrite = re.sub(r"(?<!\S)[#*_]+\Z", "", rewrite.rstrip())  # markdown of the label that followed
    if _ANSWER.search(rewrite):
        return Steps(None, answer, clean=False)
    return Steps(rewrite, answer, clean=end is not None and again is None and not text[: start.start()].strip())


def _read(text: str) -> tuple[Rewrite, bool]:
    """One rewrite, and whether it stands as specified."""
    text = text.strip()
    if label := _DOCUMENTS.match(text):  # its own label once more
        return _read(text[label.end() :])[0], False
    if text.strip("*_`\"'. ").upper() in (SKIP, SKIP.strip("[]")):
        return "", text == SKIP
    if not text:
        return None, False
    if text.startswith(SKIP):  # followed by reasons
        return "", False
    return text.replace(SKIP, "").strip(), SKIP not in text


def rewritten_documents(
    documents: Sequence[Document], rewrites: Rewrites, *, keep_title: bool, keep_original: bool
) -> tuple[Document, ...]:
    """What the generator reads.

    Skipped documents are left out, those without a readable rewrite stay as they were, and an output without
    labels becomes one document as a whole.

    Args:
        documents: As the rewriter was given them.
        rewrites: What it wrote.
        keep_title: Whether a rewrite keeps its document's title.
        keep_original: Whether the originals follow the rewrites (R2U's Table 6).
    """
    if rewrites.whole:
        rewritten = [Document(f"{documents[0].id}#r2u", "", rewrites.whole, all_sources(documents))]
    else:
        pairs = zip(documents, rewrites.texts, strict=True)
        rewritten = [_rewritten(document, text, keep_title) for document, text in pairs if text != ""]
    if keep_original:
        rewritten += [document for document in documents if document not in rewritten]
    return tuple(rewritten)


def _rewritten(document: Document, text: Rewrite, keep_title: bool) -> Document:
    if text is None:
        return document
    return replace(document, id=f"{document.id}#r2u", title=document.title if keep_title else "", text=text)
