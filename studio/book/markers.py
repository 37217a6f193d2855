"""Markers in the text, for whoever writes a manuscript to be narrated.

``[[chapter: The Storm]]`` starts a chapter, ``[[voice: anna]]`` changes the voice until the next
such marker or the end of the chapter (``[[voice:]]`` goes back), ``[[pause: 1.5 s]]`` is silence
after what stands before it. They are never spoken. What looks like a marker and is none stays
text, and a notice says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from studio.book.coverage import count
from studio.book.kinds import Kind
from studio.book.manuscript import Block, ChapterText
from studio.book.marks import fold, speakable
from studio.book.readers.blocks import paragraph
from studio.errors import BadInput

LONGEST_PAUSE = 60_000
"""Milliseconds."""

_MARKER = re.compile(r"\[\[\s{0,9}([A-Za-z]{1,20})\s{0,9}:\s{0,9}([^\[\]]{0,200})\]\]")
_PAUSE = re.compile(r"(\d{1,6}(?:[.,]\d{1,3})?)\s{0,9}(ms|s|seconds?|m|min)?", re.IGNORECASE)
_NAME = re.compile(r"[^\W_][\w-]{0,39}|")
_UNITS = {"ms": 1, "m": 60_000, "min": 60_000}
_SENTENCE = 40
MAX_MARKERS = 150_000
"""Double brackets in one book; one with a marker before each line of dialogue has some 20,000."""


def obey(chapters: Sequence[ChapterText]) -> tuple[tuple[ChapterText, ...], int, tuple[str, ...]]:
    """Do what the markers of a book say.

    Args:
        chapters: The book as it was read, markers in its text.

    Returns:
        The chapters without their markers, how many characters those had, and what to tell a
        person about the ones that mean nothing.

    Raises:
        BadInput: There are more than any book has.
    """
    opened = sum(block.text.count("[[") for chapter in chapters for block in chapter.blocks)
    if not opened:
        return tuple(chapters), 0, ()
    if opened > MAX_MARKERS:
        raise BadInput(
            f"The manuscript has {opened:,} double brackets, which no book has. "
            "Check that it is the manuscript, or divide it."
        )
    made: list[ChapterText] = []
    notices: list[str] = []
    characters = 0
    named = ""
    for chapter in chapters:
        work = _Chapter(ChapterText(named or chapter.title, chapter.blocks), notices)
        # A marker right before a heading names the heading's chapter.
        named = work.title
        made += work.chapters
        characters += work.characters
    return tuple(made), characters, tuple(dict.fromkeys(notices))


def is_marker(line: str) -> bool:
    """Whether a line holds a marker and nothing else."""
    return "[[" in line and _MARKER.fullmatch(line.strip()) is not None


class _Chapter:
    """The state of one pass over a chapter."""

    def __init__(self, chapter: ChapterText, notices: list[str]) -> None:
        self.notices = notices
        self.characters = 0
        self.chapters: list[ChapterText] = []
        self.title = chapter.title
        self.voice = ""
        self.blocks: list[Block] = []
        for block in chapter.blocks:
            self.take(block)
        if self.blocks:
            self.end("")
        elif self.title == chapter.title:
            self.title = ""

    def take(self, block: Block) -> None:
        """Take in a block: its texts, and what the markers between them say."""
        if "[[" not in block.text:
            self.blocks.append(replace(block, voice=self.voice) if self.voice else block)
            return
        pieces = list(self.pieces(block.text))
        # Where a text follows that no chapter parts from this one, the paragraph runs on.
        follows = [False] * len(pieces)
        for at in range(len(pieces) - 2, -1, -1):
            name = pieces[at + 1][0]
            follows[at] = not name or (name != "chapter" and follows[at + 1])
        for at, (name, value) in enumerate(pieces):
            if name:
                self.act(name, value)
            else:
                kind = block.kind
                if kind in (Kind.PROSE, Kind.DIALOGUE):
                    kind = getattr(paragraph(value), "kind", kind)
                self.blocks.append(
                    replace(block, kind=kind, text=value, voice=self.voice, runs_on=follows[at])
                )

    def pieces(self, text: str) -> Iterator[tuple[str, str]]:
        """The texts and markers of a block: no name and a text, or a name and what it says."""
        at = start = 0
        while match := _MARKER.search(text, at):
            at = match.end()
            name, value = match[1].lower(), match[2].strip()
            if not self.means_something(name, value, match[0]):
                continue
            before = text[start : match.start()]
            self.characters += count(match[0])
            yield from self.said(before)
            yield name, value
            start = match.end()
        yield from self.said(text[start:])

    def said(self, text: str) -> Iterator[tuple[str, str]]:
        """A text between markers, if there is one."""
        if speakable(text):
            yield "", text.strip()
        else:
            # A full stop that a marker cut off says nothing.
            self.characters += count(text)

    def means_something(self, name: str, value: str, marker: str) -> bool:
        """Whether a marker can be obeyed; says so where it cannot."""
        if name == "chapter" and value:
            return True
        if name == "voice" and _NAME.fullmatch(value):
            return True
        if name == "pause" and _milliseconds(value) is not None:
            return True
        shown = fold(marker)
        shown = shown if len(shown) <= _SENTENCE else f"{shown[:_SENTENCE]}…"
        if name in {"chapter", "voice", "pause"}:
            example = {"chapter": "The Storm", "voice": "anna", "pause": "1.5 s"}[name]
            why = f"write it like [[{name}: {example}]]"
        else:
            why = "the markers are chapter, voice and pause"
        self.notices.append(f"{shown} is read as text; {why}")
        return False

    def act(self, name: str, value: str) -> None:
        """Do what one marker says."""
        if name == "voice":
            self.voice = value
        elif name == "chapter":
            self.end(value)
        elif self.blocks:
            pause = _milliseconds(value) or 0
            before = self.blocks[-1]
            self.blocks[-1] = replace(before, pause_ms=(before.pause_ms or 0) + pause)
        else:
            self.notices.append(f"[[pause: {value}]] has nothing before it, so it does nothing")

    def end(self, title: str) -> None:
        """End a chapter; the next one has another title."""
        while self.blocks and self.blocks[-1].kind is Kind.SCENE_BREAK:
            self.blocks.pop()
        if any(block.kind is not Kind.SCENE_BREAK for block in self.blocks):
            self.chapters.append(ChapterText(self.title, tuple(self.blocks)))
        self.blocks = []
        self.title = title
        self.voice = ""


def _milliseconds(text: str) -> int | None:
    """A length of silence, or None where it is none that can be."""
    match = _PAUSE.fullmatch(text)
    if not match:
        return None
    unit = _UNITS.get((match[2] or "s").lower(), 1000)
    length = round(float(match[1].replace(",", ".")) * unit)
    return length if length <= LONGEST_PAUSE else None
