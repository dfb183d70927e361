"""A scripted model for tests and dry runs: offline, without torch, countable."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import anyio
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    StopDetails,
    StopReason,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo
from pydantic import BaseModel, ConfigDict, Field, field_validator

from bridgebench.models.arguments import read_arguments

calls: Counter[str] = Counter()
"""Calls by model name, in this process; tests clear it."""


class Script(BaseModel):
    r"""Model arguments (``-M name=value``); all are JSON values, so that they work from the command line.

    Attributes:
        answer: What it says when nothing else applies.
        answers: Regular expression to answer: the first that is found in the prompt (all messages, a line break
            between them) answers, with ``\1`` for its groups (``re.Match.expand``).
        stop_reason: Of every output; with `model_length` and `content_filter` the answer is empty.
        fail: Message of an error raised in place of answers.
        when: Regular expression: only prompts in which it is found fail or get `stop_reason`; by default all.
        latency: Seconds until it answers.
        count_file: File to which every call adds a line with the model's name, for counting across processes.
    """

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)

    answer: str = "fake"
    answers: dict[str, str] = Field(default_factory=dict)
    stop_reason: StopReason = "stop"
    fail: str | None = None
    when: str = ""
    latency: float = Field(default=0.0, ge=0)
    count_file: Path | None = None

    @field_validator("answers", "when")
    @classmethod
    def _expressions(cls, value: Any) -> Any:
        for pattern in value if isinstance(value, dict) else [value]:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"{pattern!r} is not a regular expression: {error}") from error
        return value

    def reply(self, prompt: str) -> str:
        """What is said to a prompt."""
        for pattern, answer in self.answers.items():
            if match := re.search(pattern, prompt):
                return match.expand(answer)
        return self.answer


class FakeAPI(ModelAPI):
    """Answers by script; counts words as tokens, so that nothing has to be fetched for counting them."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        self.script = read_arguments(Script, f"fake/{model_name}", model_args)

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """Count the call, wait, then fail or answer.

        Raises:
            RuntimeError: When the script says so.
        """
        script = self.script
        self._count()
        await anyio.sleep(script.latency)
        prompt = "\n".join(message.text for message in input)
        struck = re.search(script.when, prompt) is not None
        if struck and script.fail is not None:
            raise RuntimeError(script.fail)
        stop: StopReason = script.stop_reason if struck else "stop"
        answer = "" if stop in ("model_length", "content_filter") else script.reply(prompt)
        for text in config.stop_seqs or ():
            answer = answer.split(text, 1)[0]
        read, written = len(prompt.split()), len(answer.split())
        return ModelOutput(
            model=self.model_name,
            choices=[
                ChatCompletionChoice(
                    message=ChatMessageAssistant(content=answer, model=self.model_name, source="generate"),
                    stop_reason=stop,
                    stop_details=None if stop == "stop" else StopDetails(type=stop, explanation="scripted"),
                )
            ],
            usage=ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written),
        )

    def connection_key(self) -> str:
        return self.model_name

    def _count(self) -> None:
        calls[self.model_name] += 1
        if self.script.count_file is not None:
            # One small write at the end of the file: appends of several processes do not mix.
            with self.script.count_file.open("a", encoding="utf-8") as file:
                file.write(f"{self.model_name}\n")


@modelapi(name="fake")
def fake() -> type[ModelAPI]:
    """``fake/<any name>``: see `Script` for its arguments."""
    return FakeAPI
