"""Judging a segment."""

from __future__ import annotations

from studio.ui.action import Action

ACTIONS: tuple[Action, ...] = (
    Action(
        "segment.approve",
        ("a",),
        "approve",
        "Approve the chosen take and go to the next segment that is not approved.",
        "Review",
        footer=5,
    ),
    Action(
        "segment.mark",
        ("m",),
        "mark",
        "Mark the segment for later, or take the mark off.",
        "Review",
    ),
    Action("segment.note", ("o",), "note", "Write a note on the segment.", "Review"),
)
