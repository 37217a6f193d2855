"""A chapter as one sound, sample by sample."""

from __future__ import annotations

import numpy as np
import pytest
import soxr
from hypothesis import given, settings
from hypothesis import strategies as st
from needs import examples
from sound_segments import case, clip, level, piece, segment

from studio.errors import Incomplete, MachineFault
from studio.project.model import Kind
from studio.sound.assembly import Piece, Timeline, fade_edges, join
from studio.sound.pauses import PauseRules
from studio.sound.plan import MissingSegments, chapter_timeline
from studio.sound.source import ClipSource, Resampled, Slice, resampled_length
from studio.wording import number_runs

RATE = 24000


def whole(timeline: Timeline) -> np.ndarray:
    """Read all of it at once."""
    return timeline.read(0, timeline.frames)


def test_two_hundred_chapters_of_odd_lengths_do_not_drift() -> None:
    pieces = [piece(level(1001, 16384), RATE, pause_ms=1, label=str(n)) for n in range(200)]
    timeline = Timeline(pieces, RATE, head_ms=10, tail_ms=20)
    assert timeline.starts.tolist() == [240 + n * (1001 + 24) for n in range(200)]
    assert timeline.ends.tolist() == [240 + n * (1001 + 24) + 1001 for n in range(200)]
    assert timeline.frames == 240 + 200 * 1025 + 480
    sound = whole(timeline)
    for start, end in zip(timeline.starts, timeline.ends, strict=True):
        middle = sound[start + 200 : end - 200]
        assert np.all(middle == 0.5)
        assert not sound[end : end + 24].any()
        assert not sound[start - 24 : start].any()


def test_the_middle_of_a_clip_is_untouched_and_its_edges_are_faded() -> None:
    pcm, rate = case("good.wav")
    timeline = Timeline([piece(pcm, rate)], rate)
    sound = whole(timeline)
    fade = 144  # 6 ms
    original = pcm[:, 0] / np.float32(32768)
    assert np.array_equal(sound[fade:-fade], original[fade:-fade])
    assert np.all(np.abs(sound) <= np.abs(original))


def test_a_step_at_the_edge_of_a_clip_becomes_a_slope() -> None:
    pcm, rate = case("dc.wav")
    sound = whole(Timeline([piece(pcm, rate, 100), piece(pcm, rate)], rate, head_ms=50))
    start = round(0.05 * rate)
    assert abs(sound[start]) < 1e-4
    assert abs(sound[start + len(pcm) - 1]) < 1e-4


@pytest.mark.parametrize("frames", [0, 1, 2, 3, 10, 287, 288, 289])
def test_a_fade_is_never_longer_than_half_the_clip(frames: int) -> None:
    samples = np.ones(frames, np.float32)
    fade_edges(samples, RATE)
    assert len(samples) == frames
    assert np.array_equal(samples, samples[::-1])
    assert not np.isnan(samples).any()
    if frames >= 2:
        assert samples[0] < 0.6
    timeline = Timeline([piece(level(frames, 9), RATE, 10), piece(level(5, 9), RATE)], RATE)
    assert timeline.frames == frames + 240 + 5
    assert len(whole(timeline)) == timeline.frames


def test_short_and_empty_clips_of_the_cases() -> None:
    short, rate = case("short.wav")
    empty, _ = case("empty.wav")
    timeline = Timeline([piece(empty, rate, 100), piece(short, rate)], rate)
    assert timeline.starts.tolist() == [0, 2400]
    assert timeline.frames == 2400 + 14880
    assert whole(timeline)[2400:].any()


