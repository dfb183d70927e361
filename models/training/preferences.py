"""Step 4, preferences: what a generator makes of each rewrite alone, and of sets of them (arXiv 2509.15577, 3.2.2).

An Inspect task over the questions of the supervision step. The generator, the model under evaluation, reads the
rewrites as it would behind `bridgebench/r2u`; a context that is the same text is one call, whichever set it stands for.

    inspect eval bridgebench/preferences -T logs=out/supervision --model vllm/meta-llama/Llama-3.1-8B-Instruct
"""

import re
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Annotated, Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import StoreModel
from pydantic import AfterValidator, Field

from bridgebench.document import Document
from bridgebench.models.training.asker import Answered, Asker, Measure
from bridgebench.models.training.provenance import write_provenance
from bridgebench.models.training.rewrites import Supervised, read_supervision
from bridgebench.models.training.served import ServedModel, Settings, figures_of, run_step
from bridgebench.models.training.sets import Drawn, draw_sets, kind_of, outcome_of
from bridgebench.reader import Answer
from bridgebench.solvers.generate import load_prompt
from bridgebench.solvers.r2u_format import Rewrites, rewritten_documents


def _mixes(values: list[str]) -> list[str]:
    wrong = [mix for mix in values if not re.fullmatch("a?b?c?", mix) or not mix]
    if wrong or not values:
        raise ValueError(f"a mix is some of a, b and c in this order, got {', '.join(map(repr, wrong)) or 'none'}")
    return values


class PreferenceSettings(Settings):
    """Settings of `run_preferences`.

    Attributes:
        generator: The model that answers, greedily unless its ``config`` says otherwise.
        sets: Most sets of a question.
        mixes: Kinds of rewrites that sets are made of; see `bridgebench.models.training.sets`.
        prompt: Prompt of the generator.
        answer: How its answer is taken from the completion.
        measure: What must be 1 to win and 0 to lose: ``f1``, or ``states``, whether the answer states a gold.
        keep_title: Whether a rewrite keeps its document's title, as in `bridgebench/r2u`.
        max_tokens: Most tokens of an answer.
        max_samples: Questions in flight.
        seed: Of the draw of sets.
    """

    # The paper does not say; it is the generator of its main results.
    generator: ServedModel = ServedModel(model="vllm/meta-llama/Llama-3.1-8B-Instruct")
    # The paper gives no number. Eight go over every mix once and over some twice.
    sets: Annotated[int, Field(ge=1)] = 8
    # Those that the paper names: only (a), (a) with (b), (b) with (c), and others that hold (c).
    mixes: Annotated[list[str], AfterValidator(_mixes)] = Field(
        default_factory=lambda: ["a", "ab", "bc", "c", "ac", "abc"]
    )
    # Short answers: on whole sentences F1 = 1 is rare, and only F1 = 1 wins.
    prompt: str = "qa"
    answer: Answer = "as_is"
    # The paper's. Very small models answer in sentences whatever they are told, so that their F1 is never 1.
    measure: Measure = "f1"
    keep_title: bool = True
    max_tokens: Annotated[int, Field(ge=1)] = 128  # as the benchmark of the paper's training data has it
    max_samples: Annotated[int, Field(ge=1)] | None = None
    seed: int = 0


class PreferenceStore(StoreModel):
    """What became of one question.

    Attributes:
        alone: One entry a rewritten document: ``place`` (of its document), ``answer``, ``score`` and ``kind``; the
            last two are None where the generator gave no answer (``problem`` says why).
        sets: One entry a set: ``mix``, ``members`` (places), ``answer``, ``score``, ``outcome``, ``problem``.
        calls: Calls of the generator.
        contexts: Contexts that were asked for: calls, if none were shared.
    """

    alone: list[dict[str, Any]] = Field(default_factory=list)
    sets: list[dict[str, Any]] = Field(default_factory=list)
    calls: int = 0
    contexts: int = 0


@task
def preferences(
    logs: str,
    sets: int = 8,
    mixes: list[str] | None = None,
    prompt: str = "qa",
    answer: Answer = "as_is",
    measure: Measure = "f1",
    keep_title: bool = True,
    max_tokens: int = 128,
    seed: int = 0,
) -> Task:
    """The generator's answers from a teacher's rewrites.

    Args:
        logs: Folder of the supervision step.
        sets: See `PreferenceSettings`, as for all others.
        mixes: None is all.
        prompt: Name or path of the template.
        answer: Whole completion or its first line.
        measure: What decides.
        keep_title: Titles before rewrites.
        max_tokens: Of an answer.
        seed: Of the draw.
    """
    samples = [_sample(question) for question in read_supervision(Path(logs).expanduser())]
    return Task(
        name="preferences",
        dataset=MemoryDataset(samples, name="preferences", location=logs),
        solver=answer_from_sets(sets, mixes or PreferenceSettings().mixes, prompt, answer, measure, keep_title, seed),
        scorer=preferred(),
        config=GenerateConfig(max_tokens=max_tokens, temperature=0.0),
        headline_metric="preferred.wins",
        version=1,
    )


