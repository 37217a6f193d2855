"""What services and screens tell each other; each is immutable and small."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from textual.message import Message

from studio.narration.status import NarrationStatus
from studio.project.model import Change


@dataclass
class ProjectChanged(Message):
    """One or more transactions were committed, and the rows in memory follow them already."""

    change: Change


@dataclass
class NarrationChanged(Message):
    """The narration side has a new status."""

    status: NarrationStatus
    rows: frozenset[str] = frozenset()
    """Uids of segments that began or ceased to be narrated."""


@dataclass
class SoundEnded(Message):
    """What was playing is over; posted from the player's thread."""

    number: int
    """Which playing it was: an end that arrives after the next began is nobody's."""
    fault: str = ""
    """Why it broke off, in a plain sentence, or empty."""


@dataclass
class SoundNotice(Message):
    """The sound goes on, but not as it was asked for; posted from the player's threads."""

    sentence: str


@dataclass
class Trouble(Message):
    """Something a person should read, in one plain sentence."""

    sentence: str


@dataclass
class OpenProject(Message):
    """A person wants this project; the application opens it."""

    folder: Path


@dataclass
class LeaveProject(Message):
    """A person wants the library in place of the book."""
