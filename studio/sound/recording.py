"""A person's own recording as a take: read, checked, trimmed. The file itself is left alone."""

from __future__ import annotations

import hashlib
import os
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import unquote, urlsplit

from studio.errors import BadInput
from studio.project.recipe import to_int16
from studio.typed_paths import check_path

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LONGEST_SECONDS = 15 * 60
LOWEST_RATE = 8_000
HIGHEST_RATE = 384_000
"""What FLAC keeps whatever the rate is, and more than any microphone needs."""
SILENCE_SECONDS = 0.3
"""Silence at an end that is worth cutting."""
KEPT_SECONDS = 0.05
"""How much of it stays, so that no onset is cut."""
SILENT_DB = -40.0
"""What lies this far below the loudest sample is silence: a room's own noise, not speech."""
_WINDOW_SECONDS = 0.01
KINDS = "WAV, FLAC, AIFF, MP3 or OGG"
"""What a person is told can be read; libsndfile reads a few more."""


@dataclass(frozen=True, slots=True)
class Recording:
    """What was read from a file."""

    name: str
    """The file's name."""
    sha256: str
    """Of the file."""
    pcm: NDArray[np.int16]
    """Shape (frames, channels), one or two channels."""
    rate: int
    before: float
    """Seconds of silence at the start."""
    after: float
    """Seconds of silence at the end."""

    @property
    def seconds(self) -> float:
        """Its length."""
        return len(self.pcm) / self.rate

    @property
    def silence(self) -> str:
        """What trimming would cut, for people: ``1.2 s before and 0.8 s after``, or nothing."""
        ends = ((self.before, "before"), (self.after, "after"))
        return " and ".join(f"{_cut(length):.1f} s {end}" for length, end in ends if _cut(length))

    def trimmed(self) -> Recording:
        """The same without the silence at its ends, but for a moment of it."""
        first = round(_cut(self.before) * self.rate)
        last = len(self.pcm) - round(_cut(self.after) * self.rate)
        before, after = self.before - _cut(self.before), self.after - _cut(self.after)
        return replace(self, pcm=self.pcm[first:last], before=before, after=after)


def _cut(silence: float) -> float:
    """How much of a silence is cut."""
    return silence - KEPT_SECONDS if silence > SILENCE_SECONDS else 0.0


def paths_meant(text: str) -> tuple[Path, ...]:
    """What a line may mean that was typed, or that a terminal wrote when a file was dropped on it.

    Args:
        text: A path, as it is, in quotes, with backslashes before its blanks, or as a file URL.

    Returns:
        The readings, the likeliest first; more than one where a backslash or a quote may belong
        to the name.
    """
    line = text.strip()
    found = [line]
    if line.lower().startswith("file://"):
        found = [unquote(urlsplit(line).path)]
    else:
        try:
            words = shlex.split(line)
        except ValueError:
            words = []
        if len(words) == 1:
            found.append(words[0])
    return tuple(dict.fromkeys(_home(path) for path in found if path))


def _home(path: str) -> Path:
    """A path with ``~`` at its start filled in, where there is such a person."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def read_recording(text: str) -> Recording:
    """Read a recording; blocks for as long as decoding takes.

    Args:
        text: Its path, as `paths_meant` understands it.

    Returns:
        The recording at its own rate, mixed down to two channels where it has more.

    Raises:
        BadInput: It cannot be a take; the sentence says why.
    """
    path = _existing(text)
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > _MOST_BYTES:
                raise BadInput(_too_long(path))
            if not size:
                raise BadInput(f"{path} is empty; record it again.")
            samples, rate = _decoded(path, file)
            file.seek(0)
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}).") from error
    pcm = to_int16(_few_channels(samples))
    before, after = _silences(pcm, rate)
    return Recording(path.name, sha256, pcm, rate, before, after)


_MOST_BYTES = 4 * 8 * 192_000 * LONGEST_SECONDS
"""More than the longest recording can have; what is larger is not read at all."""


def _existing(text: str) -> Path:
    """The file that a line means."""
    meant = paths_meant(text)
    for path in meant:
        # Unlike `Path.is_file` it refuses nothing: a page that was pasted is no file either.
        if os.path.isfile(path):
            return path
    for path in meant:
        if os.path.isdir(path):
            raise BadInput(f"{path} is a folder; name a file: {KINDS}.")
    named = meant[-1] if meant else Path(text)
    check_path(named)
    raise BadInput(f"There is no file {named}; check the path, or drop the file on the terminal.")


def _decoded(path: Path, content: BinaryIO) -> tuple[NDArray[np.float32], int]:
    """Samples of shape (frames, channels) and rate, checked.

    What is no sound at all is told by its beginning: a film is not read into memory for that.
    """
    import numpy as np
    import soundfile

    try:
        with soundfile.SoundFile(content) as file:
            rate = int(file.samplerate)
            if rate < LOWEST_RATE:
                raise BadInput(
                    f"{path} has {rate:,} samples per second, too few for speech; record it with "
                    f"{LOWEST_RATE:,} or more."
                )
            if rate > HIGHEST_RATE or (rate > 65_535 and rate % 10):
                raise BadInput(
                    f"{path} has {rate:,} samples per second, which cannot be kept; export it "
                    "with 48,000 or 96,000."
                )
            if file.frames > LONGEST_SECONDS * rate:
                raise BadInput(_too_long(path))
            # Of a file that was cut short libsndfile gives what there is.
            samples = file.read(LONGEST_SECONDS * rate, dtype="float32", always_2d=True)
    except (soundfile.LibsndfileError, ValueError, TypeError) as error:
        raise BadInput(f"{path} is no sound that can be read here; {KINDS} can.") from error
    if not len(samples):
        raise BadInput(f"{path} holds no sound; record it again.")
    if not np.isfinite(samples).all():
        raise BadInput(
            f"{path} holds values that are no sound (NaN or infinite); export it again as 16 or "
            "24 bit."
        )
    return samples, rate


def _too_long(path: Path) -> str:
    minutes = LONGEST_SECONDS // 60
    return f"{path} is longer than {minutes} minutes; a take is one segment, so cut it out first."


def _few_channels(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """One or two channels as they are, more of them mixed down to one."""
    return samples if samples.shape[1] <= 2 else samples.mean(axis=1, keepdims=True)


def _silences(pcm: NDArray[np.int16], rate: int) -> tuple[float, float]:
    """Seconds of silence at the start and at the end; none where all of it is silent."""
    import numpy as np

    loudness = np.abs(pcm.astype(np.int32)).max(axis=1)
    window = max(1, round(rate * _WINDOW_SECONDS))
    starts = np.arange(0, len(loudness), window)
    peaks = np.maximum.reduceat(loudness, starts)
    sounding = np.flatnonzero(peaks > peaks.max() * 10 ** (SILENT_DB / 20))
    if not len(sounding):
        return 0.0, 0.0
    end = min(len(loudness), int(starts[sounding[-1]]) + window)
    return int(starts[sounding[0]]) / rate, (len(loudness) - end) / rate
