"""Whether a clip is what its engine says: checked before anything else may touch it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine import wire
from studio.review.pace import expected_seconds

RUNAWAY_FACTOR = 10.0
"""Times the expected length beyond which a clip is a runaway, not a slow reader."""

RUNAWAY_SECONDS = 6.0
"""A clip shorter than this is no runaway, however short its text."""


class BadClip(ValueError):
    """A clip that cannot be used; the text is a plain sentence."""


def samples(
    clip: wire.Clip, payload: bytes, card: wire.Card, text: str, speed: float = 1.0
) -> NDArray[np.float32]:
    """The samples of a clip, if they are good.

    Args:
        clip: What the engine says of it.
        payload: What came with it.
        card: What the engine said of itself.
        text: What should be heard.
        speed: Reading speed that was asked for.

    Returns:
        Array of shape (frames, channels), float32, a view of the payload.

    Raises:
        BadClip: No bytes, too few, not finite, another rate or more channels than the engine
            stated, or absurdly long.
    """
    name = card.engine
    raw = wire.split_blobs(clip, payload).get("pcm")
    if clip.channels not in (1, 2):
        raise BadClip(f"The engine {name} sent a clip with {clip.channels} channels.")
    if clip.rate != card.sample_rate:
        raise BadClip(
            f"The engine {name} sent a clip at {clip.rate} Hz, but promised {card.sample_rate} Hz."
        )
    if clip.frames <= 0 or raw is None or len(raw) == 0:
        raise BadClip(f"The engine {name} said done, but sent no sound.")
    wanted = clip.frames * clip.channels * 4
    if len(raw) != wanted:
        raise BadClip(
            f"The engine {name} sent {len(raw):,} bytes of sound and announced {wanted:,}."
        )
    data = np.frombuffer(raw, dtype="<f4").reshape(clip.frames, clip.channels)
    if not np.isfinite(data).all():
        raise BadClip(f"The engine {name} sent samples that are not numbers (NaN or infinite).")
    seconds = clip.frames / clip.rate
    expected = expected_seconds(text, speed)
    if seconds > RUNAWAY_SECONDS and seconds > RUNAWAY_FACTOR * expected:
        raise BadClip(
            f"The engine {name} ran away: {seconds:.0f} seconds of sound for a text of about "
            f"{expected:.0f}."
        )
    return data
