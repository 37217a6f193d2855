"""Speaking a text by itself: a voice's sample, a word of the lexicon. No project is touched.

One process at a time, apart from those of the queue, so that a test neither waits for a book nor
disturbs it. It stays for a while, because who hears one voice hears the next one too.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine import wire
from studio.book.segmenting import first_seed
from studio.engines import cards
from studio.engines.catalogue import Catalogue, EngineSpec, engine_environment
from studio.errors import BadInput, MachineFault
from studio.narration import validate
from studio.narration.engine_log import RotatingLog
from studio.narration.faults import LinkError
from studio.narration.link import Link
from studio.narration.trial import SENTENCE_SECONDS
from studio.narration.worker import HELLO_SECONDS
from studio.project.folders import log_folder
from studio.project.recipe import to_int16, wire_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

IDLE_SECONDS = 60.0
"""How long the process stays when nobody asks for anything more."""
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
        self._idle = idle
        self._turn = asyncio.Lock()
        self._link: Link | None = None
        self._spec: EngineSpec | None = None
        self._clips: OrderedDict[tuple[str, str, str], SpokenClip] = OrderedDict()
        self._warned: set[str] = set()
        self._warnings: dict[str, tuple[str, ...]] = {}
        self._leaving: asyncio.TimerHandle | None = None
        self._ends: set[asyncio.Task[None]] = set()
        self._closed = False

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
        async with self._with(engine) as link:
            await self._prepare(link, voice)
            clip = await self._ask(link, voice, text)
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
        async with self._with(engine) as link:
            return await self._prepare(link, voice)

    def warnings(self, fingerprint: str) -> tuple[str, ...]:
        """What an engine has said of a voice since this was asked last."""
        return self._warnings.pop(fingerprint, ())

    @contextlib.asynccontextmanager
    async def _with(self, engine: str) -> AsyncIterator[Link]:
        """An engine for one request; one that fails is started anew the next time."""
        async with self._turn:
            self._stay()
            try:
                yield await self._engine(engine)
            except LinkError as error:
                await self._end()
                raise MachineFault(str(error)) from error
            finally:
                self._leave_later()

    async def close(self) -> None:
        """End the process, in the middle of a text too; nothing is spoken afterwards."""
        self._closed = True
        self._stay()
        if self._link is not None:
            self._link.strike("The book was closed.")
        async with self._turn:
            await self._end()
        await asyncio.gather(*self._ends, return_exceptions=True)

    async def _engine(self, name: str) -> Link:
        """The running engine of this name, started where it is not; another one ends."""
        if self._closed:
            raise MachineFault("The book is closed; nothing more is read.")
        same = self._spec is not None and self._spec.name == name
        if same and self._link is not None and self._link.gone is None:
            return self._link
        await self._end()
        spec = Catalogue.of_user()[name]
        link = Link(spec.name, RotatingLog(log_folder() / f"engine-{spec.name}.log"))
        self._link, self._spec = link, spec
        try:
            await link.start(spec.command, engine_environment(spec), deadline=HELLO_SECONDS)
            load = wire.Load(link.next_id(), dict(spec.options))
            loaded = await _answer(link, load, spec.load_deadline)
            if isinstance(loaded.message, wire.Loaded):
                link.card = loaded.message.card
                cards.remember(link.card, spec.name)
        except BaseException:
            # Half loaded, it must not be taken for one that is ready.
            link.strike()
            await self._end()
            raise
        return link

    async def _prepare(self, link: Link, voice: wire.Voice) -> tuple[str, ...]:
        assert self._spec is not None
        request = wire.PrepareVoice(link.next_id(), voice)
        message = (await _answer(link, request, self._spec.load_deadline)).message
        notes = validate.notes(message.notes) if isinstance(message, wire.Prepared) else ()
        if notes and voice.fingerprint not in self._warned:
            self._warned.add(voice.fingerprint)
            self._warnings[voice.fingerprint] = notes
        return notes

    async def _ask(self, link: Link, voice: wire.Voice, text: str) -> SpokenClip:
        """Have a loaded engine read."""
        card = link.card
        assert card is not None
        seed = first_seed(text, 1)
        given = wire_text(text, card)
        request = wire.Narrate(link.next_id(), given, voice.language, voice.fingerprint, seed=seed)
        try:
            frame = await _answer(link, request, SENTENCE_SECONDS)
        except asyncio.CancelledError:
            link.cancel(request.id)
            raise
        if not isinstance(frame.message, wire.Clip):
            raise MachineFault(
                f"The engine {link.name} answered a text with “{frame.message.KIND}”."
            )
        try:
            samples = validate.samples(frame.message, frame.payload, card, text)
        except validate.BadClip as error:
            raise MachineFault(str(error)) from error
        return SpokenClip(to_int16(samples), frame.message.rate)

    # The end of the process.

    async def _end(self) -> None:
        link, spec = self._link, self._spec
        self._link = self._spec = None
        if link is not None and spec is not None:
            await link.stop(spec.grace)

    def _stay(self) -> None:
        """Somebody wants something: do not leave."""
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None

    def _leave_later(self) -> None:
        if not self._closed:
            self._stay()
            loop = asyncio.get_running_loop()
            self._leaving = loop.call_later(self._idle, self._leave)

    def _leave(self) -> None:
        task = asyncio.get_running_loop().create_task(self._leave_now())
        self._ends.add(task)
        task.add_done_callback(self._ends.discard)

    async def _leave_now(self) -> None:
        async with self._turn:
            if self._leaving is not None:  # nobody came meanwhile
                self._leaving = None
                with contextlib.suppress(LinkError):
                    await self._end()


async def _answer(link: Link, request: wire.Request, deadline: float) -> wire.Frame:
    """The answer to a request.

    Raises:
        BadInput: The engine refuses it; the reason is the engine's own.
        MachineFault: It failed.
    """
    frame = await link.ask(request, deadline=deadline)
    if isinstance(frame.message, wire.Refused):
        raise BadInput(frame.message.reason)
    if isinstance(frame.message, wire.Failed):
        raise MachineFault(f"The engine {link.name} cannot {request.KIND}: {frame.message.reason}")
    return frame
