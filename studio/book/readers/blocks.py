"""Lines and paragraphs become blocks; shared by every reader."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from studio.book.coverage import Ledger, count
from studio.book.kinds import Kind
from studio.book.manuscript import Block
from studio.book.marks import DIALOGUE_DASHES, OPENING_QUOTES, decorative, speakable
from studio.book.readers.encoding import as_meant
from studio.book.readers.headings import without_ornament

SCENE_BREAK = Block(Kind.SCENE_BREAK, "")
VERSE_WIDTH = 60
"""Lines of verse stay shorter than this, in characters."""
VERSE_LINES = 3
"""Fewer short lines than this are an address or a title, not verse."""

_TYPESETTING = re.compile("[\u00ad\u200b\u2060\ufeff]")
_ESCAPED = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});")
_BREAKABLE_WHITE = re.compile(r"[^\S\u00a0\u202f\u2007]+")
_ODD_WHITE = re.compile(r"[^\S \u00a0\u202f\u2007]")
"""What `_BREAKABLE_WHITE` makes a blank of; searched for first, because most texts have none."""
_SPEECH = re.compile(
    rf"[*_(\[¿¡…]{{0,2}}(?:[{re.escape(OPENING_QUOTES)}]|[{DIALOGUE_DASHES}]|--? )"
)
_APOSTROPHE_FIRST = re.compile(
    r"['’‘](?:t(?:is|was|were|will)|em|cause|bout|til|twixt|gainst|neath|round|\d\ds?)\b",
    re.IGNORECASE,
)
_SPACED = re.compile(r"\s{0,40}[^\W_](?:\s{1,40}[^\W_]){4,60}[.:]?\s{0,40}")
_WIDE_GAP = re.compile(r"[^\S\n]{2,40}|\n")
_SPACED_LABEL = re.compile(
    r"(chapter|part|book|volume|act|scene|canto|kapitel|teil|buch|chapitre|partie|livre)(\w{1,40})",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:chapter|part|book|volume|act|scene|canto|section|letter|day|kapitel|teil|buch|chapitre|"
    r"partie|livre|cap[ií]tulo|parte|libro)\s{1,4}[\w-]{1,20}[.:]?|[IVXLCDM]{1,8}[.:]?|\d{1,4}[.:]?",
    re.IGNORECASE,
)


@lru_cache(4096)
def _unescaped(reference: str) -> str:
    """The character that a reference means; the same few stand in a text over and over."""
    return html.unescape(reference)


def tidied(text: str) -> str:
    """The text on one line; blanks that forbid a line break stay what they are.

    Hints to typesetters go: with a soft hyphen or without, it is the same word. Signs that were
    escaped twice are what they were meant to be.
    """
    return tidy(text, Ledger())


def tidy(text: str, ledger: Ledger) -> str:
    """The text as `tidied` gives it; what goes is taken down."""
    if "&" in text:
        meant = as_meant(_ESCAPED.sub(lambda match: _unescaped(match[0]), text))
        if meant != text:
            ledger.skip("escape", count(text) - count(meant))
            text = meant
    if not text.isascii():
        text, marks = _TYPESETTING.subn("", text)
        if marks:
            ledger.skip("typesetting mark", marks, marks)
    if "  " in text or _ODD_WHITE.search(text):
        text = _BREAKABLE_WHITE.sub(" ", text)
    return text.strip()


def paragraph(text: str) -> Block | None:
    """A paragraph's block: dialogue, prose or a scene break; None where there is nothing.

    A paragraph of nothing but punctuation is nothing, unless its marks are an ornament.

    Args:
        text: As `tidy` gives it.
    """
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


def heading(lines: Sequence[str], ledger: Ledger) -> list[Block]:
    """A heading's blocks: one, or two where its first line is a chapter's number."""
    lines = _speakable([undrawn(unspaced(line), ledger) for line in lines], ledger)
    if len(lines) > 1 and _LABEL.fullmatch(lines[0]):
        return [Block(Kind.HEADING, lines[0]), Block(Kind.HEADING, " ".join(lines[1:]))]
    return [Block(Kind.HEADING, " ".join(lines))] if lines else []


def undrawn(line: str, ledger: Ledger) -> str:
    """A heading's line without what is drawn around it."""
    bare = without_ornament(line.strip())
    if len(bare) < len(line.strip()):
        ledger.skip("ornament", count(line) - count(bare))
        return bare
    return line


def verse(lines: Sequence[str], ledger: Ledger) -> list[Block]:
    """Lines of verse, one block each."""
    return [Block(Kind.VERSE, line) for line in _speakable(lines, ledger)]


def _speakable(lines: Sequence[str], ledger: Ledger) -> list[str]:
    """The lines that say something, tidy."""
    kept = []
    for line in lines:
        text = tidy(line, ledger)
        if speakable(text):
            kept.append(text)
        elif text:
            ledger.skip("paragraph without words", count(text))
    return kept


def unspaced(line: str) -> str:
    """A line whose letters are set apart, ``C H A P T E R  O N E``, as words; else as it is."""
    if not _SPACED.fullmatch(line):
        return line
    words = ["".join(word.split()) for word in _WIDE_GAP.split(line.strip())]
    if len(words) == 1 and (named := _SPACED_LABEL.fullmatch(words[0])):
        words = [named[1], named[2]]
    return " ".join(words)


def looks_like_verse(lines: Sequence[str], *, broken: bool = False) -> bool:
    """Whether a paragraph's lines are clearly verse: several, short, and not all sentences.

    Args:
        lines: The lines as they stand.
        broken: Whether somebody broke the lines on purpose, as with ``<br/>``; then they need no
            capitals, if they end where the next word would have fitted.
    """
    lines = [line.strip() for line in lines if line.strip()]
    if len(lines) < VERSE_LINES or max(map(len, lines)) > VERSE_WIDTH:
        return False
    run_on = sum(line[-1].isalnum() or line[-1] in ",;:–—" for line in lines[:-1])
    if run_on * 3 < len(lines) - 1:
        return False
    capitals = sum(line.lstrip(OPENING_QUOTES + "(…—")[:1].isupper() for line in lines)
    if capitals * 4 >= len(lines) * 3:
        return True
    width = max(map(len, lines))
    early = sum(
        len(line) + 1 + len(following.split(maxsplit=1)[0]) <= width
        for line, following in pairwise(lines)
    )
    return broken and early * 2 >= len(lines) - 1
