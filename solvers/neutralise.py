"""Keeps text from outside (documents, questions, earlier replies) from forging the structure of a prompt.

A marker in a text is broken by a space before its last character: ``<|im_end|>`` becomes ``< |im_end|>``,
``[INST]`` becomes ``[INST ]``, ``Summary:`` becomes ``Summary :``. A reader still understands it; neither a
tokenizer nor an output parser takes it for a marker.
"""

import re
from dataclasses import replace

from bridgebench.document import Document

CHAT_TOKENS = (
    r"<[|｜]"  # <|im_end|>, <|eot_id|>, <|assistant|>, <｜User｜>
    r"|</?s>|<(?:bos|eos|pad|unk)>|<(?:start|end)_of_turn>|</?think>"
    r"|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]|<</?SYS>>"
)
"""What tokenizers and chat templates of ChatML, Llama 2 and 3, Mistral, Gemma, Phi, Zephyr, Qwen and DeepSeek give
a special meaning to, as a regular expression."""


class Guard:
    """Neutralises the texts of one prompt.

    Args:
        labels: Regular expressions of the prompt's own markers. A match must not be possible across a space before
            its last character.

    Attributes:
        touched: Markers broken so far.
    """

    def __init__(self, *labels: str) -> None:
        self._pattern = re.compile("|".join((CHAT_TOKENS, *labels)))
        self.touched = 0

    def __call__(self, text: str) -> str:
        """The text without any marker."""
        while True:  # matches may overlap; each pass breaks at least one for good
            text, found = self._pattern.subn(lambda match: f"{match[0][:-1]} {match[0][-1]}", text)
            if not found:
                return text
            self.touched += found

    def document(self, document: Document) -> Document:
        """The document with its title, on one line, and its text neutralised."""
        return replace(document, title=self(" ".join(document.title.split())), text=self(document.text))
