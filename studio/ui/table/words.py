"""The lexicon: how words are spoken."""

from __future__ import annotations

from studio.ui.action import Action

ACTIONS: tuple[Action, ...] = ()
