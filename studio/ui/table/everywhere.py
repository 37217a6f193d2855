"""What can be done everywhere."""

from __future__ import annotations

from studio.ui.action import EVERYWHERE, Action

ACTIONS: tuple[Action, ...] = (
    Action(
        "app.keys",
        ("?", "f1"),
        "keys",
        "Show every key; type to search.",
        "Studio",
        EVERYWHERE,
        footer=9,
        palette=True,
    ),
    Action(
        "app.palette",
        (":", "ctrl-p"),
        "commands",
        "Find a command by its name.",
        "Studio",
        EVERYWHERE,
        palette=False,
    ),
    Action("app.theme", (), "theme", "Choose the colours.", "Studio", EVERYWHERE),
    Action(
        "app.tour",
        (),
        "first words",
        "Show again, in five lines, what is to be pressed.",
        "Studio",
    ),
    Action("app.log", (), "log folder", "Say where the logs are kept.", "Studio", EVERYWHERE),
    Action(
        "app.quit",
        ("q", "ctrl-q"),
        "quit",
        "Quit; asks only while work is running, or some would be lost.",
        "Studio",
        EVERYWHERE,
        footer=14,
    ),
    Action(
        "app.interrupt",
        ("ctrl-c",),
        "copy, or how to quit",
        "Copy the selected text; without one, say how to quit.",
        "Studio",
        EVERYWHERE,
        palette=False,
    ),
)
