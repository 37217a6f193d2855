"""Selecting, and changing many segments at once."""

from __future__ import annotations

from studio.ui.action import Action

ACTIONS: tuple[Action, ...] = ()
