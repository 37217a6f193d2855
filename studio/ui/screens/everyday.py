"""What a long day asks for: sound device, clipboard, the first words."""

from __future__ import annotations

from studio.ui.screens.studio_base import StudioBase


class Everyday(StudioBase):
    """The actions for every day."""
