"""The failure ledger of a table: for each row, why its answers came out right or wrong."""

import math
from collections.abc import Mapping

import numpy as np
from markupsafe import Markup

from bridgebench.leaderboard.samples import Samples
from bridgebench.leaderboard.statistics import average_epochs
from bridgebench.leaderboard.svg import drawing, element, shortened
from bridgebench.leaderboard.tables import CLOSED_BOOK, Row, Table
from bridgebench.scorers.failure import OUTCOMES, Evidence, Outcome, ledger

RETRIEVED, IN_CONTEXT = "context.answer_retrieved", "context.answer_in_context"

OUTCOME_NAMES: Mapping[Outcome, str] = {
    "right_with_answer": "right, answer in context",
    "right_without_documents": "right, also without documents",
    "right_not_stated": "right, answer not stated",
    "bridge_added": "answer added by the bridge",
    "generator_failed": "wrong, answer in context",
    "bridge_lost": "wrong, lost by the bridge",
    "retrieval_missed": "wrong, never retrieved",
    "unclassified": "not classified",
}


def ledgers(table: Table) -> list[tuple[Row, dict[Outcome, int]]]:
    """Numbers of samples by outcome, for the rows whose logs hold the `context` scorer's values.

    Right is exact match, or the headline metric where there is none, at its full value.
    """
    metric = "em" if "em" in table.metrics else table.headline
    closed = next((row.cell.samples for row in table.rows if row.control == CLOSED_BOOK), None)
    known = _right_by_question(closed, metric) if closed is not None else {}
    found = []
    for row in table.rows:
        samples = row.cell.samples
        if samples is None or RETRIEVED not in samples.diagnostics or metric not in samples.scores:
            continue
        evidence = (
            Evidence(retrieved, in_context, None if math.isnan(score) else score >= 1, known.get(id))
            for id, score, retrieved, in_context in zip(
                samples.ids.tolist(),
                samples.scores[metric].tolist(),
                samples.diagnostics[RETRIEVED].tolist(),
                samples.diagnostics[IN_CONTEXT].tolist(),
                strict=True,
            )
        )
        found.append((row, ledger(evidence)))
    return found


def _right_by_question(samples: Samples, metric: str) -> dict[str, bool | None]:
    """Whether a question was right in at least half of its scored epochs."""
    if metric not in samples.scores:
        return {}
    scores = samples.scores[metric]
    ids, shares = average_epochs(samples.ids, np.where(np.isnan(scores), np.nan, scores >= 1))
    return {
        str(id): None if math.isnan(share) else share >= 0.5
        for id, share in zip(ids.tolist(), shares.tolist(), strict=True)
    }


def ledger_figure(table: Table) -> Markup:
    """One bar a row, its parts in the order of `OUTCOME_NAMES`; empty where no log has what it needs."""
    rows = ledgers(table)
    if not rows:
        return Markup("")
    left, right, bar, gap = 190.0, 940.0, 17.0, 9.0
    parts = []
    shown = [name for name in OUTCOME_NAMES if any(counts[name] for _, counts in rows)]
    x, y = 0.0, 12.0
    for name in shown:
        text = OUTCOME_NAMES[name]
        width = 24 + 6.4 * len(text)
        if x + width > right:
            x, y = 0.0, y + 20
        parts.append(element("rect", x=x, y=y - 9, width=11, height=11, rx=2, class_=_css(name)))
        parts.append(element("text", text, x=x + 16, y=y, class_="tick"))
        x += width
    y += 18
    for row, counts in rows:
        total = sum(counts.values())
        css = "name control" if row.control else "name"
        parts.append(
            element("text", shortened(row.label, 24), x=left - 10, y=y + bar - 4, text_anchor="end", class_=css)
        )
        start = left
        for name in shown:
            width = counts[name] / total * (right - left)
            hint = element("title", f"{row.label}: {OUTCOME_NAMES[name]}, {counts[name]} of {total}")
            if counts[name]:
                parts.append(element("rect", hint, x=start, y=y, width=width, height=bar, class_=_css(name)))
            if width > 26:
                share = f"{100 * counts[name] / total:.0f}"
                parts.append(
                    element("text", share, x=start + width / 2, y=y + bar - 4.5, text_anchor="middle", class_="share")
                )
            start += width
        y += bar + gap
    return drawing(right, y, f"Why answers on {table.benchmark} came out right or wrong", parts, "chart wide")


def _css(name: Outcome) -> str:
    return f"o{OUTCOMES.index(name)}"
