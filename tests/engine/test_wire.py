"""The wire: what goes in comes out, in pieces of any size; nonsense is refused."""

from __future__ import annotations

import contextlib
import json
import math
import types
import typing
from dataclasses import fields, is_dataclass, replace
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from needs import examples

from engine import wire
from engine.wire import stream

# Two halves of a surrogate pair in a row are one character in JSON, so only lone ones are made.
TEXT = st.text(
    st.one_of(st.characters(exclude_categories=("Cs",)), st.just("\ud800"), st.just("\\")),
    max_size=20,
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
INTS = st.integers(-(2**70), 2**70)
JSON = st.recursive(
    st.none() | st.booleans() | INTS | FLOATS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
SIZES = st.integers(0, 40)


def values(wanted: Any) -> st.SearchStrategy[Any]:
    """A strategy for an annotation of the wire's dataclasses."""
    if is_dataclass(wanted):
        return messages(wanted)
    plain = {str: TEXT, int: INTS, float: FLOATS, bool: st.booleans()}
    if wanted in plain:
        return plain[wanted]
    origin, inner = typing.get_origin(wanted), get_args(wanted)
    if origin is tuple:
        return st.lists(values(inner[0]), max_size=3).map(tuple)
    assert origin is dict
    value = values(inner[1]) if inner[1] in plain else JSON
    return st.dictionaries(TEXT, value, max_size=3)


def messages(kind: type[Any]) -> st.SearchStrategy[Any]:
    """Any message of a kind."""
    if kind is wire.Blob:
        return st.builds(wire.Blob, TEXT, SIZES)
    hints = typing.get_type_hints(kind)
    return st.builds(kind, **{item.name: values(hints[item.name]) for item in fields(kind)})


KINDS = [kind for kind in (*get_args(wire.Request), *get_args(wire.Event)) if kind.KIND]


def frame(message: Any, spare: bytes = b"") -> tuple[bytes, bytes]:
    """Line and payload of a message; a clip's payload fits its blobs."""
    payload = spare
    if isinstance(message, wire.Clip):
        payload = bytes(index % 256 for index in range(sum(blob.bytes for blob in message.blobs)))
    return wire.encode(message, payload), payload


def test_every_kind_has_a_name_of_its_own() -> None:
    assert len({kind.KIND for kind in KINDS}) == len(KINDS) == 18


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(max_examples=examples(25), deadline=None)
def test_every_message_survives_the_trip(kind: type[Any], data: st.DataObject) -> None:
    message = data.draw(messages(kind))
    line, payload = frame(message, data.draw(st.binary(max_size=30)))
    assert line.count(b"\n") == 1
    decoder = wire.Decoder()
    assert list(decoder.feed(line + payload)) == [wire.Frame(message, payload)]
    assert decoder.idle


@given(st.lists(st.sampled_from(KINDS).flatmap(messages), min_size=1, max_size=4), st.data())
@settings(max_examples=examples(50), deadline=None)
def test_pieces_of_any_size_give_the_same_frames(sent: list[Any], data: st.DataObject) -> None:
    pairs = [frame(message, b"\n{}\n") for message in sent]
    stream = b"".join(line + payload for line, payload in pairs)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    decoder = wire.Decoder()
    got = [
        item
        for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)
        for item in decoder.feed(stream[start:end])
    ]
    assert [item.message for item in got] == sent
    assert [item.payload for item in got] == [payload for _, payload in pairs]


def test_a_stream_may_be_cut_at_every_byte() -> None:
    clip = wire.Clip(3, 24000, 1, 2, 0.5, 0.25, 9, (wire.Blob("pcm", 8), wire.Blob("é", 3)))
    request = wire.Narrate(4, "“Zoë”\n{}", "en", "v", 7)
    stream = b"".join(part for message in (clip, request) for part in frame(message))
    for cut in range(len(stream) + 1):
        decoder = wire.Decoder()
        got = [*decoder.feed(stream[:cut]), *decoder.feed(stream[cut:])]
        assert [item.message for item in got] == [clip, request], cut
    decoder = wire.Decoder()
    single = [item for index in range(len(stream)) for item in decoder.feed(stream[index:][:1])]
    assert [item.message for item in single] == [clip, request]


def test_an_iterator_left_unfinished_loses_nothing() -> None:
    line = wire.encode(wire.Measure(1)) + wire.encode(wire.Measure(2))
    decoder = wire.Decoder()
    assert next(decoder.feed(line)).message == wire.Measure(1)
    decoder.feed(wire.encode(wire.Measure(3)))
    assert [item.message.id for item in decoder.feed(b"")] == [2, 3]


def test_unknown_kinds_are_skipped_with_their_payload() -> None:
    decoder = wire.Decoder()
    stream = b'{"kind":"sing","key":[1,{"a":null}],"bytes":4}\n\n\n\n\n' + wire.encode(wire.Bye())
    sing, bye = decoder.feed(stream)
    assert sing == wire.Frame(wire.Unknown("sing"), b"\n\n\n\n")
    assert bye.message == wire.Bye()


def test_fields_of_a_later_version_are_skipped() -> None:
    (item,) = wire.Decoder().feed(b'{"kind":"cancel","id":1,"target":2,"why":"later"}\n')
    assert item.message == wire.Cancel(1, 2)


def test_optional_fields_may_be_missing_required_ones_may_not() -> None:
    (item,) = wire.Decoder().feed(b'{"kind":"load","id":1}\n')
    assert item.message == wire.Load(1, {})
    with pytest.raises(wire.WireError, match="Cancel lacks 'target'"):
        list(wire.Decoder().feed(b'{"kind":"cancel","id":1}\n'))


def test_what_came_later_may_be_missing() -> None:
    """An engine and a studio of before say nothing of these, and are understood."""
    card = wire.Card("old", "1", "m", 8000, ("en",), 50)
    later = {
        wire.Card: ("options", "max_seconds", "replays", "max_cost", "cost"),
        wire.Narrate: ("tokens",),
        wire.Prepared: ("notes",),
        wire.Clip: ("notes",),
    }
    for message in (
        wire.Hello(1, 7, card),
        wire.Narrate(1, "", "en", "v", 1),
        wire.Prepared(1),
        wire.Clip(1, 8, 1, 1, 0.5, 0.5, 1, (wire.Blob("pcm", 4),)),
    ):
        payload = b"1234" if isinstance(message, wire.Clip) else b""
        body = json.loads(wire.encode(message, payload))
        for name in later.get(type(message), ()):
            del body[name]
        for name in later[wire.Card] if "card" in body else ():
            del body["card"][name]
        (item,) = wire.Decoder().feed(json.dumps(body).encode() + b"\n" + payload)
        assert item.message == message


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_not_finite_are_not_sent(number: float) -> None:
    for message in (
        wire.Loading(1, number),
        wire.Load(1, {"deep": [{"in": number}]}),
        replace(wire.Narrate(1, "", "en", "v", 1), speed=number),
    ):
        with pytest.raises(wire.WireError):
            wire.encode(message)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_numbers_that_are_not_finite_are_not_taken(number: str) -> None:
    for line in (
        f'{{"kind":"loading","id":1,"fraction":{number}}}',
        f'{{"kind":"load","id":1,"options":{{"deep":[{number}]}}}}',
    ):
        with pytest.raises(wire.WireError):
            list(wire.Decoder().feed(line.encode() + b"\n"))


def test_a_lone_surrogate_survives() -> None:
    message = wire.Narrate(1, "a\ud83d\\b\udfff", "en", "v", 1)
    line = wire.encode(message)
    line.decode("utf-8")
    assert [item.message for item in wire.Decoder().feed(line)] == [message]


NARRATE = b'{"kind":"narrate","id":1,"text":"","language":"en","voice":"v","seed":1,'
CLIP = b'{"kind":"clip","id":1,"rate":8,"channels":1,"frames":1,"seconds":1,"cpu_seconds":1,'


@pytest.mark.parametrize(
    "blobs",
    [
        b'[{"name":"pcm","bytes":3}]',
        b"[]",
        b'[{"name":"pcm","bytes":8},{"name":"x","bytes":-4}]',
        b'[{"name":"pcm","bytes":4},7]',
        b'[{"name":"pcm","bytes":true}]',
        b'{"pcm":4}',
    ],
)
def test_blobs_that_do_not_add_up_are_refused(blobs: bytes) -> None:
    line = CLIP + b'"footprint":1,"blobs":' + blobs + b',"bytes":4}\n'
    with pytest.raises(wire.WireError):
        list(wire.Decoder().feed(line + b"1234"))


def test_blobs_that_do_not_add_up_are_not_sent() -> None:
    clip = wire.Clip(1, 8, 1, 1, 0.5, 0.5, 1, (wire.Blob("pcm", 4),))
    assert list(wire.Decoder().feed(wire.encode(clip, b"1234") + b"1234"))
    with pytest.raises(wire.WireError, match="add up"):
        wire.encode(clip, b"12345")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"hello",
        b"[]",
        b"7",
        b'{"id":1}',
        b'{"kind":7}',
        b'{"kind":"cancel","id":"1","target":2}',
        b'{"kind":"cancel","id":true,"target":2}',
        b'{"kind":"cancel","id":1.5,"target":2}',
        b'{"kind":"bye","reason":null}',
        b'{"kind":"bye","reason":["a"]}',
        b'{"kind":"loading","id":1,"fraction":"0.5"}',
        b'{"kind":"loading","id":1,"fraction":1' + b"0" * 400 + b"}",
        b'{"kind":"load","id":1,"options":[]}',
        b'{"kind":"prepared","id":1,"notes":"clipped"}',
        b'{"kind":"prepared","id":1,"notes":[7]}',
        NARRATE + b'"tokens":7}',
        NARRATE + b'"tokens":["7"]}',
        NARRATE + b'"tokens":[true]}',
        NARRATE + b'"tokens":[1.0]}',
        b'{"kind":"prepare_voice","id":1,"voice":"v"}',
        b'{"kind":"prepare_voice","id":1,"voice":{}}',
        b'{"kind":"bye","bytes":-1}',
        b'{"kind":"bye","bytes":"4"}',
        b'{"kind":"bye","bytes":99999999999}',
        b'{"kind":"bye","reason":"\xff"}',
        b'{"kind":"bye","reason":' + b"[" * 100_000 + b"}",
    ],
)
def test_nonsense_is_refused(line: bytes) -> None:
    with pytest.raises(wire.WireError):
        list(wire.Decoder().feed(line + b"\n"))


