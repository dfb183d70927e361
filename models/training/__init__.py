"""Training of the R2U rewriter: supervision, SFT, preferences, DPO (arXiv 2509.15577, sections 2 to 4)."""
