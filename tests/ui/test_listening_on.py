"""Listening onward: what is heard is the book as it is when each segment's turn comes."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from screens_text import GOLDEN, screen_text
from studio_rig import Rig, SilentPlayer, make_project, open_rig, tone

from studio.sound.assembly import ready_clip
from studio.sound.onward import Onward
from studio.sound.plan import chosen_timeline
from studio.sound.source import AudioSource, Samples

RATE = 24_000
BLOCK = 1_024


class Ear(SilentPlayer):
    """Takes what it is given, as fast as a test says."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[Samples] = []
        self.at = 0
        self.source: AudioSource

    def play(self, source: AudioSource, start_frame: int = 0) -> None:
        super().play(source, start_frame)
        self.source, self.at, self.heard = source, start_frame, []

    def seek(self, seconds: float) -> None:
        super().seek(seconds)
        self.at = round(seconds * RATE)

    def pull(self, frames: int = 1 << 40) -> int:
        """Take what is there, so many frames at the most; ends the sound at its end."""
        taken = 0
        while taken < frames and len(block := self.source.read(self.at, BLOCK)):
            self.heard.append(block)
            self.at += len(block)
            taken += len(block)
        self.position = self.at / RATE
        if self.playing and self.at >= self.source.frames:
            self.end()
        return taken

    @property
    def sound(self) -> Samples:
        """All that was heard."""
        return np.concatenate([np.zeros(0, np.float32), *self.heard])


class open_ear(open_rig):
    """The application, with a player that takes what it is given."""

    def __init__(self, folder: Path, size: tuple[int, int] = (120, 36)) -> None:
        super().__init__(folder, size)
        self.rig.player = Ear()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A book of three chapters."""
    return make_project(tmp_path / "ferry")


def ear(rig: Rig) -> Ear:
    """The player of a rig."""
    assert isinstance(rig.player, Ear)
    return rig.player


async def begin(rig: Rig) -> Ear:
    """Press p and wait for the sound."""
    await rig.press("p")
    await rig.until(lambda: rig.player.played, "for the sound")
    return ear(rig)


async def hear(rig: Rig, until: Callable[[], object], blocks: int = 2) -> None:
    """Listen on, so many blocks at a time, until something is so."""

    def pulled() -> bool:
        ear(rig).pull(blocks * BLOCK)
        return bool(until())

    await rig.until(pulled, "while listening")


async def narrate_book(rig: Rig) -> None:
    """Narrate all there is."""
    session = rig.screen.session
    await session.narrate(session.lacking(), "narrated the book")
    await rig.narrated()


def clip(rig: Rig, number: int, seed: int | None = None) -> Samples:
    """What a segment sounds like, as the export has it."""
    segment = rig.screen.session.rows.all[number - 1]
    return ready_clip(tone(segment.seed if seed is None else seed, segment.spoken), RATE, RATE)


def where(sound: Samples, part: Samples) -> int:
    """Where a clip stands in a sound, to the bit; -1 where it does not."""
    for start in np.flatnonzero(sound == part[100]) - 100:
        if start >= 0 and np.array_equal(sound[start : start + len(part)], part):
            return int(start)
    return -1


def number_heard(rig: Rig) -> int:
    """The segment under the ear."""
    spot = rig.screen.listening.spot()
    return spot.number if spot is not None else 0


def assert_player(rig: Rig, name: str) -> None:
    """Compare the player's line with its file; the place in the sound is where chance has it."""
    region = rig.screen.player_line.region
    line = screen_text(rig.app).splitlines()[region.y][region.x : region.right]
    line = re.sub(r"\d:\d\d\.\d", "0:00.0", line)
    before, bar, after = re.split(r"([━─●]+)", line) if "●" in line else (line, "", "")
    shown = f"{before}{'─' * len(bar)}{after}".rstrip() + "\n"
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("RHAPSODE_UPDATE_GOLDEN"):
        path.write_text(shown, encoding="utf-8")
    assert shown == path.read_text(encoding="utf-8")


