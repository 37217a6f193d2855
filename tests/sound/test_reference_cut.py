"""A reference out of a recording: whatever it is, cut in a pause, at the loudness of speech."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import soundfile

from studio.errors import BadInput, MachineFault
from studio.sound import preparing, reference_helper, trimming
from studio.sound.trimming import Speech

RATE = 24_000
SENTENCES = (
    "The ferry leaves at six, whatever the weather says.",
    "She had waited eleven years for a letter, and it came on a Tuesday.",
    "Nobody in the village remembered when the mill had stopped.",
    "He counted the coins twice, then pushed them across the table.",
)


@dataclass(frozen=True)
class Word:
    text: str
    start: float
    end: float
    probability: float = 0.9


@pytest.fixture(scope="module")
def spoken() -> tuple[np.ndarray, list[tuple[float, float]]]:
    """Four sentences with half a second between them and a room's noise, and where each lies."""
    from hibari import Hibari

    voice = Hibari(threads=1)
    pause = np.zeros(RATE // 2, np.float32)
    parts, places, at = [pause], [], len(pause)
    for sentence in SENTENCES:
        said = np.asarray(voice(sentence), np.float32)
        places.append((at / RATE, (at + len(said)) / RATE))
        parts += [said, pause]
        at += len(said) + len(pause)
    whole = np.concatenate(parts)
    whole += np.random.default_rng(1).normal(0, 1e-3, len(whole)).astype(np.float32)
    return whole, places


def pcm(samples: np.ndarray) -> np.ndarray:
    return (np.clip(samples, -1, 1) * 32767).astype(np.int16)


def words_of(places: list[tuple[float, float]]) -> list[Word]:
    """Words spread over each sentence, the last one with its full stop."""
    found = []
    for sentence, (start, end) in zip(SENTENCES, places, strict=True):
        texts = sentence.split()
        step = (end - 0.15 - start) / len(texts)
        found += [
            Word(text, start + number * step, start + (number + 1) * step)
            for number, text in enumerate(texts)
        ]
    return found


def test_the_best_seconds_begin_and_end_in_pauses(
    spoken: tuple[np.ndarray, list[tuple[float, float]]],
) -> None:
    whole, _ = spoken
    samples = pcm(whole)
    speech = Speech.of(samples, RATE)
    for seconds in (3.0, 5.0, 8.0, 12.0):
        start, end = trimming.suggest(speech, samples, RATE, seconds)
        assert 0.5 * seconds < end - start <= 1.3 * seconds
        for at in (start, end):
            around = whole[max(0, round((at - 0.03) * RATE)) : round((at + 0.03) * RATE)]
            assert np.abs(around).max() < 0.02, (seconds, at)
        found = trimming.check(samples[round(start * RATE) : round(end * RATE)], RATE)
        assert [it for it in found if "steadier" not in it] == []


def test_words_make_it_whole_sentences(
    spoken: tuple[np.ndarray, list[tuple[float, float]]],
) -> None:
    whole, places = spoken
    samples = pcm(whole)
    speech = Speech.of(samples, RATE)
    start, end = trimming.suggest(speech, samples, RATE, 8.0, words_of(places))
    assert min(abs(start - it[0]) for it in places) < 0.35
    assert min(abs(end - it[1]) for it in places) < 0.35


def test_clipped_seconds_are_avoided(spoken: tuple[np.ndarray, list[tuple[float, float]]]) -> None:
    whole, places = spoken
    first = round(places[1][1] * RATE)
    loud = whole.copy()
    loud[:first] *= 20  # the first two sentences
    samples = pcm(loud)
    start, _ = trimming.suggest(Speech.of(samples, RATE), samples, RATE, 4.0)
    assert start > places[1][1] - 0.1
    assert any("clipped" in it for it in trimming.check(samples[:first], RATE))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda it, at: it[: RATE * 3 // 4], "too short"),
        (lambda it, at: it[round(at[0][0] * RATE) : round(at[0][0] * RATE) + RATE * 2], "steadier"),
        (lambda it, at: np.concatenate([it, it, it]), "more than engines take"),
        (lambda it, at: it[: RATE * 16], "are enough"),
        (lambda it, at: np.concatenate([it[: RATE * 6], np.zeros(2 * RATE)]), "of silence"),
        (lambda it, at: np.concatenate([np.zeros(2 * RATE), it[: RATE * 6]]), "begins with 2"),
        (lambda it, at: it[: round((at[1][0] + 1.0) * RATE)], "stops in the middle"),
        (lambda it, at: it[round((at[0][0] + 1.0) * RATE) :], "begins in the middle"),
        (lambda it, at: it + np.random.default_rng(2).normal(0, 0.015, len(it)), "Noise lies only"),
        (lambda it, at: it * 0.01, "very quiet"),
        (lambda it, at: np.zeros(RATE * 3), "Nobody speaks"),
        (lambda it, at: it / np.abs(it).max() / 1000, "too quiet to tell whether anybody speaks"),
    ],
)
def test_what_speaks_against_a_cut_is_told(
    spoken: tuple[np.ndarray, list[tuple[float, float]]], change: object, told: str
) -> None:
    whole, places = spoken
    found = trimming.check(pcm(change(whole, places)), RATE)  # type: ignore[operator]
    assert any(told in it for it in found), found


