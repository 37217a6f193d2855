"""Text in terminal cells: made safe to draw, cropped and padded to an exact width.

A grid stays aligned only if the terminal and Rich agree on how wide a text is. They disagree
about joined emoji, skin tones, flags and variation selectors (how they are drawn depends on the
terminal's Unicode version), and control or direction characters move the cursor or reorder a
line. So text is simplified for display, never for storage: what remains is one code point per
glyph, plus plain combining marks, whose width every terminal agrees on. Behind text that is read
from the right stands one mark of no width, or a terminal that turns such text would draw the
figures of the next column into it.
"""

from __future__ import annotations

import re
import unicodedata

from rich.cells import cell_len, chop_cells, set_cell_size

ELLIPSIS = "…"

LEFT_AGAIN = "\N{LEFT-TO-RIGHT MARK}"
"""Ends a run of letters that are read from the right."""

_FROM_THE_RIGHT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
"""The blocks of Hebrew, Arabic and the other scripts that are read so."""

_PAD = 64
"""Code points read beyond a width before cleaning, for those that take no cell."""


def _table() -> dict[int, str | None]:
    """What to replace before drawing; None removes."""
    table: dict[int, str | None] = {code: chr(0x2400 + code) for code in range(0x20)}
    table[0x7F] = "␡"
    table |= {code: "\N{REPLACEMENT CHARACTER}" for code in range(0x80, 0xA0)}
    table |= {code: "\N{REPLACEMENT CHARACTER}" for code in range(0xD800, 0xE000)}
    table |= {ord(char): " " for char in "\t\n\v\f\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"}
    table[0x3000] = "  "  # the ideographic space is two cells wide, and stays so
    table |= {code: " " for code in range(0x2000, 0x200B)}
    removed = (
        [0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x180E, 0x3164, 0xFEFF, 0xFFA0],
        range(0x200B, 0x2010),  # zero-width spaces and joiners, direction marks
        range(0x202A, 0x202F),  # direction embeddings and overrides
        range(0x2060, 0x2070),  # word joiner, invisible operators, direction isolates
        range(0xFE00, 0xFE10),  # variation selectors
        range(0xFFF9, 0xFFFC),  # annotation marks
        range(0x1F3FB, 0x1F400),  # skin tones
        range(0xE0000, 0xE0200),  # tags and more variation selectors
    )
    table |= {code: None for codes in removed for code in codes}
    # Regional indicators: a flag is one or two cells or four, its two letters are always two.
    table |= {0x1F1E6 + n: chr(ord("A") + n) for n in range(26)}
    return table


_REPLACED = _table()


def clean(text: str) -> str:
    """Make a text safe to draw on one line.

    Args:
        text: Any text, from a book or from an engine.

    Returns:
        The text without control, direction and zero-width format characters, with one space for
        each kind of white space, in composed form.
    """
    if text.isascii() and text.isprintable():
        return text
    composed = unicodedata.normalize("NFC", text.translate(_REPLACED))
    # A mark with nothing before it would land on the neighbouring column.
    return " " + composed if composed and unicodedata.combining(composed[0]) else composed


def width(text: str) -> int:
    """Cells that a cleaned text takes."""
    return cell_len(text)


def crop(text: str, cells: int) -> str:
    """A text in at most so many cells; a cut is marked with an ellipsis.

    Args:
        text: Any text; only as much of it as can be shown is looked at.
        cells: Cells there are.

    Returns:
        The cleaned text, at most ``cells`` wide.
    """
    shown = _cropped(text, cells)
    if shown.isascii() or not _FROM_THE_RIGHT.search(shown):
        return shown
    return shown + LEFT_AGAIN


def _cropped(text: str, cells: int) -> str:
    if cells <= 0:
        return ""
    head = text[: 2 * cells + _PAD]
    cleaned = clean(head)
    if cell_len(cleaned) <= cells and len(head) == len(text):
        return cleaned
    if cell_len(cleaned) < cells:
        cleaned = clean(text)
        if cell_len(cleaned) <= cells:
            return cleaned
    cut = set_cell_size(cleaned, cells - 1).rstrip()
    return cut + ELLIPSIS


def fit(text: str, cells: int, *, right: bool = False) -> str:
    """A text in exactly so many cells.

    Args:
        text: Any text.
        cells: Cells to fill.
        right: Whether to align it right.

    Returns:
        The cleaned text, cropped or padded with spaces.
    """
    shown = crop(text, cells)
    space = " " * (cells - cell_len(shown))
    return space + shown if right else shown + space


def wrap(text: str, cells: int) -> list[str]:
    """A text as lines of at most so many cells, broken at spaces where there are any.

    Args:
        text: Any text; line ends in it count as spaces.
        cells: Cells of a line, at least 1.

    Returns:
        The lines; none for an empty text.
    """
    lines: list[str] = []
    line = ""
    for word in clean(text).split():
        if line and cell_len(line) + 1 + cell_len(word) <= cells:
            line = f"{line} {word}"
            continue
        if line:
            lines.append(line)
        *full, line = chop_cells(word, cells) or [""]
        lines.extend(full)
    return [*lines, line] if line else lines
