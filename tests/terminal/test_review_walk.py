"""A chapter is judged and mended with the keyboard alone, and leaves as what was chosen."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

sys.path.append(str(Path(__file__).parents[1] / "sound"))
from sound_rig import pulse
from test_walk import environment, row, until_row
from tmux import Terminal, terminal

from studio.project.model import Kind, Segment
from studio.project.project import Project
from studio.sound.assembly import FADE_MS

pytestmark = [pytest.mark.terminal, pytest.mark.slow]

ENGINE = Path(__file__).parent.parent / "fakes" / "scripted_engine.py"

BOOK = """\
# The Mill

The miller counted his sacks.

A mothlike shadow crossed the wall.

“Is it late?” she asked.

Some moths came to the lamp, flew round it again and again, and one would not leave the glass.

A mothball lay in the drawer.

The clock struck ten.
"""
SHADOW, MOTHS, BALL = 3, 5, 6
"""Numbers of the segments that come out silent."""


@pytest.fixture
def window(tmp_path: Path, home: Path) -> Iterator[Terminal]:
    """The library in a terminal, with an engine that has its difficulties with moths."""
    fault = ["--fault", "silence-at-first", "--text", "moth"]
    command = json.dumps([sys.executable, str(ENGINE), *fault])
    (home / "config").mkdir()
    (home / "config" / "config.toml").write_text(
        f"[engines.hibari]\ncommand = {command}\nworkers = 1\n", encoding="utf-8"
    )
    (tmp_path / "mill.md").write_text(BOOK, encoding="utf-8")
    with pulse() as speaker, terminal("review") as opened:
        told = environment(home, **speaker.environment)
        opened.start([sys.executable, "-m", "studio"], (120, 36), tmp_path, told)
        yield opened


def until(met: Callable[[], bool], window: Terminal) -> None:
    """Wait for something that the screen does not say."""
    deadline = time.monotonic() + 30
    while not met():
        assert time.monotonic() < deadline, window.text()
        time.sleep(0.05)


def under_cursor(window: Terminal, number: int) -> None:
    """Wait until the cursor is on a segment."""
    until(lambda: "▌" in row(window.text(), number), window)


def decided(folder: Path) -> list[Any]:
    """All that was decided about the book, but not how often somebody changed their mind."""
    with Project.open(folder, read_only=True) as project:
        return [project.segments(), project.lexicon(), project.voices(), project.settings()]


def open_a_book(window: Terminal, place: Path) -> Path:
    """Import a manuscript from the library; returns the project's folder."""
    window.wait("No project was opened here yet")
    window.keys("n")
    window.wait("A new book")
    window.type("mill.md")
    window.keys("Enter")
    window.wait("what is narrated")
    window.keys("Enter")
    window.wait("enter opens the book")
    window.keys("Enter")
    shown = window.wait("The Mill", "draft", "g c narrates the chapter")
    assert "? keys" in shown, "the first words cover no key"
    (database,) = place.glob("*/book.db")
    return database.parent


def find_the_flagged(window: Terminal) -> None:
    """From problem to problem, round the ends: exactly three."""
    window.keys("g", "g")
    under_cursor(window, 1)
    for number in (SHADOW, MOTHS, BALL, SHADOW):
        window.keys("!")
        under_cursor(window, number)
        until_row(window, number, "flagged")
    shown = window.text()
    flagged = [number for number in range(1, 8) if "flagged" in row(shown, number)]
    assert flagged == [SHADOW, MOTHS, BALL]


def mend_by_text(window: Terminal) -> None:
    window.keys("e")
    window.wait("enter keeps")
    window.keys("End", "C-u")
    window.type("A fluttering shadow crossed the wall.")
    window.keys("Enter")
    until_row(window, SHADOW, "stale")
    window.keys("r")
    until_row(window, SHADOW, "ready", "2/2")


def mend_by_seed(window: Terminal) -> None:
    window.keys("!")
    under_cursor(window, MOTHS)
    window.keys("R")
    until_row(window, MOTHS, "ready", "2/2")


def mend_by_lexicon(window: Terminal) -> None:
    window.keys("!")
    under_cursor(window, BALL)
    window.keys("L")
    window.wait("enter takes it")
    window.keys("l", "Enter")
    window.wait("A rule of the lexicon", "mothball")
    window.type("mawthball")
    window.wait("1 segment changes")
    window.keys("C-e")
    window.wait("A rule of the lexicon", gone=True)
    until_row(window, BALL, "stale")
    window.keys("r")
    until_row(window, BALL, "ready", "2/2")


