"""Names that no model has seen: minted from syllables, with an inventory of sounds and title words drawn by seed."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from itertools import count
from random import Random
from typing import Literal
from zlib import crc32

import yaml

Split = Literal["train", "validation"]

# Parts that no name may hold.
_AVOIDED = ("fuk", "fag", "nig", "kik", "rap", "naz", "cun", "tit", "cum", "dik", "hell", "kil")


@cache
def words(section: str) -> Mapping[str, list[str]]:
    """Lists of one section of ``words.yaml``."""
    bank = yaml.safe_load(files(__package__).joinpath("words.yaml").read_text(encoding="utf-8"))[section]
    return {name: re.split(r" *\| *" if "|" in line else " +", line) for name, line in bank.items()}


def _half(rng: Random, pool: list[str]) -> list[str]:
    return rng.sample(pool, max(3, len(pool) // 2))


class Names:
    """Mints names without repeating one; two worlds hardly ever share any, those of different splits never do.

    Args:
        rng: Source of the inventory and of every name.
        people: How many people will need a given name: more people, more given names.
        split: Owns half of all proper names, by their checksum, and half of the words that make titles.
    """

    def __init__(self, rng: Random, people: int, split: Split) -> None:
        self._rng, self._is_train = rng, split == "train"
        self._sounds, self._endings = (
            {name: _half(rng, pool) for name, pool in words(section).items()} for section in ("sounds", "endings")
        )
        self._titles = {name: _half(rng, pool[self._is_train :: 2]) for name, pool in words("titles").items()}
        self._used: set[str] = set()
        number = 20 + round(people**0.5)
        self._given = {gender: [self.word(gender) for _ in range(number)] for gender in ("female", "male")}

    def word(self, use: str) -> str:
        """A new proper name; `use` is ``surname``, ``town``, ``land``, ``thing``, ``female`` or ``male``."""
        rng = self._rng
        for tries in count():
            stem = "".join(rng.choice(self._sounds[part]) for part in ("onsets", "vowels", "middles"))
            # One name in five is longer, and all are where the short ones run out.
            for _ in range((rng.random() < 0.2) + tries // 100):
                stem += rng.choice("aeiou") + rng.choice(self._sounds["middles"])[0]
            word = (stem + rng.choice(self._endings[use])).capitalize()
            is_ours = crc32(word.encode()) % 2 == self._is_train
            if is_ours and word not in self._used and not any(part in word.lower() for part in _AVOIDED):
                break
        self._used.add(word)
        return word

    def given(self, gender: str) -> str:
        """A given name; many people share one."""
        return self._rng.choice(self._given[gender])

    def title(self, place: str, person: str) -> str:
        """Title of a film, book or album; may repeat one already given."""
        rng = self._rng
        adjective, noun, other = rng.choice(self._titles["adjectives"]), *rng.sample(self._titles["nouns"], 2)
        one = "An" if noun[0] in "AEIO" or noun == "Hour" else "A"
        patterns = (
            f"The {adjective} {noun}",
            f"The {adjective} {noun}",
            f"{adjective} {noun}",
            f"The {noun} of {place}",
            f"{one} {noun} for {person}",
            f"{person}'s {noun}",
            f"The {noun} and the {other}",
            f"Beyond the {adjective} {noun}",
            f"{one} {noun} in {place}",
        )
        return rng.choice(patterns)

    def band(self) -> str:
        """Name of a band; may repeat one already given."""
        group = self._rng.choice(["Band", "Quartet", "Trio", "Ensemble"])
        return f"The {self._rng.choice(self._titles['adjectives'])} {self._rng.choice(self._titles['nouns'])} {group}"
