"""Fixtures of this room."""

from narration_helpers import make_pool, make_studio

__all__ = ["make_pool", "make_studio"]
