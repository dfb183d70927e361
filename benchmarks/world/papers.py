"""Papers by the world's language researchers: several on each topic, alike in all but what they add."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

import yaml

from bridgebench.benchmarks.world.facts import World
from bridgebench.benchmarks.world.names import Names
from bridgebench.benchmarks.world.phrases import capitalise

_PER_TOPIC = 5
_OPTIONAL = ("Experiments ::: Error Analysis", "Related Work")


@cache
def _bank() -> Mapping[str, Any]:
    bank: Mapping[str, Any] = yaml.safe_load(files(__package__).joinpath("papers.yaml").read_text(encoding="utf-8"))
    return bank


class Papers:
    """Draws what a paper is about and writes it down.

    Args:
        world: Its split decides which texts are used, its name everything else.
    """

    def __init__(self, world: World) -> None:
        self._name, self._is_train = world.name, world.split == "train"
        self._rng = Random(f"{world.name}/papers")
        self._names = Names(Random(f"{world.name}/papers/names"), 100, world.split)
        self._facts: list[dict[str, str]] = []

    def facts(self, index: int) -> dict[str, str]:
        """What the paper at this place says, by slot of ``papers.yaml``. Five papers in a row share a topic."""
        while len(self._facts) <= index:
            self._facts.append(self._draw(len(self._facts)))
        return self._facts[index]

    def _draw(self, index: int) -> dict[str, str]:
        rng, words = self._rng, {key: re.split(r"\s*\|\s*", line) for key, line in _bank()["words"].items()}
        if index % _PER_TOPIC == 0:
            baseline_score = rng.randrange(500, 800)
            self._topic = {
                "task": rng.choice(words["tasks"]),
                "language": self._names.word("land").rstrip("aeiou") + rng.choice(["ish", "ese"]),
                "dataset": self._names.word("thing").upper(),
                "size": f"{rng.randrange(1_000, 60_000):,}",
                "domain": rng.choice(words["domains"]),
                "metric": rng.choice(words["metrics"]),
                "baseline": self._names.word("thing") + rng.choice(["Net", "Tagger", "-Base"]),
                "baseline_score": f"{baseline_score / 10}",
                "neighbour": "",
            }
            self._mechanisms = rng.sample(words["mechanisms"], _PER_TOPIC)
            self._neighbour = self._names.word("thing")
        gain = rng.randrange(5, 95)
        score = round(float(self._topic["baseline_score"]) * 10) + gain
        facts = self._topic | {
            "method": self._names.word("thing"),
            "neighbour": self._neighbour,
            "mechanism": self._mechanisms[index % _PER_TOPIC],
            "encoder": rng.choice(words["encoders"]),
            "limit": rng.choice(words["limits"]),
            "score": f"{score / 10}",
            "gain": f"{gain / 10}",
            "ablated": f"{(score - rng.randrange(gain)) / 10}",
            "dimension": str(rng.choice([128, 256, 384, 512, 768])),
            "parameters": str(rng.randrange(4, 300)),
            "rate": rng.choice(["0.001", "0.0003", "0.0005", "0.00002"]),
            "epochs": str(rng.randrange(3, 60)),
            "hours": str(rng.randrange(2, 90)),
            "seeds": str(rng.randrange(3, 11)),
            "released": rng.choice(["yes", "no"]),
            "framework": rng.choice(words["frameworks"]),
            "batch": str(rng.choice([16, 32, 48, 64, 96, 128])),
            "memory": str(rng.randrange(2, 40)),
            "people": rng.choice(words["numbers"]),
            "users": rng.choice(words["users"]),
            "purpose": rng.choice(words["purposes"]),
            "months": rng.choice(words["numbers"]),
            "surprise": rng.choice(words["surprises"]),
            "date": f"{rng.randrange(15, 25)}{rng.randrange(1, 13):02d}",
        }
        self._neighbour = facts["method"]
        return facts | {"Task": capitalise(facts["task"]), "Mechanism": capitalise(facts["mechanism"])}

    def say(self, rng: Random, texts: list[str], facts: Mapping[str, str]) -> str:
        """One of this split's texts, its choices made and its slots filled."""
        text = rng.choice(texts[self._is_train :: 2])
        text = re.sub(r"\[([^\[\]]*\|[^\[\]]*)\]", lambda match: rng.choice(match[1].split("|")), text)
        return re.sub(r"\{(\w+)\}", lambda match: facts[match[1]], text)

    def sections(self, rng: Random, facts: Mapping[str, str]) -> dict[str, list[str]]:
        """Paragraphs by section; now and then one that papers can do without is not there."""
        facts = {**facts, "release": self.say(rng, _bank()["release"][facts["released"]], facts)}
        left_out = rng.choice([None, *_OPTIONAL])
        return {
            name: [capitalise(self.say(rng, texts, facts)) for texts in paragraphs]
            for name, paragraphs in _bank()["sections"].items()
            if name != left_out
        }

    def heading(self, rng: Random, part: str, facts: Mapping[str, str]) -> str:
        """The ``title`` or the ``abstract``."""
        return capitalise(self.say(rng, _bank()[part], facts))

    def question(self, rng: Random, about: str, facts: Mapping[str, str]) -> str:
        """A reader's question about one slot, or an ``unanswerable`` one."""
        return self.say(rng, _bank()["asked"][about], facts)