# What is heard.


async def test_what_is_heard_is_the_export_sample_by_sample(tmp_path: Path) -> None:
    async with open_ear(make_project(tmp_path / "short", 2)) as rig:
        await narrate_book(rig)
        await begin(rig)
        await hear(rig, lambda: not rig.player.playing, blocks=12)
        project, heard = rig.project, ear(rig).sound
        exported = []
        for chapter in project.chapters():
            timeline = chosen_timeline(project, project.segments(chapter.id))
            # The first chapter is heard from its first segment on, as it was asked for.
            start = 0 if exported else int(timeline.starts[0])
            exported.append(timeline.read(start, timeline.frames))
        assert np.array_equal(heard, np.concatenate(exported))


async def test_from_the_middle_it_goes_on_into_the_next_chapter(folder: Path) -> None:
    async with open_ear(folder) as rig:
        await narrate_book(rig)
        await rig.press("j", "j", "j", "j", "j")
        await begin(rig)
        await hear(rig, lambda: number_heard(rig) == 8)
        await rig.until(lambda: rig.line.number == 8, "the cursor to follow")
        assert rig.player.playing
        assert "8 · chapter 2" in screen_text(rig.app)
        await rig.press("p")
        await rig.until(lambda: not rig.player.playing, "to stop")
        assert not rig.screen.grid.following


async def test_moving_ends_following_not_the_sound(folder: Path) -> None:
    async with open_ear(folder) as rig:
        await narrate_book(rig)
        await begin(rig)
        await rig.press("j", "j", "m")
        assert rig.line.mark
        await hear(rig, lambda: number_heard(rig) == 2)
        await rig.pilot.pause(0.25)
        assert rig.line.number == 3
        assert rig.player.playing


# Narrated ahead.


async def test_what_is_missing_is_narrated_a_little_ahead_and_waited_for(tmp_path: Path) -> None:
    async with open_ear(make_project(tmp_path / "long", 7)) as rig:
        director = rig.director
        assert rig.screen.session.director is director
        assert director is not None
        director.hold.clear()
        await begin(rig)
        await rig.until(lambda: "waits for segment 1" in screen_text(rig.app), "the line")
        assert ear(rig).pull() == 0
        assert rig.player.playing, "it waits, and does not stop"
        queued = [row.number for row in rig.screen.session.rows.all if row.queued]
        assert 3 <= len(queued) <= 12
        assert queued == [n for n in range(1, queued[-1] + 1) if n != 5], "no scene break"
        director.hold.set()
        await hear(rig, lambda: number_heard(rig) == 3)
        first = clip(rig, 1)
        assert np.array_equal(ear(rig).sound[: len(first)], first)
        assert "waits" not in screen_text(rig.app)
        rows = rig.screen.session.rows.all
        assert rows[-1].chosen is None, "not the whole book"
        await hear(rig, lambda: number_heard(rig) == 8)
        heard = ear(rig).sound
        for number in (1, 2, 3, 4, 6, 7):
            assert where(heard, clip(rig, number)) >= 0, f"segment {number} was not heard"
        labels = [entry.label for entry in rig.project.history()]
        assert set(labels) == {"narrated while listening"}


async def test_what_failed_is_skipped_with_a_notice(folder: Path) -> None:
    async with open_ear(folder) as rig:
        director = rig.screen.session.director
        assert director is rig.director
        assert rig.director is not None
        rig.director.failing.add(rig.screen.session.rows.all[1].uid)
        await begin(rig)
        told: list[str] = []

        def past() -> bool:
            if rig.notice and rig.notice not in told:
                told.append(rig.notice)
            return number_heard(rig) == 4

        await hear(rig, past)
        assert [note for note in told if "! Segment 2 is skipped" in note]
        heard = ear(rig).sound
        assert where(heard, clip(rig, 3)) > where(heard, clip(rig, 1)) >= 0


