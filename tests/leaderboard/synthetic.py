"""Writes Inspect logs as suites would, through Inspect's public log API, without running a model."""

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalMetric,
    EvalPlan,
    EvalPlanStep,
    EvalResults,
    EvalRevision,
    EvalSample,
    EvalScore,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import ModelConfig, ModelOutput, ModelUsage
from inspect_ai.scorer import Score

WORDS = ("river", "town", "film", "bridge", "director", "born", "company", "north", "stone", "light", "winter")

Chain = Sequence[tuple[str, Mapping[str, Any]]]


def words(rng: random.Random, count: int) -> str:
    return " ".join(rng.choices(WORDS, k=count))


def documents(rng: random.Random, count: int = 4, length: int = 30) -> list[dict[str, Any]]:
    return [
        {"id": f"d{i}", "title": f"Title {i}", "text": words(rng, length) + ".", "sources": [f"d{i}"]}
        for i in range(count)
    ]


def prune(retrieved: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first half of the documents, each without its last word."""
    kept = retrieved[: max(1, len(retrieved) // 2)]
    return [{**document, "text": document["text"].rsplit(" ", 1)[0]} for document in kept]


def sample(
    id: str,
    *,
    epoch: int = 1,
    scores: Mapping[str, Score],
    retrieved: list[dict[str, Any]],
    read: list[dict[str, Any]],
    bridge: str,
    metadata: Mapping[str, Any] | None = None,
    seconds: float = 0.01,
    question: str = "Where was the director born?",
    target: str | list[str] = "north",
    answer: str = "north",
    parse: str = "ok",
) -> EvalSample:
    def size(texts: list[dict[str, Any]]) -> int:
        return sum(len(d["title"].split()) + len(d["text"].split()) for d in texts)

    step = {
        "bridge": bridge, "version": 1, "args": {}, "cache": "miss", "parse": parse, "documents": read,
        "cost": {"seconds": seconds, "calls": 1, "input_tokens": None, "output_tokens": None, "tokenizer": None,
                 "device": "cpu"},
        "documents_in": len(retrieved), "documents_out": len(read), "words_in": size(retrieved),
        "words_out": size(read), "used_originals": False, "notes": {},
    }  # fmt: skip
    cost = Score(
        value={
            "words": size(read), "words_retrieved": size(retrieved), "documents": len(read), "seconds": seconds,
            "calls": 1, "cut": 0, "originals": 0, "malformed": int(parse == "repaired"), "empty": int(not read),
            "answered": 0,
        },
        metadata={"facts": {"devices": ["cpu"], "cache": ["miss"], "versions": [1], "prompt": "qa@0123456789ab",
                            "cut_size": 0, "unit": "words"}},
    )  # fmt: skip
    return EvalSample(
        id=id,
        epoch=epoch,
        input=question,
        target=target,
        output=ModelOutput.from_content("synthetic/m", answer),
        scores={**scores, "cost": cost},
        metadata={"benchmark": "hotpotqa", "documents": retrieved, "cluster": id, "question_type": "bridge",
                  "reader": {}, **(metadata or {})},
        store={"BridgeStore:documents": read, "BridgeStore:steps": [step], "BridgeStore:fit": {},
               "BridgeStore:answered_by": "generator", "BridgeStore:prompt": "qa@0123456789ab"},
        model_usage={"synthetic/m": ModelUsage(input_tokens=9, output_tokens=1, total_tokens=10)},
    )  # fmt: skip


def log(
    samples: list[EvalSample],
    *,
    chain: Chain,
    benchmark: str = "bridgebench/hotpotqa",
    generator: str = "synthetic/Llama-3.1-8B-Instruct",
    status: str = "success",
    created: str = "2026-11-29T10:00:00+00:00",
    cell: str | None = None,
    task_args: Mapping[str, Any] | None = None,
    task_version: int = 1,
    model_args: Mapping[str, Any] | None = None,
    limit: int | None = None,
    epochs: int = 1,
    roles: Mapping[str, str] | None = None,
    on_empty: str = "empty",
    planned: int | None = None,
    headline: tuple[str, str] = ("qa_f1", "f1"),
) -> EvalLog:
    spec = EvalSpec(
        created=created,
        task=benchmark,
        task_version=task_version,
        task_args=dict(task_args or {"source": "sample", "documents": "all"}),
        dataset=EvalDataset(name=benchmark.split("/")[-1], samples=len(samples), sample_ids=[s.id for s in samples]),
        model=generator,
        model_args=dict(model_args or {}),
        model_roles={role: ModelConfig(model=name) for role, name in (roles or {}).items()} or None,
        config=EvalConfig(limit=limit, epochs=epochs),
        revision=EvalRevision(type="git", origin="", commit="abc1234"),
        packages={"inspect_ai": "0.3.285", "bridgebench": "0.1.0"},
        metadata={"cell": cell} if cell else None,
    )
    params = {"bridges": [{name: dict(args)} for name, args in chain], "on_empty": on_empty, "revision": None}
    plan = EvalPlan(steps=[EvalPlanStep(solver="bridgebench/rag", params=params)])
    results = EvalResults(
        total_samples=len(samples) if planned is None else planned,
        completed_samples=len(samples),
        scores=[EvalScore(name=headline[1], scorer=headline[0], metrics={"mean": EvalMetric(name="mean", value=0.0)})],
    )
    return EvalLog(version=2, status=status, eval=spec, plan=plan, results=results, stats=EvalStats(), samples=samples)


def qa(f1: float, em: float | None = None) -> dict[str, Score]:
    """Scores of `qa_f1`; NaN is an unscored answer."""
    if f1 != f1:
        return {"qa_f1": Score.unscored(reason="content_filter")}
    return {"qa_f1": Score(value={"f1": f1, "em": float(f1 == 1) if em is None else em}, answer="north")}


def context(retrieved: list[dict[str, Any]], read: list[dict[str, Any]]) -> Score:
    """Two of the values of the `context` scorer, for the answer "north"."""
    before, after = (any("north" in d["text"] for d in documents) for documents in (retrieved, read))
    return Score(value={"answer_retrieved": float(before), "answer_in_context": float(after)})


def write_cell(
    folder: Path,
    bridge: str = "naive",
    *,
    values: Sequence[float] | None = None,
    skill: float = 0.5,
    n: int = 12,
    seed: int = 0,
    ids: Callable[[int], str] = "q{}".format,
    documents_each: int = 4,
    words_each: int = 30,
    args: Mapping[str, Any] | None = None,
    name: str | None = None,
    types: Sequence[str] = ("bridge", "comparison"),
    sample_options: Mapping[str, Any] | None = None,
    headline: tuple[str, str] = ("qa_f1", "f1"),
    **options: Any,
) -> Path:
    """Write one cell's log; `values` are its F1s, drawn at random with mean `skill` where not given."""
    rng = random.Random(f"{seed} {bridge} {options}")
    values = values if values is not None else [float(rng.random() < skill) for _ in range(n)]
    samples = []
    for i, value in enumerate(values):
        retrieved = documents(random.Random(f"documents {i}"), documents_each, words_each)
        read = {"naive": retrieved, "no_documents": []}.get(bridge, prune(retrieved))
        judged = qa(value) if headline[0] == "qa_f1" else {headline[0]: Score(value={headline[1]: value})}
        given: dict[str, Any] = {
            "retrieved": retrieved, "read": read, "bridge": f"bridgebench/{bridge}",
            "scores": {**judged, "context": context(retrieved, read)},
            "metadata": {"question_type": types[i % len(types)]}, "answer": "north" if value == 1 else "south",
        }  # fmt: skip
        samples.append(sample(ids(i), **{**given, **(sample_options or {})}))
    chain = [(f"bridgebench/{bridge}", dict(args or {}))]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name or bridge}-{len(list(folder.iterdir()))}.eval"
    write_eval_log(log(samples, chain=chain, headline=headline, **options), str(path))
    return path


__all__ = ["documents", "log", "prune", "qa", "sample", "write_cell", "write_eval_log"]
