"""What the studio and an engine process say to each other: a card, requests and events."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias, Union

PROTOCOL = 1
"""Raised whenever a message changes its meaning; the studio refuses another number."""

BATCH = "batch"
"""The option under which an engine is told, and says, how many requests it works on together."""

JSON: TypeAlias = Union[bool, int, float, str, list["JSON"], dict[str, "JSON"], None]  # noqa: UP007


@dataclass(frozen=True, slots=True)
class Card:
    """What an engine says of itself: who it is, what it can do, and on what it runs."""

    engine: str
    """Name of the engine, as in the configuration."""
    version: str
    """Version of the engine's own code; changes whenever its output does."""
    model: str
    """Fingerprint of the weights."""
    sample_rate: int
    """Samples per second of its clips."""
    languages: tuple[str, ...]
    """Language tags it can speak, such as ``en`` or ``en-US``."""
    max_chars: int
    """The longest text of one request, in characters; longer text is refused."""
    speakers: tuple[str, ...] = ()
    """Names of built-in voices."""
    seedable: bool = True
    """Whether the same recipe gives the same samples."""
    backend: str = ""
    """Library that does the arithmetic, such as ``onnxruntime``."""
    precision: str = ""
    """Number format of the arithmetic, such as ``fp32``."""
    device: str = ""
    """Where it runs: ``cpu``, ``cuda``, ``mps``."""
    threads: int = 1
    """Threads of one narration."""
    build: dict[str, str] = field(default_factory=dict)
    """Library versions and processor: what else may change the bytes."""
    phonemes: bool = False
    """Whether a text may give a word its phonemes, as in ``[Harrow](/hˈæɹO/)``."""
    all_words: bool = False
    """Whether it says whatever stands in a text: no mark such as ``[laughter]`` is known to it."""
    normalises: tuple[str, ...] = ()
    """What it puts into words by itself, in plain words: ``numbers``, ``abbreviations``."""
    options: dict[str, JSON] = field(default_factory=dict)
    """What of its configuration decides the sound, such as ``{"steps": 10}``."""
    max_seconds: float = 0.0
    """The longest clip together with its voice's reference, in seconds; 0 for no limit."""
    replays: bool = False
    """Whether it can voice the speech tokens of an earlier take again."""
    max_cost: int = 0
    """The most of what `cost` names in one request; 0 for no limit but that of characters."""
    cost: str = ""
    """What it counts besides characters: ``phonemes`` or ``tokens``."""
    describes: bool = False
    """Whether its voices are made out of a description."""
    hears: bool = False
    """Whether it is a listener: it recognises speech, and speaks none."""
    settings: dict[str, JSON] = field(default_factory=dict)
    """What a voice may be set to, by the setting's name: a list of texts, or ``{"least": number,
    "most": number}``, with ``"whole": true`` for whole numbers only; empty where unknown."""
    usual: dict[str, JSON] = field(default_factory=dict)
    """What a voice's setting is where the voice does not say, by the setting's name; a list of two
    where that depends on whether the voice has a style: without one, with one."""
    together: int = 1
    """Requests that it works on together where so many wait. Above 1, what is made of one may
    depend on the others, so that no take follows from its recipe alone; its options say so under
    the name `BATCH`."""


@dataclass(frozen=True, slots=True)
class Voice:
    """Who reads, as an engine needs to know it."""

    fingerprint: str
    """Identity: SHA-256 over everything below and the reference's bytes."""
    speaker: str = ""
    """A built-in speaker's name."""
    reference: str = ""
    """Path of reference audio, or empty."""
    transcript: str = ""
    """What is said in the reference."""
    description: str = ""
    """A voice described in words."""
    style: str = ""
    """How to read, in words."""
    language: str = ""
    """Language tag of the voice."""
    settings: dict[str, JSON] = field(default_factory=dict)
    """Engine settings of this voice, such as the strength of a take."""


@dataclass(frozen=True, slots=True)
class Blob:
    """One named part of a payload; parts stand in the order of the list."""

    name: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Word:
    """One word that was heard."""

    text: str
    """With the marks that belong to it, without blanks."""
    start: float
    """Seconds from the first sample."""
    end: float
    probability: float
    """How sure the listener is of it, 0 to 1."""


