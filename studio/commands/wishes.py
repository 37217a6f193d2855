"""What is wrong with a person's wishes for the interface, for those who have no screen."""

from __future__ import annotations


def problems() -> tuple[str, ...]:
    """One plain sentence for each mistake in ``[ui]`` and ``[keys]`` of config.toml.

    A file that cannot be read at all is the catalogue's to name.
    """
    from studio.ui.actions import ACTIONS
    from studio.ui.keys import resolve
    from studio.ui.preferences import Preferences
    from studio.ui.themes import unknown_theme

    wishes = Preferences.load()
    theme = unknown_theme(wishes.theme)
    told = (*wishes.problems, *resolve(ACTIONS, wishes.keys).problems, *([theme] if theme else []))
    return tuple(problem for problem in told if "cannot be read (" not in problem)
