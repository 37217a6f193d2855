"""A book as it was read: chapters of blocks, and an account of what was left out.

Everything here is source text. Nothing has been cut into segments or put into spoken words yet.
"""

from __future__ import annotations

from dataclasses import dataclass

from studio.book.kinds import Kind


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a heading, a line of verse or a scene break."""

    kind: Kind
    text: str
    """Source text on one line. Empty for a scene break."""


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
    """How much text went with it; 0 for a picture."""


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A whole book."""

    title: str
    author: str
    language: str
    """BCP 47 tag, such as ``en`` or ``en-GB``; empty where the book does not say."""
    chapters: tuple[ChapterText, ...]
    left_out: tuple[LeftOut, ...] = ()