def test_a_low_rate_is_told() -> None:
    rng = np.random.default_rng(3)
    noise = pcm(rng.normal(0, 0.1, 16_000 * 4))
    assert any("16,000 samples" in it for it in trimming.check(noise, 16_000))


def test_two_voices_are_suspected_and_one_is_not(
    spoken: tuple[np.ndarray, list[tuple[float, float]]],
) -> None:
    import soxr

    whole, places = spoken
    assert not any("Two people" in it for it in trimming.check(pcm(whole), RATE))
    lower = soxr.resample(whole, RATE, round(RATE * 1.6)).astype(np.float32)
    both = np.concatenate([whole[: round(places[1][1] * RATE)], lower[: 6 * RATE]])
    assert any("Two people" in it for it in trimming.check(pcm(both), RATE))


@pytest.mark.parametrize("rate", [16_000, 44_100, 48_000])
def test_loudness_is_that_of_the_standard(rate: int) -> None:
    """A full-scale sine of 997 Hz in one channel is -3.01 LUFS (ITU-R BS.1770-4)."""
    sine = np.sin(np.arange(rate * 3) * 2 * np.pi * 997 / rate).astype(np.float32)
    assert reference_helper.loudness(sine, rate) == pytest.approx(-3.01, abs=0.05)
    assert reference_helper.loudness(sine * 0.1, rate) == pytest.approx(-23.01, abs=0.05)
    half = np.concatenate([sine * 0.1, np.zeros(3 * rate, np.float32)])  # gated away
    assert reference_helper.loudness(half, rate) == pytest.approx(-23.01, abs=0.3)
    assert reference_helper.loudness(np.zeros(rate, np.float32), rate) == -math.inf


def test_a_peak_between_samples_is_seen() -> None:
    between = np.sin(np.arange(4_800) * np.pi / 2 + np.pi / 4).astype(np.float32)
    assert reference_helper.true_peak(between, 48_000) == pytest.approx(0.0, abs=0.3)


def test_a_cut_has_the_loudness_of_speech_and_soft_edges(
    spoken: tuple[np.ndarray, list[tuple[float, float]]], tmp_path: Path
) -> None:
    whole, places = spoken
    soundfile.write(tmp_path / "quiet.wav", whole * 0.05, RATE, subtype="FLOAT")
    made = preparing.cut(
        tmp_path / "quiet.wav", places[1][0] - 0.1, places[2][1], tmp_path / "cut.flac"
    )
    samples, rate = soundfile.read(made.path, dtype="float32")
    assert rate == RATE
    assert made.seconds == pytest.approx(len(samples) / rate)
    assert reference_helper.loudness(samples, rate) == pytest.approx(-23, abs=0.3)
    assert reference_helper.true_peak(samples, rate) <= -0.9
    assert abs(samples[0]) < 1e-4
    assert "LUFS" in made.words


