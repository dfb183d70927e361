"""Step 5, pairs: sets that win against sets that lose, for DPO (arXiv 2509.15577, Eq. 9).

A set becomes a whole output of the rewriter: its rewrites under their numbers and ``[NO_REWRITE]`` under all others, so
that both sides of a pair answer the same prompt. Sets without the helpful documents lose, so that pairs also teach how
much to skip: the report has the difference of the two sides' lengths.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal

from inspect_ai.log import read_eval_log_samples
from pydantic import Field

from bridgebench.document import Document
from bridgebench.errors import BridgebenchError
from bridgebench.models.training.examples import (
    Chat,
    ExampleSettings,
    Row,
    completion_of,
    in_dev,
    load_tokenizer,
    prompt_of,
    token_count,
    write_report,
    write_rows,
)
from bridgebench.models.training.measures import leaks, rounded, share, spread
from bridgebench.models.training.preferences import PreferenceStore
from bridgebench.models.training.provenance import write_provenance
from bridgebench.models.training.rewrites import finished_log, golds_of
from bridgebench.solvers.r2u_format import SKIP

Variant = Literal["sets", "naive"]
SIDES = ("chosen", "rejected")


class PairSettings(ExampleSettings):
    """Settings of `write_pairs`.

    Attributes:
        variant: ``sets`` that win against sets that lose, or ``naive``: one rewrite of kind (c) against one of kind
            (a), the ablation of the paper's Table 4.
        pairs_per_question: Most pairs of a question.
        max_pairs: Most pairs in all; None is no limit.
    """

    variant: Variant = "sets"
    # The paper has 11,000 pairs of 36,000 questions: hardly a question gives more than one.
    pairs_per_question: Annotated[int, Field(ge=1)] = 1
    max_pairs: Annotated[int, Field(ge=1)] | None = None


@dataclass(frozen=True)
class Judged:
    """A question with its sets of rewrites.

    Attributes:
        id: Of its sample.
        question: In words.
        golds: Acceptable answers.
        documents: Those that have a part in training.
        rewrites: Their rewrites, empty where skipped.
        wins: Kinds and members (places in `documents`) of each set that answers right (F1 = 1).
        loses: The same of each set that answers wrong (F1 = 0).
    """

    id: str
    question: str
    golds: tuple[str, ...]
    documents: tuple[Document, ...]
    rewrites: tuple[str, ...]
    wins: tuple[tuple[str, tuple[int, ...]], ...]
    loses: tuple[tuple[str, tuple[int, ...]], ...]


def read_preferences(folder: Path, variant: Variant) -> Iterator[Judged]:
    """All questions of the preferences step, in the order of its log.

    Raises:
        BridgebenchError: When the step did not run, or did not finish.
    """
    for sample in read_eval_log_samples(finished_log(folder, "preferences")):
        store = sample.store_as(PreferenceStore)
        rewrites = sample.metadata["rewrites"]
        kept = [place for place, rewrite in enumerate(rewrites) if rewrite is not None]
        where = {place: number for number, place in enumerate(kept)}
        judged = _sets(store) if variant == "sets" else _singles(store)
        sides = {
            side: tuple((mix, tuple(where[place] for place in members)) for mix, members, of in judged if of == side)
            for side in ("win", "lose")
        }
        yield Judged(
            str(sample.id),
            str(sample.input),
            golds_of(sample),
            tuple(Document.from_dict(sample.metadata["documents"][place]) for place in kept),
            tuple(rewrites[place] for place in kept),
            sides["win"],
            sides["lose"],
        )


def _sets(store: PreferenceStore) -> list[tuple[str, list[int], str]]:
    return [(told["mix"], told["members"], told["outcome"]) for told in store.sets]


def _singles(store: PreferenceStore) -> list[tuple[str, list[int], str]]:
    outcomes = {"c": "win", "a": "lose"}
    return [(told["kind"], [told["place"]], outcomes.get(told["kind"], "neither")) for told in store.alone]


def pairs_of(question: Judged, settings: PairSettings) -> Iterator[Row]:
    """Pairs of a question without their ids' numbers: different outputs only, in an order drawn by seed."""
    prompt = prompt_of(question.question, question.documents, settings.template)
    drawn = list(product(question.wins, question.loses))
    Random(f"{settings.seed} {question.id}").shuffle(drawn)
    for (win_mix, win), (lose_mix, lose) in drawn:
        chosen, rejected = (completion_of(_only(question.rewrites, members)) for members in (win, lose))
        if chosen != rejected:
            kind = f"{win_mix}>{lose_mix}"
            yield {"id": question.id, "prompt": prompt, "chosen": chosen, "rejected": rejected, "kind": kind}


