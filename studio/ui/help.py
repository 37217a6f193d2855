"""The words of the `?` page that no single action owns."""

from __future__ import annotations

from collections.abc import Mapping

from textual.content import Content

from studio.project.model import GLYPHS, State
from studio.ui import inks

MEANINGS: Mapping[State, str] = {
    State.NARRATING: "being narrated now",
    State.QUEUED: "waits for the engine",
    State.FAILED: "the last try failed; the panel below says why",
    State.DRAFT: "has no take yet",
    State.STALE: "its text, voice, language or speed changed since the take",
    State.FLAGGED: "a check objects to the take; the panel below says what",
    State.APPROVED: "you approved the take",
    State.READY: "has a current take",
}
"""What each state means, for people."""

LEGEND = Content("\n").join(
    [
        Content.styled("States", "bold $accent"),
        *[
            Content.assemble(
                (f"  {GLYPHS[state]} {state.value:<15} ", inks.OF_STATE[state]), meaning
            )
            for state, meaning in MEANINGS.items()
        ],
    ]
)
"""The states, one a line."""
