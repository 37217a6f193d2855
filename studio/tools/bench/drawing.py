"""Bars as a plain SVG file, legible on light and on dark pages, in colour and without.

Written by hand, as the curves of a soak are: each group of bars has a title, an axis of its own
and its unit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from studio.errors import BadInput

WIDTH = 960
RIGHT = 110
"""Beside the longest bar: its figure stands there."""
BAR, STEP = 16, 26
"""Height of a bar, and from one to the next."""
TOP, HEAD, FOOT = 64, 34, 52
"""Above the first group; of a group's title; of its axis."""
CHARACTER = 6.7
"""Width of a letter at the size that labels have."""

STYLE = """\
.page{fill:#ffffff}.ink{fill:#1f2937}.faint{fill:#6b7280}.grid{stroke:#e5e7eb}.axis{stroke:#6b7280}
.b0{fill:#2563eb}.b1{fill:#c2410c}.b2{fill:#047857}.b3{fill:#7c3aed}
@media (prefers-color-scheme:dark){
.page{fill:#111827}.ink{fill:#f3f4f6}.faint{fill:#9ca3af}.grid{stroke:#374151}.axis{stroke:#9ca3af}
.b0{fill:#60a5fa}.b1{fill:#fb923c}.b2{fill:#34d399}.b3{fill:#a78bfa}}"""


@dataclass(frozen=True, slots=True)
class Bar:
    """One figure."""

    label: str
    value: float
    shown: str
    """The figure as it stands beside the bar."""
    colour: int = 0
    """Of four; what the colour says, the label says, too."""


@dataclass(frozen=True, slots=True)
class Group:
    """Figures of one kind."""

    title: str
    unit: str
    bars: Sequence[Bar]


def chart(title: str, subtitle: str, groups: Sequence[Group]) -> str:
    """Draw groups of bars below each other.

    Returns:
        The file's text.
    """
    groups = [group for group in groups if group.bars]
    longest = max((len(bar.label) for group in groups for bar in group.bars), default=0)
    left = 24 + CHARACTER * longest + 12
    height = TOP + sum(HEAD + STEP * len(group.bars) + FOOT for group in groups)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="12">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="page" width="{WIDTH}" height="{height}"/>',
        _text(24, 28, title, size=17, bold=True),
        _text(24, 47, subtitle, kind="faint"),
    ]
    top = float(TOP)
    for group in groups:
        parts += _group(group, left, top)
        top += HEAD + STEP * len(group.bars) + FOOT
    return "\n".join([*parts, "</svg>", ""])


def _group(group: Group, left: float, top: float) -> list[str]:
    """One group, from its title to its axis."""
    step = _round_step(max(bar.value for bar in group.bars) / 5)
    highest = max(step, math.ceil(max(bar.value for bar in group.bars) / step - 1e-9) * step)
    span = WIDTH - RIGHT - left
    first, base = top + HEAD, top + HEAD + STEP * len(group.bars)
    parts = [_text(24, top + 18, group.title, bold=True)]
    for count in range(round(highest / step) + 1):
        x = left + span * count * step / highest
        parts.append(f'<path class="grid" d="M{x:.1f} {first:g}V{base:g}"/>')
        parts.append(_text(x, base + 17, _number(count * step), kind="faint", anchor="middle"))
    parts.append(_text(left + span, base + 34, group.unit, kind="faint", anchor="end"))
    for place, bar in enumerate(group.bars):
        y = first + STEP * place + (STEP - BAR) / 2
        long = max(1.0, span * bar.value / highest)
        parts.append(_text(left - 8, y + 12.5, bar.label, anchor="end"))
        parts.append(
            f'<rect class="b{bar.colour % 4}" x="{left:.1f}" y="{y:.1f}" width="{long:.1f}" '
            f'height="{BAR}"/>'
        )
        parts.append(_text(left + long + 6, y + 12.5, bar.shown))
    parts.append(
        f'<path class="axis" fill="none" d="M{left:.1f} {first:g}V{base:g}H{left + span}"/>'
    )
    return parts


def _text(
    x: float,
    y: float,
    text: str,
    *,
    kind: str = "ink",
    anchor: str = "start",
    size: int = 0,
    bold: bool = False,
) -> str:
    """One piece of text."""
    more = (f' font-size="{size}"' if size else "") + (' font-weight="bold"' if bold else "")
    where = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text class="{kind}" {where}{more}>{escape(text)}</text>'


def _round_step(about: float) -> float:
    """A step of 1, 2 or 5 times a power of ten."""
    if about <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(about))
    return next((n * power for n in (1, 2, 5) if n * power >= about - 1e-12), 10 * power)


def _number(value: float) -> str:
    """A figure of an axis."""
    return f"{value:,.0f}" if value >= 10 or value == 0 else f"{value:.3g}"


def check(path: Path | None) -> None:
    """Refuse a picture's name before anything is measured for it.

    Raises:
        BadInput: It does not end in .svg, or there is no folder for it.
    """
    if path is not None and path.suffix.lower() != ".svg":
        raise BadInput(f"The chart is drawn as SVG; name a file that ends in .svg: {path}")
    if path is not None and not path.parent.is_dir():
        raise BadInput(f"There is no folder {path.parent} for the chart; name another file.")
