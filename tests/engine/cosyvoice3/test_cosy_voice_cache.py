"""Features that are kept: never another's, never damaged, never needed."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from needs import examples

from engine.narrators.cosyvoice3 import frontend, voice_cache
from engine.narrators.cosyvoice3.frontend import Features
from engine.narrators.cosyvoice3.voice_cache import VoiceCache


def made(count: int = 25, seed: int = 0) -> Features:
    """Features out of a seed."""
    chance = np.random.default_rng(seed)
    return Features(
        chance.normal(size=(2 * count, 80)).astype(np.float32),
        chance.integers(0, 6561, count).astype(np.int32),
        chance.normal(size=192).astype(np.float32),
    )


def alike(one: Features, other: Features) -> bool:
    """Whether two are the same, to the byte."""
    return all(
        getattr(one, name).tobytes() == getattr(other, name).tobytes()
        and getattr(one, name).dtype == getattr(other, name).dtype
        for name in ("mel24", "speech_tokens", "speaker")
    )


def unwanted() -> Features:
    """What must not be called."""
    raise AssertionError("made although it is kept")


def test_features_are_made_once(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "cache"
    assert alike(VoiceCache(folder, "m").features("a" * 64, made), made())
    assert alike(VoiceCache(folder, "m").features("a" * 64, unwanted), made())
    assert [path.suffix for path in folder.iterdir()] == [".npz"]


def test_another_reference_model_or_code_has_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    VoiceCache(tmp_path, "m").features("a", lambda: made(seed=1))
    assert alike(VoiceCache(tmp_path, "m").features("b", lambda: made(seed=2)), made(seed=2))
    assert alike(VoiceCache(tmp_path, "n").features("a", lambda: made(seed=3)), made(seed=3))
    monkeypatch.setattr(voice_cache, "VERSION", voice_cache.VERSION + 1)
    assert alike(VoiceCache(tmp_path, "m").features("a", lambda: made(seed=4)), made(seed=4))
    monkeypatch.undo()
    monkeypatch.setattr("engine.build.version", lambda name: "other")
    assert alike(VoiceCache(tmp_path, "m").features("a", lambda: made(seed=5)), made(seed=5))
    monkeypatch.undo()
    assert alike(VoiceCache(tmp_path, "m").features("a", unwanted), made(seed=1))


def test_the_name_cannot_be_had_by_moving_a_border(tmp_path: Path) -> None:
    VoiceCache(tmp_path, "bc").features("a", lambda: made(seed=1))
    assert alike(VoiceCache(tmp_path, "c").features("ab", lambda: made(seed=2)), made(seed=2))


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.floats(0, 0.999), flip=st.booleans())
def test_a_damaged_file_is_made_again(tmp_path: Path, cut: float, flip: bool) -> None:
    cache = VoiceCache(tmp_path, "m")
    cache.features("a", made)
    [path] = tmp_path.iterdir()
    whole = bytearray(path.read_bytes())
    place = int(cut * len(whole))
    path.write_bytes(
        whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :] if flip else whole[:place]
    )
    assert alike(cache.features("a", made), made())
    assert alike(cache.features("a", made), made())


def _archive(**arrays: object) -> bytes:
    """An .npz file as anybody may have put it there."""
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


GOOD = {
    "mel24": np.zeros((4, 80), np.float32),
    "speech_tokens": np.zeros(2, np.int32),
    "speaker": np.zeros(192, np.float32),
}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x03\x04",
        _archive(),
        _archive(**{**GOOD, "mel24": np.zeros((5, 80), np.float32)}),
        _archive(**{**GOOD, "mel24": np.zeros((4, 80), np.float64)}),
        _archive(**{**GOOD, "speech_tokens": np.zeros((2, 1), np.int32)}),
        _archive(**{**GOOD, "speaker": np.zeros(191, np.float32)}),
        _archive(**{**GOOD, "speaker": np.array([{"a": 1}], dtype=object)}),
    ],
    ids=str,
)
def test_a_file_of_something_else_is_made_again(tmp_path: Path, content: bytes) -> None:
    cache = VoiceCache(tmp_path, "m")
    cache.features("a", made)
    [path] = tmp_path.iterdir()
    path.write_bytes(content)
    assert alike(cache.features("a", made), made())
    assert alike(cache.features("a", unwanted), made())


def test_without_a_folder_or_a_disk_features_are_made_each_time(tmp_path: Path) -> None:
    assert alike(VoiceCache(None, "m").features("a", made), made())
    (tmp_path / "file").write_text("in the way")
    for folder in (tmp_path / "file", tmp_path / "file" / "deeper"):
        for seed in (1, 2):
            found = VoiceCache(folder, "m").features("a", lambda seed=seed: made(seed=seed))
            assert alike(found, made(seed=seed))


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert alike(VoiceCache(tmp_path, "m").features("a", made), made())
    assert list(tmp_path.iterdir()) == []


def test_what_could_not_be_made_is_not_kept(tmp_path: Path) -> None:
    def broken() -> Features:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        VoiceCache(tmp_path, "m").features("a", broken)
    assert list(tmp_path.iterdir()) == []


def test_the_files_used_longest_ago_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voice_cache, "MOST", 3)
    cache = VoiceCache(tmp_path, "m")
    for number, reference in enumerate("abc"):
        before = set(tmp_path.iterdir())
        cache.features(reference, lambda number=number: made(2, number))
        [new] = set(tmp_path.iterdir()) - before
        os.utime(new, (1000 + number, 1000 + number))
    cache.features("a", unwanted)  # used again: the oldest now is b
    cache.features("d", lambda: made(2, 3))
    assert len(list(tmp_path.iterdir())) == 3
    for kept in "acd":
        cache.features(kept, unwanted)
    with pytest.raises(AssertionError, match="made although"):
        cache.features("b", unwanted)


def test_what_a_dead_process_left_goes(tmp_path: Path) -> None:
    (tmp_path / "old.part").write_bytes(b"half")
    os.utime(tmp_path / "old.part", (1000, 1000))
    (tmp_path / "new.part").write_bytes(b"half")
    VoiceCache(tmp_path, "m").features("a", made)
    assert [path.name for path in tmp_path.glob("*.part")] == ["new.part"]


def test_processes_share_a_folder(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; import numpy as np;"
        "from engine.narrators.cosyvoice3.voice_cache import VoiceCache;"
        "from engine.narrators.cosyvoice3.frontend import Features\n"
        "def made(n):\n"
        "    return Features(np.full((2 * n, 80), n, np.float32), np.full(n, n, np.int32),"
        " np.full(192, n, np.float32))\n"
        "for turn in range(3):\n"
        "    for n in range(1, 40):\n"
        "        found = VoiceCache(Path(sys.argv[1]), 'm').features(str(n), lambda n=n: made(n))\n"
        "        assert found.speech_tokens.tolist() == [n] * n, n\n"
    )
    root = Path(frontend.__file__).parents[3]
    command = [sys.executable, "-c", code, str(tmp_path)]
    running = [
        subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE, text=True) for _ in range(2)
    ]
    for process in running:
        _, complaint = process.communicate(timeout=120)
        assert process.returncode == 0, complaint
    assert len(list(tmp_path.iterdir())) == 39
