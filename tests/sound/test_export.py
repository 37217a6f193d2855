"""A chapter becomes a WAV file, whole or not at all."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st
from sound_rig import ROOT
from sound_segments import case, level, piece, segment

from studio.errors import MachineFault
from studio.sound import export
from studio.sound.assembly import Timeline
from studio.sound.export import chapter_file_name, encode, export_wav, needs_rf64, wav_header
from studio.sound.pauses import PauseRules
from studio.sound.plan import chapter_timeline, chosen_clips
from studio.sound.source import ClipSource, Samples

RATE = 24000


class Zeros:
    """A source of silence of any length."""

    rate = RATE

    def __init__(self, frames: int) -> None:
        """Be ``frames`` long."""
        self.frames = frames

    def read(self, start: int, count: int) -> Samples:
        """Give silence."""
        return np.zeros(max(0, min(count, self.frames - start)), np.float32)


def chapter() -> Timeline:
    """Three clips of different shapes with pauses."""
    names = ("good.wav", "stereo.wav", "rate22k.wav")
    return Timeline([piece(*case(name), 300) for name in names], RATE, head_ms=100, tail_ms=200)


def digest(path: Path) -> str:
    """Hash a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_at_the_engines_rate_every_sample_is_where_it_belongs(tmp_path: Path) -> None:
    pcm = np.random.default_rng(3).integers(-32768, 32767, (30000, 1), np.int16)
    timeline = Timeline([piece(pcm, RATE, 50)] * 3, RATE, head_ms=100, tail_ms=20)
    done = export_wav(timeline, tmp_path / "one.wav")
    heard, rate = soundfile.read(done.path, dtype="int16")
    assert (rate, len(heard)) == (RATE, 2400 + 3 * 31200 + 480)
    assert (done.frames, done.rate, done.bits, done.rf64) == (len(heard), RATE, 16, False)
    assert done.bytes == done.path.stat().st_size == 44 + 2 * len(heard)
    assert done.seconds == len(heard) / RATE
    for start in timeline.starts:
        assert np.array_equal(heard[start + 144 : start + 30000 - 144], pcm[144:-144, 0])
        assert not heard[start - 480 : start].any()


@pytest.mark.parametrize("rate", [None, 44100, 48000])
@pytest.mark.parametrize("bits", [16, 24])
def test_length_level_and_format_at_every_rate(tmp_path: Path, rate: int | None, bits: int) -> None:
    timeline = chapter()
    done = export_wav(timeline, tmp_path / "one.wav", rate=rate, bits=bits)
    info = soundfile.info(done.path)
    assert (info.format, info.subtype, info.channels) == ("WAV", f"PCM_{bits}", 1)
    assert info.samplerate == (rate or RATE)
    assert info.frames == round(timeline.frames * (rate or RATE) / RATE)
    heard, _ = soundfile.read(done.path)
    straight = timeline.read(0, timeline.frames)
    assert np.sqrt(np.mean(heard**2)) == pytest.approx(np.sqrt(np.mean(straight**2)), rel=1e-3)


def test_exporting_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    """And these very samples, but for the third clip: resamplers differ in the last bit."""
    for name in ("a.wav", "b.wav"):
        export_wav(chapter(), tmp_path / name)
        export_wav(chapter(), tmp_path / f"r{name}", rate=44100, bits=24)
    assert digest(tmp_path / "a.wav") == digest(tmp_path / "b.wav")
    assert digest(tmp_path / "ra.wav") == digest(tmp_path / "rb.wav")
    golden = json.loads((Path(__file__).parent / "golden_export.json").read_text())
    heard, _ = soundfile.read(tmp_path / "a.wav", dtype="int16")
    starts = chapter().starts.tolist()
    wide = heard[: starts[2]].astype(np.int64)
    assert {
        "frames": len(heard),
        "sum": int(wide.sum()),
        "absolute": int(np.abs(wide).sum()),
        "highest": int(wide.max()),
        "lowest": int(wide.min()),
        "starts": starts,
    } == golden


def test_another_rate_has_no_seam_where_blocks_or_clips_meet(tmp_path: Path) -> None:
    n = np.arange(export.BLOCK * 3)
    tone = (np.sin(n * 2 * np.pi * 440 / RATE) * 0.5).astype(np.float32)
    export_wav(ClipSource(tone, RATE), tmp_path / "tone.wav", rate=48000, bits=24)
    heard, _ = soundfile.read(tmp_path / "tone.wav")
    expected = np.sin(np.arange(len(heard)) * 2 * np.pi * 440 / 48000) * 0.5
    assert np.abs(heard - expected)[2000:-2000].max() < 1e-4


@pytest.mark.parametrize(
    ("value", "bits", "expected"),
    [
        (0.5 / 32768, 16, 0),
        (1.5 / 32768, 16, 2),
        (2.5 / 32768, 16, 2),
        (-0.5 / 32768, 16, 0),
        (-1.5 / 32768, 16, -2),
        (1.0, 16, 32767),
        (7.0, 16, 32767),
        (-1.0, 16, -32768),
        (-7.0, 16, -32768),
        (1.5 / 8388608, 24, 2),
        (2.5 / 8388608, 24, 2),
        (1.0, 24, 8388607),
        (-1.0, 24, -8388608),
        (-1 / 8388608, 24, -1),
    ],
)
def test_rounding_is_half_to_even_and_clipped(value: float, bits: int, expected: int) -> None:
    data = encode(np.array([value], np.float32), bits)
    assert len(data) == bits // 8
    assert int.from_bytes(data, "little", signed=True) == expected


