"""One question, asked about several contexts: a context that is the same text is one call of the generator."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from inspect_ai.model import ChatMessageUser, Model, ModelOutput
from inspect_ai.util import collect

from bridgebench.document import Document
from bridgebench.reader import Answer
from bridgebench.scorers.context_measures import states
from bridgebench.scorers.qa_metrics import f1
from bridgebench.solvers.generate import Prompt, extract_answer
from bridgebench.solvers.llm import ModelCallError
from bridgebench.solvers.neutralise import Guard

Measure = Literal["f1", "states"]
"""SQuAD's token F1, or whether the answer states a gold in so many words (1, else 0)."""


@dataclass(frozen=True)
class Answered:
    """What a generator answered.

    Attributes:
        text: Its answer.
        problem: Why it gave none (``model_length``, ``content_filter``); empty where it did.
    """

    text: str
    problem: str = ""

    @classmethod
    def of(cls, output: ModelOutput, answer: Answer) -> "Answered":
        """The answer in an output.

        Raises:
            ModelCallError: When there is no output: an error of the sample, never a wrong answer.
        """
        if output.error or output.empty:
            raise ModelCallError(f"{output.model}: no answer: {output.error or 'no choices'}")
        if output.stop_reason in ("model_length", "content_filter"):
            return cls("", output.stop_reason)
        return cls(extract_answer(output.completion, answer))

    def score(self, golds: Sequence[str], measure: Measure) -> float | None:
        """How right it is, 0 to 1, by the acceptable answer that it meets best; None where there is no answer."""
        if self.problem:
            return None
        if measure == "states":
            return float(states(Document("answer", "", self.text), golds))
        return max(f1(self.text, gold) for gold in golds)


class Asker:
    """Asks one question about several contexts, each different text once.

    Args:
        model: The generator.
        template: Its prompt.
        question: The question.
        written: Rewritten document of each place.
        answer: How the answer is taken from the completion.

    Attributes:
        calls: Calls so far.
    """

    def __init__(
        self,
        model: Model,
        template: Prompt,
        question: str,
        written: Mapping[int, Sequence[Document]],
        answer: Answer,
    ) -> None:
        self._model, self._template, self._question = model, template, question
        self._written, self._answer = written, answer
        self._outputs: dict[str, ModelOutput] = {}
        self.calls = 0

    async def answers(self, sets: Sequence[tuple[int, ...]]) -> dict[tuple[int, ...], "Answered"]:
        """The generator's answer from each set."""
        prompts = {members: self._prompt(members) for members in sets}
        # sorted: neighbours begin with the same documents, which a server need not read twice
        new = sorted(set(prompts.values()) - self._outputs.keys())
        outputs = await collect(*(self._model.generate([ChatMessageUser(content=prompt)]) for prompt in new))
        self._outputs.update(zip(new, outputs, strict=True))
        self.calls += len(new)
        return {members: Answered.of(self._outputs[prompt], self._answer) for members, prompt in prompts.items()}

    def _prompt(self, members: tuple[int, ...]) -> str:
        guard = Guard()
        shown = [guard.document(document) for place in members for document in self._written[place]]
        return self._template.render(guard(self._question), shown)
