"""One engine that is measured: started, loaded, given a voice, and asked for one line at a time."""

from __future__ import annotations

import asyncio
import contextlib
import tomllib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine import memory, wire
from studio.engines import cards
from studio.engines.catalogue import Catalogue, EngineSpec, engine_environment
from studio.errors import BadInput, MachineFault
from studio.narration import validate
from studio.narration.engine_log import RotatingLog
from studio.narration.faults import LinkError
from studio.narration.link import Link
from studio.narration.trial import SENTENCE_SECONDS, Reference
from studio.narration.worker import HELLO_SECONDS
from studio.project.folders import log_folder
from studio.project.model import Voice
from studio.project.recipe import here, to_int16, voice_fingerprint, wire_text, wire_voice
from studio.project.tokens import TOKENS_BLOB, tokens_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

POLL_SECONDS = 0.25
"""Between two looks at a process's memory while it works."""


class Unspoken(Exception):
    """A line was refused, or went wrong; the text is the engine's own reason."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An engine as it takes part: its own settings, and some of this run."""

    label: str
    """As it was written: ``NAME``, or ``NAME:option=value,…``."""
    spec: EngineSpec
    usual: bool = True
    """Whether its settings are those that books are narrated with."""


def entry(catalogue: Catalogue, text: str) -> Entry:
    """Read ``NAME`` or ``NAME:option=value,option=value``.

    Raises:
        BadInput: A setting is not written so.
        MachineFault: This machine has no such engine.
    """
    name, _, told = text.partition(":")
    options: dict[str, Any] = {}
    for part in filter(None, told.split(",")):
        key, equals, value = part.partition("=")
        if not (key and equals):
            raise BadInput(f"“{part}” sets nothing; write {name}:option=value.")
        options[key.strip()] = _value(value.strip())
    spec = catalogue[name]
    return Entry(text, replace(spec, options={**spec.options, **options}), usual=not options)


