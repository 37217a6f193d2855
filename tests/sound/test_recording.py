"""Recordings from real files of every kind, and from files that are none."""

from __future__ import annotations

import hashlib
import shlex
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import BadInput
from studio.project.clips import read_clip, write_clip
from studio.sound.recording import paths_meant, read_recording

RATE = 24_000


def speech(seconds: float = 1.0, rate: int = RATE, channels: int = 1) -> np.ndarray:
    """Something that sounds from its first sample to its last."""
    wave = 0.3 * np.sin(np.arange(round(seconds * rate)) * 0.05)
    return np.repeat(wave.reshape(-1, 1), channels, axis=1)


def silence(seconds: float, rate: int = RATE) -> np.ndarray:
    """A quiet room: not quite nothing."""
    return np.random.default_rng(1).normal(0, 0.0005, (round(seconds * rate), 1))


def written(path: Path, samples: np.ndarray, rate: int = RATE, **options: str) -> str:
    soundfile.write(path, samples, rate, **options)
    return str(path)


@pytest.mark.parametrize(
    ("name", "options", "exact"),
    [
        ("a.wav", {"subtype": "PCM_16"}, True),
        ("a.wav", {"subtype": "PCM_24"}, False),
        ("a.wav", {"subtype": "FLOAT"}, False),
        ("a.flac", {}, True),
        ("a.aiff", {}, True),
        ("a.ogg", {}, False),
        ("a.mp3", {}, False),
    ],
)
def test_every_kind_of_file(
    tmp_path: Path, name: str, options: dict[str, str], exact: bool
) -> None:
    path = tmp_path / name
    samples = speech()
    written(path, samples, **options)
    before = path.read_bytes()
    found = read_recording(str(path))
    assert (found.rate, found.pcm.shape[1], found.pcm.dtype) == (RATE, 1, np.int16)
    assert found.seconds == pytest.approx(1.0, abs=0.1)
    assert found.name == name
    assert found.sha256 == hashlib.sha256(before).hexdigest()
    assert path.read_bytes() == before
    if exact:
        stored, _ = soundfile.read(path, dtype="int16", always_2d=True)
        assert np.array_equal(found.pcm, stored), "16 bits must come through as they are"


def test_floats_follow_the_projects_rule(tmp_path: Path) -> None:
    values = np.array([[0.5 / 32768], [1.5 / 32768], [-1.0], [1.0], [0.25]], np.float32)
    path = written(tmp_path / "a.wav", np.tile(values, (400, 1)), subtype="FLOAT")
    assert read_recording(path).pcm[:5, 0].tolist() == [0, 2, -32768, 32767, 8192]


def test_two_channels_stay_and_more_become_one(tmp_path: Path) -> None:
    two = read_recording(written(tmp_path / "two.wav", speech(channels=2)))
    assert two.pcm.shape[1] == 2
    surround = speech(channels=6)
    surround[:, 1:] = 0
    six = read_recording(written(tmp_path / "six.wav", surround))
    assert six.pcm.shape[1] == 1
    assert int(six.pcm.max()) == pytest.approx(0.3 / 6 * 32768, abs=2)


@pytest.mark.parametrize("rate", [8_000, 22_050, 44_100, 96_000])
def test_the_rate_is_kept(tmp_path: Path, rate: int) -> None:
    found = read_recording(written(tmp_path / "a.wav", speech(rate=rate), rate))
    assert (found.rate, found.seconds) == (rate, 1.0)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"This is a text, and no sound at all." * 20, "no sound that can be read here"),
        (b"RIFF\x24\x00\x00\x00WAVE", "no sound that can be read here"),
    ],
)
def test_what_is_no_sound_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "odd.wav"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=words) as refused:
        read_recording(str(path))
    assert str(refused.value).endswith(".")


def test_unfit_sounds_are_refused_in_words(tmp_path: Path) -> None:
    holes = speech()
    holes[500] = np.nan
    cases = {
        "holds no sound": written(tmp_path / "none.wav", speech(0)),
        "NaN": written(tmp_path / "nan.wav", holes, subtype="FLOAT"),
        "too few for speech": written(tmp_path / "slow.wav", speech(rate=4000), 4000),
        "longer than 15 minutes": written(tmp_path / "long.wav", speech(901, 8000), 8000),
        "is a folder": str(tmp_path),
        "There is no file": str(tmp_path / "nowhere.wav"),
    }
    for words, path in cases.items():
        with pytest.raises(BadInput, match=words):
            read_recording(path)