@given(st.binary(max_size=200))
@settings(max_examples=examples(200), deadline=None)
def test_any_bytes_give_frames_or_a_wire_error(data: bytes) -> None:
    try:
        frames = list(wire.Decoder().feed(data))
    except wire.WireError:
        return
    assert frames == [] or b"\n" in data


@given(st.sampled_from(KINDS).flatmap(messages), st.data())
@settings(max_examples=examples(100), deadline=None)
def test_a_field_of_another_type_gives_a_wire_error_or_a_message(
    message: Any, data: st.DataObject
) -> None:
    body = json.loads(frame(message)[0])
    name = data.draw(st.sampled_from(sorted(body)))
    body[name] = data.draw(JSON)
    line = json.dumps(body).encode() + b"\n"
    with contextlib.suppress(wire.WireError):
        list(wire.Decoder().feed(line))


def test_a_line_without_an_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "MAX_LINE", 100)
    decoder = wire.Decoder()
    assert list(decoder.feed(b"x" * 100)) == []
    with pytest.raises(wire.WireError, match="longer"):
        list(decoder.feed(b"x"))
    with pytest.raises(wire.WireError, match="longer"):
        list(wire.Decoder().feed(b"x" * 101 + b"\n"))


def test_a_decoder_knows_whether_it_stands_between_messages() -> None:
    decoder = wire.Decoder()
    line = wire.encode(wire.Bye(), b"12")
    list(decoder.feed(line[:5]))
    assert not decoder.idle
    list(decoder.feed(line[5:] + b"1"))
    assert not decoder.idle
    list(decoder.feed(b"2"))
    assert decoder.idle


def test_blobs_are_cut_without_copying() -> None:
    clip = wire.Clip(1, 8, 1, 1, 1.0, 1.0, 1, (wire.Blob("pcm", 4), wire.Blob("words", 2)))
    payload = b"1234ab"
    parts = wire.split_blobs(clip, payload)
    assert {name: bytes(part) for name, part in parts.items()} == {"pcm": b"1234", "words": b"ab"}
    assert parts["words"].obj is payload


def test_an_unknown_message_is_not_sent() -> None:
    with pytest.raises(wire.WireError):
        wire.encode(wire.Unknown("sing"))


def test_annotations_are_all_understood() -> None:
    """Every annotation on the wire is one that the reader checks; a new one must be taught."""
    known = {
        "str",
        "int",
        "float",
        "bool",
        "Card",
        "Voice",
        "tuple[str, ...]",
        "tuple[int, ...]",
        "tuple[Blob, ...]",
        "tuple[Word, ...]",
        "dict[str, str]",
        "dict[str, float]",
        "dict[str, JSON]",
    }
    used = {
        str(item.type)
        for kind in (*KINDS, wire.Card, wire.Voice, wire.Word)
        for item in fields(kind)
    }
    assert used == known
    assert isinstance(wire.Request, types.UnionType)
