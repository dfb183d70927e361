"""The equal-compute control: the bridge's own model answers from the originals, without a generator after it."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from bridgebench.document import Bridge, BridgeResult, Document
from bridgebench.reader import Answer
from bridgebench.solvers.bridge import bridge
from bridgebench.solvers.generate import extract_answer, load_prompt
from bridgebench.solvers.llm import Decoding, ask, reply_notes, samples, total_cost
from bridgebench.solvers.neutralise import Guard


def _fingerprint(*, prompt: str, **_: Any) -> Mapping[str, Any]:
    return {"prompt": load_prompt(prompt).hash}


@bridge(version=2, family="control", roles=("bridge",), sampling=samples, fingerprint=_fingerprint)
def answer_directly(
    prompt: str = "qa",
    answer: Answer = "as_is",
    max_tokens: Annotated[int, Field(ge=1)] = 256,
    temperature: Annotated[float | None, Field(ge=0)] = 0.0,
    seed: int = 0,
) -> Bridge:
    """Answer the question; the reply is the sample's answer, and the generator is not asked.

    A bridge whose model would answer as well by itself only passes its model's knowledge on.

    Args:
        prompt: The generator's prompt: a packaged name or a Jinja file. It should be the benchmark's.
        answer: How the answer is taken from the reply; it should be the benchmark's way.
        max_tokens: Most tokens of the reply; a model that reasons needs more.
        temperature: 0 is greedy; None leaves it to the model role.
        seed: Seed of sampling.
    """
    template = load_prompt(prompt)
    decoding = Decoding(max_tokens, temperature, seed)

    async def run(question: str, documents: Sequence[Document]) -> BridgeResult:
        guard = Guard()  # of chat tokens only: the prompt is otherwise the generator's, to the byte
        safe = [guard.document(document) for document in documents]
        reply = await ask(template.render(guard(question), safe), decoding.config())
        return BridgeResult(
            tuple(documents),
            cost=total_cost([reply]),
            answer=extract_answer(reply.text, answer),
            notes={"template": str(template), "neutralised": guard.touched, **reply_notes([reply])},
        )

    return run
