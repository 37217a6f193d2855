"""What the checks of a reference see and what they do not, measured on speech that was spoilt.

Each row says all that is told of a signal: more would be a false alarm, less a miss.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest
import soxr
from scipy import signal

from engine import wire
from engine.narrators.hibari import Hibari
from studio.sound import trimming
from studio.sound.trimming import Speech

RATE = 24_000
PITCHES = (-4, 0, 4)
TEXTS = (
    "The ferry leaves at six, whatever the weather says.",
    "She had waited eleven years for a letter.",
    "What do you want from me?",
    "He counted the coins twice, then pushed them across the table.",
)
TOLD = {
    "noise": "Noise lies only",
    "clipped": "It is clipped",
    "dull": "the voice will be dull",
    "quiet": "very quiet",
    "tail": "of silence; clips may",
    "lead": "It begins with",
    "cut end": "It stops in the middle",
    "cut start": "It begins in the middle",
    "two": "Two people",
    "under": "There is sound under",
}
Said = Mapping[tuple[int, int], np.ndarray]


@pytest.fixture(scope="module")
def said() -> Said:
    """Sentences at three heights, by height and number; silence at their ends is cut away."""
    narrator = Hibari()
    narrator.load({}, lambda fraction: None)
    made = {}
    for pitch in PITCHES:
        voice = wire.Voice(f"v{pitch}", language="en-US", settings={"pitch": pitch})
        narrator.prepare_voice(voice)
        for number, text in enumerate(TEXTS):
            request = wire.Narrate(1, text, "en-US", f"v{pitch}", seed=number)
            clip = narrator.narrate(request, lambda name, fraction: None, lambda: False)
            samples = np.asarray(clip.samples, np.float32).reshape(-1)
            loud = np.flatnonzero(np.abs(samples) > 0.01)
            made[pitch, number] = samples[loud[0] : loud[-1]]
    return made


def spoken(said: Said, *which: tuple[int, int], gap: float = 0.4) -> np.ndarray:
    """Sentences with pauses in a quiet room, peaks at half of full scale."""
    parts = [np.zeros(RATE * 15 // 100)]
    for place in which:
        parts += [said[place], np.zeros(round(gap * RATE))]
    whole = np.concatenate([*parts[:-1], np.zeros(RATE // 4)])
    whole *= 0.5 / np.abs(whole).max()
    return whole + np.random.default_rng(1).normal(0, 3e-4, len(whole))


@pytest.fixture(scope="module")
def one(said: Said) -> np.ndarray:
    return spoken(said, (0, 0), (0, 1))


def found(samples: np.ndarray, rate: int = RATE) -> set[str]:
    pcm = (np.clip(samples, -1, 1) * 32767).astype(np.int16)
    sentences = trimming.check(pcm, rate)
    names = {name for it in sentences for name, words in TOLD.items() if words in it}
    assert len(names) == len(sentences), sentences
    return names


def noise(kind: str, count: int) -> np.ndarray:
    """Noise of power 1."""
    rng, time = np.random.default_rng(2), np.arange(count) / RATE
    if kind == "hum":
        made = sum(np.sin(2 * np.pi * 50 * n * time + n) / n for n in (1, 2, 3, 5))
    elif kind == "music":  # chords that are struck each second and die away
        chords = ((220, 277, 330), (196, 247, 294))
        tones = [sum(np.sin(2 * np.pi * hz * time) for hz in chord) for chord in chords]
        made = np.where(time % 2 < 1, *tones) * np.exp(-1.5 * (time % 1))
    elif kind == "room":  # louder the lower
        spectrum = np.fft.rfft(rng.normal(0, 1, count))
        made = np.fft.irfft(spectrum / np.sqrt(1 + np.arange(len(spectrum))), count)
    else:
        made = rng.normal(0, 1, count)
    return np.asarray(made / np.sqrt(np.square(made).mean()))


def with_noise(one: np.ndarray, kind: str, below: float) -> np.ndarray:
    voice = np.sqrt(np.square(one[np.abs(one) > 0.01]).mean())
    return one + noise(kind, len(one)) * voice * 10 ** (-below / 20)


def low_pass(one: np.ndarray, hz: float = 10_000) -> np.ndarray:
    """As MP3 and telephones cut off what is high."""
    return np.asarray(signal.sosfiltfilt(signal.butter(8, hz, fs=RATE, output="sos"), one))


def whispered(one: np.ndarray) -> np.ndarray:
    """The same without a voice: noise of the same spectrum."""
    _, _, spectrum = signal.stft(one, RATE, nperseg=512)
    rng = np.random.default_rng(3)
    drawn = rng.normal(size=spectrum.shape) + 1j * rng.normal(size=spectrum.shape)
    _, made = signal.istft(np.abs(spectrum) * drawn, RATE, nperseg=512)
    return np.asarray(0.3 * made[: len(one)] / np.abs(made).max())


@pytest.mark.parametrize("kind", ["hiss", "room", "hum", "music"])
def test_noise_is_told_from_25_db_below_the_voice_on(one: np.ndarray, kind: str) -> None:
    told = {below: found(with_noise(one, kind, below)) for below in (50, 40, 35, 25, 20, 15, 10)}
    assert all(told[below] == set() for below in (50, 40, 35)), told
    assert all("noise" in told[below] for below in (25, 20, 15, 10)), told
    # A steady noise is no word that is cut off; music may be taken for one.
    more = set() if kind != "music" else {"cut end", "cut start"}
    assert all(told[below] <= {"noise"} | more for below in (25, 20, 15, 10)), told


Change = Callable[[np.ndarray], np.ndarray]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda it: it, set()),
        (lambda it: it / np.abs(it).max(), set()),  # one peak at full scale
        (lambda it: np.clip(2.4 * it, -1, 1), {"clipped"}),
        (lambda it: np.clip(4 * it, -1, 1), {"clipped"}),
        (lambda it: np.clip(8 * it, -1, 1), {"clipped"}),
        (lambda it: 0.7 * np.clip(4 * it, -1, 1), {"clipped"}),  # made quieter afterwards
        (lambda it: low_pass(np.clip(6 * it, -1, 1)), {"clipped"}),
        # Not seen: flat tops that were bent again, and a voice that presses.
        (lambda it: 0.7 * low_pass(np.clip(6 * it, -1, 1)), set()),
        (lambda it: 0.9 * np.tanh(6 * it), set()),
        (lambda it: it + 0.1, set()),  # an offset is no sound
        (lambda it: it + 0.01, set()),
        (lambda it: 0.1 * it, set()),
        (lambda it: 0.02 * it, {"quiet"}),
        (whispered, set()),
        (low_pass, set()),
        (lambda it: low_pass(it, 3400), {"dull"}),
        (lambda it: np.concatenate([it, np.zeros(RATE)]), {"tail"}),
        (lambda it: np.concatenate([np.zeros(RATE), it]), {"lead"}),
        (lambda it: it[: round(4.2 * RATE)], {"cut end"}),
        (lambda it: it[RATE:], {"cut start"}),
    ],
)
def test_what_was_done_to_a_voice(one: np.ndarray, change: Change, told: set[str]) -> None:
    assert found(change(one)) == told


@pytest.mark.parametrize("rate", [22_050, 32_000, 44_100, 48_000])
def test_a_rate_is_judged_by_what_is_heard(one: np.ndarray, rate: int) -> None:
    assert found(soxr.resample(one, RATE, rate), rate) == set()
    for low in (8_000, 16_000):
        assert found(soxr.resample(one, RATE, low), low) == {"dull"}
        again = soxr.resample(soxr.resample(one, RATE, low), low, rate)
        assert found(again, rate) == {"dull"}, "a high rate brings nothing back"


def test_pauses_are_no_fault(said: Said) -> None:
    assert found(spoken(said, (0, 0), (0, 1), gap=2.5)) == set()


def test_two_speakers_by_their_height(said: Said) -> None:
    """One reader is never taken for two; two are found where they lie far enough apart."""
    rng = np.random.default_rng(4)
    orders = [rng.permutation(4) for _ in range(6)]

    def suspected(*pitches: int) -> int:
        signals = (spoken(said, *zip(pitches, order, strict=True)) for order in orders)
        return sum("two" in found(it) for it in signals)

    assert [suspected(*4 * (pitch,)) for pitch in PITCHES] == [0, 0, 0]
    assert suspected(-4, -4, 4, 4) == 6
    assert suspected(-4, 4, -4, 4) == 6
    # Four semitones are as much as one reader who is excited: found sometimes, no more.
    assert suspected(0, 0, 4, 4) <= 3


def test_the_best_seconds_are_not_the_noisy_ones(said: Said) -> None:
    noisy = with_noise(spoken(said, (0, 0), (0, 1)), "hiss", 15)
    for signals, clean in (
        ([noisy, spoken(said, (0, 3), (0, 2))], (len(noisy), np.inf)),
        ([spoken(said, (0, 3), (0, 2)), noisy], (0, 6 * RATE)),
    ):
        pcm = (np.concatenate(signals) * 32767).astype(np.int16)
        start, end = trimming.suggest(Speech.of(pcm, RATE), pcm, RATE, 4.0)
        assert clean[0] <= (start + 0.05) * RATE < end * RATE <= clean[1] + RATE, (start, end)