def test_a_film_is_not_read_into_memory_to_be_refused(tmp_path: Path) -> None:
    path = tmp_path / "film.mp4"
    with path.open("wb") as file:
        file.write(b"\0\0\0\x20ftypisom" + bytes(1000))
        file.truncate(1 << 31)
    tracemalloc.start()
    try:
        with pytest.raises(BadInput, match="no sound that can be read here"):
            read_recording(str(path))
        assert tracemalloc.get_traced_memory()[1] < 1 << 26
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("rate", [65_537, 96_001, 768_000, 2_822_400])
def test_a_rate_that_no_clip_can_have_is_refused(tmp_path: Path, rate: int) -> None:
    with pytest.raises(BadInput, match="which cannot be kept"):
        read_recording(written(tmp_path / "fast.wav", speech(rate=rate), rate))


@pytest.mark.parametrize("rate", [8_000, 44_100, 88_200, 192_000, 384_000])
def test_every_rate_that_is_read_can_be_kept(tmp_path: Path, rate: int) -> None:
    found = read_recording(written(tmp_path / "any.wav", speech(rate=rate), rate))
    kept, its_rate = read_clip(tmp_path, write_clip(tmp_path, found.pcm, found.rate))
    assert its_rate == rate
    assert np.array_equal(kept, found.pcm)


def test_a_file_without_end_is_not_read_into_memory(tmp_path: Path) -> None:
    path = tmp_path / "sparse.wav"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(BadInput, match="longer than"):
        read_recording(str(path))


def test_a_recording_that_was_cut_short_gives_what_there_is(tmp_path: Path) -> None:
    path = tmp_path / "cut.wav"
    written(path, speech())
    path.write_bytes(path.read_bytes()[:24_044])
    assert len(read_recording(str(path)).pcm) == 12_000


def test_silence_at_the_ends_is_told_and_cut_but_for_a_moment(tmp_path: Path) -> None:
    samples = np.concatenate([silence(1.2), speech(), silence(0.8)])
    found = read_recording(written(tmp_path / "a.wav", samples))
    assert found.before == pytest.approx(1.2, abs=0.02)
    assert found.after == pytest.approx(0.8, abs=0.02)
    assert found.silence == "1.1 s before and 0.8 s after"
    cut = found.trimmed()
    assert cut.seconds == pytest.approx(1.1, abs=0.03)
    assert cut.silence == ""
    start = len(found.pcm) - len(samples) + round((found.before - cut.before) * RATE)
    assert np.array_equal(cut.pcm, found.pcm[start : start + len(cut.pcm)])
    assert cut.sha256 == found.sha256


def test_short_silences_and_silence_alone_are_left(tmp_path: Path) -> None:
    samples = np.concatenate([silence(0.25), speech(), silence(0.28)])
    found = read_recording(written(tmp_path / "a.wav", samples))
    assert found.silence == ""
    assert np.array_equal(found.trimmed().pcm, found.pcm)
    nothing = read_recording(written(tmp_path / "b.wav", np.zeros((RATE, 1))))
    assert nothing.silence == ""
    assert len(nothing.trimmed().pcm) == RATE


names = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="/"), min_size=1
).filter(lambda name: name.strip() == name and name not in (".", "..") and name[0] != "~")


@given(names)
def test_however_a_terminal_writes_a_dropped_file_it_is_found(name: str) -> None:
    path = Path("/takes of mine") / name
    backslashes = "".join(
        f"\\{sign}" if sign in " '\"\\()&;$`!*?[]{}<>|#" else sign for sign in str(path)
    )
    assert path in paths_meant(str(path))
    assert path in paths_meant(f"  {shlex.quote(str(path))} ")
    assert path in paths_meant(path.as_uri())
    assert path in paths_meant(backslashes)


def test_home_is_filled_in_and_a_stranger_s_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/reader")
    assert paths_meant("~/a take.wav") == (Path("/home/reader/a take.wav"),)
    assert paths_meant("~nobody-by-this-name/a.wav")[0].name == "a.wav"
    assert paths_meant("") == ()
    with pytest.raises(BadInput, match="There is no file"):
        read_recording("")
