"""A chapter becomes a WAV file, whole or not at all.

The file is written here rather than by libsndfile because that reports a full disk only as "system
error", cannot be told to sync, and lets a plain WAV run past 4 GiB with a wrong length. Samples are
rounded half to even without dither, so exporting twice gives the same bytes, and at the engine's
own rate and 16 bits the clips leave as they came (but for the fades at their edges).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import struct
import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

import numpy as np

from studio.errors import MachineFault
from studio.sound.source import AudioSource, Resampled, Samples

BLOCK = 1 << 16
"""Frames converted and written at a time."""

NAME_BYTES = 120
"""Longest chapter file name in UTF-8; leaves room for folders and for other tools' suffixes."""

_SPARE = 1 << 20
"""Free space that is left untouched, in bytes."""
_PART_PREFIX, _PART_SUFFIX = ".rhapsode-", ".part"
_ORPHAN_SECONDS = 60.0
"""An unfinished file is left alone for so long, for its owner may be about to lock it."""
_UNSIZED = 0xFFFFFFFF
"""Stands in RF64's 32-bit size fields; the true sizes are in its ds64 chunk."""


@dataclass(frozen=True, slots=True)
class ExportResult:
    """What was written."""

    path: Path
    frames: int
    rate: int
    bits: int
    bytes: int
    """Size of the file."""
    rf64: bool
    """Whether it is an RF64 file, being too long for a plain WAV."""

    @property
    def seconds(self) -> float:
        """Length of the sound."""
        return self.frames / self.rate


def export_wav(
    source: AudioSource,
    path: Path,
    *,
    rate: int | None = None,
    bits: Literal[16, 24] = 16,
    progress: Callable[[float], None] | None = None,
) -> ExportResult:
    """Write a mono WAV file; past 4 GiB it becomes RF64.

    The sound is streamed into a temporary file beside ``path``, which replaces ``path`` only once
    it is safe on the disk. Whatever goes wrong, an older export stays as it was.

    Args:
        source: Usually a `Timeline`.
        path: Where to; missing folders are made.
        rate: Hz; None keeps the source's. Another rate goes through one resampler from start to
            end, so that there is no seam at the joins.
        bits: Bits per sample.
        progress: Told the fraction done, from 0 to 1; what it raises ends the export.

    Raises:
        MachineFault: The disk is full or the folder cannot be written to.
    """
    sound = source if rate in (None, source.rate) else Resampled(source, rate or source.rate)
    header = wav_header(sound.frames, sound.rate, bits)
    size = file_size(sound.frames, bits)
    folder = path.parent
    temporary = folder / f"{_PART_PREFIX}{secrets.token_hex(6)}{_PART_SUFFIX}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _remove_orphans(folder)
        _check_space(folder, size)
        with temporary.open("xb") as file:
            with contextlib.suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            file.write(header)
            _write_samples(sound, bits, file, progress)
            file.flush()
            os.fsync(file.fileno())
            temporary.replace(path)  # Still held: nobody may take it for a leftover.
        _sync_folder(folder)
    except OSError as error:
        raise MachineFault(
            f"The export needs {_megabytes(size)} in {folder} and could not be written: "
            f"{error.strerror or error}. Make room there or choose another folder."
        ) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    return ExportResult(path, sound.frames, sound.rate, bits, size, needs_rf64(sound.frames, bits))


def needs_rf64(frames: int, bits: int) -> bool:
    """Tell whether a mono file is too long for the 32-bit sizes of a plain WAV."""
    return 36 + _padded(_data_size(frames, bits)) > 0xFFFFFFFF


def file_size(frames: int, bits: int) -> int:
    """Give the size in bytes of a whole mono file."""
    header = 80 if needs_rf64(frames, bits) else 44
    return header + _padded(_data_size(frames, bits))


