"""Clips on a real disk: written whole, found damaged, refused when the disk is full."""

from __future__ import annotations

import contextlib
import hashlib
import os
import resource
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile
from bookmaking import narrate_all, tone
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import MachineFault
from studio.project import clips
from studio.project.project import Project
from studio.project.recipe import pcm_hash, to_float, to_int16


def test_a_clip_comes_back_sample_for_sample(tmp_path: Path) -> None:
    for channels in (1, 2):
        pcm = np.random.default_rng(1).integers(-32768, 32768, (5000, channels)).astype(np.int16)
        digest = clips.write_clip(tmp_path, pcm, 22_050)
        again, rate = clips.read_clip(tmp_path, digest)
        assert rate == 22_050
        assert (again == pcm).all()
        info = soundfile.info(tmp_path / clips.clip_name(digest))
        assert (info.format, info.subtype, info.channels) == ("FLAC", "PCM_16", channels)


def test_the_hash_covers_rate_channels_and_samples() -> None:
    pcm = np.array([[1, -2], [3, 4]], dtype=np.int16)
    content = b"rhapsode pcm 1\n" + struct.pack("<II4h", 24_000, 2, 1, -2, 3, 4)
    assert pcm_hash(pcm, 24_000) == hashlib.sha256(content).hexdigest()
    others = [
        pcm_hash(pcm, 24_001),
        pcm_hash(pcm.reshape(-1, 1), 24_000),
        pcm_hash(pcm + 1, 24_000),
    ]
    assert len({pcm_hash(pcm, 24_000), *others}) == 4
    assert pcm_hash(pcm[:, :1], 8_000) == pcm_hash(pcm[:, 0], 8_000)


def test_every_16_bit_sample_survives_floats() -> None:
    everything = np.arange(-32768, 32768).astype(np.int16)
    assert (to_int16(to_float(everything)) == everything).all()


@given(st.floats(-2, 2, width=32))
def test_floats_round_half_to_even_and_clip(value: float) -> None:
    exact = round(value * 32768)  # Python's own rule: half to even
    assert int(to_int16(np.array([value], dtype=np.float32))[0]) == max(-32768, min(32767, exact))


def test_an_intact_clip_is_left_alone_and_a_damaged_one_replaced(tmp_path: Path) -> None:
    digest = clips.write_clip(tmp_path, tone(1), 24_000)
    path = tmp_path / clips.clip_name(digest)
    first = path.stat().st_ino
    clips.write_clip(tmp_path, tone(1), 24_000)
    assert path.stat().st_ino == first
    path.write_bytes(path.read_bytes()[:-100])
    clips.write_clip(tmp_path, tone(1), 24_000)
    assert (clips.read_clip(tmp_path, digest)[0] == tone(1)).all()


def test_a_broken_clip_is_named_by_its_segment(project: Project, uids: list[str]) -> None:
    project.enqueue(uids)
    narrate_all(project)
    paths = [project.clip_path(project.takes(uid)[0]) for uid in uids]
    truncated, flipped, deleted, empty, exchanged = paths[:5]
    truncated.write_bytes(truncated.read_bytes()[:-100])
    content = bytearray(flipped.read_bytes())
    content[-60] ^= 0xFF
    flipped.write_bytes(content)
    deleted.unlink()
    empty.write_bytes(b"")
    shutil.copy(paths[5], exchanged)
    words = ["damaged", "damaged", "missing", "damaged", "damaged"]
    numbers = [1, 2, 3, 5, 6]
    for uid, number, word in zip(uids, numbers, words, strict=False):
        with pytest.raises(MachineFault, match=f"segment {number}, take 1, is {word}"):
            project.read_clip(project.takes(uid)[0])
    found = [p for p in project.problems(deep=True) if p.kind.endswith("clip")]
    assert [p.kind for p in found] == [f"{word} clip" for word in words]
    assert all(p.serious for p in found)
    assert {p.kind for p in project.problems()} >= {"missing clip", "damaged clip"}


def test_leftovers_are_removed_and_strays_only_listed(project: Project, uids: list[str]) -> None:
    project.enqueue(uids[:1])
    narrate_all(project)
    stray = project.folder / clips.clip_name(project.write_clip(tone(999), 24_000))
    (stray.parent / ".part-abc").write_bytes(b"half")
    assert [p.kind for p in project.problems()] == ["leftover", "unreferenced clip"]
    assert len(project.fix()) == 1
    assert [p.kind for p in project.problems()] == ["unreferenced clip"]
    assert stray.exists()


def test_cleaning_says_what_it_deletes_and_ends_the_history(
    project: Project, uids: list[str]
) -> None:
    for _ in range(4):
        project.enqueue(uids[:1], new_seeds=True)
        narrate_all(project)
    first, starred, approved, chosen = project.takes(uids[0])
    project.star_take(starred.id)
    project.choose_take(uids[0], approved.id)
    project.approve([uids[0]])
    project.choose_take(uids[0], chosen.id)
    report = project.clean(dry_run=True)
    assert [take.id for take in report.takes] == [first.id]
    assert len(project.takes(uids[0])) == 4
    assert project.clean(dry_run=False) == report
    assert [take.number for take in project.takes(uids[0])] == [1, 2, 3]
    assert not project.clip_path(first).exists()
    assert report.bytes > 0
    assert project.problems(deep=True) == []
    assert project.history() == ()
    assert project.segments_by_uid(uids)[uids[0]].take_number == 3
    project.enqueue(uids[:1], new_seeds=True)
    narrate_all(project)
    assert project.segments_by_uid(uids)[uids[0]].take_number == 4


FULL = """
import resource, signal, sys
from pathlib import Path
import numpy as np
from studio.errors import MachineFault
from studio.project.clips import write_clip
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
noise = np.random.default_rng(1).integers(-32768, 32768, (50000, 1)).astype(np.int16)
try:
    write_clip(Path(sys.argv[1]), noise, 24000)
except MachineFault as error:
    print(error)
"""


def test_a_full_disk_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 4096
    run = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert "is full; make room" in run.stdout
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def fill(path: Path) -> None:
    """Write a file until the disk is full."""
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"x" * 512)


@pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="mounts a small disk")
def test_a_project_survives_a_full_disk(tmp_path: Path) -> None:
    from bookmaking import make

    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("this machine does not let a test mount a disk")
    try:
        with make(disk / "book") as project:
            uid = project.segments()[0].uid
            (disk / "ballast").write_bytes(bytes(400_000))  # what is thrown overboard later
            noise = np.random.default_rng(1)
            with pytest.raises(MachineFault, match="is full"):  # noqa: PT012
                for _ in range(50):
                    pcm = noise.integers(-32768, 32768, (50_000, 1)).astype(np.int16)
                    project.write_clip(pcm, 24_000)
            fill(disk / "rest")
            with pytest.raises(MachineFault, match="full"):  # noqa: PT012
                for number in range(1000):
                    project.set_note(uid, f"{number} " * 2000)
            note = project.segments()[0].note
            (disk / "ballast").unlink()
            project.set_note(uid, "room again")
            project.undo()
            assert project.segments()[0].note == note
            assert clips.leftovers(project.folder) == []
        with Project.open(disk / "book") as project:
            assert project.segments()[0].note == note
    finally:
        subprocess.run(["umount", str(disk)], check=True)
