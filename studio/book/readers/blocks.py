"""Lines and paragraphs become blocks; shared by every reader."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from studio.book.kinds import Kind
from studio.book.manuscript import Block
from studio.book.marks import DIALOGUE_DASHES, OPENING_QUOTES, decorative, speakable

SCENE_BREAK = Block(Kind.SCENE_BREAK, "")
VERSE_WIDTH = 60
"""Lines of verse stay shorter than this, in characters."""
VERSE_LINES = 3
"""Fewer short lines than this are an address or a title, not verse."""

_TYPESETTING = re.compile("[\u00ad\u200b\u2060\ufeff]")
_ESCAPED = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});")
_MISREAD = str.maketrans(
    {
        code: character
        for code in range(0x80, 0xA0)
        if (character := bytes([code]).decode("cp1252", "ignore"))
    }
)
"""Control codes that nobody writes; they are Windows-1252 taken for Latin-1."""
_BREAKABLE_WHITE = re.compile(r"[^\S\u00a0\u202f\u2007]+")
_BLANKS_ALONE = re.compile(r"^[\s\u00a0\u202f\u2007]+|[\s\u00a0\u202f\u2007]+$")
_SPEECH = re.compile(
    rf"[*_(\[¿¡…]{{0,2}}(?:[{re.escape(OPENING_QUOTES)}]|[{DIALOGUE_DASHES}]|--? )"
)
_APOSTROPHE_FIRST = re.compile(
    r"['’‘](?:t(?:is|was|were|will)|em|cause|bout|til|twixt|gainst|neath|round|\d\ds?)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:chapter|part|book|volume|act|scene|canto|section|letter|day|kapitel|teil|buch|chapitre|"
    r"partie|livre|cap[ií]tulo|parte|libro)\s{1,4}[\w-]{1,20}[.:]?|[IVXLCDM]{1,8}[.:]?|\d{1,4}[.:]?",
    re.IGNORECASE,
)


def as_meant(text: str) -> str:
    """The text with Windows-1252 signs in place of the control codes they were read as."""
    return text if text.isascii() else text.translate(_MISREAD)


def tidy(text: str) -> str:
    """The text on one line; blanks that forbid a line break stay what they are.

    Hints to typesetters go: with a soft hyphen or without, it is the same word. Signs that were
    escaped twice, or decoded as another alphabet's, are what they were meant to be.
    """
    text = as_meant(text)
    if "&" in text:
        text = _ESCAPED.sub(lambda match: html.unescape(match[0]), text)
    return _BLANKS_ALONE.sub("", _BREAKABLE_WHITE.sub(" ", _TYPESETTING.sub("", text)))


def paragraph(text: str) -> Block | None:
    """A paragraph's block: dialogue, prose or a scene break; None where there is nothing.

    A paragraph of nothing but punctuation is nothing, unless its marks are an ornament.
    """
    text = tidy(text)
    if not speakable(text):
        return scene_mark(text)
    return Block(Kind.DIALOGUE if opens_speech(text) else Kind.PROSE, text)


def scene_mark(text: str) -> Block | None:
    """A scene break for an ornament; dots and a lone hyphen are none."""
    if set(text) <= set(".… ") or text in {"-", "_", "+", "="} or not decorative(text):
        return None
    return SCENE_BREAK


def opens_speech(text: str) -> bool:
    """Whether somebody speaks at the start of a paragraph."""
    return _SPEECH.match(text) is not None and not _APOSTROPHE_FIRST.match(text)


def heading(lines: Sequence[str]) -> list[Block]:
    """A heading's blocks: one, or two where its first line is a chapter's number."""
    lines = [line for line in map(tidy, lines) if speakable(line)]
    if len(lines) > 1 and _LABEL.fullmatch(lines[0]):
        return [Block(Kind.HEADING, lines[0]), Block(Kind.HEADING, " ".join(lines[1:]))]
    return [Block(Kind.HEADING, " ".join(lines))] if lines else []


def verse(lines: Sequence[str]) -> list[Block]:
    """Lines of verse, one block each."""
    return [Block(Kind.VERSE, line) for line in map(tidy, lines) if speakable(line)]


def looks_like_verse(lines: Sequence[str]) -> bool:
    """Whether a paragraph's lines are clearly verse: several, short, and not all sentences."""
    lines = [line.strip() for line in lines if line.strip()]
    if len(lines) < VERSE_LINES or max(map(len, lines)) > VERSE_WIDTH:
        return False
    run_on = sum(line[-1].isalnum() or line[-1] in ",;:–—" for line in lines[:-1])
    capitals = sum(line.lstrip(OPENING_QUOTES + "(…—")[:1].isupper() for line in lines)
    return run_on * 3 >= len(lines) - 1 and capitals * 4 >= len(lines) * 3