def _value(text: str) -> Any:
    """A value as the configuration would hold it; what is nothing else is a text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


@dataclass(frozen=True, slots=True)
class Line:
    """One line as an engine said it."""

    recipe: Mapping[str, Any]
    pcm: NDArray[np.int16]
    """Shape (frames, channels)."""
    rate: int
    seconds: float
    """Wall seconds of synthesis, as the engine has them."""
    footprint: int
    device_memory: int
    tokens: tuple[int, ...]
    notes: tuple[str, ...]

    @property
    def audio(self) -> float:
        """Seconds of sound."""
        return len(self.pcm) / self.rate


class Speaking:
    """An engine with its model loaded and one voice ready."""

    def __init__(self, it: Entry, link: Link) -> None:
        """Hold it; `started` makes one."""
        self.label, self.spec = it.label, it.spec
        self._usual = it.usual
        self.load_seconds = 0.0
        self.baseline = 0
        """Footprint after its first line."""
        self.peak = 0
        """The largest footprint that was seen, while it worked too."""
        self.device_peak = 0
        self.notes: tuple[str, ...] = ()
        self.card: wire.Card
        self.voice: Voice
        self._link = link
        self._told: wire.Voice

    async def load(self) -> None:
        """Start it and load its model."""
        link, spec = self._link, self.spec
        self.card = await link.start(spec.command, engine_environment(spec), deadline=HELLO_SECONDS)
        request = wire.Load(link.next_id(), dict(spec.options))
        loaded = (await self._answer(request, spec.load_deadline)).message
        if isinstance(loaded, wire.Loaded):
            self.card, self.load_seconds = loaded.card, loaded.seconds
        self._remember()

    async def prepare(self, voice: Voice, folder: Path) -> None:
        """Give it a voice, whose reference is found in a folder."""
        fingerprint = voice_fingerprint(voice, folder)
        self.voice = replace(voice, fingerprint=fingerprint)
        self._told = wire_voice(self.voice, folder)
        request = wire.PrepareVoice(self._link.next_id(), self._told)
        prepared = (await self._answer(request, self.spec.load_deadline)).message
        if isinstance(prepared, wire.Prepared):
            self.notes = prepared.notes

    def recipe(self, text: str, language: str, seed: int, speed: float = 1.0) -> dict[str, Any]:
        """Everything that decides how it says a line, as a take's recipe has it."""
        own = {
            "spoken": text,
            "language": language,
            "voice": self.voice.fingerprint,
            "engine": self.card.engine,
            "settings": dict(self.voice.settings),
            "seed": seed,
            "speed": speed,
        }
        return here(own, self.card)

    async def say(self, recipe: Mapping[str, Any]) -> Line:
        """Say one line.

        Raises:
            Unspoken: It is refused, or goes wrong.
            MachineFault: The engine is gone.
        """
        text, speed = recipe["spoken"], recipe["speed"]
        request = wire.Narrate(
            self._link.next_id(),
            wire_text(text, self.card),
            recipe["language"],
            self.voice.fingerprint,
            seed=recipe["seed"],
            speed=speed,
        )
        deadline = max(SENTENCE_SECONDS, self.spec.load_deadline)
        async with self._watched():
            frame = await self._ask(request, deadline)
        clip = frame.message
        if isinstance(clip, (wire.Refused, wire.Failed)):
            raise Unspoken(clip.reason)
        if not isinstance(clip, wire.Clip):
            raise Unspoken(f"it was answered with “{clip.KIND}”")
        try:
            samples = validate.samples(clip, frame.payload, self.card, text, speed)
        except validate.BadClip as error:
            raise Unspoken(str(error)) from error
        self.baseline = self.baseline or clip.footprint
        self._remember(clip.seconds * clip.rate / max(len(samples), 1))
        self.peak = max(self.peak, clip.footprint)
        self.device_peak = max(self.device_peak, clip.device_memory)
        kept = wire.split_blobs(clip, frame.payload).get(TOKENS_BLOB)
        return Line(
            recipe,
            to_int16(samples),
            clip.rate,
            clip.seconds,
            clip.footprint,
            clip.device_memory,
            tokens_of(bytes(kept)) if kept else (),
            clip.notes,
        )

    def _remember(self, rtf: float = 0.0) -> None:
        """Let others know what it is and takes, unless it is measured with settings of this run."""
        if self._usual:
            cards.remember(self.card, self.spec.name, rtf, self.baseline)

    @contextlib.asynccontextmanager
    async def _watched(self) -> AsyncIterator[None]:
        """Look at the process's memory now and then, meanwhile."""

        async def look() -> None:
            while True:
                await asyncio.sleep(POLL_SECONDS)
                with contextlib.suppress(OSError):
                    self.peak = max(
                        self.peak, await asyncio.to_thread(memory.footprint, self._link.pid)
                    )

        looking = asyncio.create_task(look())
        try:
            yield
        finally:
            looking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await looking

    async def _ask(self, request: wire.Request, deadline: float) -> wire.Frame:
        try:
            return await self._link.ask(request, deadline=deadline)
        except LinkError as error:
            raise MachineFault(str(error)) from error

    async def _answer(self, request: wire.Request, deadline: float) -> wire.Frame:
        """The answer to what must not be refused."""
        frame = await self._ask(request, deadline)
        if isinstance(frame.message, (wire.Refused, wire.Failed)):
            reason = frame.message.reason
            raise MachineFault(f"The engine {self.label} cannot {request.KIND}: {reason}")
        return frame


@contextlib.asynccontextmanager
async def started(it: Entry) -> AsyncIterator[Speaking]:
    """An engine that is started, loaded, and ended afterwards.

    Raises:
        MachineFault: It does not start or load.
    """
    log = RotatingLog(log_folder() / f"engine-{it.spec.name}.log")
    link = Link(it.spec.name, log)
    try:
        speaking = Speaking(it, link)
        try:
            await speaking.load()
        except LinkError as error:
            raise MachineFault(str(error)) from error
        yield speaking
    finally:
        await link.stop(it.spec.grace)


Cloned = Callable[[], Awaitable[Reference]]
"""Makes, or names, what is cloned."""


async def give_voice(speaking: Speaking, cloned: Cloned, speaker: str, language: str) -> None:
    """Give an engine a voice: a speaker of its own, or a clone where it has none.

    Args:
        speaking: The engine.
        cloned: What is cloned; not asked for where it is not needed.
        speaker: One of its speakers; empty for the first.
        language: Tag of the lines; empty for English, or what else the engine speaks.
    """
    card = speaking.card
    if not language:
        english = [tag for tag in card.languages if tag.partition("-")[0] == "en"]
        language = (english or [*card.languages, "en"])[0]
    named = speaker if speaker in card.speakers else (card.speakers[0] if card.speakers else "")
    voice = Voice("bench", card.engine, speaker=named, language=language)
    folder = Path.cwd()
    if not card.speakers:
        reference = await cloned()
        folder = reference.path.parent
        voice = replace(voice, reference=reference.path.name, transcript=reference.transcript)
    await speaking.prepare(voice, folder)