def test_stereo_and_another_rate_join_at_the_right_length_and_pitch() -> None:
    good, stereo, other = case("good.wav"), case("stereo.wav"), case("rate22k.wav")
    timeline = Timeline([piece(*good, 0), piece(*stereo, 0), piece(*other, 0)], RATE)
    lengths = timeline.ends - timeline.starts
    assert lengths[0] == lengths[1] == 99360
    assert lengths[2] == resampled_length(91286, 22050, RATE)
    assert timeline.seconds == pytest.approx(3 * 4.14, abs=0.001)
    sound = whole(timeline)
    first, second, third = (
        sound[a + 200 : b - 200] for a, b in zip(timeline.starts, timeline.ends, strict=True)
    )
    mean = stereo[0].mean(axis=1)[200:-200] / 32768
    assert np.allclose(second, mean, atol=1e-6)
    straight = soxr.resample(other[0][:, 0] / np.float32(32768), 22050, RATE, quality="VHQ")
    assert np.allclose(third, straight[200 : 200 + len(third)], atol=1e-5)
    assert np.corrcoef(first[: len(third)], third[: len(first)])[0, 1] > 0.9


@settings(max_examples=examples(60), deadline=None)
@given(
    clips=st.lists(
        st.tuples(
            st.integers(0, 900),
            st.sampled_from([RATE, 22050, 44100]),
            st.integers(1, 2),
            st.integers(0, 30),
        ),
        max_size=7,
    ),
    head=st.integers(0, 20),
    tail=st.integers(0, 20),
    data=st.data(),
)
def test_any_read_equals_reading_from_the_start(
    clips: list[tuple[int, int, int, int]], head: int, tail: int, data: st.DataObject
) -> None:
    random = np.random.default_rng(5)
    pieces = [
        piece(random.integers(-32768, 32767, (n, channels), np.int16), rate, pause)
        for n, rate, channels, pause in clips
    ]
    timeline = Timeline(pieces, RATE, head_ms=head, tail_ms=tail)
    expected = whole(timeline)
    assert len(expected) == timeline.frames
    fresh = Timeline(pieces, RATE, head_ms=head, tail_ms=tail)
    for _ in range(5):
        start = data.draw(st.integers(0, timeline.frames + 5))
        count = data.draw(st.integers(0, 1200))
        assert np.array_equal(fresh.read(start, count), expected[start : start + count])


def test_one_clip_at_a_time_is_loaded_and_few_are_kept() -> None:
    loaded: list[int] = []

    def lazy(number: int) -> Piece:
        """A piece that notes when it is loaded."""

        def load() -> tuple[np.ndarray, int]:
            """Note it."""
            loaded.append(number)
            return level(500, 1000), RATE

        return Piece(500, RATE, load, 0, str(number))

    timeline = Timeline([lazy(n) for n in range(100)], RATE)
    assert loaded == [], "positions need no clip"
    for start in range(0, timeline.frames, 130):
        timeline.read(start, 130)
    assert loaded == list(range(100)), "reading on loads each clip once"
    assert len(timeline._ready) <= 4
    timeline.read(0, 10)
    assert loaded[100:] == [0], "what was long ago is loaded anew"


def test_a_clip_that_is_not_as_long_as_its_take_says_is_a_fault() -> None:
    timeline = Timeline([Piece(500, RATE, lambda: (level(499, 1), RATE), 0, "s14")], RATE)
    with pytest.raises(MachineFault, match="segment s14 holds 499 samples"):
        whole(timeline)


def test_a_cursor_finds_its_segment() -> None:
    pieces = [
        piece(level(100, 1), RATE, 10),
        Piece(0, RATE, None, 10, "b"),
        piece(level(50, 1), RATE),
    ]
    timeline = Timeline(pieces, RATE, head_ms=10, tail_ms=10)
    frames = (0, 239, 240, 579, 580, 819, 820, 2000)
    assert [timeline.piece_at(frame) for frame in frames] == [0, 0, 0, 0, 1, 1, 2, 2]
    assert Timeline([], RATE, head_ms=10).frames == 240


def test_a_join_is_two_seconds_the_pause_and_two_seconds() -> None:
    pieces = [
        piece(level(RATE * 5, 100), RATE, 700),
        piece(level(RATE * 1, 200), RATE, 0),
        Piece(0, RATE, None, 2000, "break"),
        piece(level(RATE * 3, 300), RATE),
    ]
    timeline = Timeline(pieces, RATE, tail_ms=1500)
    first = join(timeline, 0)
    assert first.frames == RATE * 2 + 16800 + RATE
    assert np.array_equal(first.read(0, 10**9), whole(timeline)[RATE * 3 :][: first.frames])
    across = join(timeline, 1)
    assert across.frames == RATE * 1 + RATE * 2 + RATE * 2, "a scene break is part of the pause"
    last = join(timeline, 3)
    assert last.frames == RATE * 2 + 36000
    assert last.rate == RATE


