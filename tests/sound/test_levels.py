"""Voices of several models are brought to one loudness; where one reads, not a bit is changed."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sound_segments import piece, segment

from studio.errors import MachineFault
from studio.project.model import Origin
from studio.sound import reference_helper
from studio.sound.assembly import PEAK, Timeline
from studio.sound.export import export_wav
from studio.sound.levels import LEAST_DB, LEAST_SPEECH, MEASURED, MOST_DB, factors, levels
from studio.sound.loudness import integrated, powers
from studio.sound.pauses import PauseRules
from studio.sound.plan import chosen_timeline
from studio.sound.source import mono
from studio.ui import onward

RATE = 24000


def speech(level_db: float, seconds: float = 11.0, seed: int = 0) -> NDArray[np.int16]:
    """Noise in syllables, with a peak at a level."""
    chance = np.random.default_rng(seed)
    time = np.arange(round(seconds * RATE)) / RATE
    wave = chance.normal(0, 1, len(time)) * (1.1 + np.sin(2 * np.pi * 3 * time))
    wave *= 10 ** (level_db / 20) / np.abs(wave).max()
    return (wave * 32767).astype(np.int16).reshape(-1, 1)


@dataclass
class Book:
    """What `levels` needs of a project."""

    clips: list[tuple[str, str, NDArray[np.int16]]] = field(default_factory=list)
    """Voice, engine and, after a blank, its model; samples."""
    read: list[int] = field(default_factory=list)
    lost: set[int] = field(default_factory=set)

    def chosen_by_origin(self) -> Mapping[Origin, Sequence[int]]:
        found: dict[Origin, list[int]] = {}
        for number in range(len(self.clips)):
            found.setdefault(self.take(number).origin, []).append(number)
        return found

    def take(self, take_id: int) -> Any:
        voice, engine, pcm = self.clips[take_id]
        engine, _, model = engine.partition(" ")
        recorded = engine == "recording"
        return SimpleNamespace(
            id=take_id,
            voice=voice,
            origin=Origin(voice, engine, model),
            pcm_hash=hashlib.sha256(pcm.tobytes()).hexdigest(),
            frames=len(pcm),
            rate=RATE,
            recorded=recorded,
        )

    def read_clip(self, take: Any) -> tuple[NDArray[np.int16], int]:
        self.read.append(take.id)
        if take.id in self.lost:
            raise MachineFault(f"The clip of take {take.id} is missing.")
        return self.clips[take.id][2], RATE

    def settings(self) -> Any:
        return SimpleNamespace(pauses=PauseRules())

    def export(self, path: Path, *, matched: bool = True) -> bytes:
        """The bytes of the exported chapter."""
        segments = [segment(n + 1, chosen=n) for n in range(len(self.clips))]
        gains = factors(levels(self)) if matched else {}
        export_wav(chosen_timeline(self, segments, gains=gains), path)
        return path.read_bytes()


@pytest.mark.parametrize("rate", [16000, 22050, 24000, 44100, 48000])
def test_loudness_is_that_of_the_filters_in_time(rate: int) -> None:
    chance = np.random.default_rng(2)
    wave = (chance.normal(0, 0.1, 3 * rate) * np.linspace(0.2, 1, 3 * rate)).astype(np.float32)
    expected = reference_helper.loudness(wave, rate)
    assert integrated([powers(wave, rate)]) == pytest.approx(expected, abs=0.01)


def test_a_full_tone_is_as_loud_as_the_standard_says() -> None:
    tone = np.sin(2 * np.pi * 997 * np.arange(5 * 48000) / 48000).astype(np.float32)
    assert integrated([powers(tone, 48000)]) == pytest.approx(-3.01, abs=0.02)


def test_what_is_silent_or_short_has_no_loudness() -> None:
    assert integrated([]) == -math.inf
    assert integrated([powers(np.zeros(RATE, np.float32), RATE)]) == -math.inf
    assert powers(np.ones(100, np.float32), RATE).size == 0


def test_where_one_engine_reads_not_a_bit_is_changed_and_nothing_is_measured(
    tmp_path: Path,
) -> None:
    book = Book([("a", "one", speech(-3)), ("b", "one", speech(-20)), ("a", "one", speech(-9))])
    book.clips.append(("a", "recording", speech(-30)))
    assert levels(book) == ()
    assert book.read == []
    assert book.export(tmp_path / "a.wav") == book.export(tmp_path / "b.wav", matched=False)


def test_voices_of_several_engines_are_as_loud_as_the_one_that_is_heard_most(
    tmp_path: Path,
) -> None:
    book = Book([("a", "one", speech(-6))] * 3)
    book.clips += [("b", "two", speech(-14)), ("c", "three", speech(-1))]
    found = {level.origin.voice: level for level in levels(book)}
    assert [found[voice].gain_db == 0 for voice in "abc"] == [True, False, False]
    assert found["b"].gain_db == pytest.approx(8, abs=0.11)
    assert found["c"].gain_db == pytest.approx(-5, abs=0.11)
    book.export(tmp_path / "a.wav")
    segments = [segment(n + 1, chosen=n) for n in range(5)]
    timeline = chosen_timeline(book, segments, gains=factors(levels(book)))
    heard = []
    for start, end in zip(timeline.starts, timeline.ends, strict=True):
        clip = timeline.read(int(start), int(end - start))
        heard.append(integrated([powers(clip, RATE)]))
    assert np.ptp(heard) < 0.2
    plain = chosen_timeline(book, segments)
    first = int(timeline.ends[2])
    assert np.array_equal(timeline.read(0, first), plain.read(0, first)), "the narrator changed"


def test_two_models_of_one_engine_are_as_different_as_two_engines() -> None:
    book = Book([("a", "one base", speech(-6))] * 2 + [("b", "one custom", speech(-14))])
    assert [level.gain_db for level in levels(book)] == [0.0, pytest.approx(8, abs=0.11)]
    same = Book([("a", "one base", speech(-6))] * 2 + [("b", "one base", speech(-14))])
    assert levels(same) == ()
    assert same.read == []


def test_a_voice_half_of_an_old_model_and_half_of_a_new_one_is_one_to_the_ear() -> None:
    book = Book([("a", "one old", speech(-6, seed=n)) for n in range(4)])
    book.clips += [("a", "one new", speech(-11, seed=n)) for n in range(3)]
    book.clips += [("b", "one new", speech(-3, seed=9))]
    found = {level.origin: level.gain_db for level in levels(book)}
    assert found[Origin("a", "one", "old")] == 0.0
    assert found[Origin("a", "one", "new")] == pytest.approx(5, abs=0.5)
    assert found[Origin("b", "one", "new")] < -2, "gains are a voice's, not a model's"


def test_what_is_listened_to_from_a_line_on_is_what_the_export_has() -> None:
    book = Book([("a", "one", speech(-6)), ("b", "two", speech(-15)), ("c", "three", speech(-1))])
    gains = onward._gains(book)
    assert {it.voice for it, gain in gains.items() if gain != 1.0} == {"b", "c"}
    segments = [segment(n + 1, chosen=n) for n in range(3)]
    timeline = chosen_timeline(book, segments, gains=factors(levels(book)))
    for number, (start, end) in enumerate(zip(timeline.starts, timeline.ends, strict=True)):
        laid = onward._samples(book, number, RATE, gains)
        assert np.array_equal(laid, timeline.read(int(start), int(end - start)))


def test_the_same_book_gives_the_same_bytes(tmp_path: Path) -> None:
    book = Book([("a", "one", speech(-6)), ("b", "two", speech(-15, seed=1))])
    made = {hashlib.sha256(book.export(tmp_path / f"{n}.wav")).hexdigest() for n in range(2)}
    assert len(made) == 1


def test_peaks_stay_below_full_scale_and_a_gain_has_bounds() -> None:
    book = Book([("a", "one", speech(0, seed=n)) for n in range(2)])
    book.clips.append(("b", "two", speech(-50, seed=4)))
    (quiet,) = [level for level in levels(book) if level.origin.voice == "b"]
    assert quiet.gain_db == MOST_DB
    loud = speech(-2, seed=5)
    timeline = Timeline([piece(loud, RATE)], RATE)
    gained = Timeline(
        [type(timeline.pieces[0])(len(loud), RATE, lambda: (loud, RATE), 0, "s", gain=4.0)], RATE
    )
    assert np.abs(gained.read(0, len(loud))).max() <= PEAK + 1e-6
    full = speech(-0.5, seed=6)
    same = Timeline(
        [type(timeline.pieces[0])(len(full), RATE, lambda: (full, RATE), 0, "s", gain=4.0)], RATE
    )
    assert np.abs(same.read(0, len(full))).max() == pytest.approx(
        np.abs(mono(full)[200:-200]).max(), abs=0.02
    ), "a loud clip is made no softer"


def test_what_nobody_hears_is_left_and_what_cannot_be_measured_too() -> None:
    book = Book([("a", "one", speech(-6)), ("b", "two", speech(-6 - LEAST_DB / 2))])
    book.clips.append(("c", "three", speech(-6, seconds=0.2)))
    book.clips.append(("d", "four", np.zeros((RATE, 1), np.int16)))
    found = levels(book)
    assert [level.gain_db for level in found] == [0.0] * 4
    assert factors(found) == {}
    assert [math.isfinite(level.lufs) for level in found] == [True, True, False, False]


def test_of_little_speech_nothing_is_concluded() -> None:
    """One whispered line of a new model must not be raised, nor all the others to it."""
    book = Book([("a", "one old", speech(-6))] * 6 + [("a", "one new", speech(-20, seconds=3))])
    old, new = levels(book)
    assert (old.gain_db, new.gain_db) == (0.0, 0.0)
    assert new.seconds == pytest.approx(2.7, abs=0.4)
    assert new.seconds < LEAST_SPEECH <= old.seconds
    # Pauses are no speech, and a few lines together are enough.
    paused = np.concatenate([speech(-20, seconds=4), np.zeros((20 * RATE, 1), np.int16)])
    book.clips += [("b", "two", paused)]
    assert {it.origin.voice: it.gain_db for it in levels(book)}["b"] == 0.0
    book.clips += [("b", "two", speech(-20, seconds=4, seed=n)) for n in (1, 2, 3)]
    found = {it.origin.voice + it.origin.model: it.gain_db for it in levels(book)}
    assert found["b"] == MOST_DB
    assert found["anew"] == 0.0


def test_the_voice_with_the_most_lines_sets_no_measure_while_they_are_a_few_words() -> None:
    book = Book([("a", "one", speech(-20, seconds=1, seed=n)) for n in range(3)])
    book.clips += [("b", "two", speech(-6)), ("c", "three", speech(-9))]
    found = {it.origin.voice: it.gain_db for it in levels(book)}
    assert (found["a"], found["b"]) == (0.0, 0.0)
    assert found["c"] == pytest.approx(3, abs=0.3)


def test_a_long_book_is_measured_by_some_of_its_takes() -> None:
    clips = [speech(-6, seconds=0.5, seed=1000 + n) for n in range(530)]
    book = Book([("a", "one", clip) for clip in clips[:500]])
    book.clips += [("b", "two", clip) for clip in clips[500:]]
    found = levels(book)
    assert len(book.read) == MEASURED + 30
    assert levels(book) == found
    assert len(book.read) == MEASURED + 30, "measured again"
    assert max(book.read[:MEASURED]) == 499


def test_a_lost_clip_elsewhere_stops_nothing(tmp_path: Path) -> None:
    near, far, low = speech(-6, seed=2001), speech(-6, seed=2002), speech(-18, seed=2001)
    book = Book([("a", "one", near), ("a", "one", far), ("b", "two", low)], lost={1})
    assert [level.gain_db for level in levels(book)] == [0.0, pytest.approx(12.0, abs=0.2)]
    unheard = [("a", "one", speech(-6, seed=2004)), ("a", "one", speech(-6, seed=2005))]
    other = Book([*unheard, book.clips[2]], lost={0, 1})
    assert factors(levels(other)) == {}, "nothing is known of the voice that is heard most"
    with pytest.raises(MachineFault, match="take 0 is missing"):
        other.export(tmp_path / "whole.wav")
