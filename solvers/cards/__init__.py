"""Paper cards: question generation as compression, and retrieval over it (arXiv 2506.13778)."""
