"""``bridgebench cards``: logs of `cards` become a folder of cards, logs of `card_queries` a set of queries."""

import argparse
import json
import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from bridgebench.cards import PROVENANCE, Card, read_cards, trim, write_cards
from bridgebench.errors import BridgebenchError
from bridgebench.solvers.cards.assemble import assemble, make_queries
from bridgebench.solvers.cards.logs import WrittenRun, effort, failures, read_run
from bridgebench.solvers.cards.overlap import overlap_report

logger = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("logs", nargs="+", type=Path, help="logs, or folders of logs, of one run of a task")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder of cards, or FILE.jsonl of queries")
    parser.add_argument("--cards", type=Path, help="queries: the folder of cards that they are to test")
    parser.add_argument(
        "--allow-same-model",
        action="store_true",
        help="queries: accept the model or the sections that the cards were made with, and say so in the report",
    )


def run(args: argparse.Namespace) -> int:
    """Write the output and say in a few lines what is in it; exit status 1 when the run is not finished."""
    written = read_run(args.logs)
    if written.task == "cards":
        lines = write_card_folder(written, args.output)
    else:
        if args.cards is None or args.output.suffix != ".jsonl":
            raise BridgebenchError("these are logs of card_queries: give --cards FOLDER, and -o FILE.jsonl")
        lines = write_query_set(written, args.output, args.cards, allow_same_model=args.allow_same_model)
    console = Console(stderr=True)
    for line in lines:
        console.print(escape(line), highlight=False, soft_wrap=True)
    if written.unwritten:
        console.print(f"{len(written.unwritten)} papers of the run are not written yet: run the task again to go on")
    return 1 if written.unwritten else 0


def write_card_folder(written: WrittenRun, folder: Path) -> list[str]:
    """Make the cards of a run; what was read, repaired, dropped and failed stands in ``provenance.json``.

    Returns:
        Lines that sum it up.
    """
    cards: list[tuple[Card, int]] = []
    without: list[dict[str, str]] = []
    repeated = 0
    for paper in written.papers:
        card, twice = assemble(paper)
        repeated += twice
        try:
            if card is None:
                without.append({"paper": paper.id, "reason": "the model wrote no usable part"})
            else:
                cards.append(trim(card))
        except BridgebenchError as error:
            without.append({"paper": paper.id, "reason": str(error)})
    failed = failures(written.papers)
    counts = {
        "papers": len(written.papers),
        "cards": len(cards),
        "questions": sum(len(card.questions) for card, _ in cards),
        "questions_without_query": sum(not question.query for card, _ in cards for question in card.questions),
        "repeated_questions": repeated,
        "trimmed_questions": sum(trimmed for _, trimmed in cards),
        "bytes": sum(card.size for card, _ in cards),
        "calls_failed": len(failed),
    }
    provenance = {
        **_about(written),
        "counts": counts,
        **effort(written.papers),
        "without_card": without,
        "failures": failed,
        "sections": {paper.id: list(paper.sections) for paper in written.papers},
    }
    write_cards(folder, cards, provenance)
    return [
        f"{folder}: {counts['cards']} cards of {counts['papers']} papers, {counts['questions']} questions",
        f"failures: {len(failed)}; papers without a card: {len(without)}; trimmed: {counts['trimmed_questions']}",
    ]


def write_query_set(written: WrittenRun, file: Path, cards: Path, *, allow_same_model: bool = False) -> list[str]:
    """Make the queries of a run, and ``<name>.report.json`` on what they share with the cards.

    Returns:
        Lines that sum it up.

    Raises:
        BridgebenchError: When the cards are of other papers, by the same model, or of the same sections.
    """
    known = read_cards(cards)
    made = _provenance(cards)
    queries, left_out = make_queries(written)
    shared = _shared_sections(queries, made.get("sections", {}))
    same_model = made.get("model") == written.model
    if made.get("corpus", {}).get("sha256") != written.corpus:
        raise BridgebenchError(f"'{cards}' holds cards of other papers: give card_queries the same source and papers")
    if (same_model or shared) and not allow_same_model:
        reasons = [f"by the same model, {written.model}"] * same_model
        reasons += [f"of sections that cards have read: {', '.join(shared[:5])}"] * bool(shared)
        raise BridgebenchError(
            f"the queries are {' and '.join(reasons)}: a leaky benchmark (--allow-same-model marks it as one)"
        )
    failed = failures(written.papers)
    report = {
        **_about(written),
        "cards": {"folder": str(cards), "model": made.get("model"), "created": made.get("created")},
        "same_model": same_model,
        "same_sections": shared,
        "queries": len(queries),
        "left_out": left_out,
        "title_words_removed": sum(len(query["title_words_removed"]) for query in queries),
        "overlap": overlap_report(queries, known),
        **effort(written.papers),
        "failures": failed,
    }
    file.parent.mkdir(parents=True, exist_ok=True)
    _write_json(file.with_name(f"{file.stem}.report.json"), report)
    file.write_text("".join(json.dumps(query, ensure_ascii=False) + "\n" for query in queries), encoding="utf-8")
    lines = [f"{file}: {len(queries)} queries; failures: {len(failed)}; left out: {left_out}"]
    if "all" in report["overlap"]:
        told = report["overlap"]["all"]
        lines.append(
            f"shared with cards: {told['equal']:.1%} equal, {told['near_equal']:.1%} nearly equal, "
            f"mean token overlap {told['token_overlap']['mean']:.2f}"
        )
    if same_model or shared:
        lines.append("LEAKY: by the cards' own model or of the cards' own sections")
    return lines


def _about(written: WrittenRun) -> dict[str, Any]:
    return {
        "task": written.task,
        "model": written.model,
        "corpus": {"sha256": written.corpus},
        "bridgebench": version("bridgebench"),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "unwritten": list(written.unwritten),
        "run": dict(written.about),
    }


def _shared_sections(queries: Sequence[Mapping[str, Any]], read: Mapping[str, Sequence[str]]) -> list[str]:
    """Sections that both a card and a query were made of, as ``paper: section``."""
    shared = (
        f"{query['paper_id']}: {query['section']}"
        for query in queries
        if query["section"] in read.get(query["paper_id"], ())
    )
    return list(dict.fromkeys(shared))


def _provenance(cards: Path) -> dict[str, Any]:
    try:
        said = json.loads((cards / PROVENANCE).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BridgebenchError(f"'{cards / PROVENANCE}': {error}") from error
    if not isinstance(said, dict):
        raise BridgebenchError(f"'{cards / PROVENANCE}': must be a JSON object")
    return said


def _write_json(file: Path, value: Mapping[str, Any]) -> None:
    file.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
