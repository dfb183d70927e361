"""A recipe: everything that a training run needs to know, in one YAML file."""

import json
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import ValidationError, model_validator

from bridgebench.errors import BridgebenchError
from bridgebench.models.training.pairs import PairSettings
from bridgebench.models.training.preferences import PreferenceSettings
from bridgebench.models.training.served import Settings
from bridgebench.models.training.settings import DpoSettings, EvaluateSettings, Launcher, SftSettings
from bridgebench.models.training.sft_data import SftDataSettings
from bridgebench.models.training.supervision import SupervisionSettings
from bridgebench.suites.files import changed, read_yaml
from bridgebench.suites.schema import explain


class Recipe(Settings):
    """The steps' settings; each section's class tells its keys, their defaults and why.

    Attributes:
        supervision: A teacher rewrites documents.
        sft_data: Its rewrites become training rows.
        sft: The student learns them.
        preferences: A generator answers from rewrites.
        pairs: Its answers become preference pairs.
        dpo: The student learns these.
        evaluate: The checkpoints beside the controls.
        launcher: How the two trainings are started.
    """

    supervision: SupervisionSettings = SupervisionSettings()
    sft_data: SftDataSettings = SftDataSettings()
    sft: SftSettings = SftSettings()
    preferences: PreferenceSettings = PreferenceSettings()
    pairs: PairSettings = PairSettings()
    dpo: DpoSettings = DpoSettings()
    evaluate: EvaluateSettings = EvaluateSettings()
    launcher: Launcher = Launcher()

    @model_validator(mode="after")
    def _fits_together(self) -> "Recipe":
        for name, data, training in (("sft_data", self.sft_data, self.sft), ("pairs", self.pairs, self.dpo)):
            if data.tokenizer != self.sft.model:
                raise ValueError(f"{name}.tokenizer must be sft.model: '{self.sft.model}', not '{data.tokenizer}'")
            if data.max_length > training.max_length:
                raise ValueError(f"{name}.max_length is {data.max_length}, more than training's {training.max_length}")
        for key in ("seed", "dev_share", "template"):
            if getattr(self.sft_data, key) != getattr(self.pairs, key):
                raise ValueError(f"pairs.{key} must be sft_data.{key}: both hold out the same questions")
        if self.dpo.lora != self.sft.lora:
            raise ValueError("dpo.lora must be sft.lora: DPO goes on with SFT's weights, adapters as they are")
        if self.sft.lora and self.evaluate.provider == "vllm":
            raise ValueError("evaluate.provider: vllm reads no folder of adapters; take local")
        if self.sft_data.dev_share == 0:
            raise ValueError("sft_data.dev_share must be above 0: the trainings are measured on held-out rows")
        if self.sft_data.require_correct and not self.supervision.explain:
            raise ValueError("sft_data.require_correct needs supervision.explain: else no teacher says its answer")
        return self


def load_recipe(recipe: str, changes: Sequence[str] = ()) -> Recipe:
    """Read a recipe.

    Args:
        recipe: Path of a YAML file, or the name of a packaged recipe (``smoke``).
        changes: ``key=value``, the key a path such as ``sft.learning_rate``, the value YAML.

    Raises:
        BridgebenchError: When there is no such file, or a key or value in it is wrong; naming every place.
    """
    path = _find(recipe)
    raw = json.loads(path.read_text(encoding="utf-8")) if path.suffix == ".json" else read_yaml(path)
    if not isinstance(raw, dict):
        raise BridgebenchError(f"{path}: a recipe is a mapping, got {type(raw).__name__}")
    for change in changes:
        raw = changed(raw, change)
    return parse_recipe(raw, str(path))


def parse_recipe(raw: Any, source: str) -> Recipe:
    """Check what a recipe file holds.

    Raises:
        BridgebenchError: Naming every wrong place.
    """
    try:
        return Recipe.model_validate(raw)
    except ValidationError as error:
        raise BridgebenchError(explain(error, raw, source, "the recipe")) from None


def packaged_recipes() -> list[str]:
    """Names of the recipes that come with the package."""
    return sorted(file.stem for file in _folder().glob("*.yaml"))


def _find(recipe: str) -> Path:
    for path in (Path(recipe), _folder() / f"{recipe}.yaml"):
        if path.is_file():
            return path
    raise BridgebenchError(f"there is no recipe '{recipe}'; packaged ones: {', '.join(packaged_recipes())}")


def _folder() -> Path:
    return Path(str(resources.files("bridgebench.models").joinpath("recipes")))
