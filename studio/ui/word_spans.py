"""Where words stand in a text: what a word cursor moves over, in any script.

Two views: `words` are what a lexicon knows (letters and digits, without the marks around them),
`pieces` are what a text can be cut between (up to the next blank, marks included). Scripts that
are written without blanks are taken character by character.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

Span = tuple[int, int]
"""Start and end of a part of a text, as in a slice."""

_JOINERS = frozenset("'’-\u2010\u2011")
"""What may stand inside a word."""
_ZERO_WIDTH_JOINER = "\u200d"
_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
    (0x20000, 0x3FFFF),
)
"""Ranges of the scripts without blanks between words."""


@dataclass(frozen=True, slots=True)
class _Glyph:
    """What a person sees as one character: a base with its marks."""

    start: int
    end: int
    kind: str
    """``space``, ``bare`` (a script without blanks), ``letter``, ``opening`` or ``mark``."""


def words(text: str) -> list[Span]:
    """The words of a text, without the marks around them.

    Args:
        text: Any text.

    Returns:
        Start and end of each; apostrophes and hyphens between letters belong to the word.
    """
    spans: list[Span] = []
    open_word, joiner = False, False
    for glyph in _glyphs(text):
        if glyph.kind == "bare":
            spans.append((glyph.start, glyph.end))
            open_word = joiner = False
        elif glyph.kind == "letter":
            if open_word or joiner:
                spans[-1] = (spans[-1][0], glyph.end)
            else:
                spans.append((glyph.start, glyph.end))
            open_word, joiner = True, False
        else:
            joiner = open_word and text[glyph.start] in _JOINERS
            open_word = False
    return spans


def pieces(text: str) -> list[Span]:
    """The parts that a text can be cut between: from blank to blank, marks included.

    Args:
        text: Any text.

    Returns:
        Start and end of each; in scripts without blanks each character, with its marks.
    """
    spans: list[Span] = []
    before = "space"
    core = "space"
    """The kind of the last glyph that is no closing mark."""
    for glyph in _glyphs(text):
        if glyph.kind != "space":
            if before == "space" or (
                glyph.kind != "mark" and before != "opening" and "bare" in (glyph.kind, core)
            ):
                spans.append((glyph.start, glyph.end))
            else:
                spans[-1] = (spans[-1][0], glyph.end)
        before = glyph.kind
        core = core if glyph.kind == "mark" else glyph.kind
    return spans


def glyph_edges(text: str) -> list[int]:
    """Where a cursor may stand: before each glyph, and at the end; never between base and mark."""
    return [*(glyph.start for glyph in _glyphs(text)), len(text)]


def _glyphs(text: str) -> Iterator[_Glyph]:
    """The text in glyphs: no mark without its base, no joined emoji in parts."""
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and (_continues(text[end]) or text[end - 1] == _ZERO_WIDTH_JOINER):
            end += 1
        yield _Glyph(start, end, _kind(text[start]))
        start = end


def _continues(character: str) -> bool:
    """Whether a character belongs to the glyph before it."""
    return (
        unicodedata.category(character)[0] == "M"
        or character == _ZERO_WIDTH_JOINER
        or 0x1F3FB <= ord(character) <= 0x1F3FF
    )


def _kind(character: str) -> str:
    """What a glyph is, by its base."""
    if character.isspace():
        return "space"
    code = ord(character)
    category = unicodedata.category(character)
    if category[0] in "LN" and any(low <= code <= high for low, high in _UNSPACED):
        return "bare"
    if category[0] in "LNM":
        return "letter"
    return "opening" if category in ("Ps", "Pi") else "mark"
