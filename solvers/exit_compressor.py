"""EXIT: a language model says of each sentence whether it is useful (Hwang et al. 2024, arXiv 2412.12559)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from anyio import to_thread
from inspect_ai.model import ChatMessageUser
from pydantic import Field

from bridgebench.batching import Batcher, device_lock
from bridgebench.document import Bridge, BridgeResult, Document
from bridgebench.errors import BridgebenchError, require
from bridgebench.fingerprint import checkpoint_fingerprint
from bridgebench.solvers._encoders import device, encoder_cost, load_once
from bridgebench.solvers._fields import fit_field
from bridgebench.solvers._ranking import SCORE_DIGITS, require_finite
from bridgebench.solvers._sentences import split_sentences
from bridgebench.solvers._spacy import spacy_fingerprint
from bridgebench.solvers.bridge import bridge
from bridgebench.solvers.neutralise import Guard
from bridgebench.solvers.prompting import PROBE_DOCUMENTS, PROBE_QUESTION, bridge_prompt, prompt_fingerprint

LABELS = r"(?:Query|Full context|Sentence):"
AUTHORS = frozenset({"15f3671c34dc"})
"""Rendering of the prompt of ThisIsHwang/EXIT (4c0141a)."""

CACHED_TOKENS = 32_768
"""Most tokens, over all rows of a batch, whose keys and values are held at a time."""

Dtype = Literal["float32", "bfloat16"]
Group = tuple[tuple[int, ...], ...]
"""Prompts that begin alike: of all sentences that are judged in one context."""


class Judge:
    """A causal language model, or a LoRA adapter on one, that answers Yes or No; with its queue.

    The prompts of one context differ in their last part only: their common beginning is read once.
    """

    def __init__(self, model: str, revision: str | None, dtype: Dtype) -> None:
        require("torch", "local")
        from bridgebench.models.weights import WeightsSpec, load_weights

        self.device = device()
        self._weights = load_weights(WeightsSpec(model, revision, dtype, self.device).resolve())
        self.tokenizer = self._weights.tokenizer
        self.context = self._weights.context
        answers = [self.tokenizer.encode(word, add_special_tokens=False) for word in ("Yes", "No")]
        if any(len(answer) != 1 for answer in answers):
            raise BridgebenchError(f"checkpoint '{model}': 'Yes' and 'No' must be one token each")
        self._answers = [answer[0] for answer in answers]
        self.batcher: Batcher[Group, list[float]] = Batcher(
            lambda groups: [self._judge(group) for group in groups],
            name=f"judge {model}",
            lock=device_lock(self.device),
        )

    def ids(self, prompt: str) -> tuple[int, ...]:
        """Token ids of a prompt, with the tokenizer's begin token where it has one."""
        ids = self.tokenizer(prompt, verbose=False)["input_ids"]
        begin = self.tokenizer.bos_token_id
        return tuple(ids if begin is None or ids[:1] == [begin] else [begin, *ids])

    def _judge(self, prompts: Group) -> list[float]:
        """P(Yes) against No of each prompt."""
        from bridgebench.models.prefix import prefill

        rows = max(1, CACHED_TOKENS // max(map(len, prompts)))
        probabilities: list[float] = []
        with require("torch", "local").inference_mode():
            for start in range(0, len(prompts), rows):
                logits = prefill(self._weights, prompts[start : start + rows]).logits[:, -1, self._answers]
                probabilities += logits.float().softmax(dim=-1)[:, 0].tolist()
        return probabilities


@dataclass(frozen=True)
class Judged:
    """Sentences that are judged in one context, as they are shown.

    Attributes:
        prompts: One a sentence.
        cut: Whether the context was cut to fit.
        sentences_cut: How many sentences were.
    """

    prompts: Group
    cut: bool
    sentences_cut: int

    @property
    def tokens(self) -> int:
        """Tokens that the model reads: the common beginning once."""
        first, last = min(self.prompts), max(self.prompts)
        common = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
        return common + sum(len(prompt) - common for prompt in self.prompts)


def _fingerprint(model: str, revision: str | None, dtype: str, template: str | None, **_: Any) -> dict[str, Any]:
    weights = {"weights": checkpoint_fingerprint(model, revision), "dtype": dtype, "splitter": spacy_fingerprint()}
    return {**weights, **prompt_fingerprint("exit")(template=template)}


@bridge(
    family="pruner",
    paper="arXiv 2412.12559",
    checkpoint="doubleyyh/exit-gemma-2b",
    parameters="2B",
    licence="Apache-2.0 (base: Gemma terms)",
    training_data=("hotpotqa",),
    utility="outcome",
    extra="local,syntax",
    fingerprint=_fingerprint,
)
def exit_compressor(
    model: str = "doubleyyh/exit-gemma-2b",
    revision: str | None = None,
    template: str | None = None,
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.5,
    context: Literal["document", "all"] = "document",
    fallback: Literal["none", "top1"] = "none",
    max_input_tokens: Annotated[int, Field(ge=1)] = 4096,
    dtype: Dtype = "float32",
) -> Bridge:
    """Keep the sentences that the model finds useful for the question; documents without any are dropped.

    Titles are part of the context, not judged, and stay with what is kept of their document.

    Args:
        model: Hub id or folder of a LoRA adapter (its ``adapter_config.json`` names the base: an id or a folder) or of
            a whole causal language model.
        revision: Branch, tag or commit of a hub id.
        template: Jinja file of the prompt, with the chat's markers written out.
        threshold: Least P(Yes), of Yes and No.
        context: What a sentence is judged in: its own `document` (training, and the authors' later releases), or `all`
            documents (their first).
        fallback: When no sentence is useful: `none` leaves nothing, as released; `top1` keeps the likeliest.
        max_input_tokens: Longest prompt; the middle of a context that is too long is cut, and counted.
        dtype: Of the weights.

    Raises:
        BridgebenchError: On a sample whose question alone is too long.
    """
    prompt = bridge_prompt("exit", template)

    def render(question: str, surroundings: str, sentence: str) -> str:
        return prompt.text("user", query=question, context=surroundings, sentence=sentence)

    probe = render(PROBE_QUESTION, PROBE_DOCUMENTS[0].full_text, PROBE_DOCUMENTS[0].text)
    notes = prompt.notes([ChatMessageUser(content=probe)], AUTHORS)

    def judged(judge: Judge, question: str, surroundings: str, sentences: Sequence[str]) -> Judged:
        """Prompts of at most `max_input_tokens`; a sentence may take half of them."""
        limit = min(max_input_tokens, judge.context)

        def shown(sentence: str) -> str:
            return fit_field(
                lambda text: list(judge.ids(render(question, "", text))), sentence, judge.tokenizer, limit // 2
            )

        fitted = [shown(sentence) for sentence in sentences]
        longest = max(fitted, key=lambda sentence: len(judge.ids(render(question, "", sentence))))
        part = fit_field(
            lambda text: list(judge.ids(render(question, text, longest))),
            surroundings,
            judge.tokenizer,
            limit,
            "middle",
        )
        prompts = tuple(judge.ids(render(question, part, sentence)) for sentence in fitted)
        return Judged(prompts, part != surroundings, sum(a != b for a, b in zip(fitted, sentences, strict=True)))

    async def run(question: str, documents: Sequence[Document]) -> BridgeResult:
        split = await split_sentences([document.text for document in documents])
        sentences = [[found.strip() for found in texts if found.strip()] for texts in split.texts]
        if not any(sentences):
            return BridgeResult((), notes=notes)
        judge = await load_once(("judge", model, revision, dtype), lambda: Judge(model, revision, dtype))
        guard = Guard(LABELS)
        asked = guard(question)
        safe = [guard(document.full_text.strip()) for document in documents]
        groups = [(safe[number], sentences[number]) for number in range(len(documents)) if sentences[number]]
        if context == "all":
            groups = [("\n\n".join(safe), [found for row in sentences for found in row])]
        guarded = [(surroundings, [guard(sentence) for sentence in row]) for surroundings, row in groups]
        judgements = await to_thread.run_sync(lambda: [judged(judge, asked, *group) for group in guarded])
        results = await judge.batcher.many(
            [judgement.prompts for judgement in judgements], [judgement.tokens for judgement in judgements]
        )
        useful = iter([probability for result in results for probability in result.value])
        probabilities = [[next(useful) for _ in row] for row in sentences]
        for document, row in zip(documents, probabilities, strict=True):
            require_finite(document, row, "P(Yes)")
        least = threshold
        best = max(max(row, default=0.0) for row in probabilities)
        fell_back = fallback == "top1" and best < threshold
        if fell_back:
            least = best
        kept = [
            replace(document, text=" ".join(found for found, p in zip(row, yes, strict=True) if p >= least))
            for document, row, yes in zip(documents, sentences, probabilities, strict=True)
            if any(p >= least for p in yes)
        ]
        cost = encoder_cost(results, sum(judgement.tokens for judgement in judgements), model, judge.device)
        return BridgeResult(
            tuple(kept),
            parse="fallback" if fell_back else "ok",
            cost=replace(cost, seconds=(cost.seconds or 0.0) + split.seconds, calls=sum(map(len, sentences))),
            notes={
                **notes,
                "probabilities": [[round(p, SCORE_DIGITS) for p in row] for row in probabilities],
                "contexts_cut": sum(judgement.cut for judgement in judgements),
                "sentences_cut": sum(judgement.sentences_cut for judgement in judgements),
                "neutralised": guard.touched,
            },
        )

    return run
