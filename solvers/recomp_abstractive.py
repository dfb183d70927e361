"""RECOMP, abstractive: T5 writes a summary, or nothing when no document helps (Xu et al. 2023, arXiv 2310.04408)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from anyio import to_thread
from inspect_ai.model import ChatMessageUser
from pydantic import Field

from bridgebench.batching import Batcher, device_lock
from bridgebench.document import Bridge, BridgeResult, Document
from bridgebench.errors import require
from bridgebench.fingerprint import checkpoint_fingerprint
from bridgebench.solvers._encoders import device, encoder_cost, load_once, load_pretrained
from bridgebench.solvers._fields import fit_field
from bridgebench.solvers.bridge import bridge
from bridgebench.solvers.llm import all_sources
from bridgebench.solvers.neutralise import Guard
from bridgebench.solvers.prompting import PROBE_DOCUMENTS, PROBE_QUESTION, bridge_prompt, prompt_fingerprint

LABELS = r"(?:Question|Document|Summary):"
AUTHORS = frozenset({"140d4d62a8a4"})
"""Rendering of the prompt of carriex/recomp, as FlashRAG and EXIT use it."""


@dataclass(frozen=True)
class Decoding:
    """How a summary is searched for."""

    max_tokens: int
    num_beams: int
    length_penalty: float


class Summariser:
    """A T5 checkpoint with its tokenizer and queue; float32."""

    def __init__(self, model: str, revision: str | None, decoding: Decoding) -> None:
        self._torch = require("torch", "local")
        transformers = require("transformers", "local")
        self.device = device()
        network = load_pretrained(
            transformers.T5ForConditionalGeneration, model, revision=revision, dtype=self._torch.float32
        )
        self._network = network.to(self.device)
        self.tokenizer: Any = transformers.AutoTokenizer.from_pretrained(model, revision=revision)
        self._decoding = decoding
        self.batcher: Batcher[list[int], list[int]] = Batcher(
            self._generate,
            name=f"summariser {model}",
            max_items=16,
            spent=lambda ids, written: len(ids) + len(written),
            lock=device_lock(self.device),
        )

    def ids(self, prompt: str) -> list[int]:
        """Token ids of a prompt, its end token included."""
        return list(self.tokenizer(prompt, verbose=False)["input_ids"])

    def _generate(self, inputs: list[list[int]]) -> list[list[int]]:
        padded = self.tokenizer.pad({"input_ids": inputs}, return_tensors="pt").to(self.device)
        with self._torch.inference_mode():
            output = self._network.generate(
                padded["input_ids"],
                attention_mask=padded["attention_mask"],
                do_sample=False,
                max_new_tokens=self._decoding.max_tokens,
                num_beams=self._decoding.num_beams,
                length_penalty=self._decoding.length_penalty,
            )
        special = {self.tokenizer.pad_token_id, self.tokenizer.eos_token_id}
        return [[token for token in row if token not in special] for row in output.tolist()]


def _fingerprint(model: str, revision: str | None, template: str | None, **_: Any) -> dict[str, Any]:
    weights = {"weights": checkpoint_fingerprint(model, revision), "dtype": "float32"}
    return {**weights, **prompt_fingerprint("recomp_abstractive")(template=template)}


@bridge(
    family="summariser",
    paper="arXiv 2310.04408",
    checkpoint="fangyuan/nq_abstractive_compressor",
    parameters="770M",
    licence="MIT",
    training_data=("nq",),
    distilled=True,
    utility="outcome",
    extra="local",
    fingerprint=_fingerprint,
)
def recomp_abstractive(
    model: str = "fangyuan/nq_abstractive_compressor",
    revision: str | None = None,
    template: str | None = None,
    max_documents: Annotated[int | None, Field(ge=1)] = 5,
    separator: Literal["\n", " "] = "\n",
    titles: bool = True,
    max_input_tokens: Annotated[int, Field(ge=1)] = 1024,
    max_tokens: Annotated[int, Field(ge=1)] = 512,
    num_beams: Annotated[int, Field(ge=1)] = 1,
    length_penalty: float = 1.0,
) -> Bridge:
    """Summarise the first documents for the question in one text.

    An empty summary is a legal output of the method (nothing is prepended to the question), and counted as ``empty``.

    Args:
        model: Hub id or folder, for example ``fangyuan/tqa_abstractive_compressor`` or
            ``fangyuan/hotpotqa_abstractive``.
        revision: Branch, tag or commit of a hub id.
        template: Jinja file of the prompt.
        max_documents: Documents that are read, from the first; None is all, as far as `max_input_tokens` reaches.
        separator: Between documents: a newline (FlashRAG, EXIT) or a space (BERGEN).
        titles: Whether a document is title and text on two lines, or the text alone.
        max_input_tokens: Longest prompt; the documents' end is cut, and counted.
        max_tokens: Longest summary.
        num_beams: 1 is greedy; EXIT's baseline has 5.
        length_penalty: Of beam search; EXIT's baseline has 2.
    """
    prompt = bridge_prompt("recomp_abstractive", template)
    decoding = Decoding(max_tokens, num_beams, length_penalty)

    def render(question: str, texts: str) -> str:
        return prompt.text("user", question=question, documents=texts)

    def joined(documents: Sequence[Document]) -> str:
        return separator.join(document.full_text if titles else document.text for document in documents)

    notes = prompt.notes([ChatMessageUser(content=render(PROBE_QUESTION, joined(PROBE_DOCUMENTS)))], AUTHORS)

    async def run(question: str, documents: Sequence[Document]) -> BridgeResult:
        read = documents[:max_documents]
        if not any(document.text.strip() for document in read):
            return BridgeResult((), notes=notes)
        key = ("summariser", model, revision, decoding)
        summariser = await load_once(key, lambda: Summariser(model, revision, decoding))
        guard = Guard(LABELS)
        asked, texts = guard(question), guard(joined(read))
        fitted = await to_thread.run_sync(
            fit_field, lambda text: summariser.ids(render(asked, text)), texts, summariser.tokenizer, max_input_tokens
        )
        ids = summariser.ids(render(asked, fitted))
        written = await summariser.batcher(ids, len(ids))
        text = summariser.tokenizer.decode(written.value, skip_special_tokens=True).strip()
        cost = encoder_cost([written], len(ids), model, summariser.device)
        return BridgeResult(
            (Document("summary", "", text, all_sources(read)),) if text else (),
            cost=replace(cost, output_tokens=len(written.value)),
            notes={
                **notes,
                "documents_unread": len(documents) - len(read),
                "characters_cut": len(texts) - len(fitted),
                "truncated": len(written.value) >= max_tokens,
                "neutralised": guard.touched,
            },
        )

    return run
