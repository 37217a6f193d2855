"""Devices that misbehave, played by a scripted stand-in for `sounddevice`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from needs import promised
from sound_rig import eventually
from sound_stage import Stage, staged

from studio.errors import MachineFault
from studio.sound import device
from studio.sound.player import ClipSource, Player
from studio.sound.source import Samples, Slice


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """A device that plays ten times as fast as it should."""
    yield from staged(monkeypatch)


class Listener:
    """Counts what a player says."""

    def __init__(self) -> None:
        """Nothing was said yet."""
        self.ends = 0
        self.faults: list[str] = []
        self.player = Player(on_end=self._end, on_fault=self.faults.append)

    def _end(self) -> None:
        """Count an end."""
        self.ends += 1


def ramp(frames: int) -> ClipSource:
    """A clip without zeros."""
    return ClipSource(((np.arange(frames) % 1000 + 1) / 1001).astype(np.float32), 24000)


def timed(call: Callable[[], None]) -> float:
    """Tell how long a call takes."""
    began = time.monotonic()
    call()
    return time.monotonic() - began


def test_a_device_that_cannot_do_the_rate_is_played_at_48_khz(stage: Stage) -> None:
    stage.rates = {48000}
    listener = Listener()
    tone = np.sin(np.arange(24000) * 2 * np.pi * 440 / 24000).astype(np.float32) / 2
    listener.player.play(ClipSource(tone, 24000), 6000)
    eventually(lambda: listener.ends == 1, "the end")
    (stream,) = stage.streams
    assert stream.rate == 48000
    heard = np.concatenate(stream.heard)
    expected = np.sin((np.arange(36000) / 2 + 6000) * 2 * np.pi * 440 / 24000) / 2
    assert np.abs(heard[100:35900] - expected[100:35900]).max() < 1e-3
    assert listener.player.duration == 1
    assert listener.player.position == 1


def test_a_source_from_disk_is_resampled_too(stage: Stage) -> None:
    stage.rates = {48000}
    listener = Listener()
    listener.player.play(Slice(ramp(24000), 0, 24000))
    eventually(lambda: listener.ends == 1, "the end")
    heard = np.concatenate(stage.streams[0].heard)
    assert int(np.flatnonzero(np.abs(heard) > 1e-3)[-1]) >= 47990


def test_a_device_that_vanishes_ends_the_sound_with_a_sentence(stage: Stage) -> None:
    stage.vanish_after = 5
    listener = Listener()
    listener.player.play(ramp(240000))
    eventually(lambda: bool(listener.faults), "the fault")
    assert listener.faults == [
        "The sound device stopped playing; check that it is still connected."
    ]
    assert not listener.player.playing
    assert listener.player.position < 1
    stage.gone = True
    sentence = Player.available()
    assert sentence is not None
    assert "no sound device was found" in sentence
    with pytest.raises(MachineFault) as fault:
        listener.player.play(ramp(24000))
    assert str(fault.value) == sentence
    stage.gone, stage.vanish_after = False, 10**9
    listener.player.play(ramp(2400))
    eventually(lambda: listener.ends == 1, "the end on the device plugged in again")
    assert len(listener.faults) == 1


def test_a_device_that_no_longer_asks_for_samples_is_given_up(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.sound.playback.STALL_SECONDS", 0.5)
    stage.stall_after = 3
    listener = Listener()
    listener.player.play(ramp(240000))
    eventually(lambda: bool(listener.faults), "the fault")
    eventually(lambda: stage.streams[0].closed, "the device given back")
    stage.streams[0].aborted.set()
    assert listener.ends == 0


def test_a_stream_that_does_not_start_is_a_machine_fault(stage: Stage) -> None:
    stage.start_fails = True
    listener = Listener()
    with pytest.raises(MachineFault, match=r"cannot be opened \(Unanticipated host error\)"):
        listener.player.play(ramp(2400))
    assert not listener.player.playing
    eventually(lambda: stage.streams[0].closed, "the device given back")


@pytest.mark.parametrize("place", ["abort", "close"])
def test_stop_comes_back_from_a_device_that_hangs_and_is_silent(stage: Stage, place: str) -> None:
    stage.hangs_in = place
    listener = Listener()
    listener.player.play(ramp(2400000))
    eventually(lambda: listener.player.position > 0.05, "sound")
    assert timed(listener.player.stop) < promised(0.8)
    stream = stage.streams[0]
    count = len(stream.heard)
    if place == "abort":
        eventually(lambda: not stream.heard[-1].any() or len(stream.heard) <= count + 1, "silence")
    assert not listener.player.playing
    assert timed(listener.player.stop) < promised(0.1), "a second stop has nothing to wait for"
    stage.gate.set()
    eventually(lambda: stream.closed, "the device given back")
    assert len(stream.heard) <= count + 1, "sound went on after the stop"
    assert listener.ends == 0
    assert listener.faults == []


def test_opening_that_hangs_is_a_fault_in_bounded_time_and_what_opens_late_is_closed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.sound.player.OPEN_SECONDS", 0.3)
    monkeypatch.setattr(device, "OPEN_SECONDS", 0.3)
    stage.hangs_in = "open"
    listener = Listener()
    with pytest.raises(MachineFault, match="does not answer"):
        listener.player.play(ramp(24000))
    assert "does not answer" in str(Player.available())
    stage.gate.set()
    eventually(lambda: bool(stage.streams) and stage.streams[0].closed, "the late one closed")
    assert listener.player.position == 0
    stage.hangs_in = ""
    listener.player.play(ramp(2400))
    eventually(lambda: listener.ends == 1, "the end of the next sound")


def test_stop_while_opening_means_it_never_sounds(stage: Stage) -> None:
    stage.hangs_in = "open"
    listener = Listener()
    playing = threading.Thread(target=listener.player.play, args=(ramp(24000),))
    playing.start()
    eventually(lambda: listener.player._ticket == 1, "the device being opened")
    listener.player.stop()
    stage.gate.set()
    playing.join(10)
    eventually(lambda: stage.streams[0].closed, "the device given back")
    assert stage.streams[0].heard == []
    assert not listener.player.playing
    assert listener.ends == 0


def test_a_new_sound_replaces_the_old_one_silently(stage: Stage) -> None:
    listener = Listener()
    listener.player.play(ramp(2400000))
    listener.player.play(ramp(2400))
    eventually(lambda: listener.ends == 1, "the end")
    eventually(lambda: all(stream.closed for stream in stage.streams), "devices given back")
    assert len(stage.streams) == 2
    assert listener.ends == 1
    assert listener.faults == []


def test_the_next_sound_can_be_started_from_on_end(stage: Stage) -> None:
    listener = Listener()
    second = threading.Event()

    def go_on() -> None:
        """Play once more, then note the end."""
        listener.player.on_end = second.set
        listener.player.play(ramp(2400))

    listener.player.on_end = go_on
    listener.player.play(ramp(2400))
    assert second.wait(10)


def test_a_clip_that_cannot_be_read_is_told_in_its_own_words(stage: Stage) -> None:
    class Broken(Slice):
        """Fails after its first half second."""

        def read(self, start: int, count: int) -> Samples:
            """Fail as a project does."""
            if start > 12000:
                raise MachineFault("The clip of segment 14 is missing; narrate it again.")
            return super().read(start, count)

    listener = Listener()
    listener.player.play(Broken(ramp(48000), 0, 48000))
    eventually(lambda: bool(listener.faults), "the fault")
    assert listener.faults == ["The clip of segment 14 is missing; narrate it again."]
    assert listener.ends == 0


def test_an_empty_sound_ends_at_once(stage: Stage) -> None:
    listener = Listener()
    listener.player.play(ClipSource(np.zeros(0, np.float32), 24000))
    eventually(lambda: listener.ends == 1, "the end")
    assert listener.player.duration == 0


def test_nothing_playing_answers_calmly(stage: Stage) -> None:
    player = Player()
    for call in (player.stop, player.pause, player.resume, player.close, lambda: player.seek(3)):
        call()
    assert (player.position, player.duration, player.playing, player.paused) == (0, 0, False, False)
    assert stage.streams == []
