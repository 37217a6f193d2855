"""The cast: who speaks what."""

from __future__ import annotations

from studio.ui.action import Action

ACTIONS: tuple[Action, ...] = ()
