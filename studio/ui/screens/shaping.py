"""Changing the segments themselves: split, join, insert, delete, kind, pause, speed."""

from __future__ import annotations

from studio.ui.screens.studio_base import StudioBase


class Shaping(StudioBase):
    """The actions that change what the segments are."""
