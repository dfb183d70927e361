"""Experiments as YAML, and the runner that expands them to cells."""
