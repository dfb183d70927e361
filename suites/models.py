"""Models of a stage: each made once, and closed when the stage ends, so that its server leaves the device."""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import anyio
from inspect_ai.model import GenerateConfig, Model, get_model

from bridgebench.suites.cells import ModelChoice, identity

logger = logging.getLogger(__name__)

MAX_RETRIES = 6
"""Of one call, unless the suite sets it: about three minutes. Inspect's own default is to try for ever."""


@contextmanager
def opened_models() -> Iterator[Callable[..., Model]]:
    """Gives ``make(choice, role=None, generation=None)``, which returns the same model for the same choice and role.

    `generation` holds settings in place of the choice's own.
    """
    made: dict[str, Model] = {}

    def make(choice: ModelChoice, role: str | None = None, generation: Mapping[str, Any] | None = None) -> Model:
        key = identity([choice, role])
        if key not in made:
            made[key] = get_model(
                choice.model,
                role=role,
                config=GenerateConfig(**{"max_retries": MAX_RETRIES, **(generation or choice.config)}),
                base_url=choice.base_url,
                memoize=False,
                **choice.args,
            )
        return made[key]

    try:
        yield make
    finally:
        for model in made.values():
            anyio.run(_close, model)


async def _close(model: Model) -> None:
    try:
        async with model:
            pass
    except Exception as error:  # results are safe by now, whatever a provider's client does when it is closed
        logger.warning("closing %s: %s", model, error)
