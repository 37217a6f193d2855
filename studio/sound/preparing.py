"""A recording on its way to a voice's reference: read, cut and levelled by a helper process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.errors import BadInput, MachineFault

_PROGRAM = Path(__file__).with_name("reference_helper.py")
_PATIENCE = 180.0
"""Seconds the helper may take; a quarter of an hour of sound takes it a few."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A file that a reference may be cut out of."""

    path: Path
    pcm: NDArray[np.int16]
    """Mono, shape (frames,), at `rate`; brought down to full scale where it is beyond it."""
    rate: int
    """At most 48,000."""
    channels: int
    """How many the file has."""

    @property
    def seconds(self) -> float:
        """Its length."""
        return len(self.pcm) / self.rate

    @property
    def words(self) -> str:
        """Such as ``12.4 s, 48,000 Hz, stereo``."""
        channels = {1: "mono", 2: "stereo"}.get(self.channels, f"{self.channels} channels")
        return f"{self.seconds:.1f} s, {self.rate:,} Hz, {channels}"

    def between(self, start: float, end: float) -> NDArray[np.int16]:
        """The samples from one second to another."""
        return self.pcm[max(0, round(start * self.rate)) : round(end * self.rate)]


@dataclass(frozen=True, slots=True)
class Levelled:
    """A cut as it was written."""

    path: Path
    seconds: float
    rate: int
    gain: float
    """dB that were added."""
    lufs: float
    peak: float
    """dBTP."""

    @property
    def words(self) -> str:
        """Such as ``7.9 s, −23.0 LUFS (+3.1 dB), peaks at −6.2 dB``."""
        return (
            f"{self.seconds:.1f} s, {_signed(self.lufs)} LUFS ({self.gain:+.1f} dB), "
            f"peaks at {_signed(self.peak)} dB"
        ).replace("-", "−")


def _signed(number: float) -> str:
    return f"{number:.1f}"


def read_source(path: Path) -> Source:
    """Read any file of sound; blocks for as long as that takes.

    Raises:
        BadInput: It is none, silent, or longer than a quarter of an hour.
        MachineFault: The helper does not run.
    """
    answer, samples = _ask("look", str(path))
    return Source(path, np.frombuffer(samples, "<i2"), answer["rate"], answer["channels"])


def cut(path: Path, start: float, end: float, to: Path) -> Levelled:
    """Write the seconds from ``start`` to ``end`` of a file as FLAC, levelled; blocks meanwhile.

    Args:
        path: What `read_source` has read.
        start: Seconds.
        end: Seconds.
        to: The file to write.

    Raises:
        BadInput: There is nothing to cut there.
        MachineFault: The helper does not run, or cannot write.
    """
    answer, _ = _ask("cut", str(path), f"{start:.6f}", f"{end:.6f}", str(to))
    return Levelled(
        to, answer["seconds"], answer["rate"], answer["gain"], answer["lufs"], answer["peak"]
    )


def _ask(*words: str) -> tuple[dict[str, Any], bytes]:
    """Run the helper for one request."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", str(_PROGRAM), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_PATIENCE,
            check=False,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            start_new_session=True,  # ctrl-c is meant for the studio alone
        )
        line, _, rest = done.stdout.partition(b"\n")
        answer = json.loads(line)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise MachineFault(
            f"{Path(words[1]).name} could not be read: the helper for it has ended. Save the "
            "recording as WAV and try again."
        ) from error
    if "fault" in answer:
        raise MachineFault(answer["fault"])
    if "error" in answer:
        raise BadInput(answer["error"])
    return answer, rest
