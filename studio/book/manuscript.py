"""A book as it was read: chapters of blocks, and an account of what was left out.

Everything here is source text. Nothing has been cut into segments or put into spoken words yet.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from studio.book.coverage import Coverage
from studio.book.kinds import Kind


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a heading, a line of verse or a scene break."""

    kind: Kind
    text: str
    """Source text on one line. Empty for a scene break."""
    language: str = ""
    """BCP 47 tag where the book says that it is in another language than the rest."""
    voice: str = ""
    """Who reads it, where a marker in the text says so; else empty."""
    pause_ms: int | None = None
    """Silence after it, where a marker in the text says so."""
    runs_on: bool = False
    """Whether its paragraph goes on in the next block, as where the voice changes inside one."""
    piece: str = ""
    """Id of the piece of the book that it comes from."""

    def of(self, piece: str) -> Block:
        """The same block as part of a piece."""
        return Block(
            self.kind,
            self.text,
            self.language,
            self.voice,
            self.pause_ms,
            self.runs_on,
            piece,
        )


@dataclass(frozen=True, slots=True)
class ChapterText:
    """One chapter: a label for lists, and the blocks that are narrated."""

    title: str
    """The label. It is not spoken; a heading that is spoken is a block."""
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something the book holds and nobody will hear."""

    what: str
    """The thing, for people: ``contents page (toc.xhtml)``."""
    why: str
    """The reason, in plain words."""
    characters: int = 0
    """How much text went with it, without white space; 0 for a picture."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A document of the book, or the part of one that is in one chapter; a person may choose."""

    id: str
    """Stable for one file: the document's name, with ``#2`` for its second part."""
    title: str
    characters: int
    """Of its text, without white space."""
    ticked: bool
    """Whether it is narrated."""
    why: str = ""
    """Why it starts unticked, in plain words; empty where it starts ticked."""
    chapters: tuple[int, ...] = ()
    """Numbers of the chapters that come of it, counted from 1."""


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A whole book."""

    title: str
    author: str
    language: str
    """BCP 47 tag, such as ``en`` or ``en-GB``; empty where the book does not say."""
    chapters: tuple[ChapterText, ...]
    left_out: tuple[LeftOut, ...] = ()
    pieces: tuple[Piece, ...] = ()
    """All of the book, in reading order."""
    coverage: Coverage = field(default_factory=Coverage)
    notices: tuple[str, ...] = ()
    """Sentences for a person about what was met in the text."""
