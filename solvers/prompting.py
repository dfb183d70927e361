"""Prompts of bridges that call a language model: Jinja files whose blocks are chat messages.

A file may define the blocks ``system`` and ``user`` (a bridge may ask for others); a file without blocks is the
user message. One newline at its end is not part of the prompt.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

import jinja2
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser

from bridgebench.document import Document
from bridgebench.errors import BridgebenchError
from bridgebench.solvers.generate import Prompt, load_prompt

PROBE_QUESTION = "Who wrote The Long Winter?"
PROBE_DOCUMENTS = (
    Document("1", "The Long Winter", "The Long Winter is a novel from 1940."),
    Document("2", "Laura Ingalls Wilder", "Wilder wrote children's books."),
)
"""A prompt is recognised by how it renders these, not by how its template is written."""


@dataclass(frozen=True)
class BridgePrompt:
    """A template of a bridge.

    Attributes:
        prompt: The template and its hash.
        packaged: Whether it is one of ours, not the user's.
    """

    prompt: Prompt
    packaged: bool

    def has(self, block: str) -> bool:
        """Whether the template defines a block."""
        return block in self.prompt.template.blocks

    def text(self, block: str, **values: Any) -> str:
        """Render one block; values are inserted as they are, never read as templates.

        Raises:
            BridgebenchError: When the template has blocks, but not this one, or asks for a value there is none of.
        """
        template = self.prompt.template
        if template.blocks and not self.has(block):
            known = ", ".join(sorted(template.blocks))
            raise BridgebenchError(f"prompt '{self.prompt.name}' has no block '{block}' (it has: {known})")
        try:
            if not template.blocks:
                return template.render(**values).removesuffix("\n")
            return "".join(template.blocks[block](template.new_context(values)))
        except jinja2.UndefinedError as error:
            raise BridgebenchError(f"prompt '{self.prompt.name}': {error}") from error

    def messages(self, **values: Any) -> list[ChatMessage]:
        """The blocks ``system``, where there is one, and ``user`` as messages."""
        user = ChatMessageUser(content=self.text("user", **values))
        return [ChatMessageSystem(content=self.text("system", **values)), user] if self.has("system") else [user]

    def notes(self, rendered: Sequence[ChatMessage], authors: Collection[str] = ()) -> dict[str, str]:
        """`prompt_notes` of this template."""
        return prompt_notes(str(self.prompt), self.packaged, rendered, authors)


def bridge_prompt(default: str, template: str | None) -> BridgePrompt:
    """The user's `template` (a path, or the name of another packaged one), or the packaged default."""
    name = template or default
    folder = resources.files("bridgebench.solvers").joinpath("prompts")
    packaged = "/" not in name and folder.joinpath(f"{name}.jinja").is_file()
    return BridgePrompt(load_prompt(name), packaged)


def prompt_fingerprint(*defaults: str) -> Callable[..., Mapping[str, Any]]:
    """For ``@bridge(fingerprint=...)``: the texts of the templates are part of the cache key, not only their names."""

    def fingerprint(*, template: str | None, **_: Any) -> dict[str, Any]:
        return {"template": [bridge_prompt(default, template).prompt.hash for default in defaults]}

    return fingerprint


def prompt_notes(
    name: str, packaged: bool, rendered: Sequence[ChatMessage], authors: Collection[str] = ()
) -> dict[str, str]:
    """What a result says of its prompt.

    Args:
        name: Name and hash of the template.
        packaged: Whether it is one of ours.
        rendered: The messages made of `PROBE_QUESTION` and `PROBE_DOCUMENTS`.
        authors: `rendering_hash` of what the authors' own code makes of the same.

    Returns:
        ``prompt``: ``authors'`` (byte for byte), ``reworded`` (ours around the authors' markers: not to be compared
        with published numbers) or ``given`` (the user's, unknown to us); ``template``: its name and hash.
    """
    unknown = "reworded" if packaged else "given"
    return {"prompt": "authors'" if rendering_hash(rendered) in authors else unknown, "template": name}


def rendering_hash(messages: Sequence[ChatMessage]) -> str:
    """First 12 hex digits of the sha256 of the roles and texts of messages."""
    content = json.dumps([[message.role, message.text] for message in messages])
    return hashlib.sha256(content.encode()).hexdigest()[:12]
