"""What cutting a book gives: chapters of segments that no project has taken in yet."""

from __future__ import annotations

from dataclasses import dataclass

from studio.book.kinds import Kind


@dataclass(frozen=True, slots=True)
class SegmentDraft:
    """One segment-to-be."""

    kind: Kind
    source: str
    """What the book says, on one line. Empty for a scene break."""
    spoken: str
    """What an engine is given by default. Empty for a scene break."""
    ends_paragraph: bool
    seed: int
    """First 32 bits of SHA-256(source text, n-th occurrence in the book)."""
    language: str = ""
    """BCP 47 tag where the book says that it is in another language than the rest."""
    voice: str = ""
    """Who reads it, where a marker in the text says so; else empty."""
    pause_ms: int | None = None
    """Silence after it, where a marker in the text says so."""


@dataclass(frozen=True, slots=True)
class ChapterDraft:
    """One chapter-to-be."""

    title: str
    segments: tuple[SegmentDraft, ...]
