"""A long book is seen before all of it is read; no key acts on a part of it."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from screens_text import screen_text
from studio_rig import make_project, open_rig

from studio.project.model import Segment
from studio.project.project import Project
from studio.ui import mirror


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Books of more than ten segments are long ones; their rest is read when the gate opens."""
    opened = threading.Event()
    read = mirror._all_segments

    def later(project: Project) -> list[Segment]:
        assert opened.wait(20)
        return read(project)

    monkeypatch.setattr(mirror, "LONG", 10)
    monkeypatch.setattr(mirror, "BEGINNING", 48)
    monkeypatch.setattr(mirror, "_all_segments", later)
    return opened


async def test_it_is_seen_at_once_and_keys_wait(tmp_path: Path, gate: threading.Event) -> None:
    folder = make_project(tmp_path / "ferry", chapters=20)
    async with open_rig(folder) as rig:
        session, grid = rig.screen.session, rig.screen.grid
        assert len(session.rows) == 48
        assert sum(chapter.segments for chapter in session.chapters) == 120
        assert "She had waited eleven years" in screen_text(rig.app)
        before = screen_text(rig.app).splitlines()[1:8]
        pressed = asyncio.create_task(rig.press("G"))
        await asyncio.sleep(0.1)
        assert grid.cursor == 0, "it would have been the end of the part that is read"
        gate.set()
        await pressed
        await rig.until(lambda: grid.cursor == 119)
        assert rig.line.number == 120
        await rig.press("g", "g")
        after = screen_text(rig.app).splitlines()[1:8]
        assert [line[28:] for line in after] == [line[28:] for line in before], "nothing has moved"


async def test_what_waits_is_counted_in_all_of_it(tmp_path: Path, gate: threading.Event) -> None:
    folder = make_project(tmp_path / "ferry", chapters=20)
    with Project.open(folder) as project:
        project.enqueue([segment.uid for segment in project.segments()[-6:]])
    async with open_rig(folder) as rig:
        assert rig.screen.session.waiting == 5, "a scene break is never queued"
        assert "5 segments wait" in rig.notice
        gate.set()
        await rig.until(rig.screen.session.complete.is_set)
        assert rig.screen.session.waiting == 5
        await rig.press("S")
        await rig.narrated()
        assert rig.screen.session.waiting == 0


async def test_it_can_be_left_while_it_is_read(tmp_path: Path, gate: threading.Event) -> None:
    async with open_rig(make_project(tmp_path / "ferry", chapters=20)) as rig:
        gate.set()
        rig.app.exit(0)
    assert rig.app.session is None
