"""Speed, volume and device by keys; what is remembered; and no device at all."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

import pytest
from needs import promised
from screens_text import screen_text
from studio_rig import Rig, SilentPlayer, make_project, open_rig

from studio.project.folders import config_folder, data_folder
from studio.sound.source import AudioSource
from studio.ui.preferences import Preferences
from studio.ui.screens.prompt import Choose
from studio.ui.state import STATE_NAME, UserState


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A book."""
    return make_project(tmp_path / "ferry", 1)


async def narrate_two(rig: Rig) -> None:
    """Narrate the first two segments, and go back to the first."""
    await rig.press("r", "j", "r", "k")
    await rig.narrated()


# Keys.


async def test_speed_and_volume_are_shown_and_handed_to_the_player(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await narrate_two(rig)
        await rig.press("greater_than_sign", "greater_than_sign")
        assert rig.notice == "Speed ×1.25."
        await rig.press("left_parenthesis", "left_parenthesis")
        assert rig.notice == "Volume 80%."
        await rig.press("space")
        await rig.until(lambda: "×1.25 vol 80%" in screen_text(rig.app), "the player's line")
        assert rig.player.volume == 0.8
        await rig.until(lambda: rig.player.speed == 1.25)
        await rig.press("less_than_sign", "less_than_sign", "less_than_sign")
        await rig.until(lambda: rig.player.speed == 0.9, "the speed of what plays")
        await rig.press("right_parenthesis", "right_parenthesis")
        await rig.until(lambda: "×0.9 " in screen_text(rig.app))
        assert "vol" not in screen_text(rig.app)


async def test_both_have_their_ends(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press(*["greater_than_sign"] * 7)
        assert "×2 is as far as the speed goes" in rig.notice
        await rig.press(*["right_parenthesis"] * 8)
        assert rig.notice == "Volume 150%."
        await rig.press(*["left_parenthesis"] * 20)
        assert rig.notice == "Volume 0%."


async def test_they_are_there_again_next_time(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("greater_than_sign", "left_parenthesis", "g", "d")
        await rig.until(lambda: isinstance(rig.app.screen, Choose))
        await rig.press("down", "down", "enter")
        await rig.until(lambda: "“Headset”" in rig.notice)
        assert rig.player.device == "Headset"
    async with open_rig(folder) as rig:
        await narrate_two(rig)
        await rig.press("space")
        await rig.until(lambda: rig.player.played)
        player = rig.player
        assert (player.speed, player.volume, player.device) == (1.1, 0.9, "Headset")
        await rig.press("g", "d")
        await rig.until(lambda: isinstance(rig.app.screen, Choose))
        await rig.press("up", "up", "enter")
        await rig.until(lambda: "the system's own device" in rig.notice)
        assert rig.player.device is None


async def test_a_chosen_device_that_is_away_stays_in_the_list(folder: Path) -> None:
    UserState().put(device="nothing is written yet")
    state = UserState()
    state.put(device="Moon Speaker")
    state.write()
    async with open_rig(folder) as rig:
        await rig.press("g", "d")
        await rig.until(lambda: isinstance(rig.app.screen, Choose))
        assert "Moon Speaker" in screen_text(rig.app)
        await rig.press("escape")
        assert rig.screen.listening.device == "Moon Speaker"


async def test_what_the_player_notices_is_said(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await narrate_two(rig)
        await rig.press("space")
        await rig.until(lambda: rig.player.played)
        rig.player.on_notice("“Headset” is not here; playing on the system's own device.")
        await rig.until(lambda: "“Headset” is not here" in rig.notice)
        assert rig.player.playing


# What is kept.


def test_config_toml_names_the_first_device_and_switches_narrating_ahead_off() -> None:
    config_folder().mkdir(parents=True)
    path = config_folder() / "config.toml"
    path.write_text('[sound]\ndevice = "Headset"\n[ui]\nnarrate_ahead = false\n')
    wishes = Preferences.load()
    assert (wishes.device, wishes.narrate_ahead, wishes.problems) == ("Headset", False, ())
    path.write_text('[sound]\ndevice = 3\n[ui]\nnarrate_ahead = "no"\n')
    wishes = Preferences.load()
    assert (wishes.device, wishes.narrate_ahead, len(wishes.problems)) == ("", True, 2)


def test_a_state_that_is_damaged_is_an_empty_one() -> None:
    state = UserState()
    assert state.number("volume", 1.0, 0.0, 1.5) == 1.0
    data_folder().mkdir(parents=True, exist_ok=True)
    path = data_folder() / STATE_NAME
    path.write_text('volume = 7\nspeed = "fast"\ndevice = 3\n')
    state = UserState()
    assert state.number("volume", 1.0, 0.0, 1.5) == 1.0
    assert state.number("speed", 1.0, 0.5, 2.0) == 1.0
    assert state.text("device") == ""
    path.write_bytes(b"\xff\x00 no toml")
    assert UserState().text("device") == ""


def test_two_studios_keep_each_others_values() -> None:
    one, other = UserState(), UserState()
    one.put(volume=0.5)
    other.put(device="Headset")
    one.write()
    other.write()
    both = UserState()
    assert both.number("volume", 1.0, 0.0, 1.5) == 0.5
    assert both.text("device") == "Headset"


def test_a_disk_that_refuses_is_no_reason_to_stop() -> None:
    data_folder().parent.mkdir(parents=True, exist_ok=True)
    data_folder().write_text("a file where the folder should be")
    state = UserState()
    state.put(volume=0.5)
    state.write()
    assert state.number("volume", 1.0, 0.0, 1.5) == 0.5


# No device.


class Stalls:
    """The longest time that the event loop stood still."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._task = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        last = time.monotonic()
        while True:
            await asyncio.sleep(0.005)
            now = time.monotonic()
            self.longest = max(self.longest, now - last)
            last = now

    def end(self) -> float:
        """Stop watching."""
        self._task.cancel()
        return self.longest


class HangingPlayer(SilentPlayer):
    """A sound system that does not answer."""

    def __init__(self) -> None:
        super().__init__()
        self.answer = threading.Event()
        self.calls = 0

    def _hang(self) -> None:
        self.calls += 1
        self.answer.wait(20)

    def play(self, source: AudioSource, start_frame: int = 0) -> None:
        self._hang()

    def devices(self) -> tuple[str, ...]:
        self._hang()
        return ()

    def set_speed(self, speed: float) -> None:
        if speed != 1.0:
            self._hang()


SOUND_KEYS = (
    *("space", "p", "P", "h", "l"),
    *("greater_than_sign", "less_than_sign", "left_parenthesis", "right_parenthesis"),
    *("g", "p", "p", "g", "d"),
)


async def press_all(rig: Rig) -> float:
    """Press every key that has to do with sound, and keys that have not; the longest stall.

    Other work of the machine may stop the loop as well, but not three times at the same place.
    """
    await rig.press("j", "k")  # what is drawn for the first time takes its time
    longest = 10.0
    for _ in range(3):
        stalls = Stalls()
        for key in (*SOUND_KEYS, "j", "k"):
            await rig.press(key)
            if isinstance(rig.app.screen, Choose):
                await rig.press("escape")
        longest = min(longest, stalls.end())
        if longest < promised(0.2):
            break
    await rig.press("j", "m", "k")
    return longest


async def test_without_a_device_every_key_answers_and_the_reason_is_said(folder: Path) -> None:
    sentence = "Nothing can be played because no sound device was found; connect one."
    async with open_rig(folder, refusal=sentence) as rig:
        await narrate_two(rig)
        longest = await press_all(rig)
        await rig.until(lambda: "no sound device was found" in screen_text(rig.app))
        assert not rig.screen.listening.active
        assert [row.number for row in rig.screen.session.rows.all if row.mark] == [2]
        assert longest < promised(0.2)


async def test_a_sound_system_that_hangs_holds_nothing_else_up(folder: Path) -> None:
    async with open_rig(folder) as rig:
        player = rig.player = HangingPlayer()
        await narrate_two(rig)
        try:
            longest = await press_all(rig)
            assert player.calls >= 2
            assert [row.number for row in rig.screen.session.rows.all if row.mark] == [2]
            assert longest < promised(0.2)
            # Threads of others are not used up by calls that hang.
            await asyncio.wait_for(asyncio.to_thread(lambda: None), promised(1))
        finally:
            player.answer.set()
