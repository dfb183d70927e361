"""The world is consistent, and another seed or split is another world."""

from collections import Counter

import pytest

from bridgebench.benchmarks.world import World
from bridgebench.benchmarks.world.facts import magnitude
from bridgebench.benchmarks.world.phrases import Phrases

WORLDS = [World(seed, 300, split) for seed in (0, 1, 2) for split in ("validation", "train")]


def proper_names(world: World) -> set[str]:
    """Every word that was minted for this world's people and places."""
    kinds = ("person", "town", "river", "country")
    words = [word for entity in world.entities.values() if entity.kind in kinds for word in entity.name.split()]
    return {word.strip(",") for word in words} - {"River", "Province", "County", "District"}


def templates(world: World) -> set[str]:
    phrases = Phrases(world)
    details = [template for kinds in phrases.details.values() for some in kinds.values() for template in some]
    texts = {template.text for template in [*details, *(lead for some in phrases.leads.values() for lead in some)]}

    def leaves(part: object) -> set[str]:
        if isinstance(part, dict):
            return set().union(*(leaves(value) for value in part.values()))
        assert isinstance(part, list)
        return set(part)

    return texts | leaves(phrases.questions)


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_families_and_works_are_possible(world: World) -> None:
    def year(subject: str, relation: str) -> int | None:
        value = world.object(subject, relation)
        return int(value[:4]) if value else None

    for fact in world.facts:
        born, died = year(fact.subject, "date of birth"), year(fact.subject, "date of death")
        assert born is None or died is None or 40 < died - born < 100
        if fact.relation in ("father", "mother"):
            parent = year(fact.object, "date of birth")
            assert parent is not None
            assert born is not None
            assert 18 <= born - parent <= 65
        if fact.relation == "father":
            father = world.entities[fact.object]
            assert father.gender == "male"
            assert father.name_key == world.entities[fact.subject].name_key
            assert world.object(fact.object, "spouse") == world.object(fact.subject, "mother")
        if fact.relation == "spouse":
            assert world.object(fact.object, "spouse") == fact.subject
        if fact.relation in ("director", "composer", "producer", "author"):
            made, birth = year(fact.subject, "publication date"), year(fact.object, "date of birth")
            death = year(fact.object, "date of death") or 9999
            assert made is not None
            assert birth is not None
            assert birth + 20 < made <= death
        if fact.relation == "capital" and world.entities[fact.subject].kind == "region":
            assert world.object(fact.object, "region") == fact.subject


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_facts_are_functions_and_titles_unique(world: World) -> None:
    assert max(Counter((fact.subject, fact.relation) for fact in world.facts).values()) == 1
    assert max(Counter(entity.title for entity in world.entities.values()).values()) == 1
    assert {fact.subject for fact in world.facts} == world.entities.keys()
    namesakes = [entity for entity in world.entities.values() if entity.is_ambiguous]
    assert {entity.kind for entity in namesakes} >= {"person", "film", "novel", "album"}


def test_splits_share_no_name_and_no_template() -> None:
    """Whatever the seed: twenty of each split have drawn every template there is."""
    of: dict[str, set[str]] = {split: set() for split in ("validation", "train")}
    for split, drawn in of.items():
        for seed in range(20):
            world = World(seed, 100, split)  # type: ignore[arg-type]
            drawn |= templates(world)
    assert min(map(len, of.values())) > 400
    assert not of["validation"] & of["train"]
    for one in WORLDS:
        for other in WORLDS:
            if one.split != other.split:
                assert not proper_names(one) & proper_names(other)
                assert not {e.title for e in one.entities.values()} & {e.title for e in other.entities.values()}


def test_seeds_have_other_names_and_other_templates() -> None:
    for one in WORLDS:
        for other in WORLDS:
            if one.split == other.split and one is not other:
                shared_names = proper_names(one) & proper_names(other)
                assert len(shared_names) < 0.02 * len(proper_names(one)), shared_names
                shared = templates(one) & templates(other)
                assert len(shared) < 0.6 * len(templates(one))


def test_size_scales_everything_and_one_seed_is_one_world() -> None:
    assert World(5).facts == World(5).facts
    small, large = World(0, 300), World(0, 1200)
    assert len(large.of_kind("town")) > len(small.of_kind("town"))
    for kind in ("person", "film", "novel", "company"):
        assert len(large.of_kind(kind)) > 2 * len(small.of_kind(kind))


def test_magnitude_orders_dates_years_and_quantities() -> None:
    assert magnitude("1932-03-14") < magnitude("1932-11-02") < magnitude("1933-01-01")
    assert magnitude("48,213") == 48213
    assert magnitude("312 kilometres") < magnitude("1,312 kilometres")
