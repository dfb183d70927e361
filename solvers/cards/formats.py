"""Reading what models write for cards: labelled pairs of lines (question and keywords or answer) and summaries.

No reply makes these functions fail, and nothing that is not a question or a labelled part is taken for one: refusals,
apologies and repeated instructions are not stored.
"""

import re
from dataclasses import dataclass

from bridgebench.document import Parse

LABELS = (r"(?:Question|Keywords|Answer|Problem|Methods|Results)(?: ?\d{1,3})?:",)
"""Markers of the formats, for `Guard`."""

MAX_QUESTION_WORDS = 60
MAX_KEYWORDS = 12
MAX_KEYWORD_WORDS = 6
_LEAST_QUESTION_WORDS = 3

_DECORATION = r"[ \t]{0,8}(?:[-*•#>]{1,4}[ \t]{0,4})?(?:\(?\d{1,3}[.):][ \t]{0,4})?[*_]{0,2}"
_LABELLED = re.compile(rf"^{_DECORATION}([A-Za-z]{{1,10}})(?:[ \t]?\d{{1,3}})?[*_]{{0,2}}:[*_]{{0,2}}(.*)$")
_DECORATED = re.compile(rf"^{_DECORATION}")
_POINTING = re.compile(r"\b(?:this|the (?:above|given)) (?:section|passage|text|paper|article)\b", re.IGNORECASE)
"""What a question cannot say that is asked without the paper at hand."""
_NAMES = {
    **dict.fromkeys(("question", "q"), "question"),
    **dict.fromkeys(("keywords", "keyword", "query", "k"), "keywords"),
    **dict.fromkeys(("answer", "a"), "answer"),
    **dict.fromkeys(("problem", "problems"), "problem"),
    **dict.fromkeys(("methods", "method"), "methods"),
    **dict.fromkeys(("results", "result"), "results"),
}
SUMMARY_PARTS = ("problem", "methods", "results", "keywords")


@dataclass(frozen=True)
class Pairs:
    """Questions that a reply holds, each with the line that belongs to it.

    Attributes:
        pairs: Question, and keywords or answer (empty where the reply has none).
        parse: ``ok``: as many pairs as were asked for, and nothing else; ``repaired``: pairs, with something missing,
            more or beside them; ``fallback``: questions without any label; ``empty``: no question.
    """

    pairs: tuple[tuple[str, str], ...]
    parse: Parse


@dataclass(frozen=True)
class Summary:
    """A summary in labelled parts; a part that the reply lacks is empty.

    Attributes:
        parse: ``ok``: four lines in order, and nothing else; ``repaired``: some part; ``empty``: none.
    """

    problem: str
    methods: str
    results: str
    keywords: tuple[str, ...]
    parse: Parse


def parse_pairs(text: str, count: int, second: str = "keywords", instructions: str = "") -> Pairs:
    """Read lines of ``Question: ...`` and ``Keywords: ...`` (or ``Answer: ...``).

    Args:
        text: The reply.
        count: How many pairs were asked for; more are not read.
        second: Label of the second line of a pair.
        instructions: The prompt's own words: what only repeats them is neither question nor keywords.
    """
    lines = [line for line in _clean(text).split("\n") if line.strip()]
    expected = ["Question: ", f"{second.capitalize()}: "] * count
    clean = len(lines) == len(expected) and all(map(str.startswith, lines, expected))
    pairs: list[tuple[str, list[str]]] = []
    open_to = ""  # the part that a line without label continues
    for line in lines:
        label, value = _labelled(line)
        if label == "question":
            open_to = "question" if is_question(value, instructions) else ""
            if open_to:
                pairs.append((value, []))
        elif label == second and open_to == "question":
            pairs[-1][1].append(value)
            open_to = second
        elif label:
            open_to = ""
        elif open_to == second:
            pairs[-1][1].append(_DECORATED.sub("", line).strip())
    if pairs:
        read = [(question, _second(second, told, instructions)) for question, told in pairs[:count]]
        clean = clean and all(value and told == [value] for (_, told), (_, value) in zip(pairs, read, strict=True))
        return Pairs(tuple(read), "ok" if clean and len(read) == count else "repaired")
    bare = [_DECORATED.sub("", line).strip(" \t*_") for line in lines]
    questions = [line for line in bare if is_question(line, instructions)]
    return Pairs(tuple((question, "") for question in questions[:count]), "fallback" if questions else "empty")


def _second(label: str, lines: list[str], instructions: str) -> str:
    """The second part of a pair; of keywords, what `split_keywords` keeps."""
    told = [line for line in lines if line and not _repeats(line, instructions)]
    return ", ".join(split_keywords(", ".join(told))) if label == "keywords" else " ".join(told)


def parse_summary(text: str, instructions: str = "") -> Summary:
    """Read ``Problem:``, ``Methods:``, ``Results:`` and ``Keywords:``; of repeated parts the first counts."""
    found: dict[str, str] = {}
    current, order = "", list[str]()
    clean = True
    for line in _clean(text).split("\n"):
        label, value = _labelled(line)
        if label in SUMMARY_PARTS:
            current = label if label not in found else ""
            clean = clean and bool(current) and line.startswith(f"{label.capitalize()}: ")
            order.append(label)
            if current:
                found[current] = value
        elif line.strip():
            clean = False
            if current:
                found[current] = f"{found[current]} {line.strip()}".strip()
    parts = {label: "" if _repeats(value, instructions) else value for label, value in found.items()}
    keywords = split_keywords(parts.get("keywords", ""))
    problem, methods, results = (parts.get(label, "") for label in SUMMARY_PARTS[:3])
    complete = bool(problem and methods and results and keywords) and order == list(SUMMARY_PARTS)
    some = bool(problem or methods or results or keywords)
    parse: Parse = "ok" if clean and complete else "repaired" if some else "empty"
    return Summary(problem, methods, results, keywords, parse)


def split_keywords(text: str) -> tuple[str, ...]:
    """Terms with commas or semicolons between, each once; what is too long to be a term is left out."""
    terms = (" ".join(term.split()).strip(" .*_\"'") for term in re.split(r"[,;]", text))
    kept = {term.casefold(): term for term in terms if term and len(term.split()) <= MAX_KEYWORD_WORDS}
    return tuple(kept.values())[:MAX_KEYWORDS]


def is_question(text: str, instructions: str = "") -> bool:
    """Whether a text is one question of a sensible length that stands alone and repeats no instruction."""
    words = len(text.split())
    ends = text.rstrip("\"'”* ").endswith(("?", "？", "؟"))
    long_enough = words >= _LEAST_QUESTION_WORDS or (words and not text.isascii() and len(text) > _LEAST_QUESTION_WORDS)
    return bool(
        ends
        and long_enough
        and words <= MAX_QUESTION_WORDS
        and not _POINTING.search(text)
        and not _repeats(text, instructions)
    )


def normalise(text: str) -> str:
    """A text as duplicates are told: words in lower case."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def _labelled(line: str) -> tuple[str, str]:
    match = _LABELLED.match(line)
    label = _NAMES.get(match[1].lower(), "") if match else ""
    return (label, match[2].strip(" \t*_")) if match and label else ("", "")


def _repeats(text: str, instructions: str) -> bool:
    return bool(normalise(text)) and f" {normalise(text)} " in f" {normalise(instructions)} "


def _clean(text: str) -> str:
    """Every kind of line break as one, and nothing that a file cannot hold."""
    return "\n".join(text.encode(errors="replace").decode().replace("\x00", "").splitlines())
