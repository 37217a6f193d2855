"""Start an engine by itself, let it say one sentence, and time it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from engine import wire
from studio.engines import cards
from studio.engines.catalogue import EngineSpec, engine_environment
from studio.errors import MachineFault
from studio.narration import validate
from studio.narration.engine_log import RotatingLog
from studio.narration.faults import LinkError
from studio.narration.link import Link
from studio.narration.worker import HELLO_SECONDS
from studio.project.folders import log_folder
from studio.project.recipe import to_int16
from studio.review import signal

DESCRIPTION = "A calm man of fifty, who reads slowly and clearly."
"""Of an engine's voice, where it makes its voices out of words."""

SENTENCE_SECONDS = 120.0
"""Seconds that one sentence may take; more where an engine may take longer to load."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What an engine did when it was tried."""

    card: wire.Card
    load_seconds: float
    synthesis_seconds: float
    audio_seconds: float
    footprint: int
    """Bytes after the sentence."""
    reference_seconds: float = 0.0
    """Length of the reference that it was given to clone; 0 where it has a speaker of its own."""
    notes: tuple[str, ...] = ()
    """What the engine itself says of the reference and of the clip."""
    objections: tuple[str, ...] = ()
    """What the checks of every clip say of this one: sound alone does not make it speech."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A voice to clone."""

    path: Path
    transcript: str
    seconds: float


async def try_engine(
    spec: EngineSpec, text: str, reference: Callable[[], Awaitable[Reference]]
) -> Trial:
    """Start, load, narrate one sentence, and leave no process behind.

    Args:
        spec: The engine.
        text: The sentence, in English.
        reference: Makes what is cloned where the engine has no speakers of its own and makes no
            voice out of words; else its first speaker reads, or a voice that is described.

    Raises:
        MachineFault: It does not start, load or speak; the reason is the engine's own.
    """
    link = Link(spec.name, RotatingLog(log_folder() / f"engine-{spec.name}.log"))
    try:
        card = await link.start(spec.command, engine_environment(spec), deadline=HELLO_SECONDS)
        started = time.monotonic()
        loaded = await _answer(
            link, wire.Load(link.next_id(), dict(spec.options)), spec.load_deadline
        )
        load_seconds = time.monotonic() - started
        if isinstance(loaded, wire.Loaded):
            card = loaded.card
        cloned = None if card.speakers or card.describes else await reference()
        english = [tag for tag in card.languages if tag.partition("-")[0] == "en"]
        language = (english or [*card.languages, ""])[0]
        voice = wire.Voice(
            fingerprint="trial",
            speaker=card.speakers[0] if card.speakers else "",
            reference=str(cloned.path) if cloned else "",
            transcript=cloned.transcript if cloned else "",
            description=DESCRIPTION if card.describes else "",
            language=language,
        )
        prepare = wire.PrepareVoice(link.next_id(), voice)
        prepared = await _answer(link, prepare, spec.load_deadline)
        said = await _ask(
            link,
            wire.Narrate(link.next_id(), text, language, voice.fingerprint, seed=1),
            max(SENTENCE_SECONDS, spec.load_deadline),
        )
        clip = said.message
        if not isinstance(clip, wire.Clip) or not clip.frames:
            raise MachineFault(f"The engine {spec.name} answered a sentence without any sound.")
        objections = _objections(said, card, text)
        audio = clip.frames / clip.rate
        cards.remember(card, spec.name, clip.seconds / audio, clip.footprint)
        notes = prepared.notes if isinstance(prepared, wire.Prepared) else ()
        return Trial(
            card=card,
            load_seconds=load_seconds,
            synthesis_seconds=clip.seconds,
            audio_seconds=audio,
            footprint=clip.footprint,
            reference_seconds=cloned.seconds if cloned else 0.0,
            notes=(*notes, *clip.notes),
            objections=objections,
        )
    except LinkError as error:
        raise MachineFault(str(error)) from error
    finally:
        await link.stop(spec.grace)


def _objections(said: wire.Frame, card: wire.Card, text: str) -> tuple[str, ...]:
    """What a book's checks would say of the clip.

    Raises:
        MachineFault: It is none that a book would take.
    """
    assert isinstance(said.message, wire.Clip)
    try:
        samples = validate.samples(said.message, said.payload, card, text)
    except validate.BadClip as error:
        raise MachineFault(str(error)) from error
    return signal.check(to_int16(samples), said.message.rate, text)


async def _answer(link: Link, request: wire.Request, deadline: float) -> wire.Message:
    """The answer to a request, where it is not a refusal or a failure."""
    return (await _ask(link, request, deadline)).message


async def _ask(link: Link, request: wire.Request, deadline: float) -> wire.Frame:
    """The same with what came along."""
    frame = await link.ask(request, deadline=deadline)
    if isinstance(frame.message, (wire.Refused, wire.Failed)):
        raise MachineFault(f"The engine {link.name} cannot {request.KIND}: {frame.message.reason}")
    return frame
