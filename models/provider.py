"""The `local` provider: weights, queue and Inspect brought together."""

from dataclasses import replace
from typing import Annotated, Any

import anyio
import anyio.to_thread
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, StopReason
from inspect_ai.tool import ToolChoice, ToolInfo
from pydantic import BaseModel, ConfigDict, Field

from bridgebench.batching import Batcher, device_lock, shared
from bridgebench.errors import BridgebenchError
from bridgebench.models.arguments import read_arguments
from bridgebench.models.generation import Generated, Generation, generate
from bridgebench.models.prefix import prefix_aware
from bridgebench.models.translate import refuse_unsupported, to_generation, to_output
from bridgebench.models.weights import Dtype, Weights, WeightsSpec, load_weights

CONNECTIONS = 64
"""Requests in flight: while one batch runs, the next ones wait and can be chosen from."""

MAX_TOKENS = 512
"""New tokens when neither benchmark nor user says how many."""


class Options(BaseModel):
    """Model arguments (``-M name=value``).

    Attributes:
        dtype: See `WeightsSpec`, as for `device`, `revision` and `attn`.
        batch_tokens: Most positions of keys and values that a batch holds: its rows times its longest prompt with
            its new tokens.
        batch_size: Most prompts in a batch; None is 16 on a CPU, where more gain nothing, and 64 elsewhere.
    """

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)

    dtype: Dtype = "auto"
    device: str | None = None
    revision: str | None = None
    attn: str | None = None
    batch_tokens: Annotated[int, Field(ge=1)] = 24576
    batch_size: Annotated[int, Field(ge=1)] | None = None


class LocalAPI(ModelAPI):
    """A causal language model in this process.

    Inspect builds a provider more than once for a run, so nothing is loaded here: instances with the same weights and
    options share them, and one queue.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **model_args: Any,
    ) -> None:
        config = config or GenerateConfig()
        # Adaptive connections start at 20 and do not ask max_connections(): only the given config can say 64.
        if config.max_connections is None and config.adaptive_connections is None:
            config.max_connections = CONNECTIONS
        super().__init__(model_name, base_url, api_key, [], config)
        refuse_unsupported(config)
        self.options = read_arguments(Options, f"local/{model_name}", model_args)
        options = self.options
        self.spec = WeightsSpec(model_name, options.revision, options.dtype, options.device, options.attn).resolve()

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """Answer a chat, or score its last turn (see `to_generation`).

        A prompt that leaves no room for an answer comes back empty as ``model_length``, with the excess in
        ``stop_details``; an answer that fills the context is ``model_length`` too. ``metadata`` says what it took.

        Raises:
            BridgebenchError: For a setting, role or content that this provider cannot honour.
        """
        refuse_unsupported(config)
        if tools:
            raise BridgebenchError("local/ does not support tools")
        # A limiter of its own: callers that wait for one load must not fill the threads that Inspect works with.
        weights = await anyio.to_thread.run_sync(load_weights, self.spec, limiter=anyio.CapacityLimiter(1))
        asked = to_generation(weights, input, config, MAX_TOKENS)
        room = weights.context - len(asked.ids)
        excess = min(asked.max_tokens, 1) - room
        if excess > 0:
            explanation = f"prompt of {len(asked.ids)} tokens: {excess} too many for the model's {weights.context}"
            return to_output(weights, self.model_name, asked, Generated(), "model_length", explanation)
        fitting = replace(asked, max_tokens=min(asked.max_tokens, room))
        timed = await self._batcher(weights)(fitting, len(asked.ids) + fitting.max_tokens)
        generated = timed.value
        if generated.stop == "max_tokens" and fitting.max_tokens < asked.max_tokens:
            explanation = f"answer cut after {len(generated.ids)} tokens: the model's {weights.context} are full"
            output = to_output(weights, self.model_name, asked, generated, "model_length", explanation)
        else:
            stop: StopReason = "stop" if asked.scored or generated.stop == "stop" else "max_tokens"
            output = to_output(weights, self.model_name, asked, generated, stop)
        output.metadata = {
            "device_seconds": timed.seconds,
            "batch": timed.batch,
            "device": weights.device_name,
            "dtype": self.spec.dtype,
            "revision": weights.commit,
        }
        return output

    @property
    def dtype(self) -> str:
        """What it computes in: machines differ, and so do its answers."""
        return self.spec.dtype

    def max_tokens(self) -> int:
        return MAX_TOKENS

    def max_connections(self) -> int:
        return CONNECTIONS

    def connection_key(self) -> str:
        """Different weights do not share connections: generator and bridge would starve each other."""
        return str(self.spec)

    def _batcher(self, weights: Weights) -> Batcher[Generation, Generated]:
        tokens = self.options.batch_tokens
        items = self.options.batch_size or (16 if weights.device == "cpu" else 64)

        def make() -> Batcher[Generation, Generated]:
            return Batcher(
                lambda prompts: generate(weights, prompts),
                name=self.model_name,
                select=prefix_aware(tokens, items),
                spent=lambda asked, generated: len(asked.ids) + len(generated.ids),
                lock=device_lock(weights.device),
            )

        return shared(("local", self.spec, tokens, items), make)
