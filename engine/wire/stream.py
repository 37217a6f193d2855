"""Messages as bytes: each is one line of JSON, and raw bytes behind it where it says so."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, get_args

from engine.wire.messages import Blob, Card, Clip, Event, Message, Request, Unknown, Voice, Word

MAX_LINE = 8 * 1024 * 1024
"""The longest header line that is read, in bytes; more means that the stream is not ours."""

MAX_PAYLOAD = 2 * 1024 * 1024 * 1024
"""The largest payload that is read, in bytes (about six hours of float samples at 24 kHz)."""


class WireError(ValueError):
    """The stream holds something that is not this protocol."""


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
    """A message, or a part of one, of a JSON object; fields it does not know are skipped."""
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
