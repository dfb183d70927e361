"""What the bridges did to one sample, as it stands in the log beside the untouched retrieval."""

from typing import Any

from inspect_ai.util import StoreModel
from pydantic import Field


class BridgeStore(StoreModel):
    """Typed view of the sample's store; ``sample.metadata["documents"]`` keeps what was retrieved.

    Attributes:
        documents: What the generator was given, after `fit` (`Document.to_dict`).
        steps: One entry a bridge, in order: ``bridge``, ``version``, ``args``, ``cache`` (``hit``, ``miss``,
            ``off``), ``parse``, ``cost`` (`Cost.to_dict`), ``documents`` (its output), ``documents_in``,
            ``documents_out``, ``words_in``, ``words_out``, ``characters_in``, ``characters_out``,
            ``used_originals`` (whether ``on_empty="originals"`` applied), ``notes``.
        fit: ``budget``, ``unit`` (``words`` or the tokenizer), ``cut``, ``size`` (context size before), ``kept``
            (after), ``documents_dropped``, ``documents_cut``.
        neutralised: Chat tokens of any model (``<|im_end|>``, ``[INST]``) found in the documents and broken by a space,
            so that no document can end the prompt.
        answered_by: ``generator``, or the name of the bridge that answered itself.
        prompt: Template's name and the first 12 hex digits of its sha256, as ``name@hash``.
    """

    documents: list[dict[str, Any]] = Field(default_factory=list)
    steps: list[dict[str, Any]] = Field(default_factory=list)
    fit: dict[str, Any] = Field(default_factory=dict)
    neutralised: int = 0
    answered_by: str = "generator"
    prompt: str = ""


class Ranking(StoreModel):
    """What a retrieval task's solver found, for the `ranking` scorer.

    Attributes:
        ranked: Ids, best first, each once; None until somebody ranked.
        seconds: What this question took, building the index and waiting in queues excluded; None where nobody measured.
        truncated: Texts that a cross-encoder read only the beginning of.
        index: About the index, the same for all questions of a run: ``papers`` in it, ``without_text`` (papers that
            cannot be found), ``texts`` and ``text_bytes`` that it is of, ``truncated`` (texts of which the embedding
            model read only the beginning), ``vectors``, ``bytes`` on disk, ``build_seconds``, ``device``.
    """

    ranked: list[str] | None = None
    seconds: float | None = None
    truncated: int = 0
    index: dict[str, Any] = Field(default_factory=dict)
