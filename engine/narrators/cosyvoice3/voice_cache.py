"""Features of a reference, kept on disk so that each is made once.

A file is named by everything that decides what is in it: the reference's bytes, the model, the code
and the libraries that made it. So nothing here can go stale, and any file may be deleted at any
time. What cannot be read is made again; where nothing can be written, nothing is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from engine.narrators.cosyvoice3.frontend import FRAMES_PER_TOKEN, MEL_BANDS, SPEAKER, Features

VERSION = 1
"""Raised with every change of `frontend` after which a reference may give other features."""
LIBRARIES = ("torch", "torchaudio", "onnxruntime", "numpy")
MOST = 64
"""Files that are kept, the latest used ones: about 30 MB."""
_ABANDONED = 3600.0
"""Seconds after which a file that is still being written is not."""


class VoiceCache:
    """Features by reference, in one folder; safe to share between processes."""

    def __init__(self, folder: Path | None, model: str) -> None:
        """Use a folder.

        Args:
            folder: Made when something is first kept; None keeps nothing.
            model: Fingerprint of the weights.
        """
        self._folder = folder
        self._model = model

    def features(self, reference: str, make: Callable[[], Features]) -> Features:
        """The features of a reference.

        Args:
            reference: SHA-256 of its bytes.
            make: Makes them; called where they are not kept.
        """
        if self._folder is None:
            return make()
        path = self._folder / f"{self._name(reference)}.npz"
        kept = _read(path)
        if kept is not None:
            with contextlib.suppress(OSError):
                os.utime(path)
            return kept
        made = make()
        # Without a disk to write to, a voice is prepared again each time, and no worse for it.
        with contextlib.suppress(OSError):
            _write(path, made)
            _prune(self._folder)
        return made

    def _name(self, reference: str) -> str:
        """Everything that decides the features, in one name."""
        from engine.build import build

        made_by = build(LIBRARIES)
        parts = [str(VERSION), reference, self._model, *(f"{k}={made_by[k]}" for k in made_by)]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _read(path: Path) -> Features | None:
    """What is kept in a file; None where there is none or it is damaged."""
    try:
        # Opened here: numpy leaves a file open that it cannot make sense of.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            kept = Features(archive["mel24"], archive["speech_tokens"], archive["speaker"])
    except Exception:  # a flipped bit may raise anything, and the answer is always the same
        return None
    tokens = kept.speech_tokens
    shapes = {
        "mel24": (kept.mel24, np.float32, (FRAMES_PER_TOKEN * tokens.size, MEL_BANDS)),
        "speech_tokens": (tokens, np.int32, (tokens.size,)),
        "speaker": (kept.speaker, np.float32, (SPEAKER,)),
    }
    sound = all(a.dtype == kind and a.shape == shape for a, kind, shape in shapes.values())
    return kept if sound else None


def _write(path: Path, features: Features) -> None:
    """Keep features: a whole file under its name, or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(
                file,
                mel24=features.mel24,
                speech_tokens=features.speech_tokens,
                speaker=features.speaker,
            )
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _prune(folder: Path) -> None:
    """Delete the files that were used longest ago, beyond `MOST`, and what a dead process left."""
    aged = sorted(folder.glob("*.npz"), key=lambda path: path.stat().st_mtime)
    stale = time.time() - _ABANDONED
    left = [path for path in folder.glob("*.part") if path.stat().st_mtime < stale]
    for path in aged[:-MOST] + left:
        path.unlink(missing_ok=True)
