"""Hearing a voice with a text of its own, beside the book: samples, and words of the lexicon."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from studio.engines.catalogue import BUILT_IN
from studio.errors import BadInput, StudioError
from studio.project.model import Voice
from studio.project.recipe import voice_fingerprint, wire_voice

if TYPE_CHECKING:
    from studio.narration.alone import SpokenClip
    from studio.ui.listening import Listening
    from studio.ui.services import Session

SAMPLE = "The ferry leaves at six, whatever the weather says."
"""What an English voice without a sample line of its own is heard by."""
LONGEST_SAMPLE = 160
"""Characters of a segment that stands in for a sample line."""


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
    voice = await _fingerprinted(session, voice)
    return await session.alone.speak(voice.engine, wire_voice(voice, folder), text)


async def objection(session: Session, voice: Voice) -> str:
    """What an engine has against a voice, or nothing.

    Only the embedded one is loaded for this, which may take minutes of another: of its settings
    that one's card tells, and the rest it says itself when it is heard.
    """
    if voice.engine != BUILT_IN:
        from studio.engines.voice_settings import check_settings

        try:
            await asyncio.to_thread(check_settings, voice.engine, voice.settings)
        except StudioError as error:
            return str(error)
        return ""
    try:
        voice = await _fingerprinted(session, voice)
        told = wire_voice(voice, session.project.folder)
        await session.alone.prepare(voice.engine, told)
    except StudioError as error:
        return str(error)
    return ""


async def _fingerprinted(session: Session, voice: Voice) -> Voice:
    if voice.fingerprint:
        return voice
    fingerprint = await session.read(voice_fingerprint, voice, session.project.folder)
    return replace(voice, fingerprint=fingerprint)


def sample_line(session: Session, voice: Voice) -> str:
    """A line to hear a voice by: its own, else one that it reads in the book."""
    if voice.sample:
        return voice.sample
    reads = (it for it in session.rows.all if it.voice == voice.id and len(it.spoken) > 20)
    if (segment := next(reads, None)) is not None and len(segment.spoken) <= LONGEST_SAMPLE:
        return segment.spoken
    if voice.language.lower().startswith("en") or segment is None:
        return SAMPLE
    return segment.spoken[:LONGEST_SAMPLE]


Tell = Callable[[str, str], None]
"""Takes a sentence and its kind, as a screen's `say` does."""


class Hearer:
    """Plays texts by themselves, for one screen."""

    def __init__(self, session: Session, listening: Listening) -> None:
        """Play over ``listening``, which plays the book too."""
        self._session, self._listening = session, listening
        self._number = -1
        """Which playing was ours."""

    async def toggle(self, voice: Voice, text: str, tell: Tell) -> None:
        """Hear a voice read a text, or stop what sounds; ``tell`` is told how it goes."""
        if self._listening.active:
            await self._listening.stop()
            return
        tell(f"{voice.id} reads …", "")
        try:
            voice = await _fingerprinted(self._session, voice)
            clip = await speak_alone(self._session, voice, text)
            from studio.sound.source import ClipSource

            source = ClipSource.from_pcm(clip.pcm, clip.rate)
            await self._listening.play_alone(source, f"{voice.id}, by itself")
        except StudioError as error:
            tell(str(error), "error")
            return
        self._number = self._listening.number
        # Once for each voice: who hears it again knows.
        notes = self._session.alone.warnings(voice.fingerprint)
        tell(f"{voice.id}: {' '.join(notes) or text}", "warning" if notes else "")

    async def stop(self) -> None:
        """Be silent, where what sounds is ours."""
        if self._listening.active and self._listening.number == self._number:
            await self._listening.stop()
