"""bridgebench: which bridge between retriever and generator truly helps, by how much, and at what cost."""

from bridgebench.document import Bridge, BridgeResult, Cost, Document
from bridgebench.errors import BridgebenchError, MissingExtraError, RecordError
from bridgebench.reader import ReaderSettings
from bridgebench.solvers.bridge import bridge
from bridgebench.solvers.rag import rag
from bridgebench.store import BridgeStore

__all__ = [
    "Bridge",
    "BridgeResult",
    "BridgeStore",
    "BridgebenchError",
    "Cost",
    "Document",
    "MissingExtraError",
    "ReaderSettings",
    "RecordError",
    "bridge",
    "rag",
]
