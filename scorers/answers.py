"""When a sample holds an answer at all: a machine's failure is never scored as a wrong answer."""

from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState


def unanswered(state: TaskState) -> Score | None:
    """An unscored `Score` with its reason when the generator gave no answer, else None.

    No answer: the provider reported an error (``generator_error``); there is no output, because a limit or an
    error stopped the sample first (``no_output``); the prompt was longer than the context window, where some
    providers return their error text as if it were an answer (``model_length``); a filter withheld it
    (``content_filter``).

    An answer: whatever else the model said. Nothing at all after a normal stop is an answer, and wrong; one cut
    off at the benchmark's token limit is an answer as far as it goes.
    """
    output = state.output
    if output.error:
        return Score.unscored(reason="generator_error", explanation=output.error)
    if not output.choices:
        explanation = "a limit or an error stopped the sample before the generator answered"
        return Score.unscored(reason="no_output", explanation=explanation)
    if output.stop_reason in ("model_length", "content_filter"):
        return Score.unscored(reason=output.stop_reason, answer=output.completion)
    return None
