"""The footer of a window: the keys of its own actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from studio.ui.actions import for_screen
from studio.ui.keys import Keys, show_key
from studio.ui.widgets.key_footer import KeyFooter


def own_pairs(
    screen: str, keys: Keys, labels: Mapping[str, str] | None = None
) -> list[tuple[str, str]]:
    """Keys and labels of a window's own actions, in the order of the table.

    Args:
        screen: Whose actions.
        keys: The keys in force.
        labels: What some are called now, by the action's id.
    """
    labels = labels or {}
    own = [it for it in for_screen(screen) if it.screen == screen and it.footer]
    own.sort(key=lambda it: it.footer)
    pairs = [(keys.shown(it.id), labels.get(it.id, it.label)) for it in own]
    return [(key, label) for key, label in pairs if key]


def own_keys(
    screen: str, keys: Keys, *, typing: bool = False, first: Sequence[tuple[str, str]] = ()
) -> KeyFooter:
    """The footer of a window: its own actions, in the order of the table.

    Args:
        screen: Whose actions.
        keys: The keys in force.
        typing: Whether its keys go to a line of letters: there a bare key is a letter, and only
            f1 and its like ask for the keys.
        first: Keys and labels that stand before its actions.
    """
    pairs = own_pairs(screen, keys)
    asks = next((show_key(key) for key in keys.of["app.keys"] if len(key) > 1 or not typing), "")
    return KeyFooter([*first, *pairs], help_key=(asks, "keys"), id="footer")
