"""A fictional world, and records about it in every dataset's upstream schema. No model has seen it."""

from bridgebench.benchmarks.world.contexts import Knobs
from bridgebench.benchmarks.world.facts import Entity, Fact, World
from bridgebench.benchmarks.world.generate import BENCHMARKS, records

__all__ = ["BENCHMARKS", "Entity", "Fact", "Knobs", "World", "records"]
