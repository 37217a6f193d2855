"""Playing through real PortAudio, and hearing what came out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from needs import promised
from sound_rig import (
    ALSA_FILE,
    ALSA_NOTHING,
    ROOT,
    Speaker,
    alsa_environment,
    need_portaudio,
    pulse,
    run_script,
)

pytestmark = pytest.mark.audio

PRELUDE = """
import json, threading, time
import numpy as np
from studio.errors import MachineFault
from studio.sound.player import ClipSource, Player
from studio.sound.source import Slice

def clip(seconds):
    # No sample is zero, and none is like another for a long while: any loss shows.
    n = np.arange(round(seconds * 24000))
    return ((n * 7919 % 30011 + 1) / 32768).astype(np.float32)

ended, faults = [], []
over = threading.Event()
def on_end():
    ended.append(time.monotonic())
    over.set()
player = Player(on_end=on_end, on_fault=lambda reason: (faults.append(reason), over.set()))

def report(**facts):
    # Anything called twice or late would have come by now.
    player.close()
    print(json.dumps({"ended": len(ended), "faults": faults, **facts}))

def until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, condition
        time.sleep(0.002)
"""


def clip(seconds: float) -> np.ndarray:
    """The same sound as in the scripts."""
    n = np.arange(round(seconds * 24000))
    return ((n * 7919 % 30011 + 1) / 32768).astype(np.float32)


def where(sound: np.ndarray, part: np.ndarray) -> int:
    """Find where ``part`` stands in ``sound``, to the bit; -1 if it does not."""
    for start in np.flatnonzero(sound == part[0]):
        if np.array_equal(sound[start : start + len(part)], part):
            return int(start)
    return -1


def alike(sound: np.ndarray, part: np.ndarray) -> int:
    """Tell for how many frames two sounds are the same."""
    count = min(len(sound), len(part))
    differs = sound[:count] != part[:count]
    return int(np.argmax(differs)) if differs.any() else count


@pytest.mark.parametrize("seconds", [0.04, 1.0, 3.1])
def test_clip_leaves_bit_by_bit_with_silence_after_it(tmp_path: Path, seconds: float) -> None:
    need_portaudio()
    done = run_script(
        PRELUDE
        + f"""
assert Player.available() is None
player.play(ClipSource(clip({seconds}), 24000))
assert over.wait(20)
report(position=player.position, duration=player.duration, playing=player.playing)
""",
        tmp_path,
        **alsa_environment(tmp_path),
    )
    assert done == {
        "ended": 1,
        "faults": [],
        "position": pytest.approx(seconds),
        "duration": pytest.approx(seconds),
        "playing": False,
    }
    heard = np.fromfile(tmp_path / "captured.raw", "<f4")
    expected = clip(seconds)
    at = where(heard, expected)
    assert 0 <= at <= 3072
    rest = heard[at + len(expected) :]
    assert not rest.any()
    assert len(rest) >= 2400, "100 ms of silence let a device play the last samples"


def test_playing_in_real_time_with_seek_and_position() -> None:
    with pulse() as speaker:
        done = run_in(
            speaker,
            """
begun = time.monotonic()
player.play(ClipSource(clip(60), 24000))
until(lambda: player.position > 0.5)
first = (time.monotonic() - begun, player.position)
player.seek(50)
sought = player.position
until(lambda: player.position > 50.5)
later = player.position
player.seek(59.5)
assert over.wait(10)
report(first=first, sought=sought, later=later, position=player.position)
""",
        )
    sound = speaker.sound
    assert done["ended"] == 1
    assert done["faults"] == []
    wall, position = done["first"]
    assert position <= wall, "nothing is heard before it was asked for"
    assert wall < position + promised(2), "opening takes a moment, not seconds"
    assert done["sought"] == pytest.approx(50, abs=0.05)
    assert 50.5 < done["later"] < 59.5
    assert done["position"] == pytest.approx(60)
    whole = clip(60)
    for seconds in (0.0, 50.0, 59.5):
        start = round(seconds * 24000)
        assert where(sound, whole[start : start + 9600]) >= 0, f"not heard: {seconds} s"
    assert where(sound, whole[-2400:]) >= 0, "the last samples were swallowed"


def test_sound_stops_within_a_fifth_of_a_second_and_says_nothing_of_an_end() -> None:
    with pulse() as speaker:
        done = run_in(
            speaker,
            """
