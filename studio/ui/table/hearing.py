"""Listening."""

from __future__ import annotations

from studio.ui.action import Action

ACTIONS: tuple[Action, ...] = (
    Action(
        "segment.play",
        ("space",),
        "play",
        "Play the chosen take of the segment, or stop the sound.",
        "Listen",
        footer=1,
    ),
    Action(
        "listen.on",
        ("p",),
        "from here on",
        "Listen from the segment on, with the pauses of the export; the cursor follows.",
        "Listen",
        footer=12,
    ),
    Action(
        "listen.join",
        ("P",),
        "the join",
        "Listen to the join: the end of the segment, its pause, the start of the next.",
        "Listen",
    ),
    Action(
        "listen.back",
        ("h", "left"),
        "2 s back",
        "Go back two seconds in what is playing.",
        "Listen",
        palette=False,
    ),
    Action(
        "listen.forward",
        ("l", "right"),
        "2 s forward",
        "Go forward two seconds in what is playing.",
        "Listen",
        palette=False,
    ),
)
