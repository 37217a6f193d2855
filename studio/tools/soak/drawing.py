"""Curves over time as a plain SVG file: panels one below the other, with axes, units and a legend.

Written by hand because it is small: a library for charts would be the studio's largest dependency.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH = 960
LEFT = 84
RIGHT = 24
PANEL = 150
"""Height of the plotted area of a panel."""
GAP = 62
"""Between two panels: the next one's title and legend stand there."""
TOP = 64
BOTTOM = 46

INK = "#1f2937"
FAINT = "#6b7280"
GRID = "#e5e7eb"

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Curve:
    """One line of the legend: pieces that are not joined with each other."""

    label: str
    colour: str
    pieces: Sequence[Sequence[Point]]
    width: float = 1.5
    dashes: str = ""


@dataclass(frozen=True, slots=True)
class Marks:
    """Moments, as small triangles on the time axis."""

    label: str
    colour: str
    moments: Sequence[float]


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot."""

    title: str
    unit: str
    curves: Sequence[Curve]
    marks: Sequence[Marks] = ()


def chart(title: str, subtitle: str, panels: Sequence[Panel], seconds: float) -> str:
    """Draw panels over one time axis.

    Args:
        title: Above everything.
        subtitle: Below it, smaller.
        panels: From top to bottom; their points are (seconds, value).
        seconds: Length of the time axis.

    Returns:
        The file's text.
    """
    height = TOP + len(panels) * (PANEL + GAP) + BOTTOM
    unit, divisor = _time_unit(seconds)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="12" '
        f'fill="{INK}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="26" font-size="17" font-weight="bold">{escape(title)}</text>',
        f'<text x="{LEFT}" y="45" fill="{FAINT}">{escape(subtitle)}</text>',
    ]
    for place, panel in enumerate(panels):
        last = place == len(panels) - 1
        top = TOP + place * (PANEL + GAP) + GAP - 20
        axis = _Axes(top, max(seconds, 1e-9), _highest(panel), divisor)
        parts += axis.draw(panel, unit if last else "")
    return "\n".join([*parts, "</svg>", ""])


class _Axes:
    """Where values of one panel lie on the page."""

    def __init__(self, top: float, seconds: float, highest: float, divisor: float) -> None:
        self._top = top
        self._seconds = seconds
        self._divisor = divisor
        self._step = _round_step(highest / 4)
        self._highest = max(self._step, math.ceil(highest / self._step - 1e-9) * self._step)

    def draw(self, panel: Panel, time_unit: str) -> list[str]:
        """The panel; its time axis is labelled where a unit is given."""
        name = f"{panel.title} ({panel.unit})" if panel.unit else panel.title
        parts = [
            f'<text x="{LEFT}" y="{self._top - 10:g}" font-weight="bold">{escape(name)}</text>'
        ]
        parts += [*self._legend(panel), *self._grid(time_unit)]
        for curve in panel.curves:
            parts += self._curve(curve)
        for marks in panel.marks:
            parts += self._marks(marks)
        return parts

    def _x(self, seconds: float) -> float:
        return LEFT + seconds / self._seconds * (WIDTH - LEFT - RIGHT)

    def _y(self, value: float) -> float:
        return self._top + PANEL * (1 - min(1.0, value / self._highest))

    def _grid(self, time_unit: str) -> list[str]:
        right, base = WIDTH - RIGHT, self._top + PANEL
        parts = []
        for count in range(round(self._highest / self._step) + 1):
            value = count * self._step
            y = self._y(value)
            parts.append(f'<path d="M{LEFT} {y:.1f}H{right}" stroke="{GRID}"/>')
            parts.append(
                f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{_number(value)}</text>'
            )
        span = self._seconds / self._divisor
        step = _round_step(span / 8)
        for count in range(int(span / step + 1e-9) + 1):
            x = self._x(count * step * self._divisor)
            parts.append(f'<path d="M{x:.1f} {base:g}v5" stroke="{FAINT}"/>')
            if time_unit:
                parts.append(
                    f'<text x="{x:.1f}" y="{base + 19:g}" text-anchor="middle">'
                    f"{_number(count * step)}</text>"
                )
        if time_unit:
            parts.append(
                f'<text x="{right}" y="{base + 36:g}" text-anchor="end">time ({time_unit})</text>'
            )
        parts.append(
            f'<path d="M{LEFT} {self._top:g}V{base:g}H{right}" fill="none" stroke="{FAINT}"/>'
        )
        return parts

    def _curve(self, curve: Curve) -> list[str]:
        dashes = f' stroke-dasharray="{curve.dashes}"' if curve.dashes else ""
        parts = []
        for piece in curve.pieces:
            points = " ".join(f"{self._x(x):.1f},{self._y(y):.1f}" for x, y in piece)
            if len(piece) == 1:
                x, y = piece[0]
                parts.append(
                    f'<circle cx="{self._x(x):.1f}" cy="{self._y(y):.1f}" r="1.5" '
                    f'fill="{curve.colour}"/>'
                )
            elif piece:
                parts.append(
                    f'<polyline points="{points}" fill="none" stroke="{curve.colour}" '
                    f'stroke-width="{curve.width:g}" stroke-linejoin="round"{dashes}/>'
                )
        return parts

    def _marks(self, marks: Marks) -> list[str]:
        base = self._top + PANEL
        shapes = (f"M{self._x(at):.1f} {base:g}l-3.5 7h7z" for at in marks.moments)
        path = "".join(shapes)
        return [f'<path d="{path}" fill="{marks.colour}"/>'] if path else []

    def _legend(self, panel: Panel) -> list[str]:
        """From the right edge leftwards, so that titles of any length keep their place."""
        parts = []
        right = float(WIDTH - RIGHT)
        y = self._top - 10
        entries: list[Curve | Marks] = [*panel.curves, *panel.marks]
        for entry in reversed(entries):
            right -= 6.6 * len(entry.label)
            parts.append(f'<text x="{right:.1f}" y="{y:g}">{escape(entry.label)}</text>')
            right -= 24
            if isinstance(entry, Marks):
                shape = f"M{right + 9:.1f} {y - 8:g}l-3.5 7h7z"
                parts.append(f'<path d="{shape}" fill="{entry.colour}"/>')
            else:
                dashes = f' stroke-dasharray="{entry.dashes}"' if entry.dashes else ""
                parts.append(
                    f'<path d="M{right:.1f} {y - 4:g}h18" stroke="{entry.colour}" '
                    f'stroke-width="{max(2.0, entry.width):g}"{dashes}/>'
                )
            right -= 16
        return parts


def _highest(panel: Panel) -> float:
    values = [y for curve in panel.curves for piece in curve.pieces for _, y in piece]
    return max(values, default=0.0) or 1.0


def _round_step(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below ``least``."""
    if least <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(n * power for n in (1.0, 2.0, 5.0, 10.0) if n * power >= least * (1 - 1e-9))


def _number(value: float) -> str:
    """A label of an axis, without a tail of zeros."""
    if value == round(value):
        return f"{value:,.0f}"
    return f"{value:.6f}".rstrip("0").rstrip(".")


def _time_unit(seconds: float) -> tuple[str, float]:
    """The unit of the time axis, and how many seconds it has."""
    if seconds < 300:
        return "s", 1.0
    return ("min", 60.0) if seconds < 3 * 3600 else ("h", 3600.0)