async def test_a_paused_queue_is_said_and_stays_paused(folder: Path) -> None:
    async with open_ear(folder) as rig:
        rig.screen.session.director.pause()
        await begin(rig)
        sentence = "waits for segment 1: narration is paused, S goes on"
        await rig.until(lambda: sentence in screen_text(rig.app), "the line")
        assert not any(row.queued for row in rig.screen.session.rows.all)
        assert rig.screen.session.director.paused
        rig.screen.session.go_on()
        await hear(rig, lambda: number_heard(rig) == 2)


@pytest.mark.parametrize("size", [(120, 36), (80, 24)], ids=["120", "80"])
async def test_waiting_and_sounding_look_as_they_did(folder: Path, size: tuple[int, int]) -> None:
    async with open_ear(folder, size) as rig:
        session = rig.screen.session
        await session.narrate(session.rows.all[:2], "narrated two")
        await rig.narrated()
        session.director.pause()
        await rig.press("greater_than_sign", "left_parenthesis", "left_parenthesis")
        await begin(rig)
        await hear(rig, lambda: number_heard(rig) == 2)
        await rig.until(lambda: "2 · chapter 1 0:0" in screen_text(rig.app), "the chapter's time")
        rig.screen.show_sound()
        assert_player(rig, f"listening_{size[0]}")
        await hear(rig, lambda: number_heard(rig) == 3)
        await rig.until(lambda: "waits for segment 3" in screen_text(rig.app), "the line")
        assert_player(rig, f"listening_waits_{size[0]}")


async def test_with_narrating_ahead_switched_off_it_stops_before_what_is_missing(
    folder: Path,
) -> None:
    async with open_ear(folder) as rig:
        rig.screen.wishes = replace(rig.screen.wishes, narrate_ahead=False)
        session = rig.screen.session
        await session.narrate(session.rows.all[:3], "narrated three")
        await rig.narrated()
        await begin(rig)
        await hear(rig, lambda: not rig.player.playing)
        await rig.until(lambda: rig.line.number == 4, "to stop at the missing one")
        assert "Segment 4 has no take yet" in rig.notice
        assert rig.screen.session.rows.all[3].takes == 0
        await rig.press("p")
        assert "has no take yet" in rig.notice


async def test_a_stale_take_is_narrated_anew_or_heard_with_a_word(folder: Path) -> None:
    async with open_ear(folder) as rig:
        await narrate_book(rig)
        session, project = rig.screen.session, rig.project
        old = clip(rig, 2)
        uid = session.rows.all[1].uid
        rig.screen.wishes = replace(rig.screen.wishes, narrate_ahead=False)
        await session.do(project.edit_spoken, uid, "She had waited for a dog.")
        await begin(rig)
        await hear(rig, lambda: number_heard(rig) == 3)
        assert "Segment 2 is heard in its old take: its text changed" in rig.notice
        assert where(ear(rig).sound, old) >= 0
        await rig.press("p")
        rig.screen.wishes = replace(rig.screen.wishes, narrate_ahead=True)
        await rig.press("g", "g")
        rig.player.played.clear()
        await begin(rig)
        await hear(rig, lambda: number_heard(rig) == 3)
        assert where(ear(rig).sound, old) == -1
        assert where(ear(rig).sound, clip(rig, 2)) >= 0


async def test_a_persons_own_recording_is_never_narrated_over(folder: Path) -> None:
    async with open_ear(folder) as rig:
        await narrate_book(rig)
        session, project = rig.screen.session, rig.project
        uid = session.rows.all[1].uid
        own = tone(77, "a voice of one's own")
        await session.do(project.add_recording, uid, own, RATE, "pickup.wav", "0" * 64)
        await session.do(project.edit_spoken, uid, "She had waited for a dog.")
        assert session.rows.all[1].stale
        await begin(rig)
        await hear(rig, lambda: number_heard(rig) == 3)
        assert where(ear(rig).sound, ready_clip(own, RATE, RATE)) >= 0
        assert "Segment 2 is heard in its old take" in rig.notice
        assert session.rows.all[1].takes == 2


