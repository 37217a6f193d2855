"""The first words: what to press, in at most five lines."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from studio.ui.screens.studio_base import StudioBase

TOUR: tuple[tuple[tuple[str, str], ...], ...] = (
    (
        ("narrate.chapter", "narrates the chapter"),
        ("segment.narrate", "a segment"),
        ("queue.stop", "stops, and goes on"),
    ),
    (
        ("segment.play", "plays the segment"),
        ("listen.on", "from here on"),
        ("go.problem", "goes to the next problem"),
    ),
    (
        ("segment.edit", "edits what is spoken"),
        ("segment.reseed", "tries another seed"),
        ("takes.before", "the take before"),
    ),
    (
        ("segment.approve", "approves"),
        ("history.undo", "takes back anything, also tomorrow"),
        ("book.export", "exports"),
    ),
    (("app.keys", "shows every key"), ("app.palette", "finds a command by its name")),
)
"""Lines of actions, and what their keys do."""


class Everyday(StudioBase):
    """What is shown once, with the first book, and whenever somebody asks for it."""

    def action_app_tour(self) -> None:
        """Show the first words, until a key is pressed."""
        lines = [
            Content("   ").join(
                Content.assemble((shown, "bold $accent"), f" {does}")
                for name, does in parts
                if (shown := self.keys.shown(name))
            )
            for parts in TOUR
        ]
        tour = self.query_one("#tour", Static)
        tour.update(Content("\n").join(line for line in lines if line))
        tour.add_class("-shown")

    def end_tour(self) -> None:
        """Any key goes on."""
        self.query_one("#tour", Static).remove_class("-shown")
