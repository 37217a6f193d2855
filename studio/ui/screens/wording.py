"""The lexicon in the studio: a word and how it is spoken, and what that changes."""

from __future__ import annotations

from studio.ui.screens.studio_base import StudioBase


class Wording(StudioBase):
    """The actions of the group Words."""
