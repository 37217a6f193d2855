"""Takes: hearing, comparing, choosing."""

from __future__ import annotations

from studio.ui.action import Action, pane

ACTIONS: tuple[Action, ...] = (
    pane(
        "takes.choose",
        "enter",
        "choose",
        "Choose the take; its seed becomes the segment's.",
        "Takes",
    ),
    pane("takes.play", "space", "play", "Hear the take without choosing it.", "Takes"),
    Action(
        "takes.list",
        ("t",),
        "takes",
        "Go to the segment's takes: ↑ ↓ to move, space to hear one, enter to choose it.",
        "Takes",
    ),
    Action(
        "takes.before",
        (",",),
        "take before",
        "Choose the take before; its seed becomes the segment's.",
        "Takes",
        footer=6,
    ),
    Action(
        "takes.after",
        (".",),
        "take after",
        "Choose the next take; its seed becomes the segment's.",
        "Takes",
    ),
)
