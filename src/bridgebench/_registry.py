"""Everything Inspect finds under ``bridgebench/``."""

from bridgebench.benchmarks.hotpotqa.hotpotqa import hotpotqa
from bridgebench.benchmarks.musique.musique import musique
from bridgebench.benchmarks.twowiki.twowiki import twowiki
from bridgebench.scorers.cost import cost
from bridgebench.scorers.qa_f1 import qa_f1
from bridgebench.solvers.controls import naive, no_documents, shuffle, truncate
from bridgebench.solvers.rag import bridge_stage, registered_rag

__all__ = [
    "bridge_stage",
    "cost",
    "hotpotqa",
    "musique",
    "naive",
    "no_documents",
    "qa_f1",
    "registered_rag",
    "shuffle",
    "truncate",
    "twowiki",
]
