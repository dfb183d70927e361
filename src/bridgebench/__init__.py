"""bridgebench: which bridge between retriever and generator truly helps."""
