"""Puts facts into words, with sentences and questions that each world draws from the phrase bank by its seed."""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

import yaml

from bridgebench.benchmarks.world.facts import Entity, World

_NO_FACTS = {"N", "S", "s", "obj", "poss", "Poss", "is", "demonym"}


@cache
def _bank() -> Mapping[str, Any]:
    bank: Mapping[str, Any] = yaml.safe_load(files(__package__).joinpath("phrases.yaml").read_text(encoding="utf-8"))
    return bank


@dataclass(frozen=True)
class Template:
    """A sentence with slots, and the relations it states."""

    text: str
    relations: frozenset[str]


def _template(text: str) -> Template:
    slots = set(re.findall(r"\{(\w+)\}", text))
    if "life" in slots:
        slots = slots - {"life"} | {"date_of_birth", "date_of_death"}
    return Template(text, frozenset(slot.replace("_", " ") for slot in slots - _NO_FACTS))


def capitalise(text: str) -> str:
    """First letter in upper case, the rest as it is."""
    return text[:1].upper() + text[1:]


def possessive_name(name: str) -> str:
    """A name that owns something."""
    return name + ("'" if name.endswith("s") else "'s")


def mention(entity: Entity) -> str:
    """The name as running text says it, with the article that it takes."""
    takes_article = entity.kind == "river" or entity.name.startswith("University of") or "Institute" in entity.name
    return f"the {entity.name}" if takes_article else entity.name


def question_name(entity: Entity) -> str:
    """The name as a question says it: works with their kind, namesakes with what tells them apart."""
    if entity.is_ambiguous:
        return f"the {entity.qualifier} {entity.name}"
    return f"the {entity.kind} {entity.name}" if entity.kind in ("film", "novel", "album") else mention(entity)


class Phrases:
    """The part of the phrase bank that one world uses.

    Args:
        world: Draws which of its split's templates it uses, and how each is worded. Training and validation worlds
            share no template.

    Attributes:
        leads: First sentences, by kind.
        details: Later sentences, by kind and relation.
        questions: The bank's other sections, as they nest there.
    """

    def __init__(self, world: World) -> None:
        self._split, self._rng = world.split, Random(f"{world.name}/phrases")
        bank = dict(_bank())
        self.leads = {
            kind: [_template(text) for text in self._deal(texts)] for kind, texts in bank.pop("leads").items()
        }
        self.details: dict[str, dict[str, list[Template]]] = {}
        for kind, texts in bank.pop("details").items():
            groups: dict[frozenset[str], list[str]] = defaultdict(list)
            for text in texts:
                groups[_template(text).relations].append(text)
            self.details[kind] = defaultdict(list)
            for template in [_template(text) for group in groups.values() for text in self._deal(group)]:
                for relation in template.relations:
                    self.details[kind][relation].append(template)
        self.questions = self._deal_all(bank)

    def _deal(self, texts: list[str]) -> list[str]:
        """A part of this split's part of a list, with every choice made."""
        ours = texts[self._split == "train" :: 2]
        ours = self._rng.sample(ours, (len(ours) + 1) // 2)
        return [re.sub(r"\[(.+?)\]", lambda match: self._rng.choice(match[1].split("|")), text) for text in ours]

    def _deal_all(self, bank: Any) -> Any:
        return self._deal(bank) if isinstance(bank, list) else {key: self._deal_all(part) for key, part in bank.items()}
