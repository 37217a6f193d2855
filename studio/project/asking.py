"""What a book's own text asks of a segment: its kind, a voice, a silence after it.

It is kept beside what the segment has, so that a new edition may ask for something else and reach
the segment, but for what a person has decided meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from studio.book.drafts import SegmentDraft
from studio.project.model import Kind


@dataclass(frozen=True, slots=True)
class Asked:
    """What a text asks for."""

    kind: Kind
    voice: str
    """Who reads, as a marker names them; empty for the narrator."""
    given: str
    """`Voice.id` of who read it then: the narrator where the book had no such voice."""
    pause_ms: int | None
    """Silence after it where a marker says so."""

    def kept(self) -> str:
        """As a row keeps it; a segment of a person's own keeps an empty text."""
        return json.dumps([self.kind.value, self.voice, self.given, self.pause_ms])

    @classmethod
    def restored(cls, text: str) -> Asked | None:
        """What `kept` gave; None where nobody knows, as in a book of an earlier version."""
        if not text:
            return None
        kind, voice, given, pause = json.loads(text)
        return cls(Kind(kind), voice, given, pause)


@dataclass(frozen=True, slots=True)
class Had:
    """What a segment has by now, of those three."""

    kind: Kind
    voice: str
    """`Voice.id`."""
    pause_ms: int | None


def asked(
    first: SegmentDraft, last: SegmentDraft | None, voices: Mapping[str, str], narrator: str
) -> Asked:
    """What an edition asks for a segment.

    Args:
        first: What its text begins in.
        last: What its text ends with; None where that goes on behind it.
        voices: `Voice.id` of the book's, by every name that may stand in a marker.
        narrator: Who reads where nobody else is named.
    """
    given = voices.get(first.voice, narrator)
    return Asked(first.kind, first.voice, given, None if last is None else last.pause_ms)


def followed(has: Had, before: Asked | None, now: Asked) -> Had:
    """What a segment has once a new edition is obeyed.

    Only what the edition asks for otherwise than the one before changes, and only where the segment
    still has what that one asked for: what a person has set stays.
    """
    if before is None:
        return has
    silent = Kind.SCENE_BREAK in (has.kind, now.kind)
    kind = has.kind if silent or has.kind is not before.kind else now.kind
    voice = has.voice
    if (now.voice or before.voice) and has.voice == before.given:
        voice = now.given
    pause = now.pause_ms if has.pause_ms == before.pause_ms else has.pause_ms
    return Had(kind, voice, pause)


def parted_asked(kept: str) -> tuple[str, str]:
    """What is asked for the parts of a segment that is split: the silence is behind the second."""
    whole = Asked.restored(kept)
    return (kept if whole is None else replace(whole, pause_ms=None).kept()), kept


def joined_asked(first: str, second: str) -> str:
    """What is asked for two segments that are joined; nothing known where it was not the same.

    Else a part that is split off again would seem to be asked what was asked for the other one.
    """
    begins, ends = Asked.restored(first), Asked.restored(second)
    if begins is None or ends is None or replace(begins, pause_ms=ends.pause_ms) != ends:
        return ""
    return ends.kept() if begins.pause_ms is None else ""