# The book changes while it is heard.


async def test_rerolling_while_it_plays_gives_the_right_audio(folder: Path) -> None:
    async with open_ear(folder) as rig:
        await narrate_book(rig)
        old = [clip(rig, number) for number in range(1, 7) if number != 5]
        player = await begin(rig)
        player.pull(2 * BLOCK)
        # The one that is heard: it goes on as it began, and nothing is lost or doubled.
        await rig.press("R")
        await rig.narrated()
        assert rig.line.takes == 2
        # One that is laid out already, and was not heard yet.
        await rig.press("j", "j", "R")
        await rig.narrated()
        assert rig.line.number == 3
        await hear(rig, lambda: number_heard(rig) == 6)
        heard = player.sound
        assert where(heard, old[0]) == 0
        assert where(heard, clip(rig, 1)) == -1
        assert where(heard, old[2]) == -1, "the old take of segment 3"
        places = [where(heard, part) for part in (old[0], old[1], clip(rig, 3), old[3])]
        assert -1 not in places
        assert places == sorted(places)
        # Going back is to the book as it is by now.
        await rig.press("g", "g")
        rig.screen.listening.seek_to(0.01)
        player.heard.clear()
        await hear(rig, lambda: number_heard(rig) == 2)
        assert where(player.sound, clip(rig, 1)[2000:]) >= 0


async def test_what_was_asked_for_anew_is_waited_for(folder: Path) -> None:
    async with open_ear(folder) as rig:
        await narrate_book(rig)
        old = clip(rig, 2)
        player = await begin(rig)
        assert rig.director is not None
        rig.director.hold.clear()
        await rig.press("j", "R")
        await rig.until(lambda: rig.line.queued)
        await hear(rig, lambda: "waits for segment 2" in screen_text(rig.app))
        assert player.pull() == 0
        rig.director.hold.set()
        await hear(rig, lambda: number_heard(rig) == 3)
        assert where(player.sound, old) == -1
        assert where(player.sound, clip(rig, 2)) >= 0


async def test_candidates_beside_a_good_take_are_not_waited_for(folder: Path) -> None:
    async with open_ear(folder) as rig:
        await narrate_book(rig)
        player = await begin(rig)
        assert rig.director is not None
        rig.director.hold.clear()
        session, project = rig.screen.session, rig.project
        await session.do(project.enqueue, [session.rows.all[1].uid], candidates=3)
        assert session.rows.all[1].queued
        await hear(rig, lambda: number_heard(rig) == 3)
        assert where(player.sound, clip(rig, 2)) >= 0
        rig.director.hold.set()


async def test_deleted_edited_and_chosen_differently_before_their_turn(folder: Path) -> None:
    async with open_ear(folder) as rig:
        session, project = rig.screen.session, rig.project
        await narrate_book(rig)
        uids = [row.uid for row in session.rows.all]
        await session.narrate_segment(session.rows.all[3], new_seed=True)
        await rig.narrated()
        second = clip(rig, 4)
        deleted, edited = clip(rig, 2), clip(rig, 3)
        player = await begin(rig)
        player.pull(2 * BLOCK)
        await session.do(project.delete, [uids[1]])
        await session.do(project.edit_spoken, uids[2], "Only a dog.")
        first = next(take for take in await session.takes(uids[3]) if take.number == 1)
        await session.do(project.choose_take, uids[3], first.id)
        await hear(rig, lambda: number_heard(rig) == 5)
        heard = player.sound
        for gone in (deleted, edited, second):
            assert where(heard, gone) == -1
        assert "Only a dog." in session.rows.all[1].spoken
        places = [where(heard, clip(rig, number)) for number in (1, 2, 3)]
        assert -1 not in places
        assert places == sorted(places)


