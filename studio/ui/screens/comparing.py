"""Takes: side by side by ear, several at once, their recipes, recordings."""

from __future__ import annotations

from studio.ui.screens.studio_base import StudioBase


class Comparing(StudioBase):
    """The actions that compare takes and make more of them."""
