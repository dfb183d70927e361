"""Step 1, supervision: a teacher rewrites every document of every question (arXiv 2509.15577, section 3.1).

An Inspect task over a benchmark's training split. It runs the bridge `r2u_teacher` with its cache: one call a document,
the document last with its own number, the gold answer never shown, ``[NO_REWRITE]`` kept, an unreadable reply asked for
once more with another seed and then dropped and counted. Only step 1 of a reply becomes part of a result; unless
`SupervisionSettings.explain` is on, step 2 is not even generated.

    inspect eval bridgebench/supervision -T source=world:size=3 --model none/none \
        --model-role 'bridge={model: world_teacher/rules, model_args: {source: "world:size=3"}}'
"""

import re
from pathlib import Path
from typing import Annotated, Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState
from inspect_ai.util import registry_create
from pydantic import AfterValidator, Field

from bridgebench.document import Document
from bridgebench.models.training.provenance import write_provenance
from bridgebench.models.training.rewrites import rewrites_of
from bridgebench.models.training.served import ServedModel, Settings, figures_of, run_step
from bridgebench.scorers.context_measures import NOT_APPLICABLE, states
from bridgebench.solvers.llm import without_reasoning
from bridgebench.solvers.r2u_format import split_steps
from bridgebench.solvers.rag import bridge_stage
from bridgebench.store import BridgeStore

_CITATION = re.compile(r"\b(?:document|passage)s?\s*[\[(#]?\s*\d", re.IGNORECASE)
_ANSWER = re.compile(r"\banswer\b[^.\n]{0,40}?(?:\bis\b|:)", re.IGNORECASE)


def _only_further(args: dict[str, Any]) -> dict[str, Any]:
    if twice := sorted(set(args) & set(SupervisionSettings.model_fields)):
        raise ValueError(f"{', '.join(twice)}: a key of supervision itself, to be set there")
    return args


class SupervisionSettings(Settings):
    """Settings of `run_supervision`; ``None`` where the benchmark or the model decides.

    Attributes:
        teacher: The model that rewrites.
        benchmark: Registry name of the task whose questions are used.
        source: Where its records come from, as the task takes it.
        split: Its split.
        limit: Number of questions, drawn by `seed`.
        benchmark_args: Further arguments of the task.
        max_documents: Documents of a question that are rewritten, the first ones; how many are left out is logged.
        single_pass: All documents in one call, the ablation of the paper's Figure 3.
        explain: Whether the teacher goes on to step 2, so that `cited` and `correct` are measured.
        template: Prompt of the teacher.
        max_tokens: Most tokens of a reply, for each document that it rewrites.
        temperature: Of the first try.
        retries: Further tries for a reply without a readable rewrite.
        retry_temperature: Of the further tries, each with a seed of its own.
        max_samples: Questions in flight.
        seed: Of the draw of questions, of sampling and of the retries.
    """

    # The paper's teacher, on vLLM.
    teacher: ServedModel = ServedModel(model="vllm/meta-llama/Llama-3.3-70B-Instruct")
    # The paper trains on MS MARCO's training split, and on "about 36k" of its queries.
    benchmark: str = "bridgebench/msmarco"
    source: str = "hub"
    split: str | None = "train"
    limit: Annotated[int, Field(ge=1)] | None = 36_000
    benchmark_args: Annotated[dict[str, Any], AfterValidator(_only_further)] = Field(default_factory=dict)
    # MS MARCO gives up to ten passages, and the paper rewrites them all.
    max_documents: Annotated[int, Field(ge=1)] = 10
    # One call a document is the paper's method.
    single_pass: bool = False
    # Step 2 follows the rewrite and cannot change it: leaving it out saves tokens, and keeps it out of every log.
    explain: bool = False
    template: str | None = None
    # Several times the length of a passage.
    max_tokens: Annotated[int, Field(ge=1)] = 512
    # The most likely rewrite; 0.7 would trade fidelity for variety.
    temperature: Annotated[float, Field(ge=0)] = 0.0
    # A greedy model repeats its mistake: the second try samples.
    retries: Annotated[int, Field(ge=0)] = 1
    retry_temperature: Annotated[float, Field(gt=0)] = 0.7
    max_samples: Annotated[int, Field(ge=1)] | None = None
    seed: int = 0


