"""What decides the sound of a take, in a form that two machines write alike."""

from __future__ import annotations

import errno
import hashlib
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rfc8785

from studio.book.pronunciation import plain
from studio.errors import BadInput, MachineFault
from studio.project.model import Segment, Voice
from studio.project.tokens import tokens_hash

if TYPE_CHECKING:
    # Imported where samples are touched: a tenth of a second that opening a book need not wait for.
    import numpy as np
    from numpy.typing import NDArray

    from engine import wire
    from engine.wire import Card

PCM_MAGIC = b"rhapsode pcm 1\n"
"""First bytes of what `pcm_hash` digests."""

SCALE = 32768
"""Full scale of 16-bit samples: -1.0 is the lowest sample, +1.0 is one step above the highest."""


def canonical(value: Any) -> bytes:
    """A value as canonical JSON (RFC 8785): one value, one sequence of bytes."""
    return rfc8785.dumps(value)


def company(recipe: Mapping[str, Any]) -> int:
    """How many lines a take may have been made together with, itself among them.

    Above 1 the take does not follow from its recipe alone. Speech tokens that are voiced again say
    all that the others could have changed, so such a take is on its own whatever its engine did.
    """
    from engine.wire import BATCH

    together = recipe.get("options", {}).get(BATCH, 1)
    return together if "tokens" not in recipe and isinstance(together, int) else 1


def recipe_id(recipe: Mapping[str, Any]) -> str:
    """SHA-256 of a recipe's canonical JSON, in hexadecimal digits."""
    return hashlib.sha256(canonical(dict(recipe))).hexdigest()


def recipe_for(
    segment: Segment, voice: Voice, card: Card, seed: int, tokens: bytes = b""
) -> dict[str, Any]:
    """Everything that decides the sound of one narration.

    What an engine has none of is left out, so that the recipes of other engines keep their ids.

    Args:
        segment: What is spoken, and how fast.
        voice: Who speaks, as `Project.voices` gives it: with its language filled in.
        card: The engine, as it described itself after loading.
        seed: Chance, 32 bits.
        tokens: Speech tokens of an earlier take, as it keeps them, where these are voiced again.
    """
    recipe: dict[str, Any] = {
        "spoken": segment.spoken,
        "language": voice.language,
        "voice": voice.fingerprint,
        "engine": card.engine,
        "engine_version": card.version,
        "model": card.model,
        "backend": card.backend,
        "precision": card.precision,
        "threads": card.threads,
        "settings": dict(voice.settings),
        "seed": seed,
        "speed": segment.speed,
    }
    if options := _options(card, bool(tokens)):
        recipe["options"] = options
    if tokens:
        recipe["tokens"] = tokens_hash(tokens)
    return recipe


def here(recipe: Mapping[str, Any], card: Card) -> dict[str, Any]:
    """A recorded recipe as an engine would make it now: what is the engine's own is this one's."""
    now = {
        **recipe,
        "engine_version": card.version,
        "model": card.model,
        "backend": card.backend,
        "precision": card.precision,
        "threads": card.threads,
        "options": _options(card, "tokens" in recipe),
    }
    if not now["options"]:
        del now["options"]
    return now


def _options(card: Card, voiced: bool) -> dict[str, Any]:
    """What of an engine's configuration decides a sound; tokens that are voiced were said before,
    and whatever was said together has no part in it."""
    from engine.wire import BATCH

    return {name: it for name, it in card.options.items() if not (voiced and name == BATCH)}


def build_of(card: Card) -> dict[str, str]:
    """What else may change the bytes, for a take's provenance (key ``build``)."""
    return {**card.build, "device": card.device}


def build_id(engine: str, build: Mapping[str, str]) -> str:
    """Short name of a build, such as ``hibari:1f0c…``; equal builds have equal names.

    Args:
        engine: Name of the engine; builds of different engines are not compared.
        build: As `build_of` gives it.
    """
    return f"{engine}:{hashlib.sha256(canonical(dict(build))).hexdigest()[:16]}"


def voice_fingerprint(voice: Voice, folder: Path) -> str:
    """SHA-256 over all that decides a voice's sound; its id, being a name, is left out.

    Args:
        voice: The voice, its language as it is stored.
        folder: The project's folder, where ``voice.reference`` is looked for.

    Raises:
        BadInput: A setting is no number that every program writes alike: endless, or too large.
        MachineFault: The reference audio cannot be read.
    """
    reference = ""
    if voice.reference:
        path = folder / voice.reference
        try:
            if path.exists() and not path.is_file():
                raise OSError(errno.EINVAL, "it is no file")  # a device or a pipe may have no end
            with path.open("rb") as file:
                reference = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise MachineFault(
                f"The reference audio of voice “{voice.id}” cannot be read at {path} "
                f"({error.strerror}); put it back, or take it out of the voice."
            ) from error
    told = {
        "engine": voice.engine,
        "speaker": voice.speaker,
        "reference": reference,
        "transcript": voice.transcript,
        "description": voice.description,
        "style": voice.style,
        "language": voice.language,
        "settings": dict(voice.settings),
    }
    try:
        return hashlib.sha256(canonical(told)).hexdigest()
    except rfc8785.CanonicalizationError as error:
        raise BadInput(
            f"A setting of the voice “{voice.id}” cannot be kept ({error}); write another value."
        ) from error


def wire_voice(voice: Voice, folder: Path) -> wire.Voice:
    """A voice as an engine is told of it, with the whole path of its reference audio."""
    from engine import wire

    return wire.Voice(
        fingerprint=voice.fingerprint,
        speaker=voice.speaker,
        reference=str((folder / voice.reference).resolve()) if voice.reference else "",
        transcript=voice.transcript,
        description=voice.description,
        style=voice.style,
        language=voice.language,
        settings=dict(voice.settings),
    )


def wire_text(text: str, card: Card) -> str:
    """A spoken text as an engine is given it: words without their phonemes where it knows none.

    Args:
        text: Spoken text.
        card: What the engine says of itself.
    """
    return text if card.phonemes else plain(text)


def pcm_hash(pcm: NDArray[np.int16], rate: int) -> str:
    """SHA-256 of samples and their format, in hexadecimal digits.

    The digest covers, in this order: `PCM_MAGIC` (15 bytes), the rate and the number of channels
    (two unsigned 32-bit integers, little-endian), and the samples, interleaved, as signed 16-bit
    little-endian integers.

    Args:
        pcm: Samples, shape (frames, channels); or (frames,) for one channel.
        rate: Samples per second.
    """
    import numpy as np

    frames = pcm.reshape(len(pcm), -1)
    digest = hashlib.sha256(PCM_MAGIC)
    digest.update(struct.pack("<II", rate, frames.shape[1]))
    digest.update(np.ascontiguousarray(frames, dtype="<i2").data)
    return digest.hexdigest()


def to_int16(samples: NDArray[np.floating[Any]]) -> NDArray[np.int16]:
    """Float samples (full scale ±1) as 16 bits: times 32768, half to even, clipped.

    Args:
        samples: Any shape; values must be finite.
    """
    import numpy as np

    # Scaling by a power of two is exact in every float type, so single precision stays single.
    scaled = np.rint(samples * samples.dtype.type(SCALE))
    return np.clip(scaled, -SCALE, SCALE - 1).astype(np.int16)


def to_float(pcm: NDArray[np.int16]) -> NDArray[np.float32]:
    """16-bit samples as floats (full scale ±1); `to_int16` gives the same samples back."""
    import numpy as np

    return pcm.astype(np.float32) / np.float32(SCALE)
