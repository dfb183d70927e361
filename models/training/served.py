"""The language models that the steps of training call, and running a step as an Inspect evaluation that resumes."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from inspect_ai import Task, eval_set
from inspect_ai.log import EvalLog, read_eval_log_sample_summaries
from inspect_ai.model import GenerateConfig, Model, get_model
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from bridgebench.errors import BridgebenchError


class Settings(BaseModel):
    """Settings of a step: unknown names and wrong types are errors, nothing is converted silently."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, protected_namespaces=())


def _completed(config: dict[str, Any]) -> dict[str, Any]:
    unknown = sorted(set(config) - set(GenerateConfig.model_fields))
    if unknown:
        raise ValueError(f"Inspect has no generation setting named {', '.join(unknown)}")
    GenerateConfig(**config)
    # Inspect tries for ever by default: a server that is gone would hang the step (six tries take about three minutes).
    return {"max_retries": 6, **config}


class ServedModel(Settings):
    """A model as Inspect names it.

    Attributes:
        model: For example ``vllm/meta-llama/Llama-3.3-70B-Instruct``.
        args: Arguments of the provider.
        base_url: Address of a server.
        config: Settings of Inspect's ``GenerateConfig``; ``max_retries`` is 6 unless it is given.
    """

    model: str
    args: dict[str, Any] = Field(default_factory=dict)
    base_url: str | None = None
    config: Annotated[dict[str, Any], AfterValidator(_completed)] = Field(default_factory=dict, validate_default=True)

    def open(self) -> Model:
        """The model, made anew.

        Inspect is not told its role here: after `eval_set` it would return the model that had that role before.
        """
        config = GenerateConfig(**self.config)
        return get_model(self.model, config=config, base_url=self.base_url, memoize=False, **self.args)


def run_step(
    task: Task,
    folder: Path,
    *,
    model: str | Model = "none/none",
    roles: Mapping[str, Model] | None = None,
    max_samples: int | None = None,
) -> EvalLog:
    """Evaluate a task with its logs in `folder`; a run that was stopped goes on where its logs end.

    Raises:
        BridgebenchError: When samples failed, with the first failure: nothing is made of a part of the data. The next
            run asks for these samples alone.
        KeyboardInterrupt: When the user stopped it.
    """
    done, (log,) = eval_set(
        task,
        log_dir=str(folder),
        log_dir_allow_dirty=True,  # what is made of the logs may lie beside them
        model=model,
        model_roles=dict(roles or {}),
        max_samples=max_samples,
        retry_immediate=False,
        retry_attempts=1,  # the user starts it again
        fail_on_error=True,
        continue_on_fail=True,
        ctl_server=False,
    )
    if log.status == "cancelled":
        raise KeyboardInterrupt
    if not done:
        summaries = read_eval_log_sample_summaries(log.location) if log.location else []
        errors = [summary.error for summary in summaries if summary.error]
        reason = errors[0] if errors else (log.error.message if log.error else log.status)
        raise BridgebenchError(f"{folder}: {len(errors)} of {len(summaries)} samples failed, the first with: {reason}")
    return log


def figures_of(log: EvalLog) -> dict[str, Any]:
    """Number of questions of a step, and the mean of each of its figures over those that it applies to."""
    results = log.results
    if results is None:
        return {}
    means = {score.name: score.metrics["mean"].value for score in results.scores}
    measured = {name: None if math.isnan(value) else value for name, value in means.items()}  # nan: of no question
    return {"questions": results.completed_samples, "means": measured, "model_usage": _usage(log)}


def _usage(log: EvalLog) -> dict[str, Any]:
    return {model: usage.model_dump(exclude_none=True) for model, usage in log.stats.model_usage.items()}
