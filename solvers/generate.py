"""The generator step: one documented prompt for every bridge, documents first and question after."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path

import jinja2

from bridgebench.document import Document
from bridgebench.errors import BridgebenchError
from bridgebench.reader import Answer


@dataclass(frozen=True)
class Prompt:
    """A Jinja2 template that is given ``question`` and ``documents`` (each with ``title`` and ``text``).

    Attributes:
        name: Name of a packaged template, or the path it was read from.
        hash: First 12 hex digits of the sha256 of its text.
    """

    name: str
    hash: str
    template: jinja2.Template

    def render(self, question: str, documents: Sequence[Document]) -> str:
        """Documents and question are values, never template source: braces in them stay as they are."""
        return self.template.render(question=question, documents=documents).strip()

    def __str__(self) -> str:
        return f"{self.name}@{self.hash}"


@lru_cache(maxsize=32)
def load_prompt(name: str) -> Prompt:
    """Read a packaged template by its name (``qa``), or any file by its path.

    Raises:
        BridgebenchError: When there is no such template, or it is not valid Jinja2.
    """
    packaged = resources.files("bridgebench.solvers").joinpath("prompts", f"{name}.jinja")
    path = packaged if "/" not in name and packaged.is_file() else Path(name)
    try:
        source = path.read_text(encoding="utf-8")
        environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
        template = environment.from_string(source)
    except OSError as error:
        raise BridgebenchError(
            f"prompt '{name}' is neither a packaged template nor a readable file: {error}"
        ) from error
    except jinja2.TemplateSyntaxError as error:
        raise BridgebenchError(f"prompt '{name}', line {error.lineno}: {error.message}") from error
    return Prompt(name, hashlib.sha256(source.encode()).hexdigest()[:12], template)


def extract_answer(completion: str, answer: Answer) -> str:
    """The answer in a completion: without reasoning, stripped, whole or its first line."""
    text = re.sub(r"^.*</think>", "", completion, flags=re.DOTALL).strip()
    return text.split("\n", 1)[0].strip() if answer == "first_line" else text
