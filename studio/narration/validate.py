"""Whether a clip is what its engine says: checked before anything else may touch it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine import wire
from studio.project.tokens import MOST_ATTACHED, MOST_BLOBS, NAME, TOKENS_BLOB, are_tokens
from studio.review.pace import expected_seconds

RUNAWAY_FACTOR = 10.0
"""Times the expected length beyond which a clip is a runaway, not a slow reader."""

RUNAWAY_SECONDS = 6.0
"""A clip shorter than this is no runaway, however short its text."""

MOST_NOTES = 8
LONGEST_NOTE = 300
"""Of what an engine says against its own clip; more is no help to anybody."""


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


def attachments(clip: wire.Clip, payload: bytes, card: wire.Card) -> dict[str, bytes]:
    """What came along with a clip's samples, by name, to be kept with the take.

    Raises:
        BadClip: It is more than a take keeps, or is not what its name says.
    """
    name = card.engine
    parts = {key: part for key, part in wire.split_blobs(clip, payload).items() if key != "pcm"}
    size = sum(len(part) for part in parts.values())
    if size > MOST_ATTACHED or len(parts) > MOST_BLOBS:
        raise BadClip(
            f"The engine {name} sent {size:,} bytes in {len(parts)} attachments to a clip; "
            f"a take keeps {MOST_ATTACHED:,} in {MOST_BLOBS}."
        )
    if strange := next((key for key in parts if not NAME.fullmatch(key)), None):
        raise BadClip(f"The engine {name} sent an attachment by the name {strange[:40]!r}.")
    if not are_tokens(parts.get(TOKENS_BLOB, b"")):
        raise BadClip(f"The engine {name} sent speech tokens that are none.")
    return {key: bytes(part) for key, part in parts.items() if len(part)}


def notes(told: tuple[str, ...]) -> tuple[str, ...]:
    """What an engine says in plain words, fit to be kept and shown: on one line, and short."""
    lines = (" ".join(note.encode("utf-8", "replace").decode().split()) for note in told)
    plain = (clean for line in lines if (clean := "".join(filter(str.isprintable, line))))
    return tuple(dict.fromkeys(line[:LONGEST_NOTE] for line in plain))[:MOST_NOTES]
