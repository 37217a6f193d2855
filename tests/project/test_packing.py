"""A project travels as one file: it arrives as it was, and a file that lies leaves nothing."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import stat
import threading
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from bookmaking import make, narrate_all, narrated
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from needs import examples

from studio.commands.exporting import ExportOptions, export_chapters
from studio.errors import BadInput, MachineFault, StudioError
from studio.project import packed, unpacking
from studio.project.model import Voice
from studio.project.packed import check_paths, is_wanted
from studio.project.packing import pack
from studio.project.project import Project
from studio.project.unpacking import unpack


def used(folder: Path) -> Path:
    """A project with takes, approvals, notes, undone steps, a person's voice and an export."""
    reference = folder.parent / "me.wav"
    soundfile.write(reference, np.zeros(2400, np.int16), 24_000)
    with make(folder) as project:
        project.put_voice(Voice(id="me", engine="hibari", reference=str(reference)))
        uids = [segment.uid for segment in project.segments()]
        project.enqueue(uids, label="narrated all")
        narrate_all(project)
        project.enqueue(uids[1:3], new_seeds=True, label="again")
        narrate_all(project)
        project.approve(uids[:2])
        project.set_note(uids[1], "Slower, “perhaps”?")
        project.edit_spoken(uids[2], "Another text.")
        project.set_voice(uids[5:7], "me")
        project.undo()
        project.set_settings(author="Somebody")
        project.mark([uids[3]])
        project.undo()
    (folder / "exports").mkdir()
    (folder / "exports" / "01.wav").write_bytes(b"RIFF")
    return folder


def everything(folder: Path) -> dict[str, Any]:
    """What a person finds in a project."""
    with Project.open(folder, read_only=True) as project:
        return {
            "info": replace(project.info, folder=""),
            "chapters": project.chapters(),
            "segments": project.segments(),
            "takes": list(project.all_takes()),
            "voices": project.voices(),
            "history": project.history(),
            "queue": project.queue(),
        }


def audio(folder: Path) -> list[bytes]:
    """The exported samples of every chapter."""
    with Project.open(folder, read_only=True) as project:
        options = ExportOptions(partial=True, to=folder.parent / f"{folder.name}-wav")
        written = export_chapters(project, project.chapters(), options)
    return [soundfile.read(item.path, dtype="int16")[0].tobytes() for item in written]


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return used(tmp_path / "book")


@pytest.fixture
def file(book: Path, tmp_path: Path) -> Path:
    """The book, packed."""
    return pack(book, lambda _: tmp_path / "book.rhapsode").path


def test_it_arrives_as_it_was(book: Path, file: Path, tmp_path: Path) -> None:
    there = tmp_path / "there"
    unpack(file, lambda title: there if title == "The Ferry" else book)
    assert everything(there) == everything(book)
    assert audio(there) == audio(book)
    assert not (there / "exports").exists()
    for folder in (there, book):
        with Project.open(folder) as project:
            assert project.reopened_edits is None
            assert not project.notices
            assert project.problems(deep=True) == []
            project.redo()
            while project.undo() is not None:
                pass
    assert everything(there) == everything(book), "and the history goes all the way back"


def test_what_is_said_of_it(book: Path, tmp_path: Path) -> None:
    clip = sorted(book.glob("clips/*/*.flac"))[0]
    clip.unlink()
    told: list[float] = []
    packed_book = pack(book, lambda _: tmp_path / "one", told.append)
    assert (packed_book.missing, packed_book.exports) == (1, 1)
    assert packed_book.clips == len(list(book.glob("clips/*/*.flac")))
    assert packed_book.bytes == (tmp_path / "one").stat().st_size
    assert told == sorted(told)
    assert told[-1] == 1
    with zipfile.ZipFile(tmp_path / "one") as archive:
        entries = archive.infolist()
        flac = [entry for entry in entries if entry.filename.endswith(".flac")]
        assert all(entry.compress_type == zipfile.ZIP_STORED for entry in flac)
        listed = json.loads(archive.read("manifest.json"))["files"]
        assert {row["path"] for row in listed} == {
            entry.filename for entry in entries if entry.filename != "manifest.json"
        }
        for row in listed:
            content = archive.read(row["path"])
            assert len(content) == row["size"]
            assert hashlib.sha256(content).hexdigest() == row["sha256"]
    assert not [path for path in tmp_path.iterdir() if ".part-" in path.name]


