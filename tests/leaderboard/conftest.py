"""Makes the writer of synthetic logs a fixture: test modules are imported by path and cannot import each other."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def synthetic() -> ModuleType:
    spec = importlib.util.spec_from_file_location("leaderboard_synthetic", Path(__file__).with_name("synthetic.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
