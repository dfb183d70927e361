"""A reader by rules, which judges rewrites for preferences on the fictional world where a real reader is too weak.

It answers with what the first document that tells it says of the asked relation, whoever that document is about: a
careless reader that misleading context misleads. It is never shown an answer. For any figure that is reported of a
reader, use a language model.
"""

import re

from inspect_ai.model import ModelAPI, modelapi

from bridgebench.benchmarks.world.teacher import Rules, WorldTeacherAPI
from bridgebench.errors import BridgebenchError

UNKNOWN = "unknown"

_QUESTION = re.compile(r"^Question: (.*)$", re.MULTILINE)
_DOCUMENT = re.compile(r"^Document \d+.*:\n((?:.+\n?)*)", re.MULTILINE)
_CLOSED = re.compile(r"(?:does|do|did|is|are|was|were|has|have)\b", re.IGNORECASE)


def read(rules: Rules, prompt: str) -> str:
    """The reader's answer to a generator's prompt.

    Raises:
        BridgebenchError: When the prompt is not the packaged prompt ``qa``.
    """
    question = _QUESTION.search(prompt)
    if question is None:
        raise BridgebenchError("world_reader: this is not the packaged prompt 'qa'")
    values = (rules.answer(question[1], found[1]) for found in _DOCUMENT.finditer(prompt))
    value = next((value for value in values if value), None)
    if value is None or not _CLOSED.match(question[1]):
        return value or UNKNOWN
    return "Yes" if value.lower() in question[1].lower() else "No"


class WorldReaderAPI(WorldTeacherAPI):
    """Answers by the rules of one world; arguments as `WorldTeacherAPI`."""

    def reply(self, prompt: str) -> str:
        """The answer to a generator's prompt."""
        return read(self.rules, prompt)


@modelapi(name="world_reader")
def world_reader() -> type[ModelAPI]:
    """``world_reader/<any name>``: see `WorldReaderAPI`."""
    return WorldReaderAPI
