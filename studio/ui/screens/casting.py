"""The cast in the studio: voices, and who speaks which segments."""

from __future__ import annotations

from studio.ui.screens.studio_base import StudioBase


class Casting(StudioBase):
    """The actions of the group Cast."""