@given(st.lists(st.integers(-32768, 32767), max_size=50))
def test_sixteen_bits_survive_the_way_through_floats(values: list[int]) -> None:
    pcm = np.array(values, np.int16)
    assert encode(ClipSource.from_pcm(pcm, RATE).samples, 16) == pcm.astype("<i2").tobytes()


def test_an_odd_number_of_bytes_is_padded(tmp_path: Path) -> None:
    done = export_wav(Zeros(3), tmp_path / "odd.wav", bits=24)
    assert done.bytes == done.path.stat().st_size == 44 + 10
    assert soundfile.info(done.path).frames == 3


def test_an_empty_chapter_is_a_file_without_sound(tmp_path: Path) -> None:
    done = export_wav(Timeline([], RATE), tmp_path / "none.wav", rate=48000)
    assert soundfile.info(done.path).frames == 0


def test_the_header_is_rf64_exactly_when_a_plain_one_would_overflow() -> None:
    longest = (0xFFFFFFFF - 36) // 2
    assert not needs_rf64(longest, 16)
    assert needs_rf64(longest + 1, 16)
    assert not needs_rf64(24 * 3600 * RATE, 16)
    assert needs_rf64(25 * 3600 * RATE, 16)
    assert needs_rf64(17 * 3600 * RATE, 24)
    plain = wav_header(longest, RATE, 16)
    assert plain[:4] == b"RIFF"
    assert int.from_bytes(plain[4:8], "little") == 36 + 2 * longest
    assert int.from_bytes(plain[40:44], "little") == 2 * longest
    frames = 25 * 3600 * RATE
    long = wav_header(frames, RATE, 16)
    assert long[:16] == b"RF64\xff\xff\xff\xffWAVEds64"
    assert len(long) == 80
    riff, data, count = (int.from_bytes(long[at : at + 8], "little") for at in (20, 28, 36))
    assert (riff, data, count) == (72 + 2 * frames, 2 * frames, frames)
    assert long[-4:] == b"\xff\xff\xff\xff"


def test_readers_take_the_rf64_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "needs_rf64", lambda frames, bits: True)
    pcm = level(5000, 1234)
    done = export_wav(Timeline([piece(pcm, RATE)], RATE), tmp_path / "long.wav")
    assert soundfile.info(done.path).format == "RF64"
    heard, rate = soundfile.read(done.path, dtype="int16")
    assert (len(heard), rate) == (5000, RATE)
    assert np.all(heard[200:-200] == 1234)


