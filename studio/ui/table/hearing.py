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
        "Listen from here on as the export will be; what lacks a take is narrated ahead.",
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
        "listen.join-before",
        ("g p",),
        "the join before",
        "Listen to the join before: the end of the segment before, its pause, the start of this.",
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
    Action(
        "listen.slower",
        ("<",),
        "slower",
        "Listen more slowly, at the same pitch, down to ×0.75; the export stays as it is.",
        "Listen",
    ),
    Action(
        "listen.faster",
        (">",),
        "faster",
        "Listen faster, at the same pitch, up to ×2; the export stays as it is.",
        "Listen",
    ),
    Action(
        "listen.softer",
        ("(",),
        "softer",
        "Turn the volume down by a tenth; the export stays as it is.",
        "Listen",
    ),
    Action(
        "listen.louder",
        (")",),
        "louder",
        "Turn the volume up by a tenth, up to 150 %; the export stays as it is.",
        "Listen",
    ),
    Action(
        "listen.device",
        ("g d",),
        "sound device",
        "Choose what sound is played on.",
        "Listen",
    ),
)
