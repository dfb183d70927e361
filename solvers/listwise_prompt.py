"""How the passages of a window are put to a listwise reranker: a Jinja file, or a YAML template of rank-llm.

A Jinja file is given ``num``, ``query`` and ``passages`` (texts). Its blocks are ``system`` (optional) and ``user``;
or, for a conversation, ``system``, ``opening``, ``opening_reply``, ``passage`` and ``passage_reply`` (given ``rank``,
from 1, and ``passage``) and ``request``.
"""

import hashlib
import string
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

from bridgebench.document import Document
from bridgebench.errors import BridgebenchError
from bridgebench.solvers.prompting import (
    PROBE_DOCUMENTS,
    PROBE_QUESTION,
    BridgePrompt,
    bridge_prompt,
    prompt_notes,
)

_QUERY, _PASSAGE = {"num", "query"}, {"rank", "candidate"}
_SECTIONS = {  # of rank-llm's templates, with the placeholders of each
    "singleturn_listwise": {"system_message": set[str](), "prefix": _QUERY, "body": _PASSAGE, "suffix": _QUERY},
    "multiturn_listwise": {
        "system_message": set[str](),
        "prefix_user": _QUERY,
        "prefix_assistant": _QUERY,
        "body_user": _PASSAGE,
        "body_assistant": {"rank"},
        "suffix_user": _QUERY,
    },
}
_UNUSED = {"method", "output_validation_regex", "output_extraction_regex"}


@dataclass(frozen=True)
class ListwisePrompt:
    """A template for windows.

    Attributes:
        render: Messages for a query and the texts of its passages.
        name: The template's name and hash.
        packaged: Whether it is one of ours.
    """

    render: Callable[[str, Sequence[str]], list[ChatMessage]]
    name: str
    packaged: bool

    def notes(self, text: Callable[[Document], str], authors: Collection[str]) -> dict[str, str]:
        """`prompt_notes`; `text` makes a document a passage."""
        rendered = self.render(PROBE_QUESTION, [text(document) for document in PROBE_DOCUMENTS])
        return prompt_notes(self.name, self.packaged, rendered, authors)


def listwise_prompt(default: str, template: str | None) -> ListwisePrompt:
    """The user's `template` (a path to a Jinja or YAML file, or a packaged name), or the packaged default.

    Raises:
        BridgebenchError: When it cannot be read, or a section or a placeholder is missing or unknown.
    """
    if template is not None and Path(template).suffix in (".yaml", ".yml"):
        return _from_rank_llm(template)
    prompt = bridge_prompt(default, template)
    render = _conversation if prompt.has("passage") else _single_message
    return ListwisePrompt(lambda query, passages: render(prompt, query, passages), str(prompt.prompt), prompt.packaged)


def listwise_fingerprint(default: str) -> Callable[..., Mapping[str, Any]]:
    """For ``@bridge(fingerprint=...)``: the template's text is part of the cache key, not only its name."""

    def fingerprint(*, template: str | None, **_: Any) -> dict[str, Any]:
        return {"template": listwise_prompt(default, template).name}

    return fingerprint


def _single_message(prompt: BridgePrompt, query: str, passages: Sequence[str]) -> list[ChatMessage]:
    return prompt.messages(num=len(passages), query=query, passages=passages)


def _conversation(prompt: BridgePrompt, query: str, passages: Sequence[str]) -> list[ChatMessage]:
    def say(block: str, **values: Any) -> str:
        return prompt.text(block, num=len(passages), query=query, passages=passages, **values)

    messages: list[ChatMessage] = [ChatMessageSystem(content=say("system"))] if prompt.has("system") else []
    messages += [ChatMessageUser(content=say("opening")), ChatMessageAssistant(content=say("opening_reply"))]
    for rank, passage in enumerate(passages, 1):
        messages.append(ChatMessageUser(content=say("passage", rank=rank, passage=passage)))
        messages.append(ChatMessageAssistant(content=say("passage_reply", rank=rank, passage=passage)))
    return [*messages, ChatMessageUser(content=say("request"))]


@lru_cache(maxsize=8)
def _from_rank_llm(path: str) -> ListwisePrompt:
    try:
        source = Path(path).read_bytes()
        sections = yaml.safe_load(source)
    except (OSError, yaml.YAMLError) as error:
        raise BridgebenchError(f"template '{path}' is not a readable YAML file: {error}") from error
    _check(path, sections)
    name = f"{Path(path).name}@{hashlib.sha256(source).hexdigest()[:12]}"
    return ListwisePrompt(lambda query, passages: _rank_llm_messages(sections, query, passages), name, packaged=False)


def _check(path: str, sections: Any) -> None:
    if not isinstance(sections, dict) or sections.get("method") not in _SECTIONS:
        raise BridgebenchError(f"template '{path}': field 'method' must be one of: {', '.join(_SECTIONS)}")
    allowed = _SECTIONS[sections["method"]]
    for name in sections.keys() - _UNUSED:
        text = sections[name]
        if name not in allowed or not isinstance(text, str):
            raise BridgebenchError(f"template '{path}': field '{name}' must be a text, one of: {', '.join(allowed)}")
        if unknown := _placeholders(path, name, text) - allowed[name]:
            raise BridgebenchError(f"template '{path}': field '{name}' has unknown placeholders {sorted(unknown)}")
    body = "body" if "body" in allowed else "body_user"
    if _placeholders(path, body, sections.get(body, "")) != _PASSAGE:
        raise BridgebenchError(f"template '{path}': field '{body}' must hold {{rank}} and {{candidate}}")
    if "body_assistant" in sections and not {"prefix_user", "prefix_assistant"} <= sections.keys():
        raise BridgebenchError(f"template '{path}': 'body_assistant' needs 'prefix_user' and 'prefix_assistant'")


def _placeholders(path: str, name: str, text: str) -> set[str]:
    try:
        return {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}
    except ValueError as error:
        raise BridgebenchError(f"template '{path}': field '{name}': {error}") from error


def _rank_llm_messages(sections: Mapping[str, str], query: str, passages: Sequence[str]) -> list[ChatMessage]:
    def say(section: str, **values: Any) -> str:
        return sections.get(section, "").format(num=len(passages), query=query, **values)

    messages: list[ChatMessage] = [ChatMessageSystem(content=say("system_message"))] if say("system_message") else []
    ranked = list(enumerate(passages, 1))
    if "body" in sections:
        body = "".join(say("body", rank=rank, candidate=passage) for rank, passage in ranked)
        return [*messages, ChatMessageUser(content=say("prefix") + body + say("suffix"))]
    if say("prefix_user"):
        messages += [ChatMessageUser(content=say("prefix_user")), ChatMessageAssistant(content=say("prefix_assistant"))]
    if "body_assistant" not in sections:
        body = "".join(say("body_user", rank=rank, candidate=passage) for rank, passage in ranked)
        return [*messages, ChatMessageUser(content=body + say("suffix_user"))]
    for rank, passage in ranked:
        messages.append(ChatMessageUser(content=say("body_user", rank=rank, candidate=passage)))
        messages.append(ChatMessageAssistant(content=say("body_assistant", rank=rank)))
    return [*messages, ChatMessageUser(content=say("suffix_user"))]