@task
def supervision(
    benchmark: str = "bridgebench/msmarco",
    split: str | None = "train",
    max_documents: int = 10,
    single_pass: bool = False,
    explain: bool = False,
    template: str | None = None,
    max_tokens: int = 512,
    temperature: float = 0.0,
    retries: int = 1,
    retry_temperature: float = 0.7,
    seed: int = 0,
    **benchmark_args: Any,
) -> Task:
    """A teacher's rewrites of a benchmark's documents; the teacher is the model in the role ``bridge``.

    Args as in `SupervisionSettings`; all others are the benchmark's own.
    """
    arguments = {**benchmark_args, "seed": seed} | ({"split": split} if split else {})
    base = registry_create("task", benchmark if "/" in benchmark else f"bridgebench/{benchmark}", **arguments)
    teacher = {
        "template": template,
        "single_pass": single_pass,
        "explain": explain,
        "max_tokens": max_tokens,
        "temperature": temperature,
        "retries": retries,
        "retry_temperature": retry_temperature,
        "seed": seed,
    }
    samples = [first_documents(sample, max_documents) for sample in base.dataset]
    return Task(
        name="supervision",
        dataset=MemoryDataset(samples, name=base.dataset.name, location=base.dataset.location),
        # What the teacher says in step 2 is nowhere but in the events of its call: from the cache there are none.
        solver=bridge_stage(bridges=[{"bridgebench/r2u_teacher": teacher}], cache=not explain),
        scorer=supervised(),
        headline_metric="supervised.rewritten",
        version=base.version,
        metadata=base.metadata,
    )


def first_documents(sample: Sample, most: int) -> Sample:
    """The sample with its first documents, and their number that is left out."""
    metadata = dict(sample.metadata or {})
    documents = metadata["documents"]
    metadata |= {"documents": documents[:most], "documents_left_out": max(0, len(documents) - most)}
    return sample.model_copy(update={"metadata": metadata})


@scorer(
    metrics={name: [mean()] for name in ("documents", "rewritten", "skipped", "dropped", "retried", "cited", "correct")}
)
def supervised() -> Scorer:
    """Of each question: its documents, and those rewritten, skipped and dropped; replies that were asked for again.

    ``cited`` is the share of the teacher's explanations that cite a document before they answer, the prerequisite of
    the paper's section 2.2; ``correct`` tells whether any states a gold answer in so many words. Both are not
    applicable where the teacher did not explain.
    """

    async def score(state: TaskState, target: Target) -> Score:
        documents = [Document.from_dict(document) for document in state.metadata["documents"]]
        (step,) = state.store_as(BridgeStore).steps
        rewrites = rewrites_of(documents, step)
        explanations = _explanations()
        told = [Document("explanation", "", text) for text in explanations]
        golds = [gold for gold in target if gold]
        return Score(
            value={
                "documents": len(documents),
                "rewritten": sum(bool(rewrite) for rewrite in rewrites),
                "skipped": sum(rewrite == "" for rewrite in rewrites),
                "dropped": sum(rewrite is None for rewrite in rewrites),
                "retried": step["notes"]["retried"],
                "cited": sum(map(cites_before_answering, explanations)) / len(told) if told else NOT_APPLICABLE,
                "correct": float(any(states(text, golds) for text in told)) if told else NOT_APPLICABLE,
            }
        )

    return score


def _explanations() -> list[str]:
    """Step 2 of every reply to the current sample, as the events of its calls hold it."""
    calls = [event for event in transcript().events if isinstance(event, ModelEvent)]
    replies = [split_steps(without_reasoning(call.output.completion)) for call in calls]
    return [reply.answer for reply in replies if reply.answer]


def cites_before_answering(explanation: str) -> bool:
    """Whether a document is cited by its number before the final answer is given (arXiv 2509.15577, appendix C)."""
    answers = list(_ANSWER.finditer(explanation))
    before = explanation[: answers[-1].start()] if answers else explanation
    return _CITATION.search(before) is not None


def run_supervision(settings: SupervisionSettings, out: Path) -> Path:
    """Run the task with its log in `out`; what an earlier run has done is not done again.

    Returns:
        The folder: the log, and ``provenance.json``.

    Raises:
        BridgebenchError: When a question failed, or the benchmark or the teacher cannot be used.
    """
    given = settings.model_dump(exclude={"teacher", "source", "limit", "benchmark_args", "max_samples"})
    loading = {"source": settings.source, **({"limit": settings.limit} if settings.limit else {})}
    log = run_step(
        supervision(**{**given, **loading, **settings.benchmark_args}),
        out,
        roles={"bridge": settings.teacher.open()},
        max_samples=settings.max_samples,
    )
    write_provenance(out, "supervision", settings, {}, figures_of(log))
    return out
