import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

QUESTIONS = ("Which river does the bridge of Velmora cross?", "Who built it?", "Where was she born?", "Is Tarn larger?")
PASSAGES = (
    "The town of Velmora lies on the river Ansel.",
    "Its bridge was built in 1871 by Ida Morrow.",
    "Ida Morrow was born in Tarn.",
    "The film Grey Harbour was shot there.",
)


def prompt_of(number: int) -> list[dict[str, str]]:
    documents = "\n\n".join(f"Document {n}:\n{PASSAGES[(number + n) % 4]}" for n in range(1, 3))
    return [{"role": "user", "content": f"Rewrite. Question: {QUESTIONS[number % 4]}\n\n{documents}"}]


def completion_of(first: str, second: str) -> list[dict[str, str]]:
    return [{"role": "assistant", "content": f"Document 1:\n{first}\n\nDocument 2:\n{second}"}]


def write_jsonl(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture(scope="session")
def sft_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows with a rule to learn: the first document is repeated, the second is skipped."""
    folder = tmp_path_factory.mktemp("sft-data")
    for name, numbers in (("train", range(24)), ("dev", range(24, 32))):
        rows = [
            {"id": str(n), "prompt": prompt_of(n), "completion": completion_of(PASSAGES[(n + 1) % 4], "[NO_REWRITE]")}
            for n in numbers
        ]
        write_jsonl(folder / f"{name}.jsonl", rows)
    return folder


@pytest.fixture(scope="session")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs with a rule to learn: skipping the second document wins, skipping the first loses."""
    folder = tmp_path_factory.mktemp("pairs")
    for name, numbers in (("train", range(16)), ("dev", range(16, 20))):
        rows = [
            {
                "id": str(n),
                "prompt": prompt_of(n),
                "chosen": completion_of(PASSAGES[(n + 1) % 4], "[NO_REWRITE]"),
                "rejected": completion_of("[NO_REWRITE]", PASSAGES[(n + 2) % 4]),
                "kind": "c>a",
            }
            for n in numbers
        ]
        write_jsonl(folder / f"{name}.jsonl", rows)
    return folder


@pytest.fixture(scope="session")
def student(tiny_model: Callable[..., Any]) -> Path:
    """A tiny chat model, larger context than its siblings in the other tests."""
    path: Path = tiny_model(max_position_embeddings=512, initializer_range=0.05).path
    return path


@pytest.fixture(scope="session")
def settings(student: Path) -> dict[str, Any]:
    """What all trainings here have in common."""
    return {
        "epochs": 1.0,
        "batch_size": 4,
        "accumulate": 1,
        "learning_rate": 5e-3,
        "schedule": "constant",
        "warmup": 0.0,
        "max_length": 512,
        "precision": "float32",
        "gradient_checkpointing": False,
        "device": "cpu",
        "save_every": 2,
        "seed": 7,
    }
