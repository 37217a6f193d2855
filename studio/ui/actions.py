"""Everything a person can do, once: keys, labels and help, from which all the rest is made.

The bindings of every screen, the `?` page, the command palette, the footer and docs/keys.md are
generated from `ACTIONS`. Run ``python -m studio.ui.actions`` to print docs/keys.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from textual.binding import Binding

from studio.ui.action import EVERYWHERE, EXPORT, LIBRARY, SCREENS, STUDIO, Action
from studio.ui.keys import binding_key
from studio.ui.table import (
    blind,
    casting,
    editing,
    everywhere,
    finding,
    hearing,
    judging,
    making,
    moving,
    picking,
    references,
    selecting,
    taking,
    windows,
    words,
)

__all__ = ["ACTIONS", "BY_ID", "EVERYWHERE", "EXPORT", "LIBRARY", "SCREENS", "STUDIO", "Action"]

ACTIONS: tuple[Action, ...] = (
    *moving.ACTIONS,
    *hearing.ACTIONS,
    *making.ACTIONS,
    *taking.ACTIONS,
    *judging.ACTIONS,
    *editing.ACTIONS,
    *selecting.ACTIONS,
    *finding.ACTIONS,
    *words.ACTIONS,
    *casting.ACTIONS,
    *references.ACTIONS,
    *blind.ACTIONS,
    *windows.ACTIONS,
    *picking.ACTIONS,
    *everywhere.ACTIONS,
)

BY_ID: Mapping[str, Action] = {action.id: action for action in ACTIONS}


def for_screen(screen: str) -> tuple[Action, ...]:
    """The actions valid in one screen, those valid everywhere included."""
    return tuple(action for action in ACTIONS if action.screen in (screen, EVERYWHERE))


def bindings(screen: str) -> list[Binding]:
    """Textual's bindings of the actions that belong to one screen (or to `EVERYWHERE`).

    A two-key sequence is one binding on a key that no terminal sends (``g+c``): the application
    sees to it, and by its id it is remapped like any other.
    """
    return [
        Binding(
            binding_key(key),
            action.method,
            action.label,
            show=action.footer > 0,
            tooltip=action.help,
            id=action.id,
            priority=key in ("ctrl-q", "ctrl-p"),
        )
        for action in ACTIONS
        if action.screen == screen and not action.pane
        for key in action.keys
    ]


def by_group(actions: Iterable[Action]) -> dict[str, list[Action]]:
    """Actions under their group's name, in the order of the table."""
    groups: dict[str, list[Action]] = {}
    for action in actions:
        groups.setdefault(action.group, []).append(action)
    return groups


if __name__ == "__main__":
    from studio.ui.keys_page import keys_page

    print(keys_page(), end="")
