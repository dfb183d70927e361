"""Whether two models are of one family: a judge tends to favour answers of its own kind."""

import re

# Names under which one maker's related models are known; a name may hold two (a distillation of one into another).
_FAMILIES = {
    "claude": ("claude",),
    "command": ("command",),
    "deepseek": ("deepseek",),
    "falcon": ("falcon",),
    "gemini": ("gemini", "gemma", "palm"),
    "glm": ("glm",),
    "gpt": ("gpt", "chatgpt", "davinci"),
    "grok": ("grok",),
    "kimi": ("kimi", "moonshot"),
    "llama": ("llama", "vicuna", "alpaca"),
    "mistral": ("mistral", "mixtral", "ministral", "magistral", "codestral"),
    "olmo": ("olmo", "tulu"),
    "phi": ("phi-", "phi3", "phi4"),
    "qwen": ("qwen", "qwq"),
    "smollm": ("smollm",),
    "yi": ("yi-",),
}


def families(model: str) -> frozenset[str]:
    """Families that a model's name tells of; of an unknown one, the letters its last part begins with.

    Args:
        model: Name as Inspect logs it: provider, organisation and model, separated by slashes.
    """
    name = model.lower().split("/")[-1]
    known = {family for family, marks in _FAMILIES.items() if any(mark in name for mark in marks)}
    letters = re.match(r"[a-z]+", name)
    return frozenset(known or {letters[0] if letters else name})


def same_family(one: str, other: str) -> bool:
    """Whether two models' names tell of a common family."""
    return bool(families(one) & families(other))