player.play(ClipSource(clip(60), 24000))
until(lambda: player.position > 1.0)
began = time.monotonic()
player.stop()
took = time.monotonic() - began
at = player.position
assert not player.playing
again = threading.Event()
player.on_end = again.set           # the end of the next sound shows that none came for this
player.play(ClipSource(clip(0.3), 24000))
assert again.wait(10)
report(took=took, at=at)
""",
        )
    sound = speaker.sound
    assert done["ended"] == 0
    assert done["took"] < promised(0.2)
    whole = clip(60)
    first = where(sound, whole[:9600])
    assert first >= 0
    length = alike(sound[first:], whole)
    assert done["at"] - 0.2 < length / 24000 < done["at"] + 0.2, "heard on after the stop"
    assert where(sound[first + length :], whole[:7200]) >= 0, "the next sound is whole"


def test_pause_is_silent_and_goes_on_where_it_was() -> None:
    with pulse() as speaker:
        done = run_in(
            speaker,
            """
player.play(ClipSource(clip(2.5), 24000))
until(lambda: player.position > 0.8)
player.pause()
states = [player.playing, player.paused]
began = time.monotonic()
until(lambda: time.monotonic() > began + 0.4)
held = player.position
until(lambda: time.monotonic() > began + 0.8)
still = player.position
player.resume()
states += [player.playing, player.paused]
assert over.wait(10)
report(held=held, still=still, states=states)
""",
        )
    sound = speaker.sound
    assert done["ended"] == 1
    assert done["states"] == [False, True, True, False]
    assert done["held"] == done["still"]
    assert 0.8 <= done["held"] < 2.4
    whole = clip(2.5)
    first = where(sound, whole[:9600])
    length = alike(sound[first:], whole)
    assert length / 24000 == pytest.approx(done["held"], abs=1e-3)
    assert where(sound, whole[length:]) > first + length + 9600, "no silence, or something lost"


def test_a_source_that_reads_files_is_heard_whole() -> None:
    with pulse() as speaker:
        done = run_in(
            speaker,
            """
class FromDisk(Slice):                       # anything but a ClipSource is read ahead
    readers = set()
    def read(self, start, count):
        self.readers.add(threading.current_thread().name)
        time.sleep(0.02)
        return super().read(start, count)
source = FromDisk(ClipSource(clip(2), 24000), 0, 48000)
player.play(source, 4800)
assert over.wait(10)
report(readers=sorted(source.readers))
""",
        )
    sound = speaker.sound
    assert done["ended"] == 1
    assert done["readers"] == ["sound reader"], "a callback must not touch files"
    assert where(sound, clip(2)[4800:]) >= 0


def test_a_sound_that_is_laid_out_while_it_plays_is_heard_to_the_bit() -> None:
    with pulse() as speaker:
        done = run_in(
            speaker,
            """
from studio.sound.onward import Onward
sound = Onward(24000)
whole = clip(2)
sound.add_clip("a", whole[:20000], 1)
player.play(sound)
until(lambda: player.position > 0.3)
sound.add_clip("b", whole[20000:30000], 2)      # before it is needed: no gap
until(lambda: sound.taken == 30000 and player.position >= 1.25)
waiting = [player.playing, player.position]
sound.add_clip("c", whole[30000:], 3)           # too late: silence, then on
sound.finish()
assert over.wait(10)
report(waiting=waiting, position=player.position)
""",
        )
    sound, whole = speaker.sound, clip(2)
    assert done["ended"] == 1
    assert done["faults"] == []
    assert done["waiting"] == [True, pytest.approx(1.25)]
    assert done["position"] == pytest.approx(2)
    first = where(sound, whole[:30000])
    assert first >= 0, "a gap where the next piece was there in time"
    assert where(sound[first + 30000 :], whole[30000:]) >= 0


def test_faster_and_softer_through_a_real_device(tmp_path: Path) -> None:
    need_portaudio()
    done = run_script(
        PRELUDE
        + """
