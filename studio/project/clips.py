"""Clips on disk: FLAC files named by the hash of their samples, written whole or not at all."""

from __future__ import annotations

import errno
import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from studio.errors import MachineFault
from studio.project import unfinished
from studio.project.recipe import pcm_hash

if TYPE_CHECKING:
    # Like soundfile below: opening a book need not wait for what decodes its clips.
    import numpy as np
    from numpy.typing import NDArray

CLIPS_NAME = "clips"
EXPORTS_NAME = "exports"
TEMPORARY_PREFIX = ".part-"
"""How the name of a file begins that is not finished."""


class DamagedClip(Exception):
    """A clip is missing or is not what its name says; the text says which of the two."""


def clip_name(pcm_digest: str) -> str:
    """Path of a clip below the project's folder."""
    return f"{CLIPS_NAME}/{pcm_digest[:2]}/{pcm_digest}.flac"


def write_clip(folder: Path, pcm: NDArray[np.int16], rate: int) -> str:
    """Put a clip on disk; a clip that is there already and intact is left alone.

    Args:
        folder: The project.
        pcm: Samples, shape (frames, channels); or (frames,) for one channel.
        rate: Samples per second.

    Returns:
        The hash of the samples, which names the clip.

    Raises:
        MachineFault: The disk is full or cannot be written to; nothing is left behind.
    """
    import soundfile

    digest = pcm_hash(pcm, rate)
    path = folder / clip_name(digest)
    if path.exists():
        try:
            read_clip(folder, digest)
        except DamagedClip:
            pass  # Written again below.
        else:
            return digest
    buffer = io.BytesIO()
    soundfile.write(buffer, pcm, rate, format="FLAC", subtype="PCM_16")
    write_atomically(path, buffer.getbuffer())
    return digest


def read_clip(folder: Path, pcm_digest: str) -> tuple[NDArray[np.int16], int]:
    """Samples (frames, channels) and rate of a clip, checked against its name.

    Raises:
        DamagedClip: It is missing or damaged.
    """
    import soundfile

    path = folder / clip_name(pcm_digest)
    try:
        pcm, rate = soundfile.read(path, dtype="int16", always_2d=True)
    except soundfile.LibsndfileError as error:
        raise DamagedClip("damaged" if path.exists() else "missing") from error
    if pcm_hash(pcm, rate) != pcm_digest:
        raise DamagedClip("damaged")
    return pcm, int(rate)


def glance_at_clip(folder: Path, pcm_digest: str, rate: int, channels: int, frames: int) -> None:
    """Check a clip by its header alone.

    Raises:
        DamagedClip: It is missing, or its header says something else.
    """
    import soundfile

    path = folder / clip_name(pcm_digest)
    try:
        header = soundfile.info(path)
    except soundfile.LibsndfileError as error:
        raise DamagedClip("damaged" if path.exists() else "missing") from error
    if (header.samplerate, header.channels, header.frames) != (rate, channels, frames):
        raise DamagedClip("damaged")


def clip_files(folder: Path) -> Iterator[Path]:
    """Every finished clip in a project's folder."""
    yield from sorted((folder / CLIPS_NAME).glob("??/*.flac"))


def leftovers(folder: Path) -> list[Path]:
    """Unfinished files that a crash has left behind; not those that are being written."""
    return unfinished.abandoned(
        [
            *folder.glob(f"{TEMPORARY_PREFIX}*"),
            *(folder / CLIPS_NAME).glob(f"*/{TEMPORARY_PREFIX}*"),
            *(folder / EXPORTS_NAME).glob(unfinished.EXPORT_PATTERN),
        ]
    )


def write_atomically(path: Path, content: bytes | memoryview) -> None:
    """Write a file so that a crash at any moment leaves the old one or the new one.

    Raises:
        MachineFault: The disk is full or cannot be written to; nothing is left behind.
    """
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=TEMPORARY_PREFIX)
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            unfinished.hold(handle)
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), 0o644)
            os.fsync(file.fileno())
        temporary.replace(path)
        temporary = None
        sync_folder(path.parent)
    except OSError as error:
        raise MachineFault(disk_sentence(path, error)) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def disk_sentence(path: Path, error: OSError) -> str:
    """What a disk says when a file cannot be written, in words."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"The disk of {path.parent} is full; make room and try again."
    return (
        f"{path} cannot be written ({error.strerror}); check the folder's permissions and the disk."
    )
