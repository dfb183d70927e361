"""The words that lexical bridges count."""

import re

# A word may hold apostrophes and hyphens (o'neill, co-star), not begin or end with them.
_WORD = re.compile(r"\w+(?:['’\-]\w+)*")


def words(text: str) -> list[str]:
    """Lower-case words of a text, in order."""
    return _WORD.findall(text.lower())
