"""A sound that is laid out while it is read."""

from __future__ import annotations

import threading

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from studio.sound.onward import Onward
from studio.sound.source import ENDLESS, Resampled, Samples

RATE = 24_000


def ramp(first: int, frames: int) -> Samples:
    """Samples that no other stretch has."""
    return (np.arange(first, first + frames) / 1e6).astype(np.float32)


def filled() -> Onward:
    """Three clips with silences."""
    sound = Onward(RATE)
    for place, label in enumerate("abc"):
        sound.add_clip(label, ramp(1000 * place + 1, 1000), place)
        sound.add_silence(label, 500)
    return sound


def test_it_is_endless_until_it_is_finished_and_gives_what_is_there() -> None:
    sound = filled()
    assert sound.frames == ENDLESS
    assert np.array_equal(sound.read(900, 700)[:100], ramp(901, 100))
    assert not sound.read(1000, 500).any()
    assert len(sound.read(4400, 500)) == 100
    assert len(sound.read(4500, 500)) == 0
    sound.finish()
    assert sound.frames == 4500


@given(st.lists(st.integers(1, 900), min_size=1, max_size=30))
def test_any_way_of_reading_gives_the_same(counts: list[int]) -> None:
    sound, whole = filled(), filled().read(0, 4500)
    at = 0
    for count in counts:
        block = sound.read(at, count)
        assert np.array_equal(block, whole[at : at + count])
        at += len(block)


def test_only_what_nobody_has_read_can_be_taken_back() -> None:
    sound = filled()
    sound.read(0, 1600)
    pieces = sound.not_read()
    assert [(it.label, it.silence) for it in pieces] == [
        ("b", False),
        ("b", True),
        ("c", False),
        ("c", True),
    ]
    assert not sound.cut(pieces[0]), "its beginning was read"
    assert sound.cut(pieces[2])
    assert sound.end == 3000
    sound.add_clip("d", ramp(9000, 10), 9)
    assert np.array_equal(sound.read(3000, 10), ramp(9000, 10))


def test_going_back_takes_back_the_whole_segment_and_more_can_come() -> None:
    sound = filled()
    sound.finish()
    sound.read(0, 4500)
    laid = sound.rewind(2700)  # in the silence after b
    assert laid is not None
    assert (laid.label, laid.start) == ("b", 1500)
    assert sound.frames == ENDLESS
    assert sound.end == sound.taken == 1500
    sound.add_clip("b", ramp(5000, 200), 7)
    assert np.array_equal(sound.read(1500, 500), ramp(5000, 200))


def test_a_place_is_named_with_the_silence_after_it() -> None:
    sound = Onward(RATE)
    assert sound.span(0) is None
    sound.add_clip("a", ramp(1, 100), 1)
    sound.add_silence("a", 50)
    sound.add_clip("break", ramp(1, 0), None)
    sound.add_silence("break", 70)
    sound.add_clip("b", ramp(1, 10), 2)
    found = [sound.span(frame) for frame in (0, 99, 149, 150, 219, 220, 999)]
    assert [(it[0].label, it[0].start, it[1]) for it in found if it is not None] == [
        ("a", 0, 150),
        ("a", 0, 150),
        ("a", 0, 150),
        ("break", 150, 220),
        ("break", 150, 220),
        ("b", 220, 230),
        ("b", 220, 230),
    ]


def test_what_was_heard_long_ago_leaves_memory() -> None:
    sound = Onward(100)
    for _ in range(50):
        sound.add_clip("s", np.ones(100, np.float32), 1)
    for second in range(50):
        sound.read(100 * second, 100)
    kept = [laid for laid in sound._laid if laid.samples is not None]
    assert len(kept) <= 12
    assert sound.end == 5000


def test_at_another_rate_it_is_one_seamless_conversion_however_it_comes() -> None:
    tone = np.sin(np.arange(24_000) * 2 * np.pi * 440 / RATE).astype(np.float32)
    sound = Onward(RATE)
    converted = Resampled(sound, 48_000)
    heard: list[Samples] = []
    at = 0
    for start in range(0, 24_000, 1000):
        sound.add_clip("s", tone[start : start + 1000], 1)
        while len(block := converted.read(at, 700)):
            heard.append(block)
            at += len(block)
    assert converted.frames == ENDLESS
    sound.finish()
    assert converted.frames == 48_000
    ideal = np.sin(np.arange(48_000) * 2 * np.pi * 440 / 48_000)
    result = np.concatenate(heard)
    assert len(result) > 45_000
    assert np.abs(result[200:] - ideal[200 : len(result)]).max() < 1e-3


def test_it_is_read_while_it_is_laid_out() -> None:
    sound = Onward(RATE)

    def lay() -> None:
        """Lay out in small pieces."""
        for place in range(300):
            sound.add_clip("s", ramp(100 * place, 100), place)
        sound.finish()

    writer = threading.Thread(target=lay)
    writer.start()
    parts: list[Samples] = []
    at = 0
    while at < sound.frames:
        block = sound.read(at, 333)
        parts.append(block)
        at += len(block)
    writer.join()
    assert np.array_equal(np.concatenate(parts), ramp(0, 30_000))