# ---- requests: studio to engine ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Load:
    """Load the model; answered by `Loading` events and one `Loaded`."""

    KIND: ClassVar = "load"
    id: int
    options: dict[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PrepareVoice:
    """Make a voice ready; harmless to repeat, and repeated after a recycle."""

    KIND: ClassVar = "prepare_voice"
    id: int
    voice: Voice


@dataclass(frozen=True, slots=True)
class Narrate:
    """Speak one text; answered by `Stage` events and one `Clip`, `Refused` or `Failed`."""

    KIND: ClassVar = "narrate"
    id: int
    text: str
    language: str
    voice: str
    """Fingerprint of a prepared voice."""
    seed: int
    speed: float = 1.0
    tokens: tuple[int, ...] = ()
    """Speech tokens of an earlier take, to be voiced again: none are made then, and text and seed
    are for the record only. For an engine whose card says ``replays``."""


@dataclass(frozen=True, slots=True)
class Hear:
    """Recognise what is said; answered by `Stage` events and one `Heard`, `Refused` or `Failed`.

    The sound is the payload, mono f32le within -1..1, or the file at ``path`` where that is set.
    """

    KIND: ClassVar = "hear"
    id: int
    language: str = ""
    """Language tag of what is said; empty for what the listener makes of it."""
    path: str = ""
    rate: int = 0
    """Samples per second of the payload."""


@dataclass(frozen=True, slots=True)
class Cancel:
    """Drop a request; it answers `Failed` with ``cancelled`` unless it is done already."""

    KIND: ClassVar = "cancel"
    id: int
    target: int


@dataclass(frozen=True, slots=True)
class Measure:
    """Answered by `Measured`."""

    KIND: ClassVar = "measure"
    id: int


@dataclass(frozen=True, slots=True)
class Shutdown:
    """Finish nothing more and leave; answered by `Bye`."""

    KIND: ClassVar = "shutdown"
    id: int


# ---- events: engine to studio --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hello:
    """First message of an engine, before any request."""

    KIND: ClassVar = "hello"
    protocol: int
    pid: int
    card: Card


@dataclass(frozen=True, slots=True)
class Loading:
    """Progress of a load, 0 to 1."""

    KIND: ClassVar = "loading"
    id: int
    fraction: float


@dataclass(frozen=True, slots=True)
class Loaded:
    """The model is ready; the card is final from here on."""

    KIND: ClassVar = "loaded"
    id: int
    card: Card
    seconds: float


@dataclass(frozen=True, slots=True)
class Prepared:
    """A voice is ready."""

    KIND: ClassVar = "prepared"
    id: int
    notes: tuple[str, ...] = ()
    """What may spoil its sound, such as a clipped reference, in plain sentences for a person."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A narration has entered, or is part way through, one of its stages."""

    KIND: ClassVar = "stage"
    id: int
    name: str
    fraction: float = 0.0


@dataclass(frozen=True, slots=True)
class Clip:
    """A finished narration. The payload's blob ``pcm`` is f32le, interleaved, within -1..1.

    A blob ``speech_tokens`` is int32 little-endian: what `Narrate.tokens` takes to voice it again.
    """

    KIND: ClassVar = "clip"
    id: int
    rate: int
    channels: int
    frames: int
    seconds: float
    """Wall seconds of synthesis, load not included."""
    cpu_seconds: float
    """Processor seconds of synthesis."""
    footprint: int
    """Bytes charged to the process after the clip."""
    blobs: tuple[Blob, ...]
    stages: dict[str, float] = field(default_factory=dict)
    """Wall seconds per stage."""
    device_memory: int = 0
    """Bytes held on an accelerator, 0 where there is none."""
    notes: tuple[str, ...] = ()
    """What the narrator itself found wrong with it, in plain words; one that it could not end
    begins with ``runaway:``."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What was said, as a listener has it."""

    KIND: ClassVar = "heard"
    id: int
    text: str
    """Empty where nobody speaks."""
    words: tuple[Word, ...]
    """In their order."""
    language: str
    """Language tag it was heard in."""
    audio_seconds: float
    """Length of the sound."""
    seconds: float
    """Wall seconds of listening, load not included."""
    footprint: int = 0
    """Bytes charged to the process afterwards."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The input is bad and will be bad again; the reason is plain words for a person."""

    KIND: ClassVar = "refused"
    id: int
    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """A request failed. ``failure`` is ``transient``, ``fatal`` or ``cancelled``."""

    KIND: ClassVar = "failed"
    id: int
    failure: str
    reason: str


@dataclass(frozen=True, slots=True)
class Measured:
    """Memory now, in bytes."""

    KIND: ClassVar = "measured"
    id: int
    footprint: int
    device_memory: int = 0


@dataclass(frozen=True, slots=True)
class Bye:
    """Last message of an engine that leaves of its own accord."""

    KIND: ClassVar = "bye"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A well-formed message of a kind this version does not know; to be logged and skipped."""

    KIND: ClassVar = ""
    kind: str


Request: TypeAlias = Load | PrepareVoice | Narrate | Hear | Cancel | Measure | Shutdown
Event: TypeAlias = (
    Hello
    | Loading
    | Loaded
    | Prepared
    | Stage
    | Clip
    | Heard
    | Refused
    | Failed
    | Measured
    | Bye
    | Unknown
)
Message: TypeAlias = Request | Event
