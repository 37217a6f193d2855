"""What an engine will refuse for its length is told when a voice is given and before narrating."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from studio_rig import CARD, HEART, open_rig

from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.book.kinds import Kind
from studio.engines import cards
from studio.project.model import Voice
from studio.project.project import Project
from studio.ui.screens.studio import StudioScreen

LINES = (
    "The last ferry had left before the rain.",
    "Yes.",
    "So it went on until the morning came.",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = tuple(SegmentDraft(Kind.PROSE, t, t, True, n) for n, t in enumerate(LINES))
    with Project.create(
        tmp_path / "ferry",
        title="The Ferry",
        author="",
        language="en-US",
        voice=HEART,
        chapters=[ChapterDraft("One", lines)],
    ) as project:
        project.put_voice(Voice("anna", "small"))
    return tmp_path / "ferry"


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every notice, because the next one may come at once."""
    notices: list[str] = []
    say = StudioScreen.say

    def note(screen: StudioScreen, sentence: str, **more: Any) -> None:
        notices.append(sentence)
        say(screen, sentence, **more)

    monkeypatch.setattr(StudioScreen, "say", note)
    return notices


async def test_it_is_told_when_the_voice_is_given(folder: Path, said: list[str]) -> None:
    cards.remember(replace(CARD, engine="small", max_chars=20))
    async with open_rig(folder) as rig:
        await rig.screen._give(list(rig.screen.session.rows.all), "anna")
        await rig.until(lambda: any("anna reads 3 segments now" in each for each in said))
        (told,) = (each for each in said if "anna reads" in each)
        assert "2 segments are longer than the 20 characters that small reads" in told
        assert "(1, 3)" in told


async def test_it_is_told_when_narrating_begins(folder: Path, said: list[str]) -> None:
    cards.remember(replace(CARD, engine=HEART.engine, max_chars=38))
    async with open_rig(folder) as rig:
        await rig.press("g", "c")
        await rig.until(lambda: any("1 segment is longer than the 38" in each for each in said))
