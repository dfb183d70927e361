"""Small drawings as inline SVG: no style attributes (the page's policy forbids them), colours by class."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape


@dataclass(frozen=True)
class Axis:
    """A linear scale from data to pixels.

    Attributes:
        low: Data value at `start`.
        high: Data value at `stop`.
        start: Pixel of `low`.
        stop: Pixel of `high`.
    """

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, value: float) -> float:
        """Pixel of a data value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.stop - self.start)

    def ticks(self, count: int = 7) -> list[float]:
        """Round values (1, 2 or 5 times a power of ten apart) within the axis."""
        rough = (self.high - self.low) / count
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
        first = math.ceil(self.low / step - 1e-9)
        return [i * step for i in range(first, math.floor(self.high / step + 1e-9) + 1)]


def axis(values: Iterable[float], start: float, stop: float, zero: bool = False) -> Axis:
    """A scale that holds all values with some air; from 0 where `zero`, and not below 0 for values that are not."""
    found = list(values)
    low, high = min(found), max(found)
    air = (high - low) * 0.08 or abs(high) * 0.1 or 1.0
    bottom = 0.0 if zero else low - air
    return Axis(max(0.0, bottom) if low >= 0 else bottom, high + air, start, stop)


def element(name: str, content: object = "", **attributes: object) -> Markup:
    """One SVG element; text and attribute values are escaped. ``_`` in a name is ``-``, a last one is dropped."""
    given = Markup("").join(
        Markup(' {}="{}"').format(Markup(key.rstrip("_").replace("_", "-")), _short(value))
        for key, value in attributes.items()
    )
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(name), given, content)


def joined(parts: Iterable[Markup]) -> Markup:
    """Elements side by side."""
    return Markup("").join(parts)


def drawing(width: float, height: float, title: str, parts: Iterable[Markup], css: str = "") -> Markup:
    """An image with a name for those who do not see it."""
    content = element("title", title) + joined(parts)
    return element(
        "svg",
        content,
        viewBox=f"0 0 {_short(width)} {_short(height)}",
        width=width,
        height=height,
        role="img",
        class_=css,
    )


def frame(x: Axis, y: Axis, x_title: str, y_title: str, x_ticks: Sequence[tuple[float, str]] | None = None) -> Markup:
    """Axes with ticks (round numbers where `x_ticks` names none), grid lines and titles."""
    parts = []
    for tick in y.ticks():
        parts.append(element("line", x1=x.start, x2=x.stop, y1=y(tick), y2=y(tick), class_="grid"))
        parts.append(element("text", label(tick), x=x.start - 8, y=y(tick) + 4, text_anchor="end", class_="tick"))
    for tick, text in [(tick, label(tick)) for tick in x.ticks()] if x_ticks is None else x_ticks:
        parts.append(element("line", x1=x(tick), x2=x(tick), y1=y.start, y2=y.start + 4, class_="axis"))
        parts.append(element("text", text, x=x(tick), y=y.start + 18, text_anchor="middle", class_="tick"))
    parts.append(element("line", x1=x.start, x2=x.stop, y1=y.start, y2=y.start, class_="axis"))
    middle = (x.start + x.stop) / 2
    parts.append(element("text", x_title, x=middle, y=y.start + 36, text_anchor="middle", class_="title"))
    parts.append(element("text", y_title, x=x.start - 36, y=y.stop - 8, class_="title"))
    return joined(parts)


def label(value: float) -> str:
    """A tick's number."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.6g}".replace("-", "−")


def placed(points: Sequence[tuple[float, float, str]], left: float, right: float) -> list[tuple[float, float, str]]:
    """Where names of points go so that they overlap as little as possible.

    Args:
        points: Pixel coordinates and name of each point.
        left: Left edge of the room for names, in pixels.
        right: Right edge.

    Returns:
        For each point the pixel position of its name and its ``text-anchor``.
    """
    taken: list[tuple[float, float, float, float]] = [(x - 5, y - 5, x + 5, y + 5) for x, y, _ in points]
    found = []
    for x, y, name in points:
        width = 6.3 * len(name)
        options = [
            (x + 8, y + 4, "start"),
            (x - 8, y + 4, "end"),
            *((x + 8, y + 4 + step, "start") for step in (-11, 13, -23, 25)),
            *((x - 8, y + 4 + step, "end") for step in (-11, 13, -23, 25)),
        ]

        def box(option: tuple[float, float, str], width: float = width) -> tuple[float, float, float, float]:
            start = option[0] - (width if option[2] == "end" else 0)
            return start, option[1] - 10, start + width, option[1] + 2

        def badness(option: tuple[float, float, str]) -> float:
            start, top, end, bottom = box(option)
            outside = max(0.0, end - right) + max(0.0, left - start)
            hits = sum(start < b[2] and b[0] < end and top < b[3] and b[1] < bottom for b in taken)
            return outside * 10 + hits

        best = min(options, key=badness)
        taken.append(box(best))
        found.append(best)
    return found


def shortened(name: str, most: int = 26) -> str:
    """A name that fits a drawing."""
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _short(value: object) -> Markup:
    return escape(f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value)
