"""Comparing takes without knowing which is which."""

from __future__ import annotations

from studio.ui.action import BLIND, Action


def _do(name: str, key: str, label: str, sentence: str, footer: int) -> Action:
    """An action of the blind comparison."""
    return Action(f"blind.{name}", (key,), label, sentence, "Blind comparison", BLIND, footer)


ACTIONS: tuple[Action, ...] = (
    Action(
        "takes.blind",
        (),
        "blind comparison",
        "Hear which of two engines, voices, settings or takes it is without being told, and keep"
        " score.",
        "Takes",
    ),
    _do("x", "space", "play X", "Play X, which is A or B; or stop the sound.", 1),
    _do("first", "1", "play A", "Play A, the first of both sounds.", 2),
    _do("second", "2", "play B", "Play B, the second of both sounds.", 3),
    _do("a", "a", "X is A", "Answer that X is A, and go on.", 4),
    _do("b", "b", "X is B", "Answer that X is B, and go on.", 5),
    _do("export", "E", "write CSV", "Write all answers of the book as a table: blind.csv.", 6),
    _do("close", "escape", "stop", "Stop; what was answered is kept.", 7),
)
