"""A blind comparison on its screen: nothing is told before the end, and the score is kept."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from screens_text import assert_golden, screen_text
from studio_rig import Rig, make_project, open_rig
from textual.widgets import OptionList, Static

from studio.project.project import Project
from studio.ui.screens import comparing_blind
from studio.ui.screens.blind import BlindScreen
from studio.ui.screens.prompt import Choose, Report


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_project(tmp_path / "ferry")


@pytest.fixture(autouse=True)
def _one_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing_blind, "randbits", lambda bits: 7)


async def two_takes(rig: Rig) -> None:
    """Two takes of each of the first three segments, which are selected."""
    for wanted in (1, 2):
        for place in range(3):
            await rig.press("R")
            await rig.narrated()
            await rig.until(
                lambda at=place, it=wanted: rig.project.segments()[at].takes == it,  # type: ignore[misc]
                f"for take {wanted} of segment {place}",
            )
            await rig.press("j")
        await rig.press("g", "g")
    rig.screen.session.rows.select([it.uid for it in rig.project.segments()[:3]])


async def chosen(rig: Rig) -> Choose:
    rig.screen.action_takes_blind()
    await rig.until(lambda: isinstance(rig.app.screen, Choose), "for the choice")
    assert isinstance(rig.app.screen, Choose)
    return rig.app.screen


async def begun(rig: Rig) -> BlindScreen:
    await chosen(rig)
    await rig.press("enter")
    await rig.until(lambda: isinstance(rig.app.screen, BlindScreen), "for the questions")
    assert isinstance(rig.app.screen, BlindScreen)
    return rig.app.screen


def told(screen: BlindScreen) -> str:
    return str(screen.query_one("#blind-told", Static).content)


async def answered(rig: Rig, screen: BlindScreen, key: str) -> None:
    """Hear X, then answer."""
    count, played = len(screen._test.answered), len(rig.player.played)
    await rig.press("space")
    await rig.until(lambda: len(rig.player.played) > played and "x" in screen._heard, "for X")
    await rig.press(key)
    await rig.until(lambda: len(screen._test.answered) == count + 1, "for the answer")


async def test_without_two_takes_it_says_how_to_get_them(folder: Path) -> None:
    async with open_rig(folder) as rig:
        rig.screen.action_takes_blind()
        await rig.until(lambda: "nothing to compare yet" in rig.notice, "for the answer")
        assert "(R)" in rig.notice


async def test_x_is_one_of_both_and_the_score_is_kept(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await two_takes(rig)
        screen = await begun(rig)
        test = screen._test
        assert test.seed == 7
        assert len(test.trials) == 8
        first = test.trials[0]
        await rig.press("a")
        assert "Hear X first" in told(screen)
        sounds = {}
        for key, name in (("1", "a"), ("2", "b"), ("space", "x")):
            before = len(rig.player.played)
            await rig.press(key)
            await rig.until(lambda it=before: len(rig.player.played) > it, "for the sound")  # type: ignore[misc]
            sounds[name] = rig.player.played[-1][0]
        other = "b" if first.x == "a" else "a"
        assert np.array_equal(sounds["x"].samples, sounds[first.x].samples)
        assert not np.array_equal(sounds["x"].samples, sounds[other].samples)
        shown = screen_text(rig.app)
        assert "newest" not in shown
        assert "right" not in shown
        await rig.press("space")
        await rig.until(lambda: not rig.screen.listening.active, "for silence")
        history = rig.project.history()
        for trial in test.trials[:-1]:
            wrong = "b" if trial.x == "a" else "a"
            await answered(rig, screen, wrong if trial.number == 3 else trial.x)
        await answered(rig, screen, test.trials[-1].x)
        await rig.until(lambda: "7 of 8 right" in screen_text(rig.app), "for the score")
        assert "You hear the difference" in screen_text(rig.app)
        assert rig.project.history() == history, "results are no steps"
        await rig.press("E")
        await rig.until(lambda: "Written" in told(screen), "for the table")
        table = (folder / "exports" / "blind.csv").read_text(encoding="utf-8")
        rows = [*csv.DictReader(table.splitlines())]
        assert [int(it["right"]) for it in rows] == [1, 1, 0, 1, 1, 1, 1, 1]
        await rig.press("escape")
        await rig.until(lambda: rig.app.screen is rig.screen)
        await rig.press(*"uuuuuu")
        await rig.until(lambda: not any(it.chosen for it in rig.project.segments()), "for the undo")
        assert rig.project.blind_tests()[0].right == 7
        choice = await chosen(rig)
        options = choice.query_one(OptionList)
        options.highlighted = options.option_count - 1
        await rig.press("enter")
        await rig.until(lambda: isinstance(rig.app.screen, Report), "for the results")
        assert "7 of 8, p 0.035" in screen_text(rig.app)
    with Project.open(folder) as project:
        assert project.blind_tests()[0].trials == screen._test.trials


async def test_stopping_early_keeps_what_was_answered(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await two_takes(rig)
        screen = await begun(rig)
        await rig.press("E")
        assert "when the comparison is over" in told(screen)
        await answered(rig, screen, "a")
        await rig.press("escape")
        await rig.until(lambda: "the score" in screen_text(rig.app), "for the score")
        await rig.press("escape")
        await rig.until(lambda: rig.app.screen is rig.screen)
        assert len(rig.project.blind_tests()[0].answered) == 1
        await begun(rig)
        await rig.press("escape")
        await rig.until(lambda: rig.app.screen is rig.screen)
        assert len(rig.project.blind_tests()) == 1, "one without an answer is no result"


async def test_both_are_equally_loud(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await two_takes(rig)
        uid = rig.project.segments()[0].uid
        loud, soft = (it.id for it in rig.project.takes(uid))
        wave = (np.sin(np.arange(24_000) * 0.05) * 20_000).astype(np.int16).reshape(-1, 1)
        read = rig.project.read_clip

        def clip(take: object) -> tuple[np.ndarray, int]:
            pcm = {loud: wave, soft: (wave // 8).astype(np.int16)}.get(getattr(take, "id", 0))
            return read(take) if pcm is None else (pcm, 24_000)  # type: ignore[arg-type]

        rig.project.read_clip = clip  # type: ignore[method-assign, assignment]
        screen = await begun(rig)
        trial = next(it for it in screen._test.trials if it.segment == uid)
        sounds = screen._equally_loud(trial)
        highest = [float(np.abs(sounds[take].samples).max()) for take in (loud, soft)]
        assert highest[0] == pytest.approx(highest[1], rel=0.02)
        assert max(highest) < 0.1, "the louder one is made softer, never the other louder"


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)])
async def test_golden(folder: Path, size: tuple[int, int]) -> None:
    async with open_rig(folder, size=size) as rig:
        await two_takes(rig)
        screen = await begun(rig)
        await rig.press("1")
        await rig.until(lambda: "a" in screen._heard)
        await rig.press("space")
        await rig.until(lambda: "x" in screen._heard)
        await rig.press("space")
        await rig.until(lambda: not rig.screen.listening.active)
        assert_golden(rig.app, f"blind_{size[0]}")
        for key in "abba":
            await answered(rig, screen, key)
        await rig.press("escape")
        await rig.until(lambda: "the score" in screen_text(rig.app))
        assert_golden(rig.app, f"blind_score_{size[0]}")
