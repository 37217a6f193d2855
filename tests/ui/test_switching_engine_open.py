"""Another engine for a voice in an open studio, with real processes: told, restarted, undone."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from studio_rig import CARD, Rig, open_rig
from textual.widgets import Static

from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.book.kinds import Kind
from studio.engines import cards
from studio.project.folders import config_folder
from studio.project.model import Voice
from studio.project.project import Project
from studio.ui.screens.voice_form import VoiceForm
from studio.ui.screens.voices import VoicesScreen
from studio.ui.services import real_director
from studio.ui.typing_fields import Line

SCRIPT = Path(__file__).parent.parent / "fakes" / "scripted_engine.py"
LINES = ("The ferry was late.", "Nobody minded.", "So it went on until the morning came.")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three lines, of which ada reads two; this machine has two engines."""
    told = []
    for name, switches in {"one": [], "two": ["--max-chars", "20", "--languages", "de"]}.items():
        command = [sys.executable, "-P", str(SCRIPT), "--name", name, *switches]
        told += [f"[engines.{name}]", f"command = {json.dumps(command)}"]
    config_folder().mkdir(parents=True, exist_ok=True)
    (config_folder() / "config.toml").write_text("\n".join(told) + "\n", encoding="utf-8")
    lines = tuple(SegmentDraft(Kind.PROSE, t, t, True, n) for n, t in enumerate(LINES))
    with Project.create(
        tmp_path / "ferry",
        title="The Ferry",
        author="",
        language="en-US",
        voice=Voice("tone", "one", speaker="tone", language="en-US"),
        chapters=[ChapterDraft("One", lines)],
    ) as project:
        project.put_voice(Voice("ada", "one", speaker="tone", language="en-US"))
        project.set_voice([it.uid for it in project.segments()], "ada")
    return tmp_path / "ferry"


def engines() -> dict[str, list[int]]:
    """Processes of the scripted engines below this one, by the engine's name."""
    found: dict[str, list[int]] = {}
    for process in psutil.Process().children(recursive=True):
        command = process.cmdline() if process.status() != psutil.STATUS_ZOMBIE else []
        if str(SCRIPT) in command:
            found.setdefault(command[command.index("--name") + 1], []).append(process.pid)
    return found


async def switched(rig: Rig, engine: str) -> str:
    """Give ada another engine in the list of voices; what is told."""
    await rig.press("enter")
    await rig.until(lambda: isinstance(rig.app.screen, VoiceForm), "for the form")
    rig.app.screen.query_one("#voice-engine", Line).value = engine
    await rig.press("ctrl+e")
    await rig.until(lambda: isinstance(rig.app.screen, VoicesScreen), "for the list")
    await rig.until(lambda: "The voice ada is changed" in told(rig), "to be told")
    return told(rig)


def told(rig: Rig) -> str:
    place = rig.app.screen.query_one_optional("#voices-told", Static)
    return "" if place is None else str(place.content)


async def test_the_worker_ends_the_takes_are_named_and_undo_gives_all_back(folder: Path) -> None:
    opened = open_rig(folder)
    opened.rig.app._make_director = real_director
    async with opened as rig:
        await rig.press("g", "c")
        await rig.until(lambda: all(it.takes for it in rig.screen.session.rows.all))
        before = rig.project.segments()
        ((one, (first,)),) = engines().items()
        assert one == "one"
        await rig.press("g", "v")
        await rig.until(lambda: isinstance(rig.app.screen, VoicesScreen), "for the list")
        voices = rig.app.screen
        assert isinstance(voices, VoicesScreen)
        await rig.until(lambda: voices._current is not None)
        if voices._current != rig.project.voices()["ada"]:
            await rig.press("down")
        said = await switched(rig, "two")
        assert "3 takes became stale (1–3)" in said
        assert "will fail" not in said, "nothing is known of it yet"
        await rig.until(lambda: not engines(), "for the worker of the first engine to leave")
        await rig.press("u")
        await rig.until(lambda: rig.project.segments() == before, "for everything to be back")
        cards.remember(replace(CARD, engine="two", max_chars=20, languages=("de",)))
        said = await switched(rig, "two")
        assert "1 segment is longer than the 20 characters that two reads at a time" in said
        assert "The voice ada reads en-US, and two speaks only de: 3 segments will fail" in said
        await rig.press("u", "escape")
        await rig.until(lambda: rig.project.segments() == before)
        await rig.press("R")
        await rig.until(lambda: rig.screen.session.rows.all[0].takes == 2)
        ((one, (second,)),) = engines().items()
        assert (one, second != first) == ("one", True)
    assert not engines()