tone = np.sin(np.arange(96000) * 2 * np.pi * 220 / 24000).astype(np.float32)
player.set_speed(1.5)
player.volume = 0.5
player.play(ClipSource(tone, 24000))
assert over.wait(20)
report(position=player.position)
""",
        tmp_path,
        **alsa_environment(tmp_path),
    )
    assert done == {"ended": 1, "faults": [], "position": pytest.approx(4)}
    heard = np.fromfile(tmp_path / "captured.raw", "<f4")
    assert np.abs(heard).max() == pytest.approx(0.5, abs=0.02)
    # This device has no clock and asks for more than it needs; only what sounds is looked at.
    loud = heard[np.abs(heard) > 1e-4]
    assert len(loud) / 24000 == pytest.approx(4 / 1.5, rel=0.02)
    crossings = np.count_nonzero(np.diff(np.sign(loud)) > 0)
    assert crossings / (len(loud) / 24000) == pytest.approx(220, rel=0.02)


def test_the_studio_answers_every_key_where_there_is_no_device(tmp_path: Path) -> None:
    need_portaudio()
    done = run_script(
        """
import asyncio, json, time
from pathlib import Path
from studio_rig import Rig, make_project, open_rig
from studio.sound.player import Player
from studio.ui.screens.prompt import Choose

async def main():
    async with open_rig(make_project(Path("BOOK"), 1)) as rig:
        rig.screen.listening._make_player = Player
        await rig.press("r", "j", "r", "k")
        await rig.narrated()
        longest, least = 0.0, 10.0
        async def watch():
            nonlocal longest
            last = time.monotonic()
            while True:
                await asyncio.sleep(0.005)
                longest, last = max(longest, time.monotonic() - last), time.monotonic()
        task = asyncio.create_task(watch())
        said = set()
        for _ in range(3):
            longest = 0.0
            for key in ("space", "p", "P", "left_parenthesis", "greater_than_sign", "p", "g", "d"):
                await rig.press(key)
                said.add(rig.notice)
                if isinstance(rig.app.screen, Choose):
                    await rig.press("escape")
            least = min(least, longest)
        await rig.until(lambda: "no sound device was found" in str(rig.screen.player_line._empty))
        task.cancel()
        return {"least": least, "said": sorted(said)}

print(json.dumps(asyncio.run(main())))
""".replace("BOOK", str(tmp_path / "book")),
        tmp_path,
        **{
            **alsa_environment(tmp_path, ALSA_NOTHING),
            "PYTHONPATH": f"{ROOT}:{ROOT / 'tests' / 'ui'}",
            "RHAPSODE_HOME": str(tmp_path / "home"),
            "TEXTUAL_ANIMATIONS": "none",
        },
    )
    assert any("no sound device was found" in sentence for sentence in done["said"])
    assert done["least"] < promised(0.2), "the screen stood still"


def test_a_program_that_ends_while_playing_does_end() -> None:
    with pulse() as speaker:
        done = run_in(
            speaker,
            """
player.play(Slice(ClipSource(clip(60), 24000), 0, 10**9))
until(lambda: player.position > 0.3)
print(json.dumps({"playing": player.playing}))
""",
        )
    assert done == {"playing": True}


def test_a_sound_server_that_dies_while_playing_is_told_once() -> None:
    with pulse() as speaker:
        done = run_in(
            speaker,
            """
import os, signal
from studio.sound.terminal import own_terminal
with own_terminal():                        # as the studio runs: alsa-lib complains at length
    player.play(ClipSource(clip(60), 24000))
    until(lambda: player.position > 0.5)
    os.kill(int(os.environ["PULSE_SERVER_PID"]), signal.SIGKILL)
    assert over.wait(15)
    began = time.monotonic()
    player.stop()
    took = time.monotonic() - began
    playing = player.playing
    try:
        player.play(ClipSource(clip(1), 24000))
    except MachineFault as error:
        report(took=took, fault=str(error), playing=playing)
""",
        )
    assert done["ended"] == 0
    assert done["faults"] == ["The sound device stopped playing; check that it is still connected."]
    assert done["took"] < promised(0.8)
    assert done["playing"] is False
    assert done["fault"]


def test_without_a_device_there_is_one_plain_sentence(tmp_path: Path) -> None:
    need_portaudio()
    done = run_script(
        PRELUDE
        + """
