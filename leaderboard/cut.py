"""Texts from logs may be of any length: what is shown of them."""


def cut(text: str, most: int) -> str:
    """A text of at most `most` characters; of a longer one its beginning, and how many characters it has in all."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"
