"""How long it is silent after a segment."""

from __future__ import annotations

from dataclasses import dataclass

from studio.project.model import Kind, Segment


@dataclass(frozen=True, slots=True)
class PauseRules:
    """Silences of a book in milliseconds."""

    sentence: int = 350
    """After a segment within a paragraph, whatever its kind."""
    prose: int = 700
    dialogue: int = 550
    verse: int = 450
    heading: int = 1200
    scene_break: int = 2000
    head: int = 750
    """Before the first segment of a chapter."""
    tail: int = 1500
    """After the last segment of a chapter, in place of its own pause."""

    def of(self, kind: Kind) -> int:
        """Give the pause after a paragraph of a kind."""
        by_kind = {
            Kind.HEADING: self.heading,
            Kind.PROSE: self.prose,
            Kind.DIALOGUE: self.dialogue,
            Kind.VERSE: self.verse,
            Kind.SCENE_BREAK: self.scene_break,
        }
        return by_kind[kind]


def after(segment: Segment, following: Segment | None, rules: PauseRules) -> int:
    """Tell how long it is silent after a segment.

    The silence of a scene break and the pause before it are not added up: together they last as
    long as the longer of the two, so what remains for the segment before is the difference.

    Args:
        segment: The segment that has ended.
        following: The next one of the same chapter, or None after the chapter's last, which has no
            pause of its own (the chapter's tail follows).
        rules: The book's pauses.

    Returns:
        Milliseconds.
    """
    if following is None:
        return 0
    own = _own(segment, following, rules)
    if following.kind is Kind.SCENE_BREAK:
        return max(0, own - _set_or(following, rules.scene_break))
    return own


def _own(segment: Segment, following: Segment, rules: PauseRules) -> int:
    """Give a segment's pause before a scene break that may follow is taken into account."""
    if segment.kind is Kind.SCENE_BREAK:
        return _set_or(segment, rules.scene_break)
    if not segment.ends_paragraph:
        return _set_or(segment, rules.sentence)
    pause = rules.of(segment.kind)
    if following.kind not in (segment.kind, Kind.SCENE_BREAK):
        pause = max(pause, rules.of(following.kind))
    return _set_or(segment, pause)


def _set_or(segment: Segment, default: int) -> int:
    """Give the pause a person set (0 counts), or else the default."""
    return default if segment.pause_ms is None else segment.pause_ms
