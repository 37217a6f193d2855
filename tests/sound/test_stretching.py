"""Faster and slower at the same pitch: real helper processes, and helpers that die."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sound_rig import eventually

from studio.sound import stretching
from studio.sound.source import ENDLESS, ClipSource, Samples
from studio.sound.stretching import Stretched, Tempo

RATE = 24_000
SPEEDS = (0.75, 0.9, 1.1, 1.25, 1.5, 1.75, 2.0)


@pytest.fixture
def tempo() -> Iterator[Tempo]:
    """A helper, ended with the test."""
    made = Tempo()
    yield made
    made.close()


def tone(seconds: float, hertz: float = 220.0) -> Samples:
    """A pure tone."""
    return (
        np.sin(2 * np.pi * hertz * np.arange(round(seconds * RATE)) / RATE).astype(np.float32) / 2
    )


def pitch(samples: Samples) -> float:
    """The strongest frequency."""
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples)), 1 << 18))
    return float(np.argmax(spectrum)) * RATE / (1 << 18)


def whole(sound: Stretched, start: int = 0, block: int = 6000) -> Samples:
    """Read on to the end."""
    parts = []
    at = start
    while at < sound.frames:
        parts.append(sound.read(at, block))
        assert len(parts[-1]), "it stands still before its end"
        at += len(parts[-1])
    return np.concatenate(parts)


@pytest.mark.parametrize("speed", SPEEDS)
def test_a_tone_keeps_its_pitch_and_has_the_length_that_was_told(
    tempo: Tempo, speed: float
) -> None:
    source = tone(3)
    tempo.speed = speed
    heard = whole(Stretched(ClipSource(source, RATE), tempo))
    assert len(heard) / RATE == pytest.approx(3 / speed, rel=1e-3)
    sounding = np.flatnonzero(np.abs(heard) > 0.05)
    assert sounding[-1] / RATE == pytest.approx(3 / speed, rel=0.02)
    assert pitch(heard[2400 : sounding[-1] - 2400]) == pytest.approx(220, rel=0.01)
    # A click would be a step that the tone itself does not make.
    steepest = np.abs(np.diff(source)).max()
    assert np.abs(np.diff(heard[: sounding[-1] - 100])).max() < 1.1 * steepest


def test_a_seek_goes_to_the_same_place_of_the_sound(tempo: Tempo) -> None:
    source = np.concatenate([tone(2, 220), tone(2, 440), tone(2, 660)])
    tempo.speed = 1.5
    sound = Stretched(ClipSource(source, RATE), tempo)
    sound.read(0, 9600)
    for seconds, hertz in ((2.5, 440), (4.5, 660), (0.5, 220)):
        frame = round(sound.pace.frame_of(seconds * RATE))
        assert sound.pace.heard_at(frame) == pytest.approx(seconds * RATE, abs=1)
        parts = [sound.read(frame + 2400 * place, 2400) for place in range(3)]
        assert pitch(np.concatenate(parts)) == pytest.approx(hertz, rel=0.01)


def test_one_helper_serves_sound_after_sound_and_leaves_when_told(tempo: Tempo) -> None:
    tempo.speed = 1.25
    pids = set()
    for _ in range(3):
        whole(Stretched(ClipSource(tone(0.3), RATE), tempo))
        pids.add(tempo.pid)
    (pid,) = pids
    assert pid is not None
    tempo.close()
    assert tempo.pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_helper_that_dies_is_replaced_and_nothing_of_the_sound_is_lost(tempo: Tempo) -> None:
    told: list[str] = []
    tempo._on_trouble = told.append
    tempo.speed = 1.5
    sound = Stretched(ClipSource(tone(3), RATE), tempo)
    first = sound.read(0, 12_000)
    killed = tempo.pid
    assert killed is not None
    os.kill(killed, signal.SIGKILL)
    rest = whole(sound, 12_000)
    assert tempo.pid not in (None, killed)
    assert told == []
    heard = np.concatenate([first, rest])
    assert len(heard) == sound.frames == 48_000
    assert pitch(heard[2400:45_000]) == pytest.approx(220, rel=0.01)
    assert np.abs(heard[:46_000].reshape(-1, 400)).max(axis=1).min() > 0.3, "a hole in the sound"


def test_without_a_helper_the_sound_goes_on_at_normal_speed_and_that_is_said_once(
    tempo: Tempo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    tempo._on_trouble = told.append
    tempo.speed = 2.0
    source = np.arange(RATE * 2, dtype=np.float32) / (RATE * 2)
    sound = Stretched(ClipSource(source, RATE), tempo)
    assert len(sound.read(0, 6000)) == 6000
    broken = tmp_path / "broken.py"
    broken.write_text("raise SystemExit(1)\n")
    monkeypatch.setattr(stretching, "_PROGRAM", broken)
    assert tempo.pid is not None
    os.kill(tempo.pid, signal.SIGKILL)
    rest = whole(sound, 6000)
    assert rest == pytest.approx(source[12_000:])
    assert sound.frames == 6000 + 36_000
    assert sound.pace.heard_at(6000 + 100) == 12_100
    assert sound.pace.frame_of(12_100) == 6100
    whole(Stretched(ClipSource(source, RATE), tempo))
    assert len(told) == 1
    assert "normal speed" in told[0]


def test_a_helper_that_hangs_is_given_up(
    tempo: Tempo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging = tmp_path / "hanging.py"
    hanging.write_text("import sys\nsys.stdin.buffer.read()\n")
    monkeypatch.setattr(stretching, "_PROGRAM", hanging)
    monkeypatch.setattr(stretching, "ANSWER_SECONDS", 0.2)
    tempo.speed = 1.5
    sound = Stretched(ClipSource(tone(0.5), RATE), tempo)
    assert whole(sound) == pytest.approx(tone(0.5))
    assert tempo.pid is None, "what hangs is ended"


def test_what_is_not_laid_out_yet_is_waited_for(tempo: Tempo) -> None:
    class Growing:
        """A sound of which the end is not known."""

        rate = RATE
        frames = ENDLESS
        there = 12_000
        samples = tone(2)

        def read(self, start: int, count: int) -> Samples:
            """Give what is there."""
            return self.samples[start : min(start + count, self.there)]

    source = Growing()
    tempo.speed = 1.5
    sound = Stretched(source, tempo)
    assert sound.frames == ENDLESS
    parts = [sound.read(0, 20_000)]
    assert 0 < len(parts[0]) <= 8000
    assert len(sound.read(len(parts[0]), 6000)) == 0
    source.there = source.frames = len(source.samples)
    parts.append(whole(sound, len(parts[0])))
    heard = np.concatenate(parts)
    assert len(heard) == 32_000
    assert np.abs(heard[:30_000].reshape(-1, 400)).max(axis=1).min() > 0.3, "a hole in the sound"


def test_the_helper_ends_with_its_studio(tmp_path: Path) -> None:
    import subprocess

    script = (
        "from studio.sound.stretching import Tempo\n"
        "import os\n"
        "tempo = Tempo()\n"
        "tempo.begin(24000, 1.5)\n"
        "print(tempo.pid, flush=True)\n"
        "os._exit(0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    pid = int(done.stdout)

    def gone() -> bool:
        """Whether the helper has left, or only waits to be collected by whoever adopted it."""
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except FileNotFoundError:
            return True

    if Path("/proc/self/stat").exists():
        eventually(gone, "the helper to end")
