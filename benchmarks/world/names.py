"""Names that no model has seen: minted from syllables, with an inventory of sounds and title words drawn by seed."""

from random import Random

_ONSETS = [
    "b",
    "br",
    "c",
    "cr",
    "d",
    "dr",
    "f",
    "fl",
    "g",
    "gl",
    "gr",
    "h",
    "j",
    "k",
    "kl",
    "l",
    "m",
    "n",
    "p",
    "pl",
    "pr",
    "qu",
    "r",
    "s",
    "sk",
    "sl",
    "st",
    "t",
    "th",
    "tr",
    "v",
    "w",
    "y",
    "z",
]
_VOWELS = ["a", "e", "i", "o", "u", "a", "e", "i", "o", "y", "ae", "au"]
_MIDDLES = [
    "b",
    "d",
    "g",
    "k",
    "l",
    "lb",
    "ld",
    "lm",
    "lt",
    "m",
    "mb",
    "n",
    "nd",
    "nt",
    "r",
    "rb",
    "rd",
    "rl",
    "rn",
    "rs",
    "s",
    "st",
    "t",
    "v",
    "z",
]
_ENDINGS = {
    "surname": [
        "ane",
        "ell",
        "ock",
        "orin",
        "usk",
        "emar",
        "ovan",
        "ander",
        "ick",
        "ow",
        "ard",
        "essen",
        "ayle",
        "idge",
        "oway",
        "urst",
        "elby",
        "ison",
        "isk",
        "olt",
    ],
    "town": [
        "holm",
        "wick",
        "stead",
        "mere",
        "garth",
        "haven",
        "thorpe",
        "combe",
        "quay",
        "fell",
        "moor",
        "vale",
        "gate",
        "bourne",
        "march",
        "cliff",
        "rood",
    ],
    "land": ["a", "e", "o", "i", "u", "an", "en", "or"],
    "thing": ["a", "o", "en", "ar", "il", "une", "ora", "eth", "im", "ax", "ane", "onda", "esk"],
    "female": ["a", "ia", "elle", "ina", "wen", "eth", "ora", "is"],
    "male": ["an", "or", "ek", "us", "in", "ard", "olf", "en"],
}
_AVOIDED = ("fuk", "fag", "nig", "kik", "rap", "naz", "cun", "tit", "cum", "dik", "hell", "kil")

_ADJECTIVES = [
    "Silver",
    "Hollow",
    "Distant",
    "Quiet",
    "Amber",
    "Broken",
    "Crimson",
    "Frozen",
    "Gilded",
    "Hidden",
    "Ivory",
    "Last",
    "Lonely",
    "Narrow",
    "Northern",
    "Pale",
    "Painted",
    "Restless",
    "Sacred",
    "Scarlet",
    "Second",
    "Secret",
    "Shattered",
    "Silent",
    "Southern",
    "Sunken",
    "Velvet",
    "Wandering",
    "Winter",
    "Woven",
    "Bitter",
    "Burning",
    "Clockwork",
    "Copper",
    "Crooked",
    "Drowned",
    "Empty",
    "Endless",
    "Faded",
    "Fallen",
    "Forgotten",
    "Gentle",
    "Glass",
    "Golden",
    "Hungry",
    "Iron",
    "Little",
    "Long",
    "Midnight",
    "Nameless",
    "Patient",
    "Salt",
    "Seventh",
    "Stolen",
    "Tall",
    "Tender",
    "Twin",
    "Unsent",
    "Violet",
    "White",
]
_NOUNS = [
    "Harbour",
    "Lantern",
    "Orchard",
    "Bridge",
    "Garden",
    "River",
    "Mirror",
    "Tower",
    "Letter",
    "Voyage",
    "Island",
    "Winter",
    "Clock",
    "Crown",
    "Door",
    "Feather",
    "Ferry",
    "Field",
    "Fire",
    "Forest",
    "Gate",
    "Ghost",
    "Hour",
    "House",
    "Key",
    "Kingdom",
    "Ladder",
    "Lighthouse",
    "Map",
    "Meadow",
    "Mill",
    "Mountain",
    "Night",
    "Ocean",
    "Oath",
    "Palace",
    "Path",
    "Piano",
    "Promise",
    "Road",
    "Room",
    "Sailor",
    "Season",
    "Shadow",
    "Shore",
    "Song",
    "Sparrow",
    "Stair",
    "Station",
    "Stone",
    "Storm",
    "Stranger",
    "Summer",
    "Tide",
    "Train",
    "Valley",
    "Violin",
    "Wall",
    "Weaver",
    "Well",
    "Window",
    "Wolf",
    "Anchor",
    "Apple",
    "Bell",
    "Candle",
    "Carnival",
    "Compass",
    "Engine",
    "Fox",
    "Heron",
    "Journey",
]


def _half(rng: Random, pool: list[str]) -> list[str]:
    return rng.sample(pool, max(3, len(pool) // 2))


class Names:
    """Mints names without repeating one; two worlds hardly ever share any.

    Args:
        rng: Source of the inventory and of every name.
        people: How many people will need a given name: more people, more given names.
    """

    def __init__(self, rng: Random, people: int) -> None:
        self._rng = rng
        self._onsets, self._vowels, self._middles = _half(rng, _ONSETS), _half(rng, _VOWELS), _half(rng, _MIDDLES)
        self._endings = {use: _half(rng, endings) for use, endings in _ENDINGS.items()}
        self._adjectives, self._nouns = _half(rng, _ADJECTIVES), _half(rng, _NOUNS)
        self._used: set[str] = set()
        number = 20 + round(people**0.5)
        self._given = {gender: [self.word(gender) for _ in range(number)] for gender in ("female", "male")}

    def word(self, use: str) -> str:
        """A new proper name; `use` is ``surname``, ``town``, ``land``, ``thing``, ``female`` or ``male``."""
        rng = self._rng
        while True:
            stem = rng.choice(self._onsets) + rng.choice(self._vowels) + rng.choice(self._middles)
            if rng.random() < 0.2:
                stem += rng.choice("aeiou") + rng.choice(self._middles)[0]
            word = (stem + rng.choice(self._endings[use])).capitalize()
            if word not in self._used and not any(part in word.lower() for part in _AVOIDED):
                self._used.add(word)
                return word

    def given(self, gender: str) -> str:
        """A given name; many people share one."""
        return self._rng.choice(self._given[gender])

    def title(self, place: str, person: str) -> str:
        """Title of a film, book or album; may repeat one already given."""
        rng = self._rng
        adjective, noun, other = rng.choice(self._adjectives), *rng.sample(self._nouns, 2)
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
        return f"The {self._rng.choice(self._adjectives)} {self._rng.choice(self._nouns)} {group}"
