"""The pages: one self-contained HTML file that opens from disk, and side files for questions it has no room for."""

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from urllib.parse import quote, urlsplit

import jinja2
from markupsafe import Markup

from bridgebench.leaderboard.curves import size_curves, stress_curves
from bridgebench.leaderboard.details import measures_grid, metrics_grid, run_facts, types_grid
from bridgebench.leaderboard.drilldown import Case, Comparison
from bridgebench.leaderboard.figures import table_figures
from bridgebench.leaderboard.grids import SIGN_MEANINGS, Grid, averages_grid
from bridgebench.leaderboard.ledger import ledger_figure
from bridgebench.leaderboard.published import published_tables
from bridgebench.leaderboard.published_cards import stated_cards
from bridgebench.leaderboard.report import Report
from bridgebench.leaderboard.retrieval import is_retrieval, kind_grids, main_grid, main_notes
from bridgebench.leaderboard.tables import Table
from bridgebench.leaderboard.text import metric_title, number, percent, remarks, title

PAGE = "leaderboard.html"
ROOM = 2_500_000
"""Characters of single questions in the page; the whole page stays under 5 MB."""

# C0 and C1 controls but tab and newline, and the characters that change the direction of the text around them.
_UNSEEN = [*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), 0x061C, 0x200E, 0x200F]
_UNSEEN += [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF]
_VISIBLE = dict.fromkeys(_UNSEEN, "�")


@dataclass(frozen=True)
class Section:
    """One table of the page with what is folded under it."""

    table: Table
    grid: Grid
    notes: Sequence[str]
    ledger: Markup
    figures: Sequence[Markup]
    types: Grid | None
    kinds: Sequence[Grid]
    metrics: Grid | None
    measures: Grid | None


@dataclass(frozen=True)
class Shown:
    """A comparison's questions in the page, and the side file that holds all of them where some are left out."""

    comparison: Comparison
    cases: Sequence[Markup]
    left_out: int
    file: str


def pages(report: Report, comparisons: Sequence[Comparison] = (), bundle: str = "") -> dict[str, str]:
    """File names to HTML, the page itself first.

    Text from logs is escaped by the template engine and its control characters are replaced by a visible mark. A
    content security policy allows a page's own style and script, by their hashes, and nothing else.

    Args:
        report: What was compared.
        comparisons: Single questions to show.
        bundle: Address of an ``inspect view`` bundle of the logs, absolute or relative to the page.
    """
    shown = _make_room(comparisons, bundle)
    files = {
        PAGE: _render(
            "page.html.jinja",
            title=title(report),
            report=report,
            averages=[averages_grid(macros) for macros in report.averages],
            curves=[*size_curves(report), *stress_curves(report)],
            sections=[_section(table) for table in report.tables],
            published=published_tables(report),
            cards=stated_cards(report),
            shown=shown,
            remarks=remarks(report),
            signs=SIGN_MEANINGS,
        )
    }
    for part in shown:
        if part.left_out:
            heading = f"{part.comparison.label} against naive on {part.comparison.benchmark}"
            whole = [_case(case, part.comparison, _from_below(bundle)) for case in _cases(part.comparison)]
            files[part.file] = _render(
                "questions.html.jinja", title=heading, comparison=part.comparison, cases=whole, back=f"../{PAGE}"
            )
    return files


def _section(table: Table) -> Section:
    return Section(
        table,
        main_grid(table),
        main_notes(table),
        ledger_figure(table),
        table_figures(table),
        None if is_retrieval(table) else types_grid(table),
        kind_grids(table) if is_retrieval(table) else [],
        None if is_retrieval(table) else metrics_grid(table),
        measures_grid(table),
    )


def _make_room(comparisons: Sequence[Comparison], bundle: str) -> list[Shown]:
    """As many questions as there is room for: first those that differ most, of every comparison, then the others."""
    rendered = [[_case(case, comparison, bundle) for case in _cases(comparison)] for comparison in comparisons]
    room = ROOM
    kept: list[list[Markup]] = [[] for _ in comparisons]
    for part in (0, 1):
        for i, comparison in enumerate(comparisons):
            split = len(comparison.different)
            for case in rendered[i][:split] if part == 0 else rendered[i][split:]:
                if room >= len(case) and len(kept[i]) >= (0 if part == 0 else split):
                    kept[i].append(case)
                    room -= len(case)
    return [
        Shown(comparison, kept[i], len(rendered[i]) - len(kept[i]), _file_name(comparison, i))
        for i, comparison in enumerate(comparisons)
    ]


def _cases(comparison: Comparison) -> list[Case]:
    return [*comparison.different, *comparison.at_random]


def _case(case: Case, comparison: Comparison, bundle: str) -> Markup:
    return Markup(
        _environment()
        .get_template("case.html.jinja")
        .render(
            case=case,
            comparison=comparison,
            links=[_view(bundle, answer.log, case.id, answer.epoch) for answer in (case.naive, case.bridge)],
        )
    )


def _view(bundle: str, log: str, id: str, epoch: int) -> str:
    """Address of a sample in a bundle that ``inspect view bundle`` made."""
    if not bundle:
        return ""
    return f"{bundle.rstrip('/')}/#/logs/{quote(log.rsplit('/', 1)[-1])}/samples/sample/{quote(id, safe='')}/{epoch}"


def _from_below(bundle: str) -> str:
    """The bundle's address, seen from a side file's folder."""
    absolute = not bundle or bundle.startswith("/") or urlsplit(bundle).scheme
    return bundle if absolute else f"../{bundle}"


def _file_name(comparison: Comparison, number: int) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", f"{comparison.benchmark} {comparison.label}".lower()).strip("-")
    return f"questions/{number + 1:02}-{words[:60]}.html"


def _render(template: str, **values: object) -> str:
    style, script = _packaged("style.css"), _packaged("script.js")
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; "
    page = _environment().get_template(template)
    policy += "base-uri 'none'; form-action 'none'"
    return page.render(style=Markup(style), script=Markup(script), policy=policy, **values).translate(_VISIBLE)


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("bridgebench.leaderboard"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = _breakable
    environment.globals.update(percent=percent, number=number, metric_title=metric_title, run_facts=run_facts)
    return environment


def _breakable(name: str) -> Markup:
    """A name that goes on in another line after an underscore or before a bracket rather than within a word."""
    return Markup("<wbr>").join(re.split(r"(?<=_)|(?=\()", name))


@lru_cache
def _packaged(name: str) -> str:
    return resources.files("bridgebench.leaderboard").joinpath("templates", name).read_text(encoding="utf-8")


def _hash(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"
