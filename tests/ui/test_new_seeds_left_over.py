"""New seeds that were on their way when the book was closed: told in one line when it is open."""

from __future__ import annotations

from pathlib import Path

import pytest
from studio_rig import make_project, open_rig

from studio.project.project import Project


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A book closed while three new seeds of each of three segments wait."""
    folder = make_project(tmp_path / "ferry")
    with Project.open(folder) as project:
        uids = [segment.uid for segment in project.segments()[:3]]
        project.enqueue(uids, candidates=3)
    return folder


async def test_they_are_one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_rig(folder) as rig:
        said: list[str] = []
        say = rig.screen.say
        monkeypatch.setattr(rig.screen, "say", lambda text, **how: (said.append(text), say(text)))
        await rig.press("S")
        await rig.narrated()
        await rig.until(lambda: any("new take" in line for line in said), "for the news")
        told = [line for line in said if "new take" in line]
        assert told == [
            "9 new takes of 3 segments; t lists a segment’s, where the one that the checks like"
            " best is marked."
        ]


async def test_those_asked_for_now_do_not_wait_for_them(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("G", "plus")
        await rig.until(lambda: "3 new takes of segment 18" in rig.notice)
        assert rig.screen.session.waiting == 3
        await rig.press("g", "x")
        await rig.until(lambda: "3 segments went out of it" in rig.notice)
        await rig.press("plus")
        await rig.until(lambda: rig.line.takes == 6)
        await rig.until(lambda: "3 new takes of segment 18" in rig.notice)
