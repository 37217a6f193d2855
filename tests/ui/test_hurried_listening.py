"""Keys pressed while a sound is only beginning: what was asked for last is so, and all of it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from studio_rig import Rig, SilentPlayer, make_project, open_rig, tone

from studio.errors import MachineFault
from studio.sound.assembly import ready_clip
from studio.sound.source import AudioSource
from studio.ui.listening import Playing
from studio.ui.onward import Walk

RATE = 24_000


class SlowDevice(SilentPlayer):
    """Opens only when it is let; what was stopped meanwhile does not sound."""

    def __init__(self) -> None:
        super().__init__()
        self.let = threading.Event()
        self.asked = 0

    def play(self, source: AudioSource, start_frame: int = 0) -> None:
        self.asked += 1
        stops = self.stops
        assert self.let.wait(10)
        if stops == self.stops:
            super().play(source, start_frame)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A book of one chapter."""
    return make_project(tmp_path / "ferry", 1)


@pytest.fixture
def device() -> Iterator[SlowDevice]:
    """A device like a headset that sleeps."""
    device = SlowDevice()
    yield device
    device.let.set()


async def narrated(rig: Rig, player: SilentPlayer | None = None) -> None:
    """The book with all its takes, and a player."""
    if player is not None:
        rig.player = player
    await rig.opened()
    session = rig.screen.session
    await session.narrate(session.lacking(), "narrated the book")
    await rig.narrated()


async def test_a_key_that_plays_nothing_leaves_what_is_beginning(
    folder: Path, device: SlowDevice
) -> None:
    async with open_rig(folder) as rig:
        await narrated(rig, device)
        await rig.press("G", "space")
        await rig.until(lambda: device.asked, "for the device")
        await rig.press("P")
        await rig.until(lambda: "A join needs" in rig.notice)
        device.let.set()
        await rig.until(lambda: device.playing, "for the sound")
        device.position = 0.07
        await rig.until(lambda: rig.screen.listening.position == 0.07, "the place is told")
        await rig.press("space")
        await rig.until(lambda: not device.playing, "one press stops it")


async def test_nor_does_it_leave_half_of_what_goes_onward(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, let, begun = Walk.begin, threading.Event(), threading.Event()

    async def slowly(walk: Walk) -> None:
        begun.set()
        await walk._session.read(let.wait, 10)
        await begin(walk)

    monkeypatch.setattr(Walk, "begin", slowly)
    async with open_rig(folder) as rig:
        await narrated(rig)
        await rig.press("G", "p")
        await rig.until(begun.is_set)
        await rig.press("P")
        let.set()
        await rig.until(lambda: rig.player.playing, "for the sound")
        assert rig.screen.listening.what is Playing.ONWARD


async def test_a_stop_while_the_device_opens_is_one(folder: Path, device: SlowDevice) -> None:
    async with open_rig(folder) as rig:
        await narrated(rig, device)
        await rig.press("p")
        await rig.until(lambda: device.asked, "for the device")
        await rig.press("p")
        device.let.set()
        await rig.until(lambda: not rig.screen.listening.active)
        assert not device.playing
        assert rig.screen.listening.walk is None


async def test_what_cannot_begin_is_not_left_playing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(walk: Walk) -> None:
        raise MachineFault("The disk is gone.")

    monkeypatch.setattr(Walk, "begin", fails)
    async with open_rig(folder) as rig:
        await narrated(rig)
        await rig.press("p")
        await rig.until(lambda: "The disk is gone" in rig.notice)
        assert not rig.screen.listening.active


async def test_another_take_chosen_before_the_first_sample_is_heard_is_heard(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await narrated(rig)
        await rig.screen.session.narrate_segment(rig.line, new_seed=True)
        await rig.narrated()
        old, new = await rig.screen.session.takes(rig.line.uid)
        await rig.press("p")
        await rig.until(lambda: rig.player.playing, "for the sound")
        source, _ = rig.player.played[-1]
        source.read(0, 1_024)  # on its way to the ear, which has heard nothing yet
        assert rig.player.position == 0.0
        await rig.press(",")
        await rig.until(lambda: rig.line.chosen == old.id)
        await rig.pilot.pause()
        wanted = ready_clip(tone(old.seed, rig.line.spoken), RATE, RATE)
        await rig.until(
            lambda: source.read(0, len(wanted)).tolist() == wanted.tolist(), "the old take"
        )
        assert new.seed != old.seed


async def test_deleting_where_it_was_begun_does_not_end_listening_onward(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await narrated(rig)
        first = rig.line.uid
        await rig.press("p")
        await rig.until(lambda: rig.player.playing, "for the sound")
        await rig.press("d")
        await rig.until(lambda: rig.screen.session.rows.get(first) is None)
        assert rig.player.playing
        assert rig.screen.listening.what is Playing.ONWARD
        await rig.press("p", "space")
        await rig.until(lambda: rig.screen.listening.what is Playing.CLIP)
        await rig.press("d")
        await rig.until(lambda: not rig.player.playing, "a take that goes is silent")


async def test_keeping_one_of_two_while_another_segment_is_listened_from(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await narrated(rig)
        await rig.press("j")
        await rig.screen.session.narrate_segment(rig.line, new_seed=True)
        await rig.narrated()
        old, _ = await rig.screen.session.takes(rig.line.uid)
        await rig.press("equals_sign")
        await rig.until(lambda: rig.player.playing, "for the first of the two")
        await rig.press("k", "p")
        await rig.until(lambda: rig.screen.listening.what is Playing.ONWARD)
        await rig.press("j", "K")
        await rig.until(lambda: rig.line.chosen == old.id, "the one that was heard")
