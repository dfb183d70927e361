"""The page: one self-contained HTML file that opens from disk."""

import base64
import hashlib
from functools import lru_cache
from importlib import resources

import jinja2
from markupsafe import Markup

from bridgebench.leaderboard.figures import table_figures
from bridgebench.leaderboard.grids import averages_grid, table_grid
from bridgebench.leaderboard.report import Report
from bridgebench.leaderboard.text import remarks, setting_text, title

# C0 and C1 controls but tab and newline, and the characters that change the direction of the text around them.
_UNSEEN = [*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), 0x061C, 0x200E, 0x200F]
_UNSEEN += [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF]
_VISIBLE = dict.fromkeys(_UNSEEN, "�")


def html(report: Report) -> str:
    """The whole page.

    Text from logs is escaped by the template engine and its control characters are replaced by a visible mark. A
    content security policy allows this page's own style and script, by their hashes, and nothing else.
    """
    style, script = _packaged("style.css"), _packaged("script.js")
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; "
    return (
        _environment()
        .get_template("page.html.jinja")
        .render(
            title=title(report),
            report=report,
            averages=[averages_grid(macros) for macros in report.averages],
            tables=[(table, table_grid(table), table_figures(table), setting_text(table)) for table in report.tables],
            remarks=remarks(report),
            style=Markup(style),
            script=Markup(script),
            policy=policy + "base-uri 'none'; form-action 'none'",
        )
    )


def inert(value: object) -> object:
    """Text with its invisible characters made visible; the template engine escapes markup afterwards."""
    return value.translate(_VISIBLE) if isinstance(value, str) and not isinstance(value, Markup) else value


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("bridgebench.leaderboard"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=inert,
    )


def _packaged(name: str) -> str:
    return resources.files("bridgebench.leaderboard").joinpath("templates", name).read_text(encoding="utf-8")


def _hash(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"
