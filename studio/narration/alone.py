"""Speaking a text by itself: a voice's sample, a word of the lexicon. No project is touched.

One process at a time, apart from those of the queue, so that a test neither waits for a book nor
disturbs it. It stays for a while, because who hears one voice hears the next one too.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine import wire
from studio.book.segmenting import first_seed
from studio.engines import cards
from studio.engines.catalogue import Catalogue, EngineSpec
from studio.errors import MachineFault
from studio.narration import validate
from studio.narration.link import Link
from studio.narration.resident import IDLE_SECONDS, Resident, answer
from studio.narration.trial import SENTENCE_SECONDS
from studio.project.recipe import to_int16, wire_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KEPT_CLIPS = 24
"""What was heard last is not narrated again."""


@dataclass(frozen=True, slots=True)
class SpokenClip:
    """A text as a voice reads it."""

    pcm: NDArray[np.int16]
    """Shape (frames, channels)."""
    rate: int


class Alone:
    """Reads single texts, one after the other."""

    def __init__(self, idle: float = IDLE_SECONDS) -> None:
        """Start nothing yet.

        Args:
            idle: Seconds without a text after which the process ends.
        """
        self._resident = Resident(idle, cards.remember)
        self._measured: Link | None = None
        """The process whose first clip has told what it takes."""
        self._clips: OrderedDict[tuple[str, str, str], SpokenClip] = OrderedDict()
        self._warned: set[str] = set()
        self._warnings: dict[str, tuple[str, ...]] = {}

    async def speak(self, engine: str, voice: wire.Voice, text: str) -> SpokenClip:
        """Read a text; cancelled, it leaves the engine as it was.

        The seed follows from the text, so that two hearings are alike.

        Args:
            engine: Name of the engine.
            voice: Who reads, with fingerprint and language.
            text: What; an engine that knows no phonemes is given the words without.

        Raises:
            BadInput: The engine refuses the voice or the text.
            MachineFault: There is no such engine, or it does not start or speak.
        """
        key = (voice.fingerprint, voice.language, text)
        if (made := self._clips.get(key)) is not None:
            self._clips.move_to_end(key)
            return made
        async with self._with(engine) as (link, spec):
            await self._prepare(link, spec, voice)
            clip = await self._ask(link, spec, voice, text)
        self._clips[key] = clip
        while len(self._clips) > KEPT_CLIPS:
            self._clips.popitem(last=False)
        return clip

    async def prepare(self, engine: str, voice: wire.Voice) -> tuple[str, ...]:
        """Ask an engine whether it can be a voice.

        Returns:
            What it says may spoil the voice's sound, in plain sentences.

        Raises:
            BadInput: It refuses the voice.
            MachineFault: There is no such engine, or it does not start.
        """
        async with self._with(engine) as (link, spec):
            return await self._prepare(link, spec, voice)

    def warnings(self, fingerprint: str) -> tuple[str, ...]:
        """What an engine has said of a voice since this was asked last."""
        return self._warnings.pop(fingerprint, ())

    async def close(self) -> None:
        """End the process, in the middle of a text too; nothing is spoken afterwards."""
        await self._resident.close()

    @contextlib.asynccontextmanager
    async def _with(self, engine: str) -> AsyncIterator[tuple[Link, EngineSpec]]:
        """An engine of this machine for one request."""
        spec = Catalogue.of_user()[engine]
        async with self._resident.lent(spec) as link:
            yield link, spec

    async def _prepare(self, link: Link, spec: EngineSpec, voice: wire.Voice) -> tuple[str, ...]:
        request = wire.PrepareVoice(link.next_id(), voice)
        message = (await answer(link, request, spec.load_deadline)).message
        notes = validate.notes(message.notes) if isinstance(message, wire.Prepared) else ()
        if notes and voice.fingerprint not in self._warned:
            self._warned.add(voice.fingerprint)
            self._warnings[voice.fingerprint] = notes
        return notes

    async def _ask(self, link: Link, spec: EngineSpec, voice: wire.Voice, text: str) -> SpokenClip:
        """Have a loaded engine read."""
        card = link.card
        assert card is not None
        seed = first_seed(text, 1)
        given = wire_text(text, card)
        request = wire.Narrate(link.next_id(), given, voice.language, voice.fingerprint, seed=seed)
        frame = await answer(link, request, SENTENCE_SECONDS)
        if not isinstance(frame.message, wire.Clip):
            raise MachineFault(
                f"The engine {link.name} answered a text with “{frame.message.KIND}”."
            )
        try:
            samples = validate.samples(frame.message, frame.payload, card, text)
        except validate.BadClip as error:
            raise MachineFault(str(error)) from error
        baseline = 0 if self._measured is link else frame.message.footprint
        self._measured = link
        rtf = frame.message.seconds * frame.message.rate / max(len(samples), 1)
        cards.remember(card, spec.name, rtf, baseline)
        return SpokenClip(to_int16(samples), frame.message.rate)
