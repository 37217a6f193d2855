"""Takes of hibari: another seed is audibly another reading, the same seed the same one."""

from __future__ import annotations

import json
from pathlib import Path

import hibari
import numpy as np
import onnxruntime
import pytest
from hibari import dsp

from engine import wire
from engine.narrators import hibari as narrator_module
from engine.narrators import hibari_graph, hibari_takes
from engine.narrators.hibari import MODEL, Hibari
from engine.registry import Cancelled, Fatal, Refusal

SENTENCES = (
    "She had waited eleven years for a letter that never came.",
    "“Is it true?” he whispered, and the old clock in the cellar struck thirteen.",
)
SEEDS = [7919 * index + 3 for index in range(24)]


@pytest.fixture(scope="module")
def narrator() -> Hibari:
    loaded = Hibari()
    loaded.load({}, lambda fraction: None)
    loaded.prepare_voice(wire.Voice("v"))
    loaded.prepare_voice(wire.Voice("flat", settings={"strength": 0}))
    return loaded


@pytest.fixture
def fundamentals(monkeypatch: pytest.MonkeyPatch) -> list[np.ndarray]:
    """The f0 curves that audio was made with, in Hz at 80 per second."""
    seen: list[np.ndarray] = []
    synth = dsp.synth

    def spy(*arguments):
        seen.append(arguments[5].copy())
        return synth(*arguments)

    monkeypatch.setattr(dsp, "synth", spy)
    return seen


def narrate(narrator: Hibari, text: str = SENTENCES[0], **fields):
    values = {"language": "en", "voice": "v", "seed": 1, **fields}
    request = wire.Narrate(1, text, **values)
    return narrator.narrate(request, lambda *stage: None, lambda: False)


def spread(narrator, fundamentals, text, voice):
    """Standard deviations over the seeds: of the duration in percent, of the pitch in semitones."""
    lengths, pitches = [], []
    for seed in SEEDS:
        fundamentals.clear()
        lengths.append(len(narrate(narrator, text, seed=seed, voice=voice).samples))
        voiced = np.concatenate(fundamentals)
        pitches.append(12 * np.log2(np.median(voiced[voiced > 60])))
    return 100 * np.std(lengths) / np.mean(lengths), np.std(pitches)


@pytest.mark.parametrize("text", SENTENCES)
def test_another_seed_is_audibly_another_reading(narrator, fundamentals, text: str) -> None:
    duration, pitch = spread(narrator, fundamentals, text, "v")
    assert 1.5 <= duration <= 5
    assert 0.5 <= pitch <= 1.5


def test_at_strength_0_every_seed_reads_alike(narrator, fundamentals) -> None:
    assert spread(narrator, fundamentals, SENTENCES[0], "flat") == pytest.approx((0, 0), abs=1e-4)


def test_the_pitch_can_be_heard_in_the_audio(narrator) -> None:
    """The median pitch of the samples themselves, by autocorrelation, moves with the seed too."""

    def heard(seed: int) -> float:
        samples = narrate(narrator, seed=seed).samples
        found = []
        for start in range(0, len(samples) - 1200, 600):
            part = samples[start : start + 1200] - samples[start : start + 1200].mean()
            score = np.correlate(part, part, "full")[1199:]
            lag = 80 + int(np.argmax(score[80:300]))  # 80 to 300 Hz
            if score[0] > 0.5 and score[lag] > 0.5 * score[0]:
                found.append(24000 / lag)
        return float(12 * np.log2(np.median(found)))

    assert 0.4 <= np.std([heard(seed) for seed in SEEDS]) <= 1.6


def heard_pitch(samples: np.ndarray) -> np.ndarray:
    """The pitch every 10 ms in semitones, from the samples alone; NaN where there is none."""
    samples = np.convolve(samples, np.ones(12) / 12, "same")
    window = np.hanning(1920)

    def alike(part: np.ndarray) -> np.ndarray:
        return np.fft.irfft(np.abs(np.fft.rfft(part, 3840)) ** 2)[:1920]

    found = []
    for start in range(0, len(samples) - 1920, 240):
        part = samples[start : start + 1920]
        score = alike((part - part.mean()) * window)
        lags = (score / max(score[0], 1e-9) / alike(window) * alike(window)[0])[53:400]
        inner = lags[1:-1]
        peak = (inner >= lags[:-2]) & (inner > lags[2:]) & (inner > 0.9 * lags.max())
        voiced = score[0] >= 0.05 and lags.max() > 0.6 and peak.any()
        found.append(24000 / (54 + np.argmax(peak)) if voiced else np.nan)
    return 12 * np.log2(np.array(found))


