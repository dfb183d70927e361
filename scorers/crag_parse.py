"""How CRAG's own evaluation reads its judge's reply."""

import re

UNREADABLE = -1


def parse_crag_reply(reply: str) -> tuple[int, str]:
    """Score and explanation as the official script takes them.

    It looks at the last stretch from an opening brace to the next closing one, and takes the first digits after
    a ``"score":`` in it. So a brace inside an explanation that stands before the score makes a reply unreadable,
    and the last object wins, whoever wrote it.

    Returns:
        1 or 0 and the explanation (the object itself where there is none), or `UNREADABLE` and a text that
        shows the problem. The official script counts an unreadable reply as a wrong answer.
    """
    last = _last_object(reply)
    score = re.search(r'"score"\s*:\s*(\d+)', last)
    if score is None:
        return UNREADABLE, "Parse Err: Score not found"
    if int(score[1]) not in (0, 1):
        return UNREADABLE, reply
    explanation = re.search(r'"explanation"\s*:\s*"(.+)"', last)
    return int(score[1]), explanation[1] if explanation else last


def _last_object(reply: str) -> str:
    """The last stretch that `re.findall` gives for ``{[^}]*}``, found in linear time also where no brace closes."""
    last, end = "", 0
    while (start := reply.find("{", end)) >= 0 and (close := reply.find("}", start)) >= 0:
        end = close + 1
        last = reply[start:end]
    return last
