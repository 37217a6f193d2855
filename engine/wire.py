"""The language spoken between the studio and an engine process.

Each message is one line of JSON. A message that says ``"bytes": n`` is followed by exactly ``n``
raw bytes, so a reader can skip a kind it does not know. This module is stdlib only and does no
input or output: both sides feed it what they read and write what it returns.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, TypeAlias, Union, get_args

PROTOCOL = 1
"""Raised whenever a message changes its meaning; the studio refuses another number."""

BATCH = "batch"
"""The option under which an engine is told, and says, how many requests it works on together."""

MAX_LINE = 8 * 1024 * 1024
"""The longest header line that is read, in bytes; more means that the stream is not ours."""

MAX_PAYLOAD = 2 * 1024 * 1024 * 1024
"""The largest payload that is read, in bytes (about six hours of float samples at 24 kHz)."""

JSON: TypeAlias = Union[bool, int, float, str, list["JSON"], dict[str, "JSON"], None]  # noqa: UP007


class WireError(ValueError):
    """The stream holds something that is not this protocol."""


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

_KINDS: dict[str, type[Any]] = {
    kind.KIND: kind for kind in (*get_args(Request), *get_args(Event)) if kind.KIND
}


@dataclass(frozen=True, slots=True)
class Frame:
    """One message and the raw bytes that came with it."""

    message: Message
    payload: bytes = b""


def encode(message: Message, payload: bytes = b"") -> bytes:
    """Turn a message into the bytes to write: its header line, without the payload.

    Args:
        message: What to say.
        payload: The raw bytes that will be written directly after the returned line; only their
            number goes into it, so that large payloads are not copied.

    Raises:
        WireError: A float is not finite, or blob sizes do not add up to the payload.
    """
    if isinstance(message, Unknown):
        raise WireError("an unknown message cannot be sent")
    body: dict[str, Any] = {"kind": message.KIND}
    for item in fields(message):
        body[item.name] = _plain(getattr(message, item.name))
    if isinstance(message, Clip) and sum(blob.bytes for blob in message.blobs) != len(payload):
        raise WireError("the parts of a clip do not add up to its payload")
    if payload:
        body["bytes"] = len(payload)
    try:
        line = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        raise WireError(str(error)) from error
    # A lone surrogate cannot be UTF-8; as an escape it survives the trip.
    return line.encode("utf-8", "backslashreplace") + b"\n"


class Decoder:
    """Turns a stream of bytes, in pieces of any size, into frames."""

    def __init__(self) -> None:
        """Start at the beginning of a stream."""
        self._buffer = bytearray()
        self._searched = 0
        """How much of the buffer is known to hold no line end."""
        self._waiting: tuple[Message, int] | None = None

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Take what was read; every frame that is complete by now comes out of the iterator.

        The data is kept even where the iterator is left unfinished: the next one goes on there.

        Raises:
            WireError: While iterating: the stream is not this protocol; nothing after that can be
                trusted.
        """
        self._buffer += data
        return self._frames()

    def _frames(self) -> Iterator[Frame]:
        """Take complete frames off the buffer."""
        while True:
            if self._waiting is None:
                end = self._buffer.find(b"\n", self._searched)
                if (len(self._buffer) if end < 0 else end) > MAX_LINE:
                    raise WireError("a line is longer than any message")
                if end < 0:
                    self._searched = len(self._buffer)
                    return
                self._waiting = _parse(self._take(end + 1)[:-1])
                self._searched = 0
            message, size = self._waiting
            if len(self._buffer) < size:
                return
            payload = self._take(size)
            self._waiting = None
            if isinstance(message, Clip) and sum(b.bytes for b in message.blobs) != size:
                raise WireError("the parts of a clip do not add up to its payload")
            yield Frame(message, payload)

    def _take(self, size: int) -> bytes:
        """Remove the first bytes of the buffer; through a view, so that they are copied once."""
        with memoryview(self._buffer) as view:
            taken = bytes(view[:size])
        del self._buffer[:size]
        return taken

    @property
    def idle(self) -> bool:
        """Whether the stream stands between two messages."""
        return self._waiting is None and not self._buffer


