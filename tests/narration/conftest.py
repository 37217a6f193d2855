"""Fixtures of this room."""

from conftest_narration import make_pool

__all__ = ["make_pool"]
