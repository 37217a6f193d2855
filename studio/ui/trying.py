"""Hearing a voice with a text of its own, beside the book: samples, and words of the lexicon."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from studio.errors import BadInput
from studio.project.model import Voice
from studio.project.recipe import voice_fingerprint, wire_voice

if TYPE_CHECKING:
    from studio.narration.alone import SpokenClip
    from studio.ui.services import Session


async def speak_alone(session: Session, voice: Voice, text: str) -> SpokenClip:
    """Have a voice read a text; the project, its takes and its queue are left alone.

    What was heard lately is not made again. May be cancelled at any moment.

    Args:
        session: The open book, whose folder the reference audio is looked for in.
        voice: Of the project, with its language filled in; or one that is not kept yet.
        text: Exactly what the engine is given.

    Raises:
        BadInput: There is nothing to read, or the engine refuses it; the reason is its own.
        MachineFault: The engine is missing, does not start or does not speak.
    """
    text = text.strip()
    if not text:
        raise BadInput("There is nothing to read aloud; type a few words first.")
    folder = session.project.folder
    if not voice.fingerprint:
        fingerprint = await session.read(voice_fingerprint, voice, folder)
        voice = replace(voice, fingerprint=fingerprint)
    return await session.alone.speak(voice.engine, wire_voice(voice, folder), text)
