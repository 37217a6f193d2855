"""Narrating, and the queue."""

from __future__ import annotations

from studio.ui.action import Action

ACTIONS: tuple[Action, ...] = (
    Action(
        "segment.narrate",
        ("r",),
        "again",
        "Narrate the segment with its seed: when it has no take, failed or is stale.",
        "Narrate",
        footer=2,
    ),
    Action(
        "segment.reseed",
        ("R",),
        "new seed",
        "Narrate the segment anew with another seed; the takes before it are kept.",
        "Narrate",
        footer=3,
    ),
    Action(
        "narrate.chapter",
        ("g c",),
        "narrate chapter",
        "Narrate what the chapter still lacks.",
        "Narrate",
        footer=11,
    ),
    Action(
        "narrate.book", ("g b",), "narrate book", "Narrate what the book still lacks.", "Narrate"
    ),
    Action(
        "narrate.failed",
        ("g f",),
        "narrate failed",
        "Narrate every failed and every stale segment again.",
        "Narrate",
    ),
    Action(
        "queue.clear",
        ("g x",),
        "empty queue",
        "Take all waiting segments out of the queue.",
        "Narrate",
    ),
    Action(
        "queue.stop",
        ("S",),
        "stop / go on",
        "Stop the sound and the narration at once and keep the queue; pressed again, go on.",
        "Narrate",
        footer=10,
    ),
)
