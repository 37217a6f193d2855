"""Fixtures of the project room."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from bookmaking import make

from studio.book.kinds import Kind
from studio.project.project import Project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """An open project."""
    with make(tmp_path / "book") as opened:
        yield opened


@pytest.fixture
def uids(project: Project) -> list[str]:
    """The uids of its segments that are spoken, in order."""
    return [s.uid for s in project.segments() if s.kind is not Kind.SCENE_BREAK]
