"""Curves over several tables: quality against the generator's size, and against a knob of the task."""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from markupsafe import Markup

from bridgebench.leaderboard.report import Report
from bridgebench.leaderboard.svg import axis, drawing, element, frame, label, shortened
from bridgebench.leaderboard.tables import Table
from bridgebench.leaderboard.text import metric_title

WIDTH, HEIGHT, NAMES = 520.0, 340.0, 130.0
COLOURS = 8
"""Distinct colours of the style sheet (``c0`` to ``c7``); dashes tell further series apart."""


@dataclass(frozen=True)
class Series:
    """One bridge over the values of what is varied, in rising order."""

    name: str
    points: tuple[tuple[float, float], ...]


def curves(
    series: Sequence[Series], title: str, x_title: str, y_title: str, ticks: Sequence[tuple[float, str]]
) -> Markup:
    """Lines with their names at the right end, moved apart where they would overlap.

    Args:
        series: At least one, each with at least one point.
        title: Read to those who do not see it.
        x_title: What is varied.
        y_title: The metric.
        ticks: Values of x that are marked, and their texts.
    """
    xs = [x for line in series for x, _ in line.points]
    x = axis(xs, 56, WIDTH - NAMES)
    y = axis([y for line in series for _, y in line.points], HEIGHT - 52, 30)
    parts = [frame(x, y, x_title, y_title, ticks)]
    heights = spread([y(line.points[-1][1]) for line in series], 13, y.start)
    for number, (line, height) in enumerate(zip(series, heights, strict=True)):
        css = f"c{number % COLOURS}" + (" dashed" if number >= COLOURS else "")
        path = "L".join(f"{x(a):.1f},{y(b):.1f}" for a, b in line.points)
        parts.append(element("path", d=f"M{path}", class_=f"line {css}"))
        parts += [
            element("circle", element("title", f"{line.name}: {b:.1f}"), cx=x(a), cy=y(b), r=3.2, class_=f"spot {css}")
            for a, b in line.points
        ]
        parts.append(element("text", shortened(line.name, 18), x=x.stop + 10, y=height + 4, class_=f"name {css}"))
    return drawing(WIDTH, HEIGHT, title, parts, "chart")


def spread(heights: Sequence[float], gap: float, bottom: float) -> list[float]:
    """Heights moved so that neighbours are at least `gap` apart and none is below `bottom`."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    moved = list(heights)
    for before, i in zip(order, order[1:], strict=False):
        moved[i] = max(moved[i], moved[before] + gap)
    for position, i in enumerate(reversed(order)):
        moved[i] = min(moved[i], bottom - gap * position)
    return moved


def size_curves(report: Report) -> list[Markup]:
    """Average of each metric against the generator's size, a figure for each family (R2U's Figure 5).

    Sizes and families are read from the models' names; a model without a size in its name is not drawn. Averages over
    different benchmarks are never joined by a line.
    """
    found = []
    for metric in dict.fromkeys(macro.metric for macro in report.macros):
        families: dict[tuple[str, tuple[str, ...]], list[tuple[float, dict[str, float]]]] = {}
        for macro in report.macros:
            named = family_and_size(macro.generator)
            if macro.metric == metric and named is not None:
                means = {row.label: 100 * row.mean for row in macro.rows if row.mean is not None}
                families.setdefault((named[0], macro.benchmarks), []).append((named[1], means))
        for (family, benchmarks), sizes in families.items():
            if len(sizes) > 1:
                sizes.sort(key=lambda pair: pair[0])
                ticks = [(math.log10(size), f"{label(size)}B") for size, _ in sizes]
                series = _series([(math.log10(size), means) for size, means in sizes])
                title = f"average {metric_title(metric)} of {', '.join(benchmarks)} by size of {family}"
                found.append(curves(series, title, f"{family}, parameters", f"average {metric_title(metric)}", ticks))
    return found


def family_and_size(generator: str) -> tuple[str, float] | None:
    """Family and billions of parameters in a model's name; None where it states no size.

    >>> family_and_size("vllm/meta-llama/Llama-3.1-8B-Instruct")
    ('Llama', 8.0)
    """
    name = generator.split("/")[-1]
    size = re.search(r"(?<![\d.])(\d+(?:\.\d+)?)\s*([bBmM])(?![a-zA-Z])", name)
    family = re.match(r"[A-Za-z]+", name)
    if size is None or family is None:
        return None
    return family.group(), float(size.group(1)) / (1 if size.group(2) in "bB" else 1000)


def stress_curves(report: Report) -> list[Markup]:
    """The headline metric against a task argument that at least three tables differ in and nothing else."""
    groups: dict[str, list[tuple[Any, str, Table]]] = {}
    for table in report.tables:
        arguments = table.setting["task arguments"]
        for name, value in arguments.items():
            others = {key: other for key, other in arguments.items() if key != name}
            rest = {key: v for key, v in table.setting.items() if key not in ("task arguments", "dataset", "questions")}
            family = value.rpartition("=")[0] if isinstance(value, str) else ""
            key = json.dumps(
                [table.benchmark, table.generator, name, family, others, rest], sort_keys=True, default=str
            )
            groups.setdefault(key, []).append((value, name, table))
    found = []
    for members in groups.values():
        if len({json.dumps(value) for value, _, _ in members}) >= 3:
            found.append(_stress([value for value, _, _ in members], members[0][1], [table for _, _, table in members]))
    return found


def _stress(values: Sequence[Any], name: str, tables: Sequence[Table]) -> Markup:
    texts = [_last_knob(value) if isinstance(value, str) else str(value) for value in values]
    title, positions = _positions(texts, name)
    order = sorted(range(len(values)), key=lambda i: positions[i])
    headline = tables[0].headline
    series = _series(
        [
            (
                positions[i],
                {
                    row.label: 100 * row.estimates[headline].mean
                    for row in tables[i].rows
                    if headline in row.estimates and row.estimates[headline].questions
                },
            )
            for i in order
        ]
    )
    about = f"{tables[0].benchmark}, {tables[0].generator}: {metric_title(headline)} against {title}"
    return curves(series, about, title, metric_title(headline), [(positions[i], texts[i]) for i in order])


def _last_knob(source: str) -> str:
    """A file's name, or what a source of the fictional world varies: its last knob.

    >>> _last_knob("world:size=60,distractors=8")
    'distractors=8'
    """
    return source.removeprefix("world:").rpartition(",")[2] if source.startswith("world:") else PurePath(source).stem


def _positions(texts: Sequence[str], name: str) -> tuple[str, list[float]]:
    """Where values stand: numbers where they are, also behind a common word (``distractors-20``); else in order."""
    split = [re.fullmatch(r"(.*?)[-_=]?(\d+(?:\.\d+)?)", text) for text in texts]
    if all(split) and len({match.group(1) for match in split if match}) == 1:
        words = next(match.group(1) for match in split if match)
        return words or name, [float(match.group(2)) for match in split if match]
    return name, [float(position) for position in range(len(texts))]


def _series(columns: Sequence[tuple[float, dict[str, float]]]) -> list[Series]:
    names = list(dict.fromkeys(name for _, means in columns for name in means))
    return [Series(name, tuple((x, means[name]) for x, means in columns if name in means)) for name in names]
