"""What can be made a voice of: a reference, a built-in speaker, or a description, by model."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.narrators import references
from engine.narrators.qwen3_tts.options import MODES, SETTINGS, Kind, Sampling, listed, sampling
from engine.narrators.qwen3_tts.text import guard
from engine.registry import Refusal
from engine.wire import Voice

if TYPE_CHECKING:
    import mlx.core as mx
    import numpy as np
    from numpy.typing import NDArray

RATE = 24000


@dataclass(frozen=True, slots=True, eq=False)
class Speaker:
    """A prepared voice."""

    sampling: Sampling
    speaker: str | None = None
    instruct: str | None = None
    """A description, or how to read."""
    reference: mx.array | None = None
    """Mono, 24 kHz, shape (samples,)."""
    transcript: str | None = None
    """None where the model is not to read it; never blank."""
    codes: dict[Any, Any] = field(default_factory=dict)
    """mlx-audio's memory of encoded references: of this voice alone, so that it ends with it."""


@dataclass(frozen=True, slots=True)
class Model:
    """What of a model decides which voices there can be."""

    kind: Kind
    speakers: tuple[str, ...]
    follows_style: bool
    """Whether a built-in speaker can be told how to read."""
    controls: Collection[str]
    sampling: Sampling


def prepare(voice: Voice, model: Model) -> tuple[Speaker, tuple[str, ...]]:
    """Make a voice ready.

    Returns:
        The voice, and what may spoil it, in plain sentences.

    Raises:
        Refusal: It cannot be made with this model, or of this reference.
    """
    mode = _mode(voice, model.kind)
    chosen = sampling(voice.settings, model.sampling, cloned=mode == "clone")
    match model.kind:
        case Kind.BASE:
            return _cloned(voice, model, mode, chosen)
        case Kind.CUSTOM_VOICE:
            return _built_in(voice, model, chosen), ()
        case Kind.VOICE_DESIGN:
            return _described(voice, model, chosen), ()


def _mode(voice: Voice, kind: Kind) -> str:
    """The voice's mode, where all its settings are known."""
    unknown = [name for name in voice.settings if name not in ("mode", *SETTINGS)]
    if unknown:
        raise Refusal(
            f"qwen3-tts has no voice setting named {listed(unknown)}; it has "
            f"{listed(('mode', *SETTINGS))}."
        )
    mode = voice.settings.get("mode", MODES[kind][0])
    if mode not in MODES[kind]:
        raise Refusal(
            f"The voice's mode cannot be “{mode}” with this model, which is a “{kind}” model: it "
            f"can be {listed(MODES[kind])}."
        )
    return str(mode)


def _cloned(
    voice: Voice, model: Model, mode: str, chosen: Sampling
) -> tuple[Speaker, tuple[str, ...]]:
    """A voice like that of a reference."""
    _refuse(voice, "speaker", "built-in speakers", "give the voice reference audio, 5 to 10 s")
    _refuse(voice, "description", "voices out of a description", "give the voice reference audio")
    _refuse(voice, "style", "an ear for how to read", "take the voice's style away")
    if not voice.reference:
        raise Refusal(
            "This model has no voice of its own: the voice needs reference audio, 5 to 10 s of it, "
            "and what is said in it, word for word."
        )
    transcript = guard(voice.transcript, model.controls)
    if mode == "clone" and not any(character.isalnum() for character in transcript):
        # An empty transcript is no error to the model: it says garbled words then.
        raise Refusal(
            "The voice has a reference but no transcript, and would say garbled words. Write down "
            "exactly what is said in the reference, or set the voice's mode to “x_vector”, which "
            "needs none and sounds less like the speaker."
        )
    read = transcript if mode == "clone" else None
    heard = references.read(Path(voice.reference))
    notes = references.judge(heard.samples, heard.rate, read or "", voice.language)
    samples = _at_our_rate(heard.samples, heard.rate)
    return Speaker(chosen, reference=samples, transcript=read), notes


def _built_in(voice: Voice, model: Model, chosen: Sampling) -> Speaker:
    """One of the model's own speakers."""
    _refuse(voice, "reference", "cloned voices", "choose a speaker, or pull the Base model")
    _refuse(voice, "description", "voices out of a description", "choose a speaker")
    names = {name.lower(): name for name in model.speakers}
    if not voice.speaker:
        raise Refusal(f"The voice needs a speaker: one of {listed(model.speakers)}.")
    if voice.speaker.lower() not in names:
        raise Refusal(
            f"This model has no speaker “{voice.speaker}”; it has {listed(model.speakers)}."
        )
    style = guard(voice.style, model.controls)
    if style and not model.follows_style:
        raise Refusal(
            "The voice has a style, which the 0.6B model cannot follow. Take the style away, or "
            "use the 1.7B model."
        )
    return Speaker(chosen, speaker=voice.speaker.lower(), instruct=style or None)


def _described(voice: Voice, model: Model, chosen: Sampling) -> Speaker:
    """A voice out of a description."""
    _refuse(voice, "reference", "cloned voices", "describe the voice, or use the Base model")
    _refuse(voice, "speaker", "built-in speakers", "describe the voice")
    _refuse(voice, "style", "a style beside the description", "write it into the description")
    description = guard(voice.description, model.controls)
    if not any(character.isalnum() for character in description):
        raise Refusal(
            "The voice needs a description, such as “an old woman, hoarse and slow”: this model "
            "makes its voices out of words."
        )
    return Speaker(chosen, instruct=description)


def _refuse(voice: Voice, name: str, what: str, instead: str) -> None:
    """Refuse what this model cannot make use of, so that nothing is ignored in silence."""
    if getattr(voice, name).strip():
        raise Refusal(f"The voice has a {name}, and this model has no {what}: {instead}.")


def _at_our_rate(samples: NDArray[np.float32], rate: int) -> mx.array:
    """A reference as the model wants it: mono, 24 kHz."""
    from math import gcd

    import mlx.core as mx
    import numpy as np
    from scipy.signal import resample_poly

    mono = samples if samples.ndim == 1 else samples.mean(axis=1)
    if rate != RATE:
        shared = gcd(rate, RATE)
        mono = resample_poly(mono.astype(np.float64), RATE // shared, rate // shared)
    return mx.array(np.ascontiguousarray(mono, np.float32))
