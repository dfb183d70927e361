"""Registers ``local/<folder, hub id or smollm2>`` with Inspect; torch is imported when it is first used."""

from inspect_ai.model import ModelAPI, modelapi

from bridgebench.errors import require


@modelapi(name="local")
def local() -> type[ModelAPI]:
    """A causal language model run by transformers in this process.

    Raises:
        MissingExtraError: When the extra `local` is not installed.
    """
    require("torch", "local")
    require("transformers", "local")
    from bridgebench.models.provider import LocalAPI

    return LocalAPI
