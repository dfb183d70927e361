"""Where bridgebench keeps what can be made again."""

import os
from pathlib import Path

import platformdirs


def cache_dir() -> Path:
    """The cache folder: ``BRIDGEBENCH_CACHE_DIR``, or the platform's user cache folder."""
    configured = os.environ.get("BRIDGEBENCH_CACHE_DIR")
    return Path(configured).expanduser() if configured else Path(platformdirs.user_cache_dir("bridgebench"))