def test_progress_rises_to_one(tmp_path: Path) -> None:
    told: list[float] = []
    export_wav(Zeros(export.BLOCK * 5 // 2), tmp_path / "one.wav", progress=told.append)
    assert told == pytest.approx([0.4, 0.8, 1.0])


def kept(folder: Path) -> dict[str, bytes]:
    """Give all files of a folder, hidden ones too."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_interrupted_export_leaves_everything_as_it_was(
    tmp_path: Path, error: type[BaseException]
) -> None:
    (tmp_path / "one.wav").write_bytes(b"older")

    def interrupt(fraction: float) -> None:
        """Break off in the middle."""
        assert len(kept(tmp_path)) == 2, "the new file stands beside the old one meanwhile"
        raise error

    with pytest.raises(error):
        export_wav(Zeros(export.BLOCK * 3), tmp_path / "one.wav", progress=interrupt)
    assert kept(tmp_path) == {"one.wav": b"older"}


def test_a_missing_clip_leaves_everything_as_it_was(tmp_path: Path) -> None:
    def load() -> tuple[np.ndarray, int]:
        """Fail as a project does."""
        raise MachineFault("The clip of segment 2 is missing; narrate it again.")

    first = piece(level(export.BLOCK * 2, 5), RATE)
    broken = type(first)(100, RATE, load, 0, "s2")
    with pytest.raises(MachineFault, match="segment 2 is missing"):
        export_wav(Timeline([first, broken], RATE), tmp_path / "one.wav")
    assert kept(tmp_path) == {}


def test_too_little_space_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    frames = shutil.disk_usage(tmp_path).total
    (tmp_path / "one.wav").write_bytes(b"older")
    with pytest.raises(MachineFault) as fault:
        export_wav(Zeros(frames), tmp_path / "one.wav")
    assert str(tmp_path) in str(fault.value)
    assert f"needs {2 * frames / 1e9:.1f} GB" in str(fault.value)
    assert kept(tmp_path) == {"one.wav": b"older"}


FULL = """
import os, sys
from pathlib import Path
import numpy as np
from studio.errors import MachineFault
from studio.sound.export import export_wav

class Filling:
    # By the time it is read, something else has filled the disk.
    rate, frames = 24000, 200_000
    def read(self, start, count):
        LIMIT
        return np.zeros(min(count, self.frames - start), np.float32)

target = Path(sys.argv[1])
target.write_bytes(b"older")
try:
    export_wav(Filling(), target)
except MachineFault as fault:
    print(fault)
for path in sorted(target.parent.iterdir()):
    print(path.name, path.stat().st_size)
"""


def test_a_file_that_cannot_grow_is_a_machine_fault(tmp_path: Path) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))"
    done = subprocess.run(
        [sys.executable, "-c", FULL.replace("LIMIT", limit), str(tmp_path / "one.wav")],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert f"needs 0.4 MB in {tmp_path} and could not be written: File too large" in done.stdout
    assert done.stdout.splitlines()[1:] == ["one.wav 5"]


def test_a_disk_that_fills_up_meanwhile_is_a_machine_fault(tmp_path: Path) -> None:
    enter = ["unshare", "--user", "--map-root-user", "--mount"]
    small = f"mount -t tmpfs -o size=2m none {tmp_path}"
    if (
        not shutil.which("unshare")
        or subprocess.run([*enter, "sh", "-c", small], capture_output=True).returncode
    ):
        pytest.skip("a disk of its own cannot be made here")
    fill = "(target.parent / 'other').write_bytes(bytes(1_900_000))"
    script = [FULL.replace("LIMIT", fill), str(tmp_path / "one.wav")]
    done = subprocess.run(
        [*enter, "sh", "-c", f'{small} && exec "$@"', "sh", sys.executable, "-c", *script],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "could not be written: No space left on device" in done.stdout
    assert done.stdout.splitlines()[1:] == ["one.wav 5", "other 1900000"]


def test_a_folder_is_made_and_a_file_in_its_place_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = export_wav(Zeros(10), tmp_path / "deep" / "er" / "one.wav")
    assert done.path.stat().st_mode & 0o777 == (tmp_path / "file").stat().st_mode & 0o777
    with pytest.raises(MachineFault, match="could not be written"):
        export_wav(Zeros(10), tmp_path / "file" / "one.wav")


@pytest.mark.parametrize(
    ("number", "title", "name"),
    [
        (2, "Low Water", "002 Low Water.wav"),
        (1, "", "001.wav"),
        (1, " . ", "001.wav"),
        (3, "Who? “Me”: a/b\\c\t<d>", "003 Who “Me” a b c d.wav"),
        (4, "It's 5, isn’t it…", "004 It's 5, isn’t it….wav"),
        (5, "..", "005.wav"),
        (1234, "Cafe\u0301", "1234 Café.wav"),
        (6, "a\u202eb\u200bc\x00d\ud800", "006 abc d.wav"),
    ],
)
def test_names(number: int, title: str, name: str) -> None:
    assert chapter_file_name(number, title) == name


@given(st.integers(1, 2000), st.text(max_size=300))
def test_any_title_becomes_a_safe_name(number: int, title: str) -> None:
    name = chapter_file_name(number, title)
    assert len(name.encode()) <= 120
    assert not set(name) & set('/\\:*?"<>|\0\n')
    assert name.endswith(".wav")
    assert name.split(".")[0].split(" ")[0] == f"{number:03d}"
    assert Path(name).name == name


def test_equal_and_long_titles_do_not_meet_and_letters_stay_whole() -> None:
    names = [chapter_file_name(n, "é" * 300) for n in range(1, 301)]
    assert len({name.casefold() for name in names}) == 300
    assert names == sorted(names)
    assert set(names[0][4:-4]) == {"é"}
    assert len(names[0].encode()) in (119, 120)


class Store:
    """A project with two takes."""

    def __init__(self) -> None:
        """Nothing was decoded yet."""
        self.decoded: list[int] = []

    def take(self, take_id: int) -> object:
        """Give a take as far as a clip is concerned."""
        return type("Take", (), {"id": take_id, "frames": 100 * take_id, "rate": RATE})()

    def read_clip(self, take: object) -> tuple[np.ndarray, int]:
        """Decode."""
        self.decoded.append(take.id)
        return level(100 * take.id, 7), RATE


def test_chosen_takes_are_decoded_only_when_read() -> None:
    store = Store()
    segments = [segment(1, chosen=1), segment(2, chosen=2), segment(3, chosen=None)]
    timeline = chapter_timeline(segments, PauseRules(), chosen_clips(store), RATE, partial=True)
    assert (timeline.ends - timeline.starts).tolist() == [100, 200, RATE]
    assert timeline.gaps == ("s3",)
    assert store.decoded == []
    timeline.read(0, timeline.frames)
    assert store.decoded == [1, 2]


def test_what_killed_exports_left_behind_is_removed(tmp_path: Path) -> None:
    old, young, owned = (tmp_path / f".rhapsode-{name}.part" for name in "abc")
    for path in (old, young, owned):
        path.write_bytes(b"half")
    for path in (old, owned):
        os.utime(path, (0, 0))
    with owned.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        export_wav(Zeros(1000), tmp_path / "x.wav")
        assert not old.exists()
        assert young.exists()
        assert owned.exists()
