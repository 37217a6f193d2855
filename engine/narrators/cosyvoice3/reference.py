"""Whether a reference is fit for CosyVoice3; what holds for any cloning model is in `references`.

In zero-shot the model reads the transcript as the beginning of what it says, and repeats what is
not what is heard.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.narrators.cosyvoice3.text import Mode
from engine.narrators.references import Reference, judge, read
from engine.registry import Refusal

__all__ = ["Reference", "check", "read"]


def check(
    samples: NDArray[np.floating[Any]],
    rate: int,
    transcript: str,
    language: str,
    mode: Mode = Mode.ZERO_SHOT,
) -> tuple[str, ...]:
    """Judge a reference.

    Args:
        samples: Within -1..1; shape (frames,) or (frames, channels).
        rate: Samples per second.
        transcript: What is said in it; looked at in zero-shot only, where the model reads it.
        language: BCP 47 tag of the voice, or nothing.
        mode: How the voice is cloned.

    Returns:
        Warnings in plain words, the weightiest first; empty for a good reference.

    Raises:
        Refusal: No voice can be made of it.
    """
    if mode is not Mode.ZERO_SHOT:
        return judge(samples, rate, "", language)
    _refuse_transcript(transcript)
    return judge(samples, rate, transcript, language)


def _refuse_transcript(transcript: str) -> None:
    """Zero-shot cloning reads the transcript as the beginning of what it says."""
    if not any(character.isalnum() for character in transcript):
        raise Refusal(
            "The voice has a reference but no transcript. Write down exactly what is said in the "
            "reference, or set the voice's mode to “cross_lingual”, which needs none."
        )
    if "<|" in transcript:
        raise Refusal(
            "The transcript holds “<|”, which is a command to the model. Write down only what is "
            "said in the reference; the model's own preface is put before it."
        )