def wav_header(frames: int, rate: int, bits: int) -> bytes:
    """Make the bytes before the samples: RIFF, or RF64 with its ds64 chunk."""
    width = bits // 8
    data = _data_size(frames, bits)
    rf64 = needs_rf64(frames, bits)
    riff_size = file_size(frames, bits) - 8
    form = struct.pack(
        "<4sI4s", b"RF64" if rf64 else b"RIFF", _UNSIZED if rf64 else riff_size, b"WAVE"
    )
    ds64 = struct.pack("<4sIQQQI", b"ds64", 28, riff_size, data, frames, 0) if rf64 else b""
    fmt = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, rate, rate * width, width, bits)
    return form + ds64 + fmt + struct.pack("<4sI", b"data", _UNSIZED if rf64 else data)


def encode(samples: Samples, bits: int) -> bytes:
    """Round to little-endian integers, half to even, clipped at full scale."""
    full = float(1 << (bits - 1))
    # Doubles: float32 has no room for the half steps of a 24-bit number.
    scaled = np.rint(samples.astype(np.float64) * full)
    whole = np.clip(scaled, -full, full - 1)
    if bits == 16:
        return whole.astype("<i2").tobytes()
    return whole.astype("<i4").view(np.uint8).reshape(-1, 4)[:, :3].tobytes()


def chapter_file_name(number: int, title: str, suffix: str = ".wav") -> str:
    """Name a chapter's file: its number, then as much of its title as is safe and fits.

    The number has three digits, so that names sort as the book does, and comes first, so that
    chapters of one title do not meet.
    """
    stem = f"{number:03d}"
    room = NAME_BYTES - len(f"{stem} {suffix}".encode())
    safe = "".join(_safe(character) for character in title)
    words = " ".join(unicodedata.normalize("NFC", safe).split())
    cut = words.encode()[:room].decode(errors="ignore")
    # A mark or joiner at the very end of a cut title would belong to a letter that is gone.
    while len(cut) < len(words) and cut and unicodedata.combining(words[len(cut)]):
        cut = cut[:-1]
    cut = cut.strip(" .")
    return f"{stem} {cut}{suffix}" if cut else f"{stem}{suffix}"


def _safe(character: str) -> str:
    """Give what stands for a character in a name: itself, a space, or nothing."""
    category = unicodedata.category(character)
    if category == "Cf":
        return ""
    forbidden = character in '/\\:*?"<>|' or category in ("Cc", "Cs", "Zl", "Zp")
    return " " if forbidden else character


def _data_size(frames: int, bits: int) -> int:
    """Give the bytes of all samples."""
    return frames * (bits // 8)


def _padded(size: int) -> int:
    """Round up to the even size that a RIFF chunk takes."""
    return size + size % 2


def _write_samples(
    sound: AudioSource, bits: int, file: BinaryIO, progress: Callable[[float], None] | None
) -> None:
    """Stream all samples, block by block."""
    done = 0
    while done < sound.frames:
        samples = sound.read(done, BLOCK)
        file.write(encode(samples, bits))
        done += len(samples)
        if progress is not None:
            progress(done / sound.frames)
    if _data_size(sound.frames, bits) % 2:
        file.write(b"\0")


def _remove_orphans(folder: Path) -> None:
    """Delete what killed exports have left here; a living one holds a lock on its file."""
    for path in folder.glob(f"{_PART_PREFIX}*{_PART_SUFFIX}"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime < _ORPHAN_SECONDS:
                continue
            with path.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()


def _check_space(folder: Path, size: int) -> None:
    """Refuse before anything is written where it cannot fit."""
    free = shutil.disk_usage(folder).free
    if free < size + _SPARE:
        raise MachineFault(
            f"The export needs {_megabytes(size)} in {folder}, where {_megabytes(free)} are free. "
            "Make room there or choose another folder."
        )


def _sync_folder(folder: Path) -> None:
    """Make the new name as lasting as the file, where the file system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _megabytes(size: int) -> str:
    """Write a size for people."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"
