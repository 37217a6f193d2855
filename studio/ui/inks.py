"""The few styles that several panels share, in theme variables.

``$text-muted`` is "auto" (a contrast to the ground), which a piece of a text cannot have; a part
of the foreground looks the same and works everywhere, in the terminal's own colours too.
"""

from __future__ import annotations

from studio.project.model import State

MUTED = "$foreground 62%"
"""Labels and what is seldom read."""
FAINT = "$foreground 35%"
"""Separators and empty bars."""
GOOD = "$text-success"
BUSY = "$text-primary"
"""Something is going on here."""
WARNING = "bold $text-warning"
ERROR = "bold $text-error"
ACCENT = "$text-accent"

OF_STATE = {
    State.NARRATING: f"bold {BUSY}",
    State.QUEUED: BUSY,
    State.FAILED: ERROR,
    State.DRAFT: MUTED,
    State.STALE: "$text-warning",
    State.FLAGGED: WARNING,
    State.APPROVED: GOOD,
    State.READY: "",
}
"""The same colours as in the segment grid."""
