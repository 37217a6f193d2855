"""The narrators and listeners that there are, and what each must offer.

A narrator, or a listener, is a small object that lives in an engine process. It is named here and
imported only when it is asked for, so that an engine needs no other engine's libraries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from engine.wire import JSON, Card, Hear, Narrate, Voice, Word

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NARRATORS: dict[str, str] = {
    "hibari": "engine.narrators.hibari:Hibari",
    "cosyvoice3": "engine.narrators.cosyvoice3.narrator:CosyVoice3",
    "qwen3-tts": "engine.narrators.qwen3_tts.narrator:Qwen3Tts",
}
"""Name → ``module:class`` of every narrator."""

LISTENERS: dict[str, str] = {"whisper": "engine.listeners.whisper:Whisper"}
"""Name → ``module:class`` of every listener."""


class Refusal(Exception):
    """The input is bad and would be bad again; the text is plain words for a person."""


class Transient(Exception):
    """This went wrong, another attempt may not; the text is plain words for a person."""


class Fatal(Exception):
    """This process can do nothing more; the text is plain words for a person."""


class Cancelled(Exception):
    """The request was dropped while it was being worked on."""


@dataclass(frozen=True, slots=True)
class Narration:
    """One narration as a narrator hands it over."""

    samples: NDArray[np.float32]
    """Within -1..1; shape (frames,) or (frames, channels)."""
    rate: int
    """Samples per second."""
    stages: Mapping[str, float] = field(default_factory=dict)
    """Wall seconds by stage."""
    blobs: Mapping[str, bytes] = field(default_factory=dict)
    """Attachments, such as word times."""
    notes: tuple[str, ...] = ()
    """What the narrator itself found wrong with it; see `engine.wire.Clip`."""


Progress = Callable[[float], None]
"""Told how far a load has come, 0 to 1."""
Stage = Callable[[str, float], None]
"""Told which stage a narration is in, and how far through it, 0 to 1."""
Half: TypeAlias = Any
"""What a narrator carries from the first half of a clip to the second; nobody else looks inside."""


class Narrator(Protocol):
    """What speaks. All calls are made one after another, but for `device_memory` and `Staged`.

    Constructing one must be quick and import no model library: the card is sent before the load.
    """

    @property
    def card(self) -> Card:
        """What it is; after `load`, what it turned out to be."""
        ...

    def load(self, options: Mapping[str, JSON], progress: Progress) -> None:
        """Load the model.

        Raises:
            Refusal: The options are not understood.
            Fatal: It cannot be loaded here.
            Cancelled: Out of ``progress``, when the request was dropped.
        """
        ...

    def prepare_voice(self, voice: Voice) -> tuple[str, ...]:
        """Make a voice ready, under its fingerprint; harmless to repeat.

        Returns:
            What may spoil its sound, in plain sentences for a person.

        Raises:
            Refusal: There is no such voice, or it is described in a way that is not understood.
        """
        ...

    def narrate(self, request: Narrate, stage: Stage, cancelled: Callable[[], bool]) -> Narration:
        """Speak one text with a prepared voice.

        Args:
            request: What to speak.
            stage: To be called as each stage is entered or gets on; it raises `Cancelled` when the
                request was dropped meanwhile, as at every check point.
            cancelled: Whether the request was dropped, for loops that have no stage to report.

        Raises:
            Refusal: The text or a number is out of what this narrator can do.
            Transient: It did not work this time.
            Cancelled: The request was dropped.
        """
        ...

    def device_memory(self) -> int:
        """Bytes held on an accelerator, 0 where there is none; asked from any thread."""
        ...


@runtime_checkable
class Staged(Narrator, Protocol):
    """A narrator whose clips are made in two halves, which may run side by side.

    While `finish` works on one clip, `begin` may work on the next, on another thread; never on more
    than that. What comes out is the same as if one were made after the other: what both halves
    touch, they only read. `load` and `prepare_voice` are called while both halves are idle.
    """

    @property
    def overlaps(self) -> bool:
        """Whether the halves may run side by side; asked after the load."""
        ...

    def begin(self, request: Narrate, stage: Stage, cancelled: Callable[[], bool]) -> Half:
        """The first half of a clip; arguments and errors as for `narrate`."""
        ...

    def finish(self, half: Half, stage: Stage, cancelled: Callable[[], bool]) -> Narration:
        """The second half of what `begin` returned; arguments and errors as for `narrate`."""
        ...

    def rest(self) -> None:
        """Tidy up: neither half is running, and none begins before this returns."""

    def narrate(self, request: Narrate, stage: Stage, cancelled: Callable[[], bool]) -> Narration:
        """Both halves, one after the other."""
        return self.finish(self.begin(request, stage, cancelled), stage, cancelled)


@dataclass(frozen=True, slots=True)
class Beginning:
    """A clip that is to be begun together with others; see `Narrator.narrate` for its parts."""

    request: Narrate
    stage: Stage
    cancelled: Callable[[], bool]


@runtime_checkable
class Together(Staged, Protocol):
    """A staged narrator that can begin several clips at once: as many as its card says.

    What it makes so may depend on what was begun with it. `begin` and `finish` are as ever.
    """

    def begin_together(self, beginnings: Sequence[Beginning]) -> list[Half | Exception]:
        """The first halves of two or more clips; called as `begin` is, and never beside it.

        Returns:
            For each of them, in order, what `begin` would return, or the exception that it would
            raise: what is wrong with one of them stops no other.
        """
        ...


@dataclass(frozen=True, slots=True)
class Hearing:
    """What a listener has heard."""

    text: str
    words: tuple[Word, ...]
    language: str
    audio_seconds: float
    """Length of the sound."""


@runtime_checkable
class Listener(Protocol):
    """What recognises speech. Calls are made one after another, but for `device_memory`.

    Constructing one must be quick and import no model library: the card is sent before the load.
    """

    @property
    def card(self) -> Card:
        """What it is; it says that it hears."""
        ...

    def load(self, options: Mapping[str, JSON], progress: Progress) -> None:
        """Load the model; errors as for a narrator's."""
        ...

    def hear(
        self, request: Hear, sound: bytes, stage: Stage, cancelled: Callable[[], bool]
    ) -> Hearing:
        """Recognise what is said.

        Args:
            request: What to listen to.
            sound: Mono f32le at the request's rate, where it names no file.
            stage: To be called as it gets on; it raises `Cancelled` when the request was dropped.
            cancelled: Whether the request was dropped.

        Raises:
            Refusal: It is no sound, too long, or in a language that this listener does not know.
            Transient: It did not work this time.
            Cancelled: The request was dropped.
        """
        ...

    def device_memory(self) -> int:
        """Bytes held on an accelerator, 0 where there is none; asked from any thread."""
        ...


def create(name: str) -> Narrator:
    """Make the narrator of a name.

    Raises:
        KeyError: There is none of that name.
    """
    narrator: Narrator = _made(NARRATORS[name])
    return narrator


def create_listener(name: str) -> Listener:
    """Make the listener of a name.

    Raises:
        KeyError: There is none of that name.
    """
    listener: Listener = _made(LISTENERS[name])
    return listener


def _made(where: str) -> Any:
    """What stands at ``module:class``, made."""
    module, _, factory = where.partition(":")
    return getattr(import_module(module), factory)()
