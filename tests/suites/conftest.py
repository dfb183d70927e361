"""A provider that answers at once and writes down every call, and a suite over a bundled sample."""

import os
import random
import signal
from typing import Any

import pytest
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

CALLS: list[tuple[str, str]] = []
"""Model name and prompt of every call."""


@modelapi(name="recorded")
class Recorded(ModelAPI):
    """``recorded/broken`` fails on every call, ``recorded/stopped`` presses Ctrl-C on its second; others answer.

    ``recorded/server`` knows its address only once it has started, as vLLM does.
    """

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        CALLS.append((self.model_name, input[-1].text))
        if self.model_name == "broken":
            raise RuntimeError("no such checkpoint")
        if self.model_name == "stopped" and len(CALLS) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        if self.model_name == "server":
            self.base_url = f"http://localhost:{random.randrange(1024, 65536)}"
        output = ModelOutput.from_content(self.model_name, "yes")
        output.usage = ModelUsage(input_tokens=10, output_tokens=1, total_tokens=11)
        return output


@pytest.fixture
def calls() -> list[tuple[str, str]]:
    """The calls of one test."""
    CALLS.clear()
    return CALLS


@pytest.fixture
def suite() -> dict[str, Any]:
    """What a small suite's file holds."""
    return {
        "name": "small",
        "benchmarks": [{"hotpotqa": {"source": "sample"}}],
        "bridges": [{"truncate": {"words": 20}}],
        "generators": ["recorded/a"],
        "controls": ["naive", "no_documents"],
        "limit": 3,
    }