def _sample(question: Supervised) -> Sample:
    metadata = {
        "documents": [document.to_dict() for document in question.documents],
        "rewrites": list(question.rewrites),
    }
    return Sample(id=question.id, input=question.question, target=list(question.golds), metadata=metadata)


@solver
def answer_from_sets(
    sets: int, mixes: list[str], prompt: str, answer: Answer, measure: Measure, keep_title: bool, seed: int
) -> Solver:
    """Ask the generator about every rewrite alone, then about sets drawn by what it made of them."""
    template = load_prompt(prompt)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        documents = [Document.from_dict(document) for document in state.metadata["documents"]]
        written = {
            place: rewritten_documents(
                [document], Rewrites((rewrite,), "ok"), keep_title=keep_title, keep_original=False
            )
            for place, (document, rewrite) in enumerate(zip(documents, state.metadata["rewrites"], strict=True))
            if rewrite
        }
        asker = Asker(get_model(), template, state.input_text, written, answer)
        golds = list(state.target)
        alone = {
            place: _told(found, golds, measure)
            for (place,), found in (await asker.answers([(p,) for p in written])).items()
        }
        kinds = {place: kind_of(told["score"]) for place, told in alone.items() if told["score"] is not None}
        drawn = draw_sets(kinds, mixes, sets, Random(f"{seed} {state.sample_id}"))
        found = await asker.answers([each.members for each in drawn])
        store = state.store_as(PreferenceStore)
        store.alone = [{"place": place, "kind": kinds.get(place), **told} for place, told in alone.items()]
        store.sets = [_set(each, _told(found[each.members], golds, measure)) for each in drawn]
        store.calls, store.contexts = asker.calls, len(alone) + len(drawn)
        state.completed = True
        return state

    return solve


def _told(answered: Answered, golds: Sequence[str], measure: Measure) -> dict[str, Any]:
    return {"answer": answered.text, "problem": answered.problem, "score": answered.score(golds, measure)}


def _set(drawn: Drawn, told: dict[str, Any]) -> dict[str, Any]:
    outcome = None if told["score"] is None else outcome_of(told["score"])
    return {"mix": drawn.mix, "members": list(drawn.members), "outcome": outcome, **told}


_FIGURES = ("a", "b", "c", "sets", "wins", "loses", "unscored", "calls", "contexts")


@scorer(metrics={name: [mean()] for name in _FIGURES})
def preferred() -> Scorer:
    """Of each question: rewrites of each kind, sets and how many win and lose, contexts without an answer, calls."""

    async def score(state: TaskState, target: Target) -> Score:
        store = state.store_as(PreferenceStore)
        kinds = [told["kind"] for told in store.alone]
        outcomes = [told["outcome"] for told in store.sets]
        return Score(
            value={
                **{kind: kinds.count(kind) for kind in "abc"},
                "sets": len(outcomes),
                "wins": outcomes.count("win"),
                "loses": outcomes.count("lose"),
                "unscored": kinds.count(None) + outcomes.count(None),
                "calls": store.calls,
                "contexts": store.contexts,
            }
        )

    return score


def run_preferences(settings: PreferenceSettings, data: Path, out: Path) -> Path:
    """Run the task with its log in `out`; what an earlier run has done is not done again.

    Args:
        settings: How.
        data: Folder of the supervision step.
        out: Folder for the log and ``provenance.json``; it is returned.

    Raises:
        BridgebenchError: When the supervision step did not finish, or a question failed.
    """
    given = settings.model_dump(exclude={"generator", "max_samples"})
    task = preferences(logs=str(data), **given)
    # Inspect gives a task's settings precedence over those of its model: temperature there would be ignored.
    task.config = task.config.merge(GenerateConfig(**settings.generator.config))
    log = run_step(
        task,
        out,
        model=settings.generator.open(),
        max_samples=settings.max_samples,
    )
    write_provenance(out, "preferences", settings, {"supervision": data}, figures_of(log))
    return out
