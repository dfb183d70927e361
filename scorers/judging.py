"""What the judge decides without a model, what it asks, and how it reads the reply: pure functions."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from typing import Literal

import jinja2

from bridgebench.errors import BridgebenchError
from bridgebench.scorers.crag_parse import parse_crag_reply

Verdict = Literal["correct", "incorrect", "missing"]
Reader = Callable[[str, str], Verdict | None]
"""(reply, code) to a verdict; None when the reply cannot be read."""

REMINDER = "Your reply does not end as asked. Reply again, and end in the required form, with nothing after it."


def decide_by_rule(prediction: str, golds: Sequence[str], invalid_questions: bool = True) -> Verdict | None:
    """CRAG's rules that need no model, in its order; None when a model must decide.

    1. The prediction contains "i don't know": missing, also when the gold says the same (as in CRAG's script).
    2. It equals a gold, apart from case, white space and a final full stop: correct. SQuAD's normaliser is not
       used here: it would make 1.5 equal 15.
    3. `invalid_questions`: "invalid" in the prediction and in a gold is correct, in one of them only incorrect.

    An empty prediction is incorrect.
    """
    said = _plain(prediction)
    truths = {_plain(gold) for gold in golds}
    if "i don't know" in said:
        return "missing"
    if not said:
        return "incorrect"
    if said in truths:
        return "correct"
    if invalid_questions:
        rejected, invalid = "invalid" in said, any("invalid" in truth for truth in truths)
        if rejected or invalid:
            return "correct" if rejected and invalid else "incorrect"
    return None


def fence_code(question: str, golds: Sequence[str], prediction: str) -> str:
    """Code of the tags around the data and of the verdict: 12 hex digits of a hash over all that they enclose.

    No text among the data can hold it, since it depends on that very text; and it is the same in every run.
    """
    return hashlib.sha256(repr((question, list(golds), prediction)).encode("utf-8", "backslashreplace")).hexdigest()[
        :12
    ]


def read_verdict(reply: str, code: str) -> Verdict | None:
    """The verdict on the last line, which must carry the code; None when that line is anything else.

    A verdict that a candidate answer smuggled into the reply (a judge that quotes it) lacks the code.
    """
    lines = [line for line in reply.splitlines() if line.strip()]
    pattern = rf"[\s*_`]*VERDICT {code}\s*:[\s*_`]*(CORRECT|INCORRECT)[\s*_`.]*"
    match = re.fullmatch(pattern, lines[-1], re.IGNORECASE) if lines else None
    return None if match is None else "correct" if match[1].upper() == "CORRECT" else "incorrect"


def read_crag_json(reply: str, code: str) -> Verdict | None:
    """The verdict of CRAG's JSON format, read as its script does; `code` plays no part, so a quoted object can win."""
    return {1: "correct", 0: "incorrect"}.get(parse_crag_reply(reply)[0])  # type: ignore[return-value]


READERS: dict[str, Reader] = {"judge": read_verdict, "judge_crag_json": read_crag_json}
"""Packaged prompts and how the reply to each is read."""


def render(prompt: str, question: str, golds: Sequence[str], prediction: str) -> tuple[str, str]:
    """The judge's prompt and the code it is fenced with.

    Raises:
        BridgebenchError: When there is no such packaged prompt.
    """
    if prompt not in READERS:
        raise BridgebenchError(f"judge: no prompt '{prompt}'; there are: {', '.join(READERS)}")
    code = fence_code(question, golds, prediction)
    text = _template(prompt).render(code=code, question=question, acceptable=golds, prediction=prediction)
    return text, code


def majority(votes: Sequence[Verdict | None]) -> Verdict | None:
    """The verdict of more than half of all votes; an unreadable one is a vote withheld, not a smaller panel."""
    verdict, count = Counter(votes).most_common(1)[0]
    return verdict if 2 * count > len(votes) else None


def _plain(text: str) -> str:
    return " ".join(text.replace("\u2019", "'").lower().split()).removesuffix(".").rstrip()


@cache
def _template(prompt: str) -> jinja2.Template:
    source = resources.files("bridgebench.scorers").joinpath("prompts", f"{prompt}.jinja").read_text("utf-8")
    return jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(source)
