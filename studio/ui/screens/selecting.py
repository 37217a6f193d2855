"""Selecting segments: ranges, single ones, all that are shown."""

from __future__ import annotations

from studio.ui.screens.studio_base import StudioBase


class Selecting(StudioBase):
    """The actions of the group Select."""
