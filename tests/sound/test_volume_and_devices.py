"""Volume, speed and devices of a player, on a scripted device; the export knows none of them."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sound_rig import eventually
from sound_stage import Stage, staged

from studio.errors import MachineFault
from studio.sound import device
from studio.sound.export import export_wav
from studio.sound.onward import Onward
from studio.sound.outputs import find_output, output_names
from studio.sound.player import ClipSource, Player
from studio.sound.source import Samples

RATE = 24_000


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """A device that plays ten times as fast as it should."""
    yield from staged(monkeypatch)


class Ears:
    """A player, and what it tells."""

    def __init__(self) -> None:
        self.ends = 0
        self.notices: list[str] = []
        self.faults: list[str] = []
        self.player = Player(
            on_end=self._end, on_fault=self.faults.append, on_notice=self.notices.append
        )

    def _end(self) -> None:
        self.ends += 1

    def hear(self, stage: Stage, source: ClipSource) -> Samples:
        """Play to the end; gives what came out."""
        ends = self.ends
        self.player.play(source)
        eventually(lambda: self.ends == ends + 1, "the end")
        return np.concatenate(stage.streams[-1].heard)


@pytest.fixture
def ears() -> Iterator[Ears]:
    """A player, closed with the test."""
    made = Ears()
    yield made
    made.player.close()


def tone(seconds: float, size: float = 0.5) -> ClipSource:
    """A pure tone of 220 Hz."""
    frames = np.arange(round(seconds * RATE))
    return ClipSource((size * np.sin(2 * np.pi * 220 * frames / RATE)).astype(np.float32), RATE)


# Volume.


def test_at_full_volume_nothing_is_touched(stage: Stage, ears: Ears) -> None:
    sound = tone(0.5, 0.99)
    assert np.array_equal(ears.hear(stage, sound)[:12_000], sound.samples)


@pytest.mark.parametrize("volume", [0.0, 0.5, 0.9])
def test_a_lower_volume_is_a_lower_level(stage: Stage, ears: Ears, volume: float) -> None:
    sound = tone(0.5)
    ears.player.volume = volume
    assert ears.hear(stage, sound)[:12_000] == pytest.approx(sound.samples * volume, abs=1e-6)


def test_a_higher_volume_never_goes_beyond_full_scale(stage: Stage, ears: Ears) -> None:
    ears.player.volume = 1.5
    quiet, loud = tone(0.5, 0.4), tone(0.5, 1.0)
    assert ears.hear(stage, quiet)[:12_000] == pytest.approx(quiet.samples * 1.5, abs=1e-6)
    heard = ears.hear(stage, loud)[:12_000]
    assert np.abs(heard).max() <= 1.0
    assert np.abs(np.diff(heard)).max() < 0.1, "bent, not cut off"
    ears.player.volume = 7
    assert ears.player.volume == 1.5


def test_turning_while_it_plays_makes_no_click(stage: Stage, ears: Ears) -> None:
    flat = ClipSource(np.full(48_000, 0.5, np.float32), RATE)
    ears.player.play(flat)
    eventually(lambda: bool(stage.streams) and len(stage.streams[0].heard) > 3, "sound")
    ears.player.volume = 0.2
    eventually(lambda: ears.ends == 1, "the end")
    heard = np.concatenate(stage.streams[0].heard)[:48_000]
    assert heard[0] == pytest.approx(0.5)
    assert heard[-1] == pytest.approx(0.1)
    assert np.abs(np.diff(heard)).max() < 0.01


def test_an_export_is_the_same_at_any_volume_and_speed(
    stage: Stage, ears: Ears, tmp_path: Path
) -> None:
    sound = tone(0.5)
    export_wav(sound, tmp_path / "before.wav")
    ears.player.volume = 1.5
    ears.player.set_speed(2.0)
    ears.hear(stage, sound)
    export_wav(sound, tmp_path / "after.wav")
    assert (tmp_path / "before.wav").read_bytes() == (tmp_path / "after.wav").read_bytes()


# Speed.


def test_a_faster_sound_tells_its_own_seconds(stage: Stage, ears: Ears) -> None:
    ears.player.set_speed(2.0)
    heard = ears.hear(stage, tone(2))
    sounding = np.flatnonzero(np.abs(heard) > 0.05)
    assert (sounding[-1] - sounding[0]) / RATE == pytest.approx(1, rel=0.03)
    assert ears.player.duration == ears.player.position == 2


def test_the_speed_changes_while_it_plays_and_the_place_stays(stage: Stage, ears: Ears) -> None:
    player = ears.player
    player.play(tone(60))
    eventually(lambda: player.position > 3, "three seconds")
    before = player.position
    player.set_speed(1.5)
    eventually(lambda: player.position > before + 3, "sound after the change")
    player.seek(30)
    assert player.position == pytest.approx(30, abs=0.5)
    before = player.position
    player.set_speed(1.0)
    eventually(lambda: player.position > before + 3, "sound at its own speed again")
    player.seek(59.5)
    eventually(lambda: ears.ends == 1, "the end")
    assert len(stage.streams) == 1, "the device is not opened anew"
    assert ears.faults == ears.notices == []


def test_a_helper_killed_while_it_plays_is_not_heard(stage: Stage, ears: Ears) -> None:
    player = ears.player
    player.set_speed(1.5)
    player.play(tone(30))
    eventually(lambda: player.position > 3, "three seconds")
    pid = player._tempo.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: player._tempo.pid not in (None, pid), "another helper")
    player.seek(29)
    eventually(lambda: ears.ends == 1, "the end")
    assert ears.faults == ears.notices == []


def test_a_sound_that_is_laid_out_while_it_plays_waits_and_goes_on(
    stage: Stage, ears: Ears
) -> None:
    clip = tone(1).samples
    sound = Onward(RATE)
    sound.add_clip("a", clip, 1)
    ears.player.play(sound)
    eventually(lambda: ears.player.position == pytest.approx(1), "the end of what is there")
    count = len(stage.streams[0].heard)
    eventually(lambda: len(stage.streams[0].heard) > count + 5, "silence")
    assert ears.player.playing
    assert ears.player.position == pytest.approx(1)
    sound.add_silence("a", 2400)
    sound.add_clip("b", clip, 2)
    sound.finish()
    eventually(lambda: ears.ends == 1, "the end")
    heard = np.concatenate(stage.streams[0].heard)
    assert np.array_equal(heard[:RATE], clip)
    second = np.flatnonzero(np.abs(heard[RATE:]) > 0)[0] + RATE - 1
    assert np.array_equal(heard[second : second + RATE], clip)


# Devices.


def test_devices_are_named_once_and_found_by_name_or_part_of_it(stage: Stage) -> None:
    module = sys.modules["sounddevice"]
    stage.known = stage.names = ["Speakers", "Speakers", "Anna's Headset", "Old Headset"]
    assert output_names(module) == ("Speakers", "Anna's Headset", "Old Headset")
    assert find_output(module, "Speakers") == 0
    assert find_output(module, "anna") == 2
    assert find_output(module, "headset") is None, "two of them"
    assert find_output(module, "moon") is None


def test_a_list_is_made_anew_unless_something_plays(stage: Stage, ears: Ears) -> None:
    stage.names.append("Beamer")
    assert Player.devices() == ("Speakers", "Headset", "Beamer")
    ears.player.play(tone(60))
    stage.names.append("Radio")
    assert "Radio" not in Player.devices()
    ears.player.stop()
    eventually(lambda: not device._OPEN, "the device given back")
    assert "Radio" in Player.devices()


def test_a_device_that_leaves_and_comes_back(stage: Stage, ears: Ears) -> None:
    player = ears.player
    player.device = "Headset"
    ears.hear(stage, tone(0.1))
    assert stage.streams[-1].options["device"] == 1
    stage.names.remove("Headset")
    for _ in range(2):
        ears.hear(stage, tone(0.1))
        assert stage.streams[-1].options["device"] is None
    assert ears.notices == ["“Headset” is not here; playing on the system's own device."]
    stage.names.append("Headset")
    ears.hear(stage, tone(0.1))
    assert stage.streams[-1].options["device"] == 1
    stage.names.remove("Headset")
    ears.hear(stage, tone(0.1))
    assert len(ears.notices) == 2, "another leave is other news"


def test_another_device_takes_over_what_plays(stage: Stage, ears: Ears) -> None:
    ears.player.play(tone(60))
    eventually(lambda: ears.player.position > 5, "five seconds")
    ears.player.set_device("Headset")
    assert stage.streams[-1].options["device"] == 1
    assert ears.player.position >= 4.9
    eventually(lambda: stage.streams[0].closed, "the old one given back")
    assert ears.ends == 0
    assert ears.player.playing


def test_headphones_connected_since_are_the_systems_own_on_macos(
    stage: Stage, ears: Ears, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device.sys, "platform", "darwin")
    monkeypatch.setattr(device, "_looked", 0.0)
    ears.hear(stage, tone(0.1))
    looks = stage.looks
    assert looks == 1
    ears.hear(stage, tone(0.1))
    assert stage.looks == looks, "not at every sound"
    monkeypatch.setattr(device, "FRESH_SECONDS", 0.0)
    eventually(lambda: not device._OPEN, "the device given back")
    ears.hear(stage, tone(0.1))
    assert stage.looks > looks


def test_without_any_device_there_are_sentences(stage: Stage, ears: Ears) -> None:
    stage.gone = True
    ears.player.device = "Headset"
    with pytest.raises(MachineFault, match="no sound device was found"):
        ears.player.play(tone(0.1))
    assert Player.devices() == ()
