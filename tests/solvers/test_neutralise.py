"""No text can bring a marker into a prompt: neither in the guard itself, nor through any bridge."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgebench import Document
from bridgebench.solvers import compact, r2u_format, refiner
from bridgebench.solvers.answer_directly import answer_directly
from bridgebench.solvers.cards import formats
from bridgebench.solvers.compact import compact as compact_bridge
from bridgebench.solvers.neutralise import CHAT_TOKENS, Guard
from bridgebench.solvers.question_cards import question_cards
from bridgebench.solvers.r2u import r2u
from bridgebench.solvers.r2u_teacher import r2u_teacher
from bridgebench.solvers.rank_gpt import rank_gpt
from bridgebench.solvers.rank_k import rank_k
from bridgebench.solvers.rank_zephyr import rank_zephyr
from bridgebench.solvers.refiner import refiner as refiner_bridge
from bridgebench.solvers.summarize import summarize

LISTWISE = (r"\[\d+\]", "Query:")
LABEL_SETS = {
    "none": (),
    "listwise": ("Query:",),
    "r2u": r2u_format.LABELS,
    "compact": compact.LABELS,
    "refiner": refiner.LABELS,
    "summarize": (*r2u_format.LABELS, "Summary:"),
    "cards": formats.LABELS,
}
MARKERS = [
    *("<|im_end|>", "<|im_start|>system", "<|eot_id|>", "<|user|>", "<｜Assistant｜>", "<s>", "</s>", "<bos>"),
    *("[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "<end_of_turn>", "<start_of_turn>model", "<think>", "</think>"),
    *("[NO_REWRITE]", "Document 2:", "**Document 1**:", "Step 1. Document rewrite:", "Step 2. Explain and answer:"),
    *("Question:", "Documents:", "Answer:", "Summary:", "Evaluation:", "Source documents:", "Query:"),
    *("Previous summary:", "Evaluation of previous summary:", "[COMPLETE]", "[INCOMPLETE]", "[MONITOR]"),
    *("Question 1:", "Question:", "Answer:", "Keywords 12:", "Problem:", "Target document:"),
    *("## Other title", "---", "[1]", "[2] > [1]", "Search Query:", "{{ question }}", "{query}", "&lt;|im_end|&gt;"),
]
HOSTILE = "\n".join(f"{marker}\n---\n{marker} {marker}{marker}" for marker in MARKERS)


@pytest.mark.parametrize("labels", LABEL_SETS.values(), ids=LABEL_SETS)
@settings(max_examples=350)
@given(st.lists(st.sampled_from([*MARKERS, "<", "|", "[", ":", "\n", "\r", " ", "*", "#", "-", "é", "\x00"])))
def test_a_guarded_text_holds_no_marker_and_no_other_character_is_lost(
    labels: tuple[str, ...], parts: list[str]
) -> None:
    text = "".join(parts)
    guard = Guard(*labels)
    safe = guard(text)
    assert not re.search("|".join((CHAT_TOKENS, *labels)), safe)
    assert safe.replace(" ", "") == text.replace(" ", "")
    assert (safe != text) == (guard.touched > 0)
    assert guard(safe) == safe


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("a <|im_end|> b", "a < |im_end|> b"),
        ("[/INST]", "[/INST ]"),
        ("Summary: x", "Summary : x"),
        ("[COMPLETE]", "[COMPLETE ]"),
        ("<<s>s>", "<<s >s>"),
        ("nothing here [COMPLETED] <sub>", "nothing here [COMPLETED] <sub>"),
    ],
)
def test_a_marker_is_broken_by_one_space(text: str, safe: str) -> None:
    assert Guard(*compact.LABELS)(text) == safe


BRIDGES = {
    "rank_zephyr": (rank_zephyr, {}, LISTWISE),
    "rank_gpt": (rank_gpt, {}, LISTWISE),
    "rank_gpt_single": (rank_gpt, {"template": "rank_gpt_single"}, LISTWISE),
    "rank_k": (rank_k, {}, LISTWISE),
    "compact": (compact_bridge, {"segment_size": 1}, compact.LABELS),
    "refiner": (refiner_bridge, {"template": "refiner", "clean": False}, refiner.LABELS),
    "refiner_chat": (refiner_bridge, {"clean": False}, refiner.LABELS),
    "r2u": (r2u, {}, r2u_format.LABELS),
    "r2u_teacher": (r2u_teacher, {"retries": 0}, r2u_format.LABELS),
    "r2u_teacher_single": (r2u_teacher, {"single_pass": True}, r2u_format.LABELS),
    "summarize": (summarize, {}, (*r2u_format.LABELS, "Summary:")),
    "question_cards": (question_cards, {"see_question": True}, formats.LABELS),
    "answer_directly": (answer_directly, {}, ()),
}


@pytest.mark.parametrize(("factory", "args", "labels"), BRIDGES.values(), ids=BRIDGES)
def test_hostile_documents_change_no_count_of_markers_in_any_prompt(
    factory: Any,
    args: dict[str, Any],
    labels: tuple[str, ...],
    scripted: Callable[..., Any],
    bridged: Callable[..., Any],
) -> None:
    """The question, the titles, the texts and the model's own replies are all hostile."""
    marker = re.compile("|".join((CHAT_TOKENS, *labels)))

    def prompts(text: str, reply: str) -> tuple[list[Counter[str]], dict[str, Any]]:
        model = scripted(reply)
        documents = [Document(f"d{number}", f"Title {text}", f"Text {number} {text}") for number in range(2)]
        record = bridged(factory(**args), model, documents, f"Who? {text}")
        return [Counter(marker.findall(text)) for text in model.texts()], record

    benign, quiet = prompts("plain", "Summary: plain")
    hostile, record = prompts(HOSTILE, f"Summary: {HOSTILE.replace('[COMPLETE]', '')}")
    assert benign
    assert hostile == benign
    assert record["notes"]["neutralised"] > 0
    assert quiet["notes"]["neutralised"] == 0
