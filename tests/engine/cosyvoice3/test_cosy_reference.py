"""What is said about a reference before a voice is made of it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from made_audio import RATE, TRANSCRIPT, saved, speech
from needs import examples
from numpy.typing import NDArray

from engine.narrators.cosyvoice3.reference import check, read
from engine.narrators.cosyvoice3.text import Mode
from engine.registry import Refusal


def judged(
    samples: NDArray[np.float32],
    transcript: str = TRANSCRIPT,
    language: str = "en",
    rate: int = RATE,
    mode: Mode = Mode.ZERO_SHOT,
) -> tuple[str, ...]:
    """The warnings of a reference."""
    return check(samples, rate, transcript, language, mode)


def silence(seconds: float) -> NDArray[np.float32]:
    """Nothing."""
    return np.zeros(round(seconds * RATE), np.float32)


def test_a_good_reference_has_no_warnings() -> None:
    assert judged(speech()) == ()


@pytest.mark.parametrize("rate", [16000, 22050, 24000, 44100, 48000, 96000, 192000])
def test_every_usual_rate_is_good(rate: int) -> None:
    assert judged(speech(rate=rate), rate=rate) == ()


# ---- warnings ------------------------------------------------------------------------------------


def test_silence_at_its_end() -> None:
    [warning] = judged(np.concatenate([speech(), silence(1.2)]))
    assert warning.startswith("The reference ends in 1.4 s of silence")
    assert judged(np.concatenate([speech(), silence(0.4)])) == ()


def test_silence_at_its_beginning() -> None:
    [warning] = judged(np.concatenate([silence(1.5), speech()]))
    assert warning.startswith("The reference begins with 1.5 s of silence")


def test_an_end_inside_a_sound() -> None:
    [warning] = judged(speech(5.0)[: round(4.37 * RATE)])
    assert "stops in the middle of a sound" in warning


def test_clipping() -> None:
    [warning] = judged(np.clip(8 * speech(), -1, 1))
    assert warning.startswith("The reference is clipped")
    lone_peaks = speech()
    lone_peaks[1000:9000:400] = 1.0
    assert judged(lone_peaks) == ()


def test_clipping_in_one_channel() -> None:
    both = np.stack([speech(), np.clip(8 * speech(), -1, 1)], axis=1)
    assert [w.split(":")[0] for w in judged(both)] == ["The reference is clipped"]


def test_a_very_quiet_reference() -> None:
    [warning] = judged(0.02 * speech())
    assert warning.startswith("The reference is very quiet (-")


def test_two_channels_are_no_fault() -> None:
    assert judged(np.stack([speech(), 0.7 * speech()], axis=1)) == ()
    assert judged(speech()[:, None]) == ()


def test_channels_that_cancel_each_other() -> None:
    [warning] = judged(np.stack([speech(), -0.7 * speech()], axis=1))
    assert warning.startswith("The channels of the reference nearly cancel")


@pytest.mark.parametrize(("seconds", "said"), [(2.0, "is only 2.0 s"), (20.0, "is 20.0 s long")])
def test_a_length_that_is_possible_but_not_good(seconds: float, said: str) -> None:
    transcript = "x" * round(14 * seconds)
    [warning] = judged(speech(seconds), transcript)
    assert said in warning


@pytest.mark.parametrize(
    ("transcript", "language", "said"),
    [
        (TRANSCRIPT * 3, "en", "too long"),
        ("She had.", "en", "too short"),
        ("她等这封信已经等了十一年。" * 6, "zh", "too long"),
        ("她等。", "zh", "too short"),
        ("1234567890" * 4, "en", "too long"),
    ],
)
def test_a_transcript_that_cannot_be_what_is_said(
    transcript: str, language: str, said: str
) -> None:
    [warning] = judged(speech(), transcript, language)
    assert warning.startswith(f"The transcript is {said} for the reference")
    assert judged(speech(), transcript, language, mode=Mode.CROSS_LINGUAL) == ()


def test_silence_does_not_count_as_time_to_speak() -> None:
    padded = np.concatenate([silence(5.0), speech(), silence(5.0)])
    assert len(judged(padded)) == 2  # the silences, and nothing of the transcript


@pytest.mark.parametrize(
    ("transcript", "language", "script"),
    [
        (TRANSCRIPT, "zh-CN", "Chinese characters"),
        (TRANSCRIPT, "ja", "Japanese characters"),
        (TRANSCRIPT, "ko", "Korean characters"),
        (TRANSCRIPT, "ru", "Cyrillic letters"),
    ],
)
def test_a_transcript_in_another_script(transcript: str, language: str, script: str) -> None:
    [warning] = judged(speech(), transcript, language)
    assert warning.endswith(f"its transcript holds no {script}.")


def test_a_transcript_in_its_own_script() -> None:
    assert judged(speech(), "她等这封信已经等了十一年，可是它没有来。", "zh") == ()
    assert judged(speech(), "Она ждала это письмо одиннадцать лет, но оно не пришло.", "ru") == ()


def test_all_that_is_wrong_is_told_at_once() -> None:
    samples = np.concatenate([np.clip(8 * speech(2.0), -1, 1), silence(0.9)])
    told = " ".join(judged(samples, TRANSCRIPT * 2))
    for part in ("too long", "clipped", "of silence", "only 2.9 s"):
        assert part in told


# ---- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "language", "many", "few"),
    [("The ferry leaves at six. ", "en", 15, 3), ("她等这封信已经等了十一年。", "zh", 6, 2)],
)
def test_a_transcript_that_nobody_can_have_said_in_the_time(
    sentence: str, language: str, many: int, few: int
) -> None:
    told = r"take about \d+ s to read, and the reference is 2\.0 s long"
    with pytest.raises(Refusal, match=told):
        judged(speech(2.0), sentence * many, language)
    for mode in (Mode.CROSS_LINGUAL, Mode.INSTRUCT):  # which read none
        judged(speech(2.0), sentence * many, language, mode=mode)
    # As fast as an auctioneer is doubtful and no more, and a longer reference may hold it.
    [first, _] = judged(speech(2.0), sentence * few, language)
    assert first.startswith("The transcript is too long for the reference")
    judged(speech(8.0), sentence * many, language)


@pytest.mark.parametrize("transcript", ["", "   ", "\n\t", "…", "“ ”.", "\u200b"])
def test_an_empty_transcript(transcript: str) -> None:
    with pytest.raises(Refusal, match=r"no transcript\. Write down exactly what is said"):
        judged(speech(), transcript)
    assert judged(speech(), transcript, mode=Mode.CROSS_LINGUAL) == ()
    assert judged(speech(), transcript, mode=Mode.INSTRUCT) == ()


def test_a_transcript_with_the_models_preface() -> None:
    with pytest.raises(Refusal, match="Write down only what is said"):
        judged(speech(), f"You are a helpful assistant.<|endofprompt|>{TRANSCRIPT}")


@pytest.mark.parametrize("rate", [8000, 11025, 15999, 0, -1])
def test_too_few_samples_per_second(rate: int) -> None:
    with pytest.raises(Refusal, match=f"has {rate} samples per second.*at least 16000"):
        judged(speech(rate=8000), rate=rate)


@pytest.mark.parametrize("rate", [44101, 65537, 999983])
def test_a_rate_that_would_need_gigabytes_to_convert(rate: int) -> None:
    with pytest.raises(Refusal, match="a rate that nothing records at"):
        judged(np.zeros(5 * rate, np.float32), rate=rate)


def test_longer_than_the_model_can_take() -> None:
    with pytest.raises(Refusal, match="longer than 30 s"):
        judged(speech(30.01), "x" * 400)
    assert len(judged(speech(30.0), "x" * 400)) == 1


def test_shorter_than_a_second() -> None:
    with pytest.raises(Refusal, match=r"is 0\.90 s long"):
        judged(speech(0.9), "Short.")
    with pytest.raises(Refusal, match=r"is 0\.00 s long"):
        judged(silence(0.0), "Short.")
    assert len(judged(speech(1.0), "Short one.")) == 1


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_samples_that_are_no_numbers(bad: float) -> None:
    samples = speech()
    samples[12345] = bad
    with pytest.raises(Refusal, match="samples that are no numbers"):
        judged(samples)


def test_silence_alone() -> None:
    with pytest.raises(Refusal, match=r"is silent\. Give the voice"):
        judged(silence(4.0))
    with pytest.raises(Refusal, match="is silent once its channels are averaged"):
        judged(np.stack([speech(), -speech()], axis=1))


@settings(max_examples=examples(60))
@given(
    samples=arrays.arrays(
        np.float32,
        st.tuples(st.integers(0, 40000), st.integers(1, 3)),
        elements=st.floats(-1, 1, width=32),
        fill=st.sampled_from([np.float32(0), np.float32(0.5), np.float32(np.nan)]),
    ),
    rate=st.integers(-10, 50000),
    transcript=st.text(max_size=60),
    language=st.sampled_from(["", "en", "zh", "ja-JP", "x"]),
    mode=st.sampled_from(list(Mode)),
)
def test_whatever_comes_is_judged_or_refused(
    samples: NDArray[np.float32], rate: int, transcript: str, language: str, mode: Mode
) -> None:
    try:
        told = check(samples, rate, transcript, language, mode)
    except Refusal as refusal:
        told = (str(refusal),)
    assert all(sentence.endswith(".") and "nan" not in sentence for sentence in told)


# ---- files ---------------------------------------------------------------------------------------


def test_a_file_is_read_once_for_its_samples_and_its_digest(tmp_path: Path) -> None:
    path = saved(tmp_path / "voice.wav", speech())
    found = read(path)
    assert found.rate == RATE
    assert np.array_equal(found.samples, speech())
    assert found.digest == hashlib.sha256(path.read_bytes()).hexdigest()


def test_other_kinds_of_files_are_read(tmp_path: Path) -> None:
    for name in ("voice.flac", "voice.ogg", "voice.mp3"):
        soundfile.write(tmp_path / name, np.stack([speech(), speech()], axis=1), RATE)
        found = read(tmp_path / name)
        assert found.samples.shape[1] == 2
        assert found.samples.dtype == np.float32
        assert check(found.samples, found.rate, TRANSCRIPT, "en") == ()


def test_no_more_is_read_than_is_needed(tmp_path: Path) -> None:
    found = read(saved(tmp_path / "long.wav", np.tile(speech(), 14)))
    assert len(found.samples) <= 31 * RATE
    with pytest.raises(Refusal, match="longer than 30 s"):
        judged(found.samples)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match=r"no reference audio at “.*gone\.wav”"):
        read(tmp_path / "gone.wav")
    with pytest.raises(Refusal, match="no reference audio"):
        read(tmp_path)


@pytest.mark.parametrize("content", [b"", b"no audio", b"RIFF\0\0\0\0WAVE", b"\0" * 5000])
def test_a_file_that_is_no_audio(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "voice.wav").write_bytes(content)
    with pytest.raises(Refusal, match=r"“voice\.wav” is no audio that can be read"):
        read(tmp_path / "voice.wav")


def test_a_file_that_is_cut_off_is_no_crash(tmp_path: Path) -> None:
    path = saved(tmp_path / "voice.wav", speech())
    path.write_bytes(path.read_bytes()[:200])
    try:
        found = read(path)
    except Refusal:
        return
    with pytest.raises(Refusal, match="long; a voice needs"):
        judged(found.samples)


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    path = saved(tmp_path / "voice.wav", speech())
    with path.open("r+b") as file:
        file.truncate(300 * 1024 * 1024)  # sparse: takes no disk
    with pytest.raises(Refusal, match="a file of 315 MB"):
        read(path)
