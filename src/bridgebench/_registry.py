"""Everything Inspect finds under ``bridgebench/``."""

from bridgebench.solvers.controls import naive, no_documents, shuffle, truncate
from bridgebench.solvers.rag import bridge_stage, registered_rag

__all__ = ["bridge_stage", "naive", "no_documents", "registered_rag", "shuffle", "truncate"]
