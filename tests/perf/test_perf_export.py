"""Assembling and exporting: ≥ 300× real time in constant memory, and over 4 GiB in one file."""

from __future__ import annotations

import resource
import shutil
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile

from studio.sound.assembly import Piece, Timeline
from studio.sound.export import export_wav
from studio.sound.source import Samples

pytestmark = [pytest.mark.perf, pytest.mark.slow]

RATE = 24000
CLIP_FRAMES = 4 * RATE
RSS_UNIT = 1 if sys.platform == "darwin" else 1024


class Zeros:
    """A source of silence of any length."""

    rate = RATE

    def __init__(self, frames: int) -> None:
        """Be ``frames`` long."""
        self.frames = frames

    def read(self, start: int, count: int) -> Samples:
        """Give silence."""
        return np.zeros(max(0, min(count, self.frames - start)), np.float32)


def test_twenty_five_hours_in_one_file(tmp_path: Path) -> None:
    frames = 25 * 3600 * RATE
    if shutil.disk_usage(tmp_path).free < 6e9:
        pytest.skip("5 GB of free disk are needed")
    try:
        done = export_wav(Zeros(frames), tmp_path / "long.wav")
        info = soundfile.info(done.path)
        assert done.rf64
        assert (info.format, info.frames) == ("RF64", frames)
    finally:
        (tmp_path / "long.wav").unlink(missing_ok=True)


def chapter(folder: Path, hours: float) -> Timeline:
    """Make a chapter of clips of four seconds that are decoded from FLAC as a project does."""
    flac = folder / "clip.flac"
    noise = np.random.default_rng(2).normal(0, 2000, CLIP_FRAMES)
    speech = noise * (np.sin(np.arange(CLIP_FRAMES) / 3000) ** 2)
    soundfile.write(flac, speech.astype(np.int16), RATE)

    def load() -> tuple[np.ndarray, int]:
        """Decode."""
        return soundfile.read(flac, dtype="int16", always_2d=True)

    count = round(hours * 3600 / 4.3)
    return Timeline([Piece(CLIP_FRAMES, RATE, load, 300, str(n)) for n in range(count)], RATE)


def test_speed_and_memory_of_an_hour(tmp_path: Path) -> None:
    export_wav(chapter(tmp_path, 0.05), tmp_path / "warm.wav", rate=44100)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for rate, bits in ((None, 16), (44100, 16), (48000, 24)):
        timeline = chapter(tmp_path, 1)
        wall, cpu = time.monotonic(), time.process_time()
        export_wav(timeline, tmp_path / "hour.wav", rate=rate, bits=bits)
        wall, cpu = time.monotonic() - wall, time.process_time() - cpu
        print(
            f"{rate or RATE} Hz {bits} bit: {timeline.seconds / wall:.0f}× real time, "
            f"{timeline.seconds / cpu:.0f}× by CPU"
        )
        assert timeline.seconds / cpu > 300
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * RSS_UNIT / 2**20
    print(f"the peak grew by {grown:.1f} MiB")
    assert grown < 20