def split_blobs(clip: Clip, payload: bytes) -> dict[str, memoryview]:
    """Cut a clip's payload into its named parts, without copying."""
    parts: dict[str, memoryview] = {}
    view = memoryview(payload)
    start = 0
    for blob in clip.blobs:
        parts[blob.name] = view[start : start + blob.bytes]
        start += blob.bytes
    return parts


def _plain(value: Any) -> Any:
    """A value as JSON can hold it."""
    if isinstance(value, (Card, Voice, Blob, Word)):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _parse(line: bytes) -> tuple[Message, int]:
    """Read one header line; returns the message and the size of its payload."""
    try:
        body = json.loads(line, parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError) as error:
        raise WireError(f"not a message: {line[:80]!r}") from error
    if not isinstance(body, dict) or not isinstance(body.get("kind"), str):
        raise WireError(f"not a message: {line[:80]!r}")
    size = body.pop("bytes", 0)
    if not _is_int(size) or not 0 <= size <= MAX_PAYLOAD:
        raise WireError(f"a payload of {size!r} bytes")
    name = body.pop("kind")
    kind = _KINDS.get(name)
    return (Unknown(name) if kind is None else _build(kind, body)), size


def _finite(text: str) -> float:
    """A JSON number, or what Python's reader takes for one; infinities and NaN are refused."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a finite number")
    return number


def _build(kind: type[Any], body: Mapping[str, Any]) -> Any:
    """Make a dataclass of this module from a JSON object; fields it does not know are skipped."""
    values: dict[str, Any] = {}
    for item in fields(kind):
        if item.name in body:
            values[item.name] = _read(kind, item.name, str(item.type), body[item.name])
        elif item.default is MISSING and item.default_factory is MISSING:
            raise WireError(f"{kind.__name__} lacks {item.name!r}")
    return kind(**values)


def _read(kind: type[Any], name: str, wanted: str, value: Any) -> Any:
    """One field, checked against its annotation."""
    nested = {"Card": Card, "Voice": Voice}.get(wanted)
    if nested is not None and isinstance(value, dict):
        return _build(nested, value)
    if wanted == "tuple[Blob, ...]" and isinstance(value, list):
        blobs = tuple(_build(Blob, item) for item in value if isinstance(item, dict))
        if len(blobs) == len(value) and all(blob.bytes >= 0 for blob in blobs):
            return blobs
    elif wanted == "tuple[Word, ...]" and isinstance(value, list):
        words = tuple(_build(Word, item) for item in value if isinstance(item, dict))
        if len(words) == len(value):
            return words
    elif (
        (wanted == "tuple[str, ...]" and _all(str, value))
        or (wanted == "tuple[int, ...]" and isinstance(value, list) and all(map(_is_int, value)))
        or (wanted == "dict[str, str]" and isinstance(value, dict) and _all(str, [*value.values()]))
        or (wanted == "dict[str, JSON]" and isinstance(value, dict))
    ):
        return tuple(value) if isinstance(value, list) else value
    elif wanted == "dict[str, float]" and isinstance(value, dict):
        if all(_is_number(item) for item in value.values()):
            return {key: float(item) for key, item in value.items()}
    elif (
        (wanted == "str" and isinstance(value, str))
        or (wanted == "bool" and isinstance(value, bool))
        or (wanted == "int" and _is_int(value))
    ):
        return value
    elif wanted == "float" and _is_number(value):
        return float(value)
    raise WireError(f"{kind.__name__}.{name} cannot be {value!r:.80}")


def _all(kind: type, value: Any) -> bool:
    """Whether a value is a list of one kind of thing."""
    return isinstance(value, list) and all(isinstance(item, kind) for item in value)


def _is_int(value: Any) -> bool:
    """Whether a value is an integer; JSON's booleans are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    """Whether a value fits a float field; an integer that no float can hold does not."""
    if isinstance(value, float):
        return math.isfinite(value)
    return _is_int(value) and abs(value) <= sys.float_info.max
