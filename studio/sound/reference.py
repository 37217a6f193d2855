"""Reference audio of a voice: whether it can be read at all, and its plain facts.

What makes a good reference only the engine knows; it says so when it prepares the voice.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from studio.errors import BadInput
from studio.sound.recording import KINDS

LONGEST_SECONDS = 15 * 60
"""Far more than any engine takes; what is longer is a book and no reference."""

_BLOCK_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Reference:
    """What was read from a file."""

    seconds: float
    rate: int
    channels: int

    @property
    def words(self) -> str:
        """Such as ``5.2 s, 24,000 Hz, mono``."""
        channels = {1: "mono", 2: "stereo"}.get(self.channels, f"{self.channels} channels")
        return f"{self.seconds:.1f} s, {self.rate:,} Hz, {channels}"


def look_at(path: Path) -> Reference:
    """Decode a file from its beginning to its end; blocks for as long as that takes.

    Raises:
        BadInput: It is missing, no sound, silent, or longer than a reference can be.
    """
    import numpy as np
    import soundfile

    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise BadInput(f"The reference {path} {what}; name a file: {KINDS}.")
    loudest = 0.0
    frames = 0
    try:
        with path.open("rb") as content, soundfile.SoundFile(content) as file:
            rate, channels = int(file.samplerate), int(file.channels)
            if file.frames > LONGEST_SECONDS * rate:
                raise BadInput(
                    f"The reference {path} is longer than {LONGEST_SECONDS // 60} minutes; cut "
                    "a few seconds of clear speech out of it."
                )
            for block in file.blocks(_BLOCK_SECONDS * rate, dtype="float32", always_2d=True):
                frames += len(block)
                if not np.isfinite(block).all():
                    raise BadInput(
                        f"The reference {path} holds values that are no sound (NaN or infinite); "
                        "export it again as 16 or 24 bit."
                    )
                loudest = max(loudest, float(np.abs(block).max(initial=0.0)))
    except OSError as error:
        raise BadInput(f"The reference {path} cannot be read ({error.strerror}).") from error
    except (soundfile.LibsndfileError, ValueError, TypeError) as error:
        raise BadInput(
            f"The reference {path} is no sound that can be read here; {KINDS} can."
        ) from error
    if not frames or not loudest:
        raise BadInput(f"The reference {path} is silent; record it again.")
    return Reference(frames / rate, rate, channels)
