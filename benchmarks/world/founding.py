"""How the world comes to be: places, then families, then institutions, then works.

Everything draws from one generator in a fixed order, so the seed decides everything.
"""

from collections import defaultdict
from random import Random
from typing import NamedTuple

from bridgebench.benchmarks.world.names import Names, Split, words

_LAST_YEAR = 2020
_OCCUPATIONS = {
    "film director": 6, "composer": 4, "writer": 4, "film producer": 3, "singer": 3, "entrepreneur": 4, "painter": 2,
    "footballer": 2, "chemist": 2, "politician": 2, "architect": 2, "botanist": 1, "sculptor": 1, "astronomer": 1,
}  # fmt: skip


class Draft(NamedTuple):
    """An entity before its namesakes are known."""

    kind: str
    name: str
    qualifier: str
    gender: str


class Founding:
    """Builds the tables that a World reads.

    Attributes:
        drafts: Entities in order.
        objects: (subject id, relation) -> object: an id or a literal.
    """

    def __init__(self, seed: str, size: int, split: Split) -> None:
        self._rng = Random(f"{seed}/facts")
        self._names = Names(Random(f"{seed}/names"), size, split)
        self._size = size
        self._known: set[tuple[str, str]] = set()
        self.drafts: list[Draft] = []
        self.objects: dict[tuple[str, str], str] = {}
        self._towns: list[str] = []
        self._births: dict[str, int] = {}
        self._guilds: dict[str, list[str]] = defaultdict(list)
        self._found_places()
        self._raise_families()
        self._found_universities()
        self._found_companies()
        self._make_works()

    @staticmethod
    def id_of(number: int) -> str:
        """Id of the entity at this position of `drafts`."""
        return f"Q{1001 + number}"

    def _name(self, entity: str) -> str:
        return self.drafts[int(entity[1:]) - 1001].name

    def _is_new(self, name: str, qualifier: str) -> bool:
        return (name, qualifier) not in self._known

    def _add(self, kind: str, name: str, qualifier: str = "", gender: str = "") -> str:
        self._known.add((name, qualifier or kind))
        self.drafts.append(Draft(kind, name, qualifier or kind, gender))
        return self.id_of(len(self.drafts) - 1)

    def _state(self, subject: str, **relations: str | None) -> None:
        for relation, value in relations.items():
            if value is not None:
                self.objects[subject, relation.replace("_", " ")] = value

    def _found_places(self) -> None:
        rng, names = self._rng, self._names
        per_country = 6 + self._size // 4000
        for _ in range(4 + self._size // 1000):
            stem = names.word("land").rstrip("aeiou")
            country = self._add("country", stem + rng.choice(["ia", "land", "mark", "ovia"]))
            rivers = [self._add("river", f"{names.word('thing')} River") for _ in range(per_country)]
            for river in rivers:
                sea = f"{names.word('thing')} {rng.choice(['Sea', 'Gulf', 'Bay'])}"
                self._state(river, country=country, length=f"{rng.randrange(40, 900)} kilometres", mouth=f"the {sea}")
            word = rng.choice(["Province", "County", "District"])
            towns: list[str] = []
            for _ in range(per_country):
                region = self._add("region", f"{names.word('thing')} {word}")
                here = [self._town(region, river) for river in rng.sample(rivers, 6)]
                area = f"{rng.randrange(300, 9000):,} square kilometres"
                self._state(region, country=country, capital=here[0], area=area)
                towns += here
            self._state(country, capital=rng.choice(towns), demonym=stem + "ian")
            self._state(
                country,
                currency=f"the {names.word('land').lower()}",
                official_language=stem + rng.choice(["ish", "ese"]),
            )
            self._towns += towns

    def _town(self, region: str, river: str) -> str:
        """Towns of one region stand on different rivers: region and river together name one town."""
        rng = self._rng
        bare = self._name(rng.choice(self._towns)).split(",")[0] if self._towns and rng.random() < 0.1 else ""
        # A town that takes another's name always says its region, in running text too.
        name = f"{bare}, {self._name(region)}" if bare else self._names.word("town")
        if not self._is_new(name, "town"):
            name = self._names.word("town")
        town = self._add("town", name)
        self._state(
            town, region=region, river=river, population=f"{rng.randrange(2_000, 400_000):,}",
            founded=str(rng.randrange(1050, 1850)), known_for=rng.choice(words("things")["sights"]),
            also_known_as=self._names.word("town") if rng.random() < 0.3 else None,
        )  # fmt: skip
        return town

    def _person(
        self, surname: str, gender: str, birth: int, father: str | None = None, mother: str | None = None
    ) -> str:
        rng = self._rng
        death = birth + rng.randrange(48, 93) if birth < 1965 and rng.random() < 0.85 else _LAST_YEAR
        town = rng.choice(self._towns)
        while True:
            name = f"{self._names.given(gender)} {surname}"
            occupation = rng.choices(list(_OCCUPATIONS), list(_OCCUPATIONS.values()))[0]
            if self._is_new(name, occupation):
                break
        person = self._add("person", name, occupation, gender)
        died = death < _LAST_YEAR
        self._state(
            person, date_of_birth=self._day(birth), place_of_birth=town, occupation=occupation, father=father,
            mother=mother, country_of_citizenship=self.objects[self.objects[town, "region"], "country"],
            date_of_death=self._day(death) if died else None, place_of_death=rng.choice(self._towns) if died else None,
            career_goals=str(rng.randrange(40, 400)) if occupation == "footballer" else None,
            also_known_as=f"{self._names.word(gender)} {surname}" if rng.random() < 0.3 else None,
        )  # fmt: skip
        self._births[person] = birth
        self._guilds[occupation].append(person)
        return person

    def _day(self, year: int) -> str:
        return f"{year}-{self._rng.randrange(1, 13):02d}-{self._rng.randrange(1, 29):02d}"

    def _raise_families(self) -> None:
        """Three generations; children take the father's surname, nobody changes it by marriage."""
        rng = self._rng
        surnames = [self._names.word("surname") for _ in range(self._size // 6)]

        def couple(surname: str, birth: int) -> tuple[str, str]:
            husband = self._person(surname, "male", birth)
            return self._marry(husband, self._person(rng.choice(surnames), "female", birth + rng.randrange(-4, 9)))

        while len(self._births) < self._size:
            surname = rng.choice(surnames)
            father, mother = couple(surname, rng.randrange(1860, 1915))
            for _ in range(rng.randrange(1, 4)):
                gender = rng.choice(["female", "male"])
                child = self._person(surname, gender, self._next_birth(father, mother), father, mother)
                if rng.random() < 0.75:
                    other_gender, other_name = ("male" if gender == "female" else "female"), rng.choice(surnames)
                    partner = self._person(other_name, other_gender, self._births[child] + rng.randrange(-6, 7))
                    parents = self._marry(*((partner, child) if gender == "female" else (child, partner)))
                    family = other_name if gender == "female" else surname
                    for _ in range(rng.randrange(0, 3)):
                        self._person(family, rng.choice(["female", "male"]), self._next_birth(*parents), *parents)

    def _next_birth(self, father: str, mother: str) -> int:
        return max(self._births[father], self._births[mother]) + self._rng.randrange(20, 35)

    def _marry(self, husband: str, wife: str) -> tuple[str, str]:
        self._state(husband, spouse=wife)
        self._state(wife, spouse=husband)
        return husband, wife

    def _found_universities(self) -> None:
        rng = self._rng
        universities = []
        for town in rng.sample(self._towns, max(8, len(self._towns) // 4)):
            bare = self._name(town).split(",")[0]
            name = rng.choice(
                [f"University of {bare}", f"{bare} Institute of Technology", f"{self._names.word('surname')} College"]
            )
            if self._is_new(name, "university"):
                universities.append(self._add("university", name))
                students = f"{rng.randrange(900, 30_000):,}"
                self._state(universities[-1], location=town, founded=str(rng.randrange(1400, 1870)), students=students)
        for person in self._births:
            if rng.random() < 0.7:
                self._state(person, educated_at=rng.choice(universities))

    def _found_companies(self) -> None:
        rng = self._rng
        self._houses: dict[str, list[str]] = defaultdict(list)
        for number, founder in enumerate(self._guilds["entrepreneur"]):
            suffix = ("Press", "Records", rng.choice(["Works", "Brothers", "Company", "Mills"]))[number % 3]
            company = self._add("company", f"{self._names.word('surname')} {suffix}")
            industry = {"Press": "publishing", "Records": "recorded music"}.get(suffix) or rng.choice(
                words("things")["industries"]
            )
            self._state(
                company, founder=founder, founded=str(self._births[founder] + rng.randrange(23, 45)), industry=industry,
                headquarters=rng.choice(self._towns), share_price=f"{rng.randrange(200, 9000) / 100:.2f} marks",
                shares_traded=f"{rng.randrange(1_000, 90_000):,}",
            )  # fmt: skip
            self._houses[suffix].append(company)

    def _year(self, *makers: str) -> int | None:
        """A year in which all of them were grown up and alive; None when there is none."""
        first = max(self._births[maker] for maker in makers) + 24
        last = min(int(self.objects.get((maker, "date of death"), str(_LAST_YEAR))[:4]) for maker in makers)
        last = min(last, min(self._births[maker] for maker in makers) + 65)
        return self._rng.randrange(first, last) if first < last else None

    def _title(self, qualifier: str) -> str:
        """A new title, or now and then that of an earlier work."""
        rng = self._rng
        works = self.drafts[self._first_work :]
        while True:
            if works and rng.random() < 0.15:
                title = rng.choice(works).name
            else:
                gender = rng.choice(["female", "male"])
                title = self._names.title(self._name(rng.choice(self._towns)).split(",")[0], self._names.given(gender))
            if self._is_new(title, qualifier):
                return title

    def _make_works(self) -> None:
        rng, guilds, towns = self._rng, self._guilds, self._towns
        self._first_work = len(self.drafts)
        for director in [director for director in guilds["film director"] for _ in range(3)]:
            for _ in range(8):  # not everybody lived at the same time
                crew = {"composer": rng.choice(guilds["composer"]), "producer": rng.choice(guilds["film producer"])}
                if year := self._year(director, *crew.values()):
                    break
            if year:
                film = self._add("film", self._title(f"{year} film"), f"{year} film")
                self._state(
                    film, director=director, **crew, publication_date=str(year), setting=rng.choice(towns),
                    country_of_origin=self.objects[director, "country of citizenship"],
                    genre=rng.choice(words("things")["film genres"]),
                )  # fmt: skip
        for author in [author for author in guilds["writer"] for _ in range(2)]:
            if year := self._year(author):
                novel = self._add("novel", self._title("novel"), "novel")
                self._state(
                    novel, author=author, publication_date=str(year), genre=rng.choice(words("things")["novel genres"]),
                    publisher=rng.choice(self._houses["Press"]), setting=rng.choice(towns),
                )  # fmt: skip
        for singer in guilds["singer"]:
            name = self._names.band()
            if not self._is_new(name, "band") or not (year := self._year(singer)):
                continue
            genre = rng.choice(words("things")["music genres"])
            band = self._add("band", name)
            self._state(
                band, lead_singer=singer, founded=str(year), location_of_formation=rng.choice(towns), genre=genre
            )
            for later in rng.sample(range(1, 12), 2):
                if year + later > _LAST_YEAR:
                    continue
                album = self._add("album", self._title("album"), "album")
                label = rng.choice(self._houses["Records"])
                self._state(album, performer=band, publication_date=str(year + later), record_label=label, genre=genre)