sentence = Player.available()
try:
    player.play(ClipSource(clip(1), 24000))
except MachineFault as error:
    report(sentence=sentence, fault=str(error), playing=player.playing)
""",
        tmp_path,
        **alsa_environment(tmp_path, ALSA_NOTHING),
    )
    assert done["sentence"] == done["fault"]
    assert "no sound device was found" in done["sentence"]
    assert done["playing"] is False


def test_a_device_that_is_not_here_is_told_once_and_the_systems_own_plays(tmp_path: Path) -> None:
    need_portaudio()
    done = run_script(
        PRELUDE
        + """
notices = []
player.on_notice = notices.append
player.device = "Moon Speaker"
for _ in range(2):
    over.clear()
    player.play(ClipSource(clip(0.2), 24000))
    assert over.wait(20)
report(sentence=Player.available("Moon Speaker"), notices=notices)
""",
        tmp_path,
        **alsa_environment(tmp_path),
    )
    assert done["ended"] == 2
    assert done["notices"] == ["“Moon Speaker” is not here; playing on the system's own device."]
    assert "“Moon Speaker”" in done["sentence"]
    assert where(np.fromfile(tmp_path / "captured.raw", "<f4"), clip(0.2)) >= 0


def test_a_device_that_is_connected_later_is_played_on_from_then_on(tmp_path: Path) -> None:
    need_portaudio()
    both = (
        ALSA_FILE
        + """
pcm.headset {{ type plug slave.pcm "headset_file" }}
pcm.headset_file {{
    type file slave.pcm "nowhere" file "{folder}/headset.raw" format "raw"
    hint {{ show on description "Headset" }}
}}
"""
    )
    environment = alsa_environment(tmp_path)
    done = run_script(
        PRELUDE
        + f"""
import os
from pathlib import Path
notices, lists = [], []
player.on_notice = notices.append
player.device = "headset"
configuration = Path(os.environ["ALSA_CONFIG_PATH"])
without = configuration.read_text()
both = {both.format(folder=tmp_path)!r}
for text in (without, both, without):
    configuration.write_text(text)
    os.utime(configuration, (len(lists), len(lists)))     # as if edited at another time
    lists.append(sorted(Player.devices()))
    over.clear()
    player.play(ClipSource(clip(0.2), 24000))
    assert over.wait(20)
    until(lambda: not __import__("studio.sound.device").sound.device._OPEN)
report(notices=notices, lists=lists)
""",
        tmp_path,
        **environment,
    )
    assert done["ended"] == 3
    assert [("headset" in names) for names in done["lists"]] == [False, True, False]
    sentence = "“headset” is not here; playing on the system's own device."
    assert done["notices"] == [sentence, sentence]
    assert where(np.fromfile(tmp_path / "headset.raw", "<f4"), clip(0.2)) >= 0


def test_without_portaudio_there_is_one_plain_sentence(tmp_path: Path) -> None:
    (tmp_path / "sounddevice.py").write_text('raise OSError("PortAudio library not found")\n')
    done = run_script(
        PRELUDE
        + """
sentence = Player.available()
try:
    player.play(ClipSource(clip(1), 24000))
except MachineFault as error:
    report(sentence=sentence, fault=str(error))
""",
        tmp_path,
        PYTHONPATH=f"{tmp_path}:{ROOT}",
    )
    assert done["sentence"] == done["fault"]
    assert "PortAudio is missing" in done["sentence"]
    if Path("/etc/debian_version").exists():
        assert "sudo apt-get install libportaudio2" in done["sentence"]


def test_importing_the_room_loads_no_audio_library() -> None:
    script = (
        "import sys, studio.sound.player, studio.sound.export, studio.sound.plan;"
        "print([m for m in ('sounddevice', 'scipy', 'textual', 'av') if m in sys.modules])"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert loaded.stdout.strip() == "[]"


def run_in(speaker: Speaker, script: str) -> dict:
    """Run a script that plays on a speaker."""
    folder = Path(speaker.environment["PULSE_RUNTIME_PATH"])
    return run_script(PRELUDE + script, folder, **speaker.environment)