def compare_and_choose(window: Terminal) -> None:
    """Hear two takes of the moths in turn, keep the first, think better of it."""
    window.keys("k")
    under_cursor(window, MOTHS)
    window.keys("R")
    until_row(window, MOTHS, "ready", "3/3")
    window.keys("=")
    window.wait("A, take 2")
    window.keys("=")
    window.wait("B, take 3")
    window.keys("=")
    window.wait("A, take 2")
    window.keys("K")
    until_row(window, MOTHS, "2/3")
    window.wait("Take 2 of segment 5 is chosen")
    window.keys("Escape")
    window.wait("Nothing is compared any more")


def approve_all(window: Terminal) -> None:
    window.keys("C-a")
    window.wait("7 selected")
    window.keys("a")
    for number in range(1, 8):
        until_row(window, number, "approved")
    window.keys("Escape")
    if "Nothing is playing" not in window.text():
        window.keys("Escape")  # The first one was for the sound.
    window.wait("selected", gone=True)


def undo_and_redo(window: Terminal, folder: Path) -> None:
    """Five steps back and forth again give what was there."""
    states = [decided(folder)]
    for key in ("u",) * 5 + ("C-r",) * 5:
        window.keys(key)
        until(lambda: decided(folder) != states[-1], window)
        states.append(decided(folder))
    back, forth = states[:6], states[5:]
    assert forth == back[::-1]
    for number in range(1, 8):
        until_row(window, number, "approved")


def export(window: Terminal, folder: Path) -> Path:
    window.keys("E")
    window.wait("Export as WAV", "every segment has a current take")
    window.keys("Enter")
    window.wait("written:")
    window.keys("Escape")
    window.wait("Export as WAV", gone=True)
    (file,) = folder.glob("exports/*.wav")
    return file


def laid_out(project: Project, segments: list[Segment]) -> np.ndarray:
    """The chapter by the book's own pauses: clips faded at their edges, silence between them."""
    rules = project.settings().pauses
    rate = 24_000
    fade = np.arange(1, FADE_MS * rate // 1000 + 1) / (FADE_MS * rate // 1000 + 1)
    parts = [np.zeros(rules.head * rate // 1000)]
    for segment, following in zip(segments, [*segments[1:], None], strict=True):
        assert segment.kind is not Kind.SCENE_BREAK
        assert segment.chosen is not None
        take = project.take(segment.chosen)
        clip = soundfile.read(project.clip_path(take))[0].copy()
        clip[: len(fade)] *= fade
        clip[-len(fade) :] *= fade[::-1]
        pause = 0
        if following is not None:
            kinds = {segment.kind.value, following.kind.value}
            pause = max(getattr(rules, kind) for kind in kinds)
            pause = pause if segment.ends_paragraph else rules.sentence
        parts += [clip, np.zeros(pause * rate // 1000)]
    return np.concatenate([*parts, np.zeros(rules.tail * rate // 1000)])


def test_a_chapter_is_mended_by_keys_alone(window: Terminal, tmp_path: Path) -> None:
    folder = open_a_book(window, tmp_path)
    window.keys("g", "c")
    window.wait("The queue is done")
    find_the_flagged(window)
    mend_by_text(window)
    mend_by_seed(window)
    mend_by_lexicon(window)
    compare_and_choose(window)
    approve_all(window)
    undo_and_redo(window, folder)
    file = export(window, folder)
    window.keys("q")
    window.wait("exit 0")
    with Project.open(folder, read_only=True) as project:
        segments = list(project.segments())
        takes = {number: segments[number - 1].take_number for number in (SHADOW, MOTHS, BALL)}
        assert takes == {SHADOW: 2, MOTHS: 2, BALL: 2}
        assert [it.takes for it in segments] == [1, 1, 2, 1, 3, 2, 1]
        assert segments[SHADOW - 1].spoken == "A fluttering shadow crossed the wall."
        assert segments[BALL - 1].spoken == "A mawthball lay in the drawer."
        assert all(it.approved == it.chosen for it in segments)
        wanted = laid_out(project, segments)
    written, rate = soundfile.read(file)
    assert rate == 24_000
    assert written.shape == wanted.shape
    assert np.max(np.abs(written - wanted)) < 2 / 32768
    assert np.max(np.abs(written)) > 0.1