def test_peaks_stop_the_gain(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    quiet = rng.normal(0, 0.002, RATE * 3).astype(np.float32)
    quiet[RATE : RATE + 2] = 0.9
    soundfile.write(tmp_path / "knock.wav", quiet, RATE)
    made = preparing.cut(tmp_path / "knock.wav", 0, 3, tmp_path / "cut.flac")
    assert made.lufs < -30
    assert made.peak <= -0.9


@pytest.mark.parametrize("level", [-50.0, -20.0, 0.0, 12.0])
def test_a_cut_is_the_same_however_loud_its_file_is(
    spoken: tuple[np.ndarray, list[tuple[float, float]]], tmp_path: Path, level: float
) -> None:
    """Also beyond full scale, where a file of floats is not clipped."""
    whole, places = spoken
    loud = whole / np.abs(whole).max() * 10 ** (level / 20)
    path = tmp_path / "it.wav"
    soundfile.write(path, loud, RATE, subtype="FLOAT")
    made = preparing.cut(path, places[0][0], places[2][1], tmp_path / "cut.flac")
    assert made.lufs == pytest.approx(-23, abs=0.3)
    assert made.peak <= -0.9
    source = preparing.read_source(path)
    assert not any("clipped" in it for it in trimming.check(source.pcm, RATE))
    assert np.abs(source.pcm).max() == pytest.approx(
        min(32_767, 32_768 * 10 ** (level / 20)), abs=2
    )


@pytest.mark.parametrize(
    ("level", "told"),
    [(-60.0, "too quiet to be levelled (peaks at −60 dB)"), (-300.0, "The cut is silent")],
)
def test_a_cut_without_loudness_is_told_for_what_it_is(
    spoken: tuple[np.ndarray, list[tuple[float, float]]], tmp_path: Path, level: float, told: str
) -> None:
    whole = spoken[0] / np.abs(spoken[0]).max() * 10 ** (level / 20)
    path = tmp_path / "it.wav"
    soundfile.write(path, np.concatenate([whole, [0.5]]), RATE, subtype="FLOAT")
    with pytest.raises(BadInput, match=re.escape(told)):
        preparing.cut(path, 0, len(whole) / RATE - 0.1, tmp_path / "cut.flac")
    assert not (tmp_path / "cut.flac").exists()


@pytest.mark.parametrize("channels", ["left", "right", "both", "one of six"])
def test_a_silent_channel_is_no_fault(
    spoken: tuple[np.ndarray, list[tuple[float, float]]], tmp_path: Path, channels: str
) -> None:
    whole, places = spoken
    nothing = np.zeros_like(whole)
    stack = {"left": [whole, nothing], "right": [nothing, whole], "both": [whole, whole]}
    path = tmp_path / "it.wav"
    there = stack.get(channels, [nothing, whole, *[nothing] * 4])
    soundfile.write(path, np.stack(there, axis=1), RATE, subtype="FLOAT")
    source = preparing.read_source(path)
    alone = (whole * 32768).astype(np.int16)
    assert trimming.check(source.pcm, RATE) == trimming.check(alone, RATE)
    made = preparing.cut(path, places[0][0], places[2][1], tmp_path / "cut.flac")
    assert made.lufs == pytest.approx(-23, abs=0.3)


def test_whatever_ffmpeg_reads_is_read(
    spoken: tuple[np.ndarray, list[tuple[float, float]]], tmp_path: Path
) -> None:
    import av

    whole, _ = spoken
    path = tmp_path / "memo.m4a"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=RATE)
        stream.layout = "mono"
        frame = av.AudioFrame.from_ndarray(whole[np.newaxis, :], format="fltp", layout="mono")
        frame.sample_rate = RATE
        for packet in (*stream.encode(frame), *stream.encode(None)):
            container.mux(packet)
    source = preparing.read_source(path)
    assert source.rate == RATE
    assert source.seconds == pytest.approx(len(whole) / RATE, abs=0.15)
    stereo = np.stack([whole, -whole], axis=1)
    soundfile.write(tmp_path / "opposite.flac", stereo, RATE)
    source = preparing.read_source(tmp_path / "opposite.flac")
    assert source.channels == 2
    assert np.abs(source.pcm).max() > 3000  # not cancelled
    soundfile.write(tmp_path / "high.wav", np.repeat(whole[:RATE], 4), 96_000)
    assert preparing.read_source(tmp_path / "high.wav").rate == 48_000


def test_what_is_no_recording_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "text.wav").write_text("Dear Sir")
    (tmp_path / "empty.wav").touch()
    soundfile.write(tmp_path / "mute.wav", np.zeros(RATE), RATE)
    nan = np.full(RATE, np.nan, np.float32)
    soundfile.write(tmp_path / "nan.wav", nan, RATE, subtype="FLOAT")
    soundfile.write(tmp_path / "long.wav", np.zeros(16 * 60 * 8000, np.int16), 8_000)
    for name, told in (
        ("text.wav", "no sound that can be read"),
        ("empty.wav", "no sound that can be read"),
        ("mute.wav", "is silent"),
        ("nan.wav", "no sound (NaN"),
        ("long.wav", "longer than 15 minutes"),
        ("gone.wav", "There is no file"),
    ):
        with pytest.raises(BadInput, match=re.escape(told)):
            preparing.read_source(tmp_path / name)
    soundfile.write(tmp_path / "a.wav", np.full(RATE, 0.1), RATE)
    with pytest.raises(BadInput, match="shorter than half a second"):
        preparing.cut(tmp_path / "a.wav", 0.9, 1.0, tmp_path / "cut.flac")


def test_a_helper_that_falls_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fallen = tmp_path / "fallen.py"
    fallen.write_text("import os; os.abort()")
    monkeypatch.setattr(preparing, "_PROGRAM", fallen)
    with pytest.raises(MachineFault, match="helper for it has ended"):
        preparing.read_source(tmp_path / "a.wav")


def test_a_cut_that_finds_no_room_is_the_machines_fault(tmp_path: Path) -> None:
    path = tmp_path / "me.wav"
    soundfile.write(path, np.sin(np.arange(RATE) / 9) * 0.3, RATE)
    with pytest.raises(MachineFault, match=r"cannot be written in .*gone; make room"):
        preparing.cut(path, 0.0, 1.0, tmp_path / "gone" / "me.flac")
    if Path("/dev/full").exists():
        with pytest.raises(MachineFault, match="cannot be written in /dev; make room"):
            preparing.cut(path, 0.0, 1.0, Path("/dev/full"))
