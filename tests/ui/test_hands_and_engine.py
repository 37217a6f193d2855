"""Fast hands on a book that a real engine process narrates: right sound, no take twice."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from studio_rig import Rig, make_project, open_rig
from textual import events

from studio.project.folders import config_folder
from studio.project.model import Segment, State, Take
from studio.ui.directors import real_director

SCRIPT = Path(__file__).parent.parent / "fakes" / "scripted_engine.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_project(tmp_path / "ferry")


def real(folder: Path, *switches: str) -> open_rig:
    """A rig with the director that people have, over a scripted engine in a process."""
    words = (sys.executable, "-P", str(SCRIPT), "--name", "hibari", "--tally", str(tally(folder)))
    command = ", ".join(f'"{word}"' for word in (*words, *switches))
    config_folder().mkdir(parents=True, exist_ok=True)
    (config_folder() / "config.toml").write_text(
        f"[engines.hibari]\ncommand = [{command}]\nworkers = 1\n", encoding="utf-8"
    )
    rig = open_rig(folder)
    rig.rig.app._make_director = real_director
    return rig


def tally(folder: Path) -> Path:
    return folder.parent / "tally"


def made(folder: Path) -> list[str]:
    """The texts that the engine narrated, in order."""
    return tally(folder).read_text(encoding="utf-8").splitlines()


def burst(rig: Rig, *keys: str) -> None:
    """Send keys without a pause between them."""
    for key in keys:
        character = key if len(key) == 1 else {"space": " "}.get(key)
        rig.app.post_message(events.Key(key, character))


def row(rig: Rig, number: int) -> Segment:
    return rig.screen.session.rows.all[number - 1]


async def idle(rig: Rig) -> None:
    """Wait until the queue is empty and nothing is narrated."""
    await rig.narrated()
    await rig.until(lambda: not rig.project.queue() and not rig.screen.session.busy)


def sound_of(rig: Rig, take: Take) -> np.ndarray:
    pcm, _ = rig.project.read_clip(take)
    return pcm[:, 0]


def heard(rig: Rig, place: int = -1) -> np.ndarray:
    source, start = rig.player.played[place]
    samples = source.read(start, source.frames - start)
    return np.rint(np.asarray(samples).reshape(-1) * 32768).astype(np.int16)


async def test_r_twenty_times_is_one_narration(folder: Path) -> None:
    async with real(folder) as rig:
        burst(rig, "j", *"r" * 20)
        await rig.until(lambda: row(rig, 2).takes)
        await idle(rig)
        assert row(rig, 2).takes == 1
        assert made(folder) == [row(rig, 2).spoken]


async def test_cat_becomes_dog_while_it_is_narrated_and_the_dog_is_heard(folder: Path) -> None:
    async with real(folder, "--clip-time", "0.4") as rig:
        uid = row(rig, 2).uid
        burst(rig, "j", "e", "end", *" cat", "enter", "r")
        await rig.until(lambda: uid in rig.screen.session.rows.narrating, "to be narrated")
        burst(rig, "e", "end", "backspace", "backspace", "backspace", *"dog", "enter", "r", "space")
        await rig.until(lambda: rig.player.played, "for the new take to sound")
        await idle(rig)
        takes = rig.project.takes(uid)
        assert [take.spoken.split()[-1] for take in takes] == ["cat", "dog"]
        now = row(rig, 2)
        assert now.chosen == takes[1].id
        assert now.state() is State.READY
        assert len(rig.player.played) == 1
        assert np.array_equal(heard(rig), sound_of(rig, takes[1]))


async def test_an_edit_is_seen_at_once_and_the_result_is_kept_but_not_chosen(folder: Path) -> None:
    async with real(folder, "--clip-time", "1.2") as rig:
        await rig.press("j", "r")
        await rig.until(lambda: row(rig, 2).uid in rig.screen.session.rows.narrating)
        burst(rig, "e", "x", "enter")
        await rig.until(lambda: row(rig, 2).spoken.endswith("x"))
        await idle(rig)
        (take,) = rig.project.takes(row(rig, 2).uid)
        assert not take.spoken.endswith("x")
        assert (row(rig, 2).takes, row(rig, 2).chosen) == (1, None)


async def test_another_seed_while_the_line_plays(folder: Path) -> None:
    async with real(folder, "--clip-time", "0.2") as rig:
        await rig.press("j", "r")
        await idle(rig)
        burst(rig, "space", "R")
        await rig.until(lambda: row(rig, 2).takes == 2)
        await idle(rig)
        first, second = rig.project.takes(row(rig, 2).uid)
        assert row(rig, 2).chosen == second.id
        assert first.pcm_hash != second.pcm_hash
        assert np.array_equal(heard(rig, 0), sound_of(rig, first))
        assert len(rig.player.played) == 1, "what plays is not cut off"
        await rig.press("space")
        await rig.until(lambda: not rig.player.playing)
        await rig.press("space")
        await rig.until(lambda: np.array_equal(heard(rig), sound_of(rig, second)), "the new one")


async def test_a_segment_deleted_in_progress_leaves_nothing_and_comes_back_whole(
    folder: Path,
) -> None:
    async with real(folder, "--clip-time", "0.4") as rig:
        gone, after = row(rig, 2), row(rig, 3)
        burst(rig, "j", "r", "j", "r", "k")
        await rig.until(lambda: gone.uid in rig.screen.session.rows.narrating)
        await rig.press("d")
        await rig.until(lambda: len(rig.screen.session.rows) == 17)
        await idle(rig)
        assert [it.number for it in rig.screen.session.rows.all] == list(range(1, 18))
        assert rig.screen.session.rows.get(gone.uid) is None
        assert [it.takes for it in rig.screen.session.rows.all] == [0, 1, *[0] * 15]
        await rig.press("u", "u")  # the other narration, which ended later, and the deletion
        await rig.until(lambda: rig.screen.session.rows.get(gone.uid) is not None)
        rig.screen.grid.move_to_uid(gone.uid)
        await rig.press("r")
        await rig.until(lambda: row(rig, 2).chosen is not None, "for its take")
        await idle(rig)
        takes = rig.project.takes(gone.uid)
        assert len({take.recipe_id for take in takes}) == len(takes) == 1
        assert row(rig, 2).spoken == gone.spoken
        assert made(folder).count(after.spoken) == 1
        assert not [problem for problem in rig.project.problems(deep=True) if problem.serious]


async def test_a_segment_split_in_progress_keeps_the_whole_take_unchosen(folder: Path) -> None:
    async with real(folder, "--clip-time", "0.4") as rig:
        await rig.press("j", "r")
        await rig.until(lambda: row(rig, 2).uid in rig.screen.session.rows.narrating)
        burst(rig, "s", "home", "l", "enter", "r")
        await rig.until(lambda: len(rig.screen.session.rows) == 19)
        await rig.until(lambda: row(rig, 2).chosen is not None, "for the take of the first part")
        await idle(rig)
        assert [take.spoken for take in rig.project.takes(row(rig, 2).uid)][-1] == "She"
        assert row(rig, 3).takes == 0
        assert made(folder).count("She") == 1
