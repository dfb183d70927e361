"""The figures of the page: what quality costs, and how sure a difference is."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from bridgebench.leaderboard.estimates import Difference
from bridgebench.leaderboard.svg import Axis, axis, drawing, element, frame, placed, shortened
from bridgebench.leaderboard.tables import Table
from bridgebench.leaderboard.text import ends, metric_title, percent

WIDTH, HEIGHT = 520.0, 320.0


@dataclass(frozen=True)
class Point:
    """A system in the plane of cost and quality."""

    name: str
    cost: float
    quality: float
    control: bool


def pareto_front(points: Sequence[Point]) -> list[Point]:
    """Points that no other beats in quality at the same cost or less, by rising cost."""
    front: list[Point] = []
    for point in sorted(points, key=lambda p: (p.cost, -p.quality)):
        if not front or point.quality > front[-1].quality:
            front.append(point)
    return front


def pareto(points: Sequence[Point], title: str, cost_title: str, quality_title: str) -> Markup:
    """Quality against cost, with the front as a line; empty where fewer than two points are there to compare."""
    if len(points) < 2:
        return Markup("")
    x = axis([point.cost for point in points], 56, WIDTH - 20, zero=True)
    y = axis([point.quality for point in points], HEIGHT - 52, 30)
    front = pareto_front(points)
    steps = " ".join(
        f"H{x(point.cost):.1f}V{y(point.quality):.1f}" if i else f"M{x(point.cost):.1f},{y(point.quality):.1f}"
        for i, point in enumerate(front)
    )
    pixels = [(x(point.cost), y(point.quality), shortened(point.name)) for point in points]
    parts = [frame(x, y, cost_title, quality_title), element("path", d=steps, class_="front")]
    for point, (left, top, name), (tx, ty, anchor) in zip(points, pixels, placed(pixels, x.start, WIDTH), strict=True):
        css = "control" if point.control else "bridge"
        hint = element("title", f"{point.name}: {quality_title} {point.quality:.1f}, {cost_title} {point.cost:.3g}")
        parts.append(element("circle", hint, cx=left, cy=top, r=4.5, class_=f"point {css}"))
        parts.append(element("text", name, x=tx, y=ty, text_anchor=anchor, class_=f"name {css}"))
    return drawing(WIDTH, HEIGHT, title, parts, "chart")


def table_points(table: Table, figure: str, device: str | None = None) -> list[Point]:
    """Rows of a table by one cost figure; of one `device` only (and controls that need none), where it is given."""
    return [
        Point(row.label, row.figures[figure], 100 * row.estimates[table.headline].mean, row.control is not None)
        for row in table.rows
        if figure in row.figures
        and row.estimates[table.headline].questions
        and not row.marks.sees_labels
        and (device is None or row.devices == (device,) or (row.control is not None and not row.devices))
    ]


def table_figures(table: Table) -> list[Markup]:
    """Quality against words, and against seconds once for each device: time axes never mix devices."""
    quality = metric_title(table.headline)
    words = table_points(table, "cost.words")
    found = [pareto(words, f"{quality} against words read", "words the generator reads", quality)]
    vectors = table_points(table, "retrieval_cost.vectors")
    found.append(pareto(vectors, f"{quality} against vectors kept", "vectors in the index", quality))
    for device in dict.fromkeys(row.devices[0] for row in table.rows if len(row.devices) == 1):
        points = table_points(table, "cost.seconds", device)
        title = f"bridge seconds a question on {device}"
        found.append(pareto(points, f"{quality} against seconds on {device}", title, quality))
    return [figure for figure in found if figure]


def forest(difference: Difference | None, limit: float) -> Markup:
    """A difference and its interval on an axis from -limit to limit, for one line of a table; empty without one."""
    if difference is None or math.isnan(difference.mean) or not limit:
        return Markup("")
    x = Axis(-limit, limit, 2, 118)
    css = "sure" if difference.significant else "unsure"
    side = "up" if difference.mean > 0 else "down"
    parts = [element("line", x1=60, x2=60, y1=1, y2=17, class_="zero")]
    if not math.isnan(difference.low):
        ends_at = {"x1": x(difference.low), "x2": x(difference.high)}
        parts.append(element("line", **ends_at, y1=9, y2=9, class_=f"whisker {css} {side}"))
    parts.append(element("circle", cx=x(difference.mean), cy=9, r=3.2, class_=f"dot {css} {side}"))
    title = f"{percent(difference.mean, True)} {ends(difference.low, difference.high, True)}"
    return drawing(120, 18, title, parts, "forest")


def forest_limit(differences: Sequence[Difference | None]) -> float:
    """One scale for all lines of a table."""
    drawn = [abs(end) for d in differences if d is not None for end in (d.mean, d.low, d.high)]
    return max((end for end in drawn if not math.isnan(end)), default=0.0) * 1.05