def test_packing_beside_a_studio_at_work(book: Path, tmp_path: Path) -> None:
    """Every packed file is the book at one moment: each take has its clip, settings agree."""
    stop = threading.Event()
    with Project.open(book) as project:
        uids = [segment.uid for segment in project.segments()]

        def work() -> None:
            turn = 0
            while not stop.is_set():
                turn += 1
                project.set_settings(author=f"Author {turn}")
                project.enqueue(uids, new_seeds=True, label=f"round {turn}")
                project.record([narrated(project, item) for item in project.queue()])

        working = threading.Thread(target=work)
        working.start()
        try:
            files = [pack(book, lambda _, n=n: tmp_path / f"{n}.zip").path for n in range(4)]
        finally:
            stop.set()
            working.join()
        assert (book / "book.db-wal").stat().st_size > 0, "the log was not empty"
    takes = []
    for number, file in enumerate(files):
        there = tmp_path / f"there-{number}"
        unpack(file, lambda _, there=there: there)
        with Project.open(there) as project:
            assert project.reopened_edits is None, "the settings are of the same moment"
            assert not project.notices
            assert project.problems(deep=True) == []
            takes.append(len(list(project.all_takes())))
    assert takes == sorted(takes)
    assert takes[-1] > takes[0]


def test_reference_audio_that_lies_elsewhere_stays_there(book: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.wav").write_bytes(b"not for others")
    (book / "outside.wav").symlink_to(tmp_path / "secret.wav")
    with Project.open(book) as project:
        for name in ("../secret.wav", "outside.wav"):
            project.put_voice(Voice(id=name[-12:-4], engine="hibari", reference=name))
    result = pack(book, lambda _: tmp_path / "one")
    assert result.left_out == ("../secret.wav", "outside.wav")
    assert b"not for others" not in (tmp_path / "one").read_bytes()


def test_packing_refuses(book: Path, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine")
    for path, why in (
        (tmp_path / "there", "exists already"),
        (tmp_path / "no" / "folder", "There is no folder"),
    ):
        with pytest.raises(BadInput, match=why):
            pack(book, lambda _, path=path: path)
    assert (tmp_path / "there").read_text() == "mine"
    with pytest.raises(BadInput, match="no project"):
        pack(tmp_path, lambda _: tmp_path / "one")


def test_no_room_is_seen_before(
    book: Path, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = shutil.disk_usage(tmp_path)._replace(free=10_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: free)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(MachineFault, match=r"has 0\.0 MB free; make room"):
        pack(book, lambda _: tmp_path / "two")
    with pytest.raises(MachineFault, match=r"has 0\.0 MB free; make room"):
        unpack(file, lambda _: tmp_path / "there")
    assert sorted(tmp_path.rglob("*")) == before


# What somebody may have made of a packed file.


def rewritten(
    file: Path,
    change: Callable[[dict[str, tuple[zipfile.ZipInfo, bytes]]], None],
    *,
    listed: bool = True,
) -> Path:
    """The file with other entries; its list follows them unless told otherwise."""
    with zipfile.ZipFile(file) as archive:
        entries = {entry.filename: (entry, archive.read(entry)) for entry in archive.infolist()}
    change(entries)
    if listed:
        info, content = entries["manifest.json"]
        manifest = json.loads(content)
        manifest["files"] = [
            {
                "path": entry.filename,
                "size": len(body),
                "sha256": hashlib.sha256(body).hexdigest(),
            }
            for entry, body in entries.values()
            if entry.filename != "manifest.json"
        ]
        entries["manifest.json"] = (info, json.dumps(manifest).encode())
    forged = file.with_name("forged.rhapsode")
    with warnings.catch_warnings(), zipfile.ZipFile(forged, "w") as archive:
        warnings.simplefilter("ignore")  # of names that occur twice
        for entry, body in entries.values():
            archive.writestr(entry, body)
    return forged


def added(name: str, body: bytes = b"x", mode: int = stat.S_IFREG | 0o644) -> Any:
    """A change that puts in another entry."""

    def change(entries: dict[str, tuple[zipfile.ZipInfo, bytes]]) -> None:
        entry = zipfile.ZipInfo(name)
        entry.external_attr = mode << 16
        entries[f"added {name}"] = (entry, body)

    return change


def bomb(entries: dict[str, tuple[zipfile.ZipInfo, bytes]]) -> None:
    """A gigabyte's little brother: sixty million zeros in sixty thousand bytes."""
    entry, _ = entries["project.toml"]
    entry.compress_type = zipfile.ZIP_DEFLATED
    entries["project.toml"] = (entry, bytes(60_000_000))


def squeezed_clip(entries: dict[str, tuple[zipfile.ZipInfo, bytes]]) -> None:
    name = next(name for name in entries if name.endswith(".flac"))
    entries[name][0].compress_type = zipfile.ZIP_DEFLATED


def without_book(entries: dict[str, tuple[zipfile.ZipInfo, bytes]]) -> None:
    del entries["book.db"]


def other_book(entries: dict[str, tuple[zipfile.ZipInfo, bytes]]) -> None:
    entries["book.db"] = (entries["book.db"][0], b"SQLite format 3\0" + bytes(5000))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (added("../evil.txt"), "no project has"),
        (added("/etc/evil"), "no project has"),
        (added("clips/../../evil"), "no project has"),
        (added("clips\\..\\evil"), "no project has"),
        (added("C:evil"), "no project has"),
        (added("a//b"), "no project has"),
        (added("./a"), "no project has"),
        (added(".profile"), "no project has"),
        (added("lock"), "no project has"),
        (added("book.db-wal"), "no project has"),
        (added("folder/"), "no project has"),
        (added("x" * 2000), "no project has"),
        (added("book.db"), "twice"),
        (added("Book.db"), "no project has"),
        (added("PROJECT.toml"), "twice"),
        (added("voices"), "as a file and as a folder"),
        (added("link", b"/etc/passwd", stat.S_IFLNK | 0o777), "other than a file"),
        (added("pipe", b"", stat.S_IFIFO | 0o777), "other than a file"),
        (squeezed_clip, "in a form"),
        (bomb, "beyond belief"),
        (without_book, "no packed project"),
        (other_book, "no packed project"),
    ],
    ids=lambda value: value if isinstance(value, str) else getattr(value, "__name__", ""),
)
def test_a_file_that_wants_to_do_harm(
    file: Path, tmp_path: Path, change: Callable[[Any], None], why: str
) -> None:
    forged = rewritten(file, change)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(BadInput, match=why) as refused:
        unpack(forged, lambda _: tmp_path / "there")
    assert "\n" not in str(refused.value)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_list_that_lies(file: Path, tmp_path: Path) -> None:
    def longer(entries: dict[str, tuple[zipfile.ZipInfo, bytes]]) -> None:
        entry, body = entries["project.toml"]
        entries["project.toml"] = (entry, body + b"# more\n")

    def same_length(entries: dict[str, tuple[zipfile.ZipInfo, bytes]]) -> None:
        entry, body = entries["project.toml"]
        entries["project.toml"] = (entry, body.replace(b"Ferry", b"Merry"))

    for change, why in (
        (longer, "does not hold what its list says"),
        (same_length, "project.toml is not what was packed"),
        (added("more.txt"), "does not hold what its list says"),
    ):
        with pytest.raises(BadInput, match=why):
            unpack(rewritten(file, change, listed=False), lambda _: tmp_path / "there")
        assert not (tmp_path / "there").exists()
        assert not list(tmp_path.glob(".*"))


def test_an_entry_longer_than_it_says_is_read_no_further(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where even the zip file's own sizes lie, what is read is bounded by the list."""
    checked = unpacking._checked

    def believing(archive: zipfile.ZipFile, path: Path) -> packed.Manifest:
        manifest = checked(archive, path)
        short = tuple(
            packed.PackedFile(item.path, min(item.size, 10), item.sha256) for item in manifest.files
        )
        return packed.Manifest(manifest.title, manifest.source, manifest.made_by, short)

    monkeypatch.setattr(unpacking, "_checked", believing)
    with pytest.raises(BadInput, match=r"more of 'book\.db' than its list says"):
        unpack(file, lambda _: tmp_path / "there")
    assert not (tmp_path / "there").exists()


def test_a_newer_program_packed_it(file: Path, tmp_path: Path, book: Path) -> None:
    def later(entries: dict[str, tuple[zipfile.ZipInfo, bytes]]) -> None:
        entry, body = entries["manifest.json"]
        entries["manifest.json"] = (entry, body.replace(b'"version": 1', b'"version": 2'))

    with pytest.raises(BadInput, match="packed by a newer version"):
        unpack(rewritten(file, later, listed=False), lambda _: tmp_path / "there")
    with sqlite3.connect(book / "book.db") as store:
        store.execute("INSERT INTO migrations SELECT max(version) + 1, 'later', '' FROM migrations")
    store.close()
    with pytest.raises(BadInput, match="newer version"):
        pack(book, lambda _: tmp_path / "two")


def test_an_existing_folder_is_left_alone(file: Path, book: Path, tmp_path: Path) -> None:
    before = everything(book)
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for folder in (book, tmp_path / "link"):
        with pytest.raises(BadInput, match="exists already"):
            unpack(file, lambda _, folder=folder: folder)
    assert everything(book) == before
    assert not (tmp_path / "nowhere").exists()


@settings(
    max_examples=examples(150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_no_damage_is_a_surprise(
    data: st.DataObject, file: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever bytes change or are missing: the whole book, or a sentence and nothing."""
    content = bytearray(file.read_bytes())
    start = data.draw(st.sampled_from([0, max(0, len(content) - 2500)]))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(start, len(content) - 1))] = data.draw(st.integers(0, 255))
    content = content[: data.draw(st.one_of(st.just(len(content)), st.integers(0, len(content))))]
    place = tmp_path_factory.mktemp("damaged")
    (place / "x").write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unpacking.os, "sync", lambda: None)  # of every disk, a hundred times
        try:
            unpack(place / "x", lambda _: place / "there")
        except StudioError:
            assert [path.name for path in place.iterdir()] == ["x"]
        else:
            with zipfile.ZipFile(file) as archive:
                for entry in archive.infolist():
                    if entry.filename != "manifest.json":
                        there = (place / "there" / entry.filename).read_bytes()
                        assert there == archive.read(entry)


def test_a_stop_leaves_nothing(file: Path, book: Path, tmp_path: Path) -> None:
    def stop(fraction: float) -> None:
        if fraction > 0.5:
            raise KeyboardInterrupt

    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(KeyboardInterrupt):
        pack(book, lambda _: tmp_path / "two", stop)
    with pytest.raises(KeyboardInterrupt):
        unpack(file, lambda _: tmp_path / "there", stop)
    assert sorted(tmp_path.rglob("*")) == before


@given(st.text(alphabet="abß/.\\:\0Bİ", max_size=12))
def test_a_wanted_path_stays_below_its_folder(path: str) -> None:
    if is_wanted(path):
        assert (Path("/a/b") / path).resolve().is_relative_to("/a/b")
        assert Path(path).as_posix() == path


def test_paths_that_are_one_on_another_system() -> None:
    for pair in (("a/Straße", "a/STRASSE"), ("é", "é"), ("a/b", "A")):
        with pytest.raises(BadInput, match=r"twice|as a file"):
            check_paths(pair, "x")
    check_paths(("a/b", "a/c", "b"), "x")