async def test_deleting_the_very_segment_that_is_heard(folder: Path) -> None:
    async with open_ear(folder) as rig:
        session, project = rig.screen.session, rig.project
        await narrate_book(rig)
        first, second = clip(rig, 1), clip(rig, 2)
        player = await begin(rig)
        player.pull(2 * BLOCK)
        await session.do(project.delete, [session.rows.all[0].uid])
        await hear(rig, lambda: where(player.sound, second) >= 0)
        assert where(player.sound, first) == 0
        assert rig.player.playing


async def test_a_longer_pause_is_heard_at_once(folder: Path) -> None:
    async with open_ear(folder) as rig:
        session, project = rig.screen.session, rig.project
        await narrate_book(rig)
        player = await begin(rig)
        assert isinstance(player.source, Onward)
        player.pull(2 * BLOCK)
        await session.do(project.set_pause, [session.rows.all[0].uid], 3000)
        laid = player.source._laid
        await rig.until(lambda: any(it.frames == 3 * RATE for it in laid), "to be laid out anew")
        await hear(rig, lambda: number_heard(rig) == 3)
        length = len(clip(rig, 1))
        assert where(player.sound, clip(rig, 2)) == length + 3 * RATE


async def test_marking_and_approving_are_for_the_segment_that_is_heard(folder: Path) -> None:
    async with open_ear(folder) as rig:
        await narrate_book(rig)
        await begin(rig)
        await hear(rig, lambda: number_heard(rig) == 3 and rig.line.number == 3)
        await rig.press("m")
        rows = rig.screen.session.rows
        assert [row.number for row in rows.all if row.mark] == [3]
        await rig.press("a")
        await rig.until(lambda: rows.all[2].approved is not None)
        await rig.until(lambda: rig.line.number == 3, "the cursor back where the ear is")
        assert [row.number for row in rows.all if row.approved is not None] == [3]
        assert rig.player.playing


async def test_another_take_of_the_segment_that_is_heard_is_heard_at_once(folder: Path) -> None:
    async with open_ear(folder) as rig:
        await narrate_book(rig)
        session = rig.screen.session
        await session.narrate_segment(session.rows.all[0], new_seed=True)
        await rig.narrated()
        newer = clip(rig, 1)
        player = await begin(rig)
        player.pull(2 * BLOCK)
        await rig.press("comma")
        await rig.until(lambda: session.rows.all[0].take_number == 1)
        older = clip(rig, 1)
        await hear(rig, lambda: number_heard(rig) == 2)
        assert where(player.sound, older) == 2 * BLOCK
        assert where(player.sound, newer) == -1


async def test_the_end_of_an_older_sound_does_not_move_the_ear(folder: Path) -> None:
    class Slow(Ear):
        """Takes a while to open, and tells of the sound before until then."""

        opening = False

        def play(self, source: AudioSource, start_frame: int = 0) -> None:
            if isinstance(source, Onward):
                self.opening = True
                gate.wait(10)
                self.opening = False
            super().play(source, start_frame)

    gate = threading.Event()
    async with open_ear(folder) as rig:
        rig.player = player = Slow()
        await narrate_book(rig)
        await rig.press("G", "space")
        await rig.until(lambda: rig.player.played)
        player.position = player.duration = 2.0
        await rig.press("g", "g", "p")
        await rig.until(lambda: player.opening)
        rig.screen.show_sound()
        assert rig.line.number == 1
        gate.set()
        await rig.until(lambda: len(player.played) == 2)


# Joins.


async def test_the_join_before_and_the_join_after(folder: Path) -> None:
    async with open_ear(folder) as rig:
        await narrate_book(rig)
        await rig.press("g", "p")
        await rig.until(lambda: "no join before" in rig.notice)
        await rig.press("j", "j", "g", "p")
        await rig.until(lambda: rig.player.played)
        ear(rig).pull()
        heard = ear(rig).sound
        assert 0 <= where(heard, clip(rig, 2)) < where(heard, clip(rig, 3))
        await rig.press("P")
        await rig.until(lambda: len(rig.player.played) == 2)
        ear(rig).pull()
        assert 0 <= where(ear(rig).sound, clip(rig, 3)) < where(ear(rig).sound, clip(rig, 4))
