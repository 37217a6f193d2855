"""What a piece of a book is. Kept apart so that reading a book needs nothing of a project."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """What a segment is in the book; decides the pause after it."""

    HEADING = "heading"
    PROSE = "prose"
    DIALOGUE = "dialogue"
    VERSE = "verse"
    SCENE_BREAK = "scene break"