@pytest.mark.parametrize("semitones", [-6, -2.5, 3, 6])
def test_a_voice_lies_as_many_semitones_off_as_it_was_told(narrator, semitones: float) -> None:
    narrator.prepare_voice(wire.Voice("shifted", settings={"pitch": semitones}))
    for seed in SEEDS[:3]:
        own = narrate(narrator, seed=seed).samples
        shifted = narrate(narrator, seed=seed, voice="shifted").samples
        # Higher or lower, and not otherwise read: every word keeps its time.
        assert len(shifted) == len(own)
        apart = heard_pitch(shifted) - heard_pitch(own)
        assert np.isfinite(apart).sum() > 100
        assert np.nanmedian(apart) == pytest.approx(semitones, abs=0.5)


def test_a_pitch_of_0_is_the_voice_as_it_always_was(narrator) -> None:
    narrator.prepare_voice(wire.Voice("zero", settings={"pitch": 0}))
    narrator.prepare_voice(wire.Voice("low", settings={"pitch": -3}))
    wanted = narrate(narrator, seed=5).samples.tobytes()
    assert narrate(narrator, seed=5, voice="zero").samples.tobytes() == wanted
    low = narrate(narrator, seed=5, voice="low").samples.tobytes()
    assert low != wanted
    assert narrate(narrator, seed=5, voice="low").samples.tobytes() == low


def test_the_same_recipe_gives_the_same_samples_whatever_ran_before(narrator) -> None:
    first = narrate(narrator, seed=5).samples.tobytes()
    narrate(narrator, SENTENCES[1] * 5, seed=6, speed=1.3)
    assert narrate(narrator, seed=5).samples.tobytes() == first
    assert narrate(narrator, seed=6).samples.tobytes() != first


def test_sentences_of_a_text_are_bent_apart(narrator) -> None:
    """Each chunk has a generator of its own: a repeated sentence is not a repeated reading."""
    once = narrate(narrator, "She came home.").samples
    twice = narrate(narrator, "She came home. She came home.").samples
    assert np.array_equal(twice[: len(once)], once)
    assert len(twice) != 2 * len(once) or not np.array_equal(twice[len(once) :], once)


@pytest.mark.parametrize("text", SENTENCES)
def test_length_follows_speed(narrator, text: str) -> None:
    normal = len(narrate(narrator, text, voice="flat").samples)
    for speed in (0.5, 0.8, 1.25, 2.0):
        length = len(narrate(narrator, text, voice="flat", speed=speed).samples)
        # Durations are whole frames of at least one, so the fastest falls short of twice as fast.
        assert normal / length == pytest.approx(speed, rel=0.12)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_clip_begins_and_ends_in_silence(narrator, seed: int) -> None:
    samples = narrate(narrator, seed=seed).samples
    assert samples.dtype == np.float32
    assert samples[0] == samples[-1] == 0
    assert np.abs(samples[-120:]).max() < 1e-3  # the last 5 ms, below -60 dB
    assert np.abs(np.diff(samples[-480:])).max() < 0.01
    assert 0.05 < np.abs(samples).max() <= 1


def test_word_times_are_in_order_and_within_the_clip(narrator) -> None:
    text = "Is it [true](/tɹˈu/)? He paid $5, whispering."
    clip = narrate(narrator, text)
    words = json.loads(clip.blobs["durations"])
    named = ["Is", "it", "true", "He", "paid", "5", "dollars", "whispering"]
    assert [word for word, _, _ in words] == named
    times = [time for _, start, end in words for time in (start, end)]
    assert times == sorted(times)
    assert 0 < times[0]
    assert times[-1] < len(clip.samples) / 24000
    assert all(end - start >= 0.025 for _, start, end in words)
    # What lies between the first and the last word is louder than what lies around.
    edge = clip.samples[: int(times[0] * 24000) - 600]
    assert np.abs(edge).mean() < 0.2 * np.abs(clip.samples).mean()


