"""Where the columns of the segment grid stand at each width, and what stands in them."""

from __future__ import annotations

from dataclasses import dataclass

from studio.project.model import Kind, Segment
from studio.ui import formats


@dataclass(frozen=True, slots=True)
class Column:
    """One column after the state: what stands above it and how wide it is."""

    name: str
    cells: int
    right: bool = True


VOICE = Column("voice", 7, right=False)
SEED = Column("seed", 10)
TAKE = Column("take", 5)
LENGTH = Column("len", 6)
RTF = Column("rtf", 4)

_LAYOUTS: tuple[tuple[int, tuple[Column, ...]], ...] = (
    (92, (VOICE, SEED, TAKE, LENGTH, RTF)),
    (84, (VOICE, TAKE, LENGTH, RTF)),
    (60, (TAKE, LENGTH)),
    (44, (TAKE,)),
    (0, ()),
)
"""From which width on which columns stand beside the text; the seed is the first to go."""

_STATE_CELLS = 11
_WORDLESS_BELOW = 36
"""Narrower than this the state is its glyph alone: the text would not fit otherwise."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything stands at one width."""

    number: int
    state: int
    text: int
    columns: tuple[Column, ...]


def layout(width: int, rows: int) -> Layout:
    """Share out the width of the grid.

    Args:
        width: Cells there are.
        rows: Rows the source has, for the width of the number.

    Returns:
        The layout; the text gets what the others leave.
    """
    number = max(4, len(str(rows)))
    state = _STATE_CELLS if width >= _WORDLESS_BELOW else 1
    columns = next(columns for least, columns in _LAYOUTS if width >= least)
    # Cursor, selection and mark, the number, then each further part behind one or two spaces.
    taken = 3 + number + 2 + state + 1 + sum(1 + column.cells for column in columns) + 1
    return Layout(number, state, max(0, width - taken), columns)


def values(segment: Segment) -> dict[str, str]:
    """What stands in the columns of one segment."""
    if segment.kind is Kind.SCENE_BREAK:
        pause = formats.seconds((segment.pause_ms or 0) / 1000)
        none = formats.NONE
        return {"voice": none, "seed": none, "take": none, "len": pause, "rtf": formats.UNKNOWN}
    return {
        "voice": segment.voice,
        "seed": formats.seed(segment.seed),
        "take": formats.take(segment.take_number, segment.takes),
        "len": formats.seconds(segment.seconds),
        "rtf": formats.rtf(segment.rtf),
    }
