"""A manuscript as a person gives it, what they chose of it, and what becomes of both."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

from studio.book.coverage import Coverage, count, settled
from studio.book.drafts import ChapterDraft
from studio.book.languages import language_tag
from studio.book.manuscript import Manuscript
from studio.book.policies import Policies
from studio.book.readers import read, read_bytes
from studio.book.segmenting import Limits, cut
from studio.errors import BadInput, MachineFault

Progress = Callable[[float], None]
"""Told how far something is, 0 to 1."""

_READING = 0.2
"""The share of reading in reading and cutting a book, about."""


@dataclass(frozen=True, slots=True)
class Source:
    """A manuscript: a file, or what came through standard input."""

    path: Path | None
    data: bytes = b""
    """All of it, where it is no file."""

    @property
    def name(self) -> str:
        """What messages call it."""
        return "standard input" if self.path is None else self.path.name

    def read(self, choice: Choice, progress: Progress | None = None) -> Manuscript:
        """Read it.

        Raises:
            BadInput: It cannot be read, or nothing in it is to be narrated.
        """
        if self.path is None:
            return read_bytes(self.data, self.name, choice.policies, choice.ticks, progress)
        return read(self.path, choice.policies, choice.ticks, progress)

    def offered(self, choice: Choice, progress: Progress | None = None) -> Manuscript:
        """Read it for a person who is to choose; that nothing is ticked so far is no fault.

        Raises:
            BadInput: It cannot be read, or holds no text.
        """
        if self.path is None:
            return read_bytes(
                self.data, self.name, choice.policies, choice.ticks, progress, offered=True
            )
        return read(self.path, choice.policies, choice.ticks, progress, offered=True)

    def origin(self) -> dict[str, str]:
        """What a project keeps of it: its name and its hash.

        Raises:
            MachineFault: The file cannot be read any more.
        """
        if self.path is None:
            digest = hashlib.sha256(self.data).hexdigest()
        else:
            try:
                with self.path.open("rb") as file:
                    digest = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError as error:
                raise MachineFault(
                    f"{self.path} cannot be read ({error.strerror}); check the path and its "
                    "permissions."
                ) from error
        return {"name": self.name, "sha256": digest}


@dataclass(frozen=True, slots=True)
class Choice:
    """What of a manuscript is narrated, as a person chose; later editions go by it, too."""

    policies: Policies = field(default_factory=Policies)
    ticks: Mapping[str, bool] = field(default_factory=dict)
    """By `Piece.id`; other pieces are ticked by what they are."""

    def values(self) -> dict[str, Any]:
        """As the project keeps it in its setting ``import``."""
        names = (each.name for each in fields(self.policies))
        return {
            "policies": {name: str(getattr(self.policies, name)) for name in names},
            "ticks": dict(self.ticks),
        }

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Choice:
        """What `values` gave; an empty mapping is the default.

        Raises:
            BadInput: It names what this version does not know.
        """
        return cls(Policies.of(values.get("policies", {})), dict(values.get("ticks", {})))


@dataclass(frozen=True, slots=True)
class Prepared:
    """A manuscript that was read and cut, ready to be stored."""

    manuscript: Manuscript
    chapters: tuple[ChapterDraft, ...]
    language: str
    """BCP 47 tag: as wished, else as the book says, else the narrator's."""
    coverage: Coverage
    """What became of every character of the manuscript."""
    notices: tuple[str, ...]
    """Sentences for a person about what was assumed."""

    @property
    def characters(self) -> int:
        """Length of the source text of all segments."""
        return sum(len(segment.source) for each in self.chapters for segment in each.segments)


def prepare(
    source: Source,
    choice: Choice,
    *,
    spoken_language: str,
    language: str | None = None,
    limits: Limits | None = None,
    by_voice: Mapping[str, Limits] = MappingProxyType({}),
    progress: Progress | None = None,
) -> Prepared:
    """Read a manuscript and cut it.

    Args:
        source: The manuscript.
        choice: What of it is narrated.
        spoken_language: The narrator's, for a book that does not say its own.
        language: BCP 47 tag; None for what the book says of itself.
        limits: How long segments may be.
        by_voice: The same for voices that markers name.
        progress: Told how far it is.

    Raises:
        BadInput: The manuscript cannot be used.
    """
    wanted = language_tag(language) if language else ""
    if language and not wanted:
        raise BadInput(f"“{language}” is no language; write a tag such as en or en-GB.")
    tell = progress or _quietly
    manuscript = source.read(choice, part(tell, 0.0, _READING))
    notices = []
    tongue = wanted or manuscript.language
    if not tongue:
        tongue = spoken_language
        notices.append(f"the book does not name its language; it is taken for {tongue}")
    notices += manuscript.notices
    cutting = part(tell, _READING, 1.0)
    chapters = cut(manuscript, limits or Limits(), tongue, cutting, choice.policies.dates, by_voice)
    segments = [segment for chapter in chapters for segment in chapter.segments]
    if not any(segment.spoken for segment in segments):
        raise BadInput(
            f"{source.path or source.name} has no text to narrate; check that it is the right file."
        )
    in_segments = sum(count(segment.source) for segment in segments)
    coverage = settled(manuscript.coverage, in_segments)
    return Prepared(manuscript, chapters, tongue, coverage, tuple(notices))


def part(progress: Progress, start: float, end: float) -> Progress:
    """What is told how far a part of something is, and passes on how far the whole is."""
    return lambda fraction: progress(start + (end - start) * fraction)


def _quietly(fraction: float) -> None:
    """Tell nobody."""