def unusable(question: Judged, settings: PairSettings) -> str | None:
    """Why a question gives no pair, or None."""
    if not question.wins or not question.loses:
        return "no set wins" if question.loses else "no set loses" if question.wins else "no set wins or loses"
    winning = {place for _, members in question.wins for place in members}
    if settings.forbid_leak and leaks(question.documents, _only(question.rewrites, winning), question.golds):
        return "a rewrite states a gold answer that no document states"
    return None


def length_figures(rows: Sequence[Row], tokens: Callable[[Chat], int]) -> dict[str, Any]:
    """What the two sides of pairs differ in besides being right: tokens (of completions) and skipped documents.

    ``chosen_longer_share`` of all pairs; with the mean difference it tells how far "longer is better" would do as a
    rule.
    """
    lengths = {side: [tokens(row[side]) for row in rows] for side in SIDES}
    skipped = {side: [row[side][0]["content"].count(SKIP) for row in rows] for side in SIDES}
    differences = [chosen - rejected for chosen, rejected in zip(*lengths.values(), strict=True)]
    return {
        "completion_tokens": {side: spread(values) for side, values in lengths.items()},
        "chosen_minus_rejected_tokens": spread(differences),
        "chosen_longer_share": share(sum(difference > 0 for difference in differences), len(differences)),
        "skipped_documents": {side: spread(values) for side, values in skipped.items()},
    }


def _only(rewrites: Sequence[str], members: Collection[int]) -> list[str]:
    return [rewrite if place in members else "" for place, rewrite in enumerate(rewrites)]


def write_pairs(settings: PairSettings, logs: Path, out: Path) -> Path:
    """Make ``train.jsonl``, ``dev.jsonl``, ``report.json`` and ``provenance.json`` of the preferences step's logs.

    A row is ``{"id", "prompt": [messages], "chosen": [message], "rejected": [message], "kind"}``. Questions are held
    out as in the SFT data of the same seed and share.

    Args:
        settings: How.
        logs: Folder of the preferences step.
        out: Folder for the data; it is returned.

    Raises:
        BridgebenchError: When the step did not finish, or no pair is left for training.
    """
    tokenizer = load_tokenizer(settings.tokenizer)
    questions = list(read_preferences(logs, settings.variant))
    rows: list[tuple[bool, Row]] = []
    unused, too_many = Counter[str](), Counter[str]()

    def fits(row: Row) -> bool:
        longest = max(token_count(tokenizer, row["prompt"] + row[side]) for side in SIDES)
        too_many["over-long"] += longest > settings.max_length
        return longest <= settings.max_length

    for question in questions:
        if reason := unusable(question, settings):
            unused[reason] += 1
            continue
        dev = in_dev(question.question, settings.seed, settings.dev_share)
        pairs = islice(filter(fits, pairs_of(question, settings)), settings.pairs_per_question)
        rows += [(dev, {**row, "id": f"{row['id']}/{number}"}) for number, row in enumerate(pairs)]
    if settings.max_pairs is not None and len(rows) > settings.max_pairs:
        too_many["over max_pairs"] = len(rows) - settings.max_pairs
        kept = sorted(Random(settings.seed).sample(range(len(rows)), settings.max_pairs))
        rows = [rows[index] for index in kept]
    parts = {name: [row for dev, row in rows if dev == is_dev] for name, is_dev in (("train", False), ("dev", True))}
    if not parts["train"]:
        raise BridgebenchError(
            f"{logs}: no pair for training is left of {len(questions)} questions ({dict(unused)}; a generator "
            "that answers in sentences hardly ever has F1 = 1: preferences with measure: states)"
        )
    report = {
        "variant": settings.variant,
        "questions": len(questions),
        "questions_left_out": dict(unused),
        "pairs_left_out": dict(+too_many),
        "pairs": {name: len(part) for name, part in parts.items()},
        "kinds": dict(Counter(row["kind"] for _, row in rows).most_common()),
        "gold_filtered": settings.forbid_leak,
        "max_length": settings.max_length,
        **length_figures([row for _, row in rows], lambda chat: token_count(tokenizer, chat)),
    }
    write_rows(out, parts)
    write_report(out, rounded(report))
    write_provenance(out, "pairs", settings, {"preferences": logs}, {"pairs": report["pairs"]})
    return out
