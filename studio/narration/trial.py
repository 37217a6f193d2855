"""Start an engine by itself, let it say one sentence, and time it."""

from __future__ import annotations

import time
from dataclasses import dataclass

from engine import wire
from studio.engines.catalogue import EngineSpec, engine_environment
from studio.errors import MachineFault
from studio.narration.engine_log import RotatingLog
from studio.narration.faults import LinkError
from studio.narration.link import Link
from studio.narration.worker import HELLO_SECONDS
from studio.project.folders import log_folder

SENTENCE_SECONDS = 120.0
"""Seconds that one sentence may take, on the slowest machine and engine."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What an engine did when it was tried."""

    card: wire.Card
    load_seconds: float
    synthesis_seconds: float
    audio_seconds: float
    footprint: int
    """Bytes after the sentence."""


async def try_engine(spec: EngineSpec, text: str) -> Trial:
    """Start, load, narrate one sentence with the first speaker, and leave no process behind.

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
        speaker = card.speakers[0] if card.speakers else ""
        voice = wire.Voice(fingerprint="trial", speaker=speaker, language=card.languages[0])
        await _answer(link, wire.PrepareVoice(link.next_id(), voice), spec.load_deadline)
        clip = await _answer(
            link,
            wire.Narrate(link.next_id(), text, card.languages[0], voice.fingerprint, seed=1),
            SENTENCE_SECONDS,
        )
        if not isinstance(clip, wire.Clip) or not clip.frames:
            raise MachineFault(f"The engine {spec.name} answered a sentence without any sound.")
        return Trial(card, load_seconds, clip.seconds, clip.frames / clip.rate, clip.footprint)
    except LinkError as error:
        raise MachineFault(str(error)) from error
    finally:
        await link.stop(spec.grace)


async def _answer(link: Link, request: wire.Request, deadline: float) -> wire.Message:
    """The answer to a request, where it is not a refusal or a failure."""
    message = (await link.ask(request, deadline=deadline)).message
    if isinstance(message, (wire.Refused, wire.Failed)):
        raise MachineFault(f"The engine {link.name} cannot {request.KIND}: {message.reason}")
    return message