def test_unbent_it_is_the_untouched_network(narrator) -> None:
    """With speed constant and pitch 1, the opened graph computes what the original does."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    path = Path(hibari.__file__).parent / "assets" / "hibari.onnx"
    original = onnxruntime.InferenceSession(str(path), options)
    ids = np.asarray([[0, *narrator._pronouncer.ids("həlˈO ðˈɛɹ."), 0]], np.int64)
    ones = np.ones(ids.shape[1], np.float32)
    wanted = original.run(None, {"ids": ids, "speed": ones[:1]})
    *found, frames = narrator._session.run(None, {"ids": ids, "speed": ones, "pitch": ones})
    for left, right in zip(found, wanted, strict=True):
        assert np.array_equal(left, right)
    assert frames.sum() * 2 == wanted[-1].shape[-1]


def test_pitch_is_bent_phoneme_by_phoneme(narrator) -> None:
    ids = np.asarray([[0, *narrator._pronouncer.ids("həlˈO ðˈɛɹ."), 0]], np.int64)
    ones = np.ones(ids.shape[1], np.float32)
    bent = ones.copy()
    bent[4] = 1.5
    flat = narrator._session.run(["f0", "frames"], {"ids": ids, "speed": ones, "pitch": ones})
    found = narrator._session.run(["f0"], {"ids": ids, "speed": ones, "pitch": bent})[0][0]
    ends = 2 * np.cumsum(flat[1].reshape(-1)).astype(int)
    factor = np.ones(len(found), np.float32)
    factor[ends[3] : ends[4]] = 1.5
    assert np.array_equal(found, flat[0][0] * factor)


def test_another_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "hibari.onnx"
    with pytest.raises(Fatal, match="cannot be read"):
        hibari_graph.read_weights(path, MODEL)
    path.write_bytes(b"not it")
    with pytest.raises(Fatal, match=r"SHA-256 starts with [0-9a-f]{12} instead of 5f70741d4e90"):
        hibari_graph.read_weights(path, MODEL)


def test_a_missing_package_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(narrator_module.importlib.resources, "files", missing)
    with pytest.raises(Fatal, match="hibari-tts is missing"):
        Hibari().load({}, lambda fraction: None)


def test_unknown_options_are_refused() -> None:
    with pytest.raises(Refusal, match="“threads”"):
        Hibari().load({"threads": 2}, lambda fraction: None)


@pytest.mark.parametrize(
    ("voice", "words"),
    [
        ({"speaker": "emma"}, "'emma'"),
        ({"reference": "/a.wav"}, "another engine"),
        ({"style": "sad"}, "another engine"),
        ({"description": "an old man"}, "another engine"),
        ({"language": "zh"}, "English only"),
        ({"settings": {"strenght": 1}}, "“strenght”"),
        ({"settings": {"strength": "2"}}, "must be a number"),
        ({"settings": {"strength": True}}, "must be a number"),
        ({"settings": {"strength": -0.1}}, "goes from 0"),
        ({"settings": {"strength": 4.1}}, "goes from 0"),
        ({"settings": {"pitch": "low"}}, "must be a number"),
        ({"settings": {"pitch": False}}, "must be a number"),
        ({"settings": {"pitch": 6.5}}, "from -6 to 6 semitones"),
        ({"settings": {"pitch": -7}}, "from -6 to 6 semitones"),
        ({"settings": {"tempo": 2}}, "“strength” and “pitch”"),
    ],
)
def test_a_voice_it_cannot_be_is_refused(voice: dict, words: str) -> None:
    with pytest.raises(Refusal, match=words):
        Hibari().prepare_voice(wire.Voice("v", **voice))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"language": "zh"}, "'zh'"),
        ({"speed": 0.4}, "speed 0.4"),
        ({"speed": 2.1}, "speed 2.1"),
        ({"seed": -1}, "seed -1"),
        ({"seed": 2**32}, "seed 4294967296"),
        ({"text": "He said 你好 to us."}, "“你好”"),
    ],
)
def test_what_it_cannot_read_is_refused(narrator, fields: dict, words: str) -> None:
    with pytest.raises(Refusal, match=words):
        narrate(narrator, **fields)


def test_it_stops_between_chunks(narrator) -> None:
    asked: list[str] = []
    request = wire.Narrate(1, "One. Two. Three.", "en", "v", 1)
    with pytest.raises(Cancelled):
        narrator.narrate(request, lambda name, fraction: asked.append(name), lambda: True)
    assert asked == ["text", "speech"]


def test_the_card_says_what_changes_the_bytes(narrator) -> None:
    card = narrator.card
    assert (card.engine, card.model, card.sample_rate) == ("hibari", MODEL, 24000)
    assert (card.backend, card.device, card.threads) == ("onnxruntime", "cpu", 1)
    named = {"hibari-tts", "onnxruntime", "numpy", "scipy", "onnx", "cpu", "arch", "system"}
    assert set(card.build) == named | {"pronunciation"}
    assert "missing" not in card.build.values()


def test_contours_are_smooth_and_within_bounds() -> None:
    for seed in range(50):
        bend = hibari_takes.draw(hibari_takes.generator(seed, 0), 80, 1.0, 4.0)
        for line in (bend.speed, bend.pitch):
            assert line.shape == (80,)
            assert line.dtype == np.float32
            assert np.abs(np.log(line)).max() <= 0.5 + 1e-6
            assert np.abs(np.diff(np.log(line))).max() < 0.15
