"""Selecting, and changing many segments at once."""

from __future__ import annotations

from studio.ui.action import Action

ACTIONS: tuple[Action, ...] = (
    Action(
        "select.range",
        ("v",),
        "select a range",
        "Begin a range that grows as you move; pressed again, the range stays.",
        "Select",
    ),
    Action(
        "select.toggle",
        ("x",),
        "select",
        "Take the segment into the selection or out of it, and go on to the next.",
        "Select",
    ),
    Action(
        "select.down",
        ("shift-down",),
        "range down",
        "Extend the range to the next segment.",
        "Select",
        palette=False,
    ),
    Action(
        "select.up",
        ("shift-up",),
        "range up",
        "Extend the range to the segment before.",
        "Select",
        palette=False,
    ),
    Action(
        "select.all",
        ("ctrl-a",),
        "select all shown",
        "Select all segments that are shown; pressed again, none of them.",
        "Select",
    ),
)