def test_slices_hold_to_their_source() -> None:
    source = ClipSource(np.arange(10, dtype=np.float32), RATE)
    part = Slice(source, 3, 99)
    assert part.frames == 7
    assert part.read(5, 99).tolist() == [8, 9]
    assert part.read(7, 5).size == 0


def test_resampling_in_blocks_is_seamless_and_nearly_right_from_anywhere() -> None:
    noise = np.random.default_rng(1).uniform(-0.5, 0.5, 100_003).astype(np.float32)
    source = ClipSource(noise, RATE)
    stream = Resampled(source, 44100)
    parts = [stream.read(at, 777) for at in range(0, stream.frames, 777)]
    sound = np.concatenate(parts)
    straight = soxr.resample(noise, RATE, 44100, quality="VHQ")
    assert len(sound) == stream.frames == resampled_length(100_003, RATE, 44100)
    assert np.allclose(sound, straight[: len(sound)], atol=1e-5)
    slow = np.sin(np.arange(50_000) * 0.05).astype(np.float32)
    stream = Resampled(ClipSource(slow, RATE), 48000)
    expected = np.sin(np.arange(100_000) * 0.025)
    for at in (70_001, 5, 33_333):
        assert np.abs(stream.read(at, 1000) - expected[at : at + 1000])[20:].max() < 0.02


RULES = PauseRules(head=100, tail=200)


def test_a_chapter_is_laid_out_from_its_segments() -> None:
    segments = [
        segment(3, Kind.HEADING),
        segment(4, Kind.PROSE, ends_paragraph=False),
        segment(5, Kind.PROSE, pause_ms=0),
        segment(6, Kind.SCENE_BREAK),
        segment(7, Kind.DIALOGUE),
    ]
    timeline = chapter_timeline(segments, RULES, lambda s: clip(level(2400, 99), RATE), RATE)
    pauses = [1200, 350, 0, 2000, 0]
    assert [p.pause_ms for p in timeline.pieces] == pauses
    assert [p.label for p in timeline.pieces] == ["s3", "s4", "s5", "s6", "s7"]
    assert [p.frames for p in timeline.pieces] == [2400, 2400, 2400, 0, 2400]
    assert timeline.frames == 4 * 2400 + (100 + sum(pauses) + 200) * 24
    assert timeline.gaps == ()


def test_missing_clips_are_listed_or_left_as_gaps() -> None:
    segments = [segment(n) for n in range(12, 21)]
    have = {12, 13, 15, 16, 20}

    def lookup(one: object) -> object:
        """Give a clip to some."""
        return clip(level(RATE, 99), RATE) if one.number in have else None

    with pytest.raises(MissingSegments) as missing:
        chapter_timeline(segments, RULES, lookup, RATE, where="chapter 2")
    assert missing.value.numbers == (14, 17, 18, 19)
    assert isinstance(missing.value, Incomplete)
    assert str(missing.value) == (
        "chapter 2: segments 14, 17–19 have no clip; narrate them or use --partial"
    )
    timeline = chapter_timeline(segments, RULES, lookup, RATE, partial=True)
    assert timeline.gaps == ("s14", "s17", "s18", "s19")
    assert (timeline.ends - timeline.starts).tolist() == [RATE] * 9, "a gap lasts a second"
    assert [p.pause_ms for p in timeline.pieces] == [700] * 8 + [0], "its pause is kept"
    assert not timeline.read(int(timeline.starts[2]), RATE).any()


def test_one_missing_segment_is_told_in_the_singular() -> None:
    assert str(MissingSegments([4])) == "segment 4 has no clip; narrate it or use --partial"
    assert number_runs([1, 2, 4, 6, 7, 8]) == "1–2, 4, 6–8"
    assert number_runs([]) == ""
