"""What became of the documents on their way to the generator: pure functions over two lists of documents."""

import re
from collections.abc import Collection, Sequence

from bridgebench.document import Document, count_words
from bridgebench.scorers.qa_metrics import normalise_answer

NOT_APPLICABLE = float("nan")

# Normalised golds that no document can be asked for: any text holds a "no", none says that a question has no answer.
_CLOSED = frozenset({"yes", "no", "noanswer", "no answer present", "invalid question", "i dont know"})
_SHORTEST = 3
# Han and kana are written without spaces between words, Hangul with particles joined to them: there, a stretch of
# characters is what is stated.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def context_measures(
    retrieved: Sequence[Document], read: Sequence[Document], golds: Sequence[str], gold_documents: Collection[str]
) -> dict[str, float]:
    """Every measure of a context, nan where one does not apply.

    Sizes: ``words_in``, ``words_out`` and ``words_kept``, their ratio (the compression achieved).
    The rest as in `answer_measures`, `gold_measures`, `added_words` and `duplicates`.

    Args:
        retrieved: As the benchmark gave them.
        read: What the generator was given.
        golds: Acceptable answers.
        gold_documents: Ids of the retrieved documents that are known to be needed; empty where nobody knows.
    """
    words_in, words_out = count_words(retrieved), count_words(read)
    return (
        {
            "words_in": float(words_in),
            "words_out": float(words_out),
            "words_kept": words_out / words_in if words_in else NOT_APPLICABLE,
        }
        | answer_measures(retrieved, read, golds, gold_documents)
        | gold_measures(retrieved, read, gold_documents)
        | {"added_words": added_words(retrieved, read), "duplicates": float(duplicates(read))}
    )


def answer_measures(
    retrieved: Sequence[Document], read: Sequence[Document], golds: Sequence[str], gold_documents: Collection[str]
) -> dict[str, float]:
    """Where an acceptable answer stands in so many words (`states`): 0 or 1, nan where the question is not asked.

    ``answer_retrieved``: in a retrieved document; ``answer_in_context``: in what the generator read. Both leave
    out yes, no and golds under three characters, which any text holds, and those which say that there is no answer
    ("invalid question", "i don't know", "No Answer Present."). Then, where it was retrieved:
    ``answer_kept``, whether it is still there. Where it was not: ``answer_derived``, whether the context
    states it though no retrieved document does, with all gold documents at hand to derive it from; and
    ``answer_added``, the same without them all, so that it must come from the bridge's own memory.
    """
    stated = [gold for gold in golds if _is_telling(gold)]
    names = ("answer_retrieved", "answer_in_context", "answer_kept", "answer_derived", "answer_added")
    if not stated:
        return dict.fromkeys(names, NOT_APPLICABLE)
    before, after = (any(states(document, stated) for document in documents) for documents in (retrieved, read))
    at_hand = bool(gold_documents) and set(gold_documents) <= {document.id for document in retrieved}
    return {
        "answer_retrieved": float(before),
        "answer_in_context": float(after),
        "answer_kept": float(after) if before else NOT_APPLICABLE,
        "answer_derived": float(after) if not before and at_hand else NOT_APPLICABLE,
        "answer_added": float(after) if not before and not at_hand else NOT_APPLICABLE,
    }


def states(document: Document, golds: Sequence[str]) -> bool:
    """Whether the document holds a gold as a run of whole normalised words (of characters in unspaced scripts)."""
    text = normalise_answer(document.full_text)
    return any(
        _unspaced(gold) in _unspaced(text) if _UNSPACED.search(gold) else f" {normalise_answer(gold)} " in f" {text} "
        for gold in golds
    )


def gold_measures(
    retrieved: Sequence[Document], read: Sequence[Document], gold_documents: Collection[str]
) -> dict[str, float]:
    """``gold_recall`` and ``gold_precision`` of the retrieved documents that the context comes from.

    Recall is over the gold documents that were retrieved: what the retriever missed is not the bridge's loss.
    Not applicable without one, or where a merged document cites all that was retrieved, which says nothing
    about what it kept. Precision is not applicable to an empty context.
    """
    ids = {document.id for document in retrieved}
    golds = ids & set(gold_documents)
    cited = ids & {source for document in read for source in document.sources}
    merged = len(ids) > 1 and any(ids <= set(document.sources) for document in read)
    if not golds or merged:
        return {"gold_recall": NOT_APPLICABLE, "gold_precision": NOT_APPLICABLE}
    return {
        "gold_recall": len(golds & cited) / len(golds),
        "gold_precision": len(golds & cited) / len(cited) if cited else NOT_APPLICABLE,
    }


def added_words(retrieved: Sequence[Document], read: Sequence[Document]) -> float:
    """Share of the context's normalised words that none of their document's sources holds; nan for no words."""
    held = {document.id: set(_words(document)) for document in retrieved}
    added = total = 0
    for document in read:
        sources = set().union(*(held.get(source, ()) for source in document.sources))
        words = _words(document)
        total += len(words)
        added += sum(word not in sources for word in words)
    return added / total if total else NOT_APPLICABLE


def duplicates(read: Sequence[Document]) -> int:
    """Number of documents whose normalised text an earlier one already had; empty ones aside."""
    texts = [text for text in (normalise_answer(document.full_text) for document in read) if text]
    return len(texts) - len(set(texts))


def _is_telling(gold: str) -> bool:
    plain = normalise_answer(gold)
    return plain not in _CLOSED and (len(plain) >= _SHORTEST or bool(_UNSPACED.search(gold) and len(plain) > 1))


def _words(document: Document) -> list[str]:
    return normalise_answer(document.full_text).split()


def _unspaced(text: str) -> str:
    return "".join(normalise_answer(text).split())
