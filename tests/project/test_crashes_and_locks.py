"""Killed processes, second studios, foreign programs, folders that cannot be written."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from bookmaking import make, narrate_all

from studio.errors import BadInput, MachineFault
from studio.project import store
from studio.project.lock import ProjectLock
from studio.project.project import Project

HERE = Path(__file__).parent

LOOP = """
import sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from bookmaking import narrated
from studio.project.project import Project
project = Project.open(Path(sys.argv[1]))
uids = [s.uid for s in project.segments()]
print("ready", flush=True)
while True:
    project.enqueue(uids, new_seeds=True)
    for item in project.queue():
        project.record([narrated(project, item)])
        print("take", flush=True)
"""


def wait_for_line(process: subprocess.Popen[str], count: int) -> None:
    """Read so many lines of a process that is alive."""
    assert process.stdout is not None
    for _ in range(count):
        assert process.stdout.readline()


def test_a_killed_studio_leaves_a_whole_project(tmp_path: Path) -> None:
    folder = tmp_path / "book"
    make(folder).close()
    for lines in (2, 5, 9):
        with subprocess.Popen(
            [sys.executable, "-c", LOOP, str(folder), str(HERE)], stdout=subprocess.PIPE, text=True
        ) as process:
            wait_for_line(process, lines)
            time.sleep(0.003)  # To hit another place of the loop each time, not to wait.
            process.send_signal(signal.SIGKILL)
        with Project.open(folder) as project:
            kinds = {problem.kind for problem in project.problems(deep=True)}
            assert kinds <= {"unreferenced clip", "leftover"}
            takes = list(project.all_takes())
            assert len({take.id for take in takes}) == len(takes)
            assert len({(take.segment, take.number) for take in takes}) == len(takes)
            queued = {item.segment for item in project.queue()}
            for segment in project.segments():
                assert segment.queued == (segment.uid in queued)
            assert project._session.store.value("PRAGMA integrity_check") == "ok"
            assert project._session.store.rows("PRAGMA foreign_key_check") == []


def test_a_second_studio_is_refused_by_name(project: Project) -> None:
    with pytest.raises(MachineFault, match=f"process {os.getpid()} on "):
        Project.open(project.folder)
    project.close()
    Project.open(project.folder).close()


def test_a_dead_owner_holds_no_lock(tmp_path: Path) -> None:
    folder = tmp_path / "book"
    make(folder).close()
    with subprocess.Popen(
        [sys.executable, "-c", LOOP, str(folder), str(HERE)], stdout=subprocess.PIPE, text=True
    ) as process:
        wait_for_line(process, 1)
        with pytest.raises(MachineFault, match=f"process {process.pid} on "):
            Project.open(folder)
        process.kill()
    Project.open(folder).close()


def test_a_lock_is_not_inherited(tmp_path: Path) -> None:
    lock = ProjectLock(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False
    ) as child:
        lock.release()
        ProjectLock(tmp_path).release()
        child.communicate(b"\n")


def test_another_program_in_the_database_is_said(
    project: Project, uids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project._session.store.execute("PRAGMA busy_timeout = 50")
    other = sqlite3.connect(project.folder / "book.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(MachineFault, match="in use by another program"):
        project.mark(uids)
    assert not any(segment.mark for segment in project.segments())
    other.close()
    project.mark(uids)
    assert project.can_undo == "marked 6 segments"


@pytest.mark.parametrize(
    "content", [b"", b"not a database, but long enough to be read as one" * 99]
)
def test_what_is_no_database_is_said(tmp_path: Path, content: bytes) -> None:
    make(tmp_path / "book").close()
    (tmp_path / "book" / "book.db").write_bytes(content)
    for read_only in (True, False):
        with pytest.raises((BadInput, MachineFault), match=r"damaged|not a database|no project"):
            Project.open(tmp_path / "book", read_only=read_only)
    assert (tmp_path / "book" / "book.db").read_bytes() == content


def test_a_damaged_database_is_said(tmp_path: Path) -> None:
    with make(tmp_path / "book") as project:
        project.enqueue([s.uid for s in project.segments()])
        narrate_all(project)
    path = tmp_path / "book" / "book.db"
    content = path.read_bytes()
    path.write_bytes(content[: 4096 * 3] + b"\xff" * (len(content) - 4096 * 3))
    with pytest.raises(MachineFault, match="damaged"):
        Project.open(tmp_path / "book").segments()


READ = """
import os, sys
from pathlib import Path
from studio.errors import StudioError
from studio.project.project import Project
folder = Path(sys.argv[1])
if os.geteuid() == 0:  # Permissions mean nothing to the superuser.
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
with Project.open(folder, read_only=True) as project:
    print(len(project.segments()), project.segments()[0].note)
try:
    Project.open(folder)
except StudioError as error:
    print(error)
"""


@pytest.mark.parametrize("crashed", [False, True])
def test_a_folder_that_cannot_be_written_can_be_read(crashed: bool) -> None:
    home = Path(tempfile.mkdtemp(prefix="rhapsode-test-"))
    try:
        with make(home / "made") as project:
            project.set_note(project.segments()[0].uid, "hello")
            if crashed:  # The log is still there, as after a power cut.
                shutil.copytree(project.folder, home / "book")
                (home / "book" / "book.db-shm").unlink()
                assert (home / "book" / "book.db-wal").stat().st_size
        if not crashed:
            (home / "made").rename(home / "book")
        for path in (home / "book").rglob("*"):
            path.chmod(0o444)
        (home / "book").chmod(0o555)
        home.chmod(0o755)
        before = sorted(path.name for path in (home / "book").iterdir())
        run = subprocess.run(
            [sys.executable, "-c", READ, str(home / "book")], capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr
        counts, refusal = run.stdout.splitlines()
        assert counts == "8 hello"
        assert "cannot be written to" in refusal
        assert sorted(path.name for path in (home / "book").iterdir()) == before
    finally:
        (home / "book").chmod(0o755)
        shutil.rmtree(home)


def test_the_order_of_things_needs_no_clock(
    project: Project, uids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from datetime import UTC, datetime

    from studio.project import history, narrating

    class Backwards(datetime):
        year_now = 2030

        @classmethod
        def now(cls, tz: object = None) -> datetime:
            cls.year_now -= 1
            return datetime(cls.year_now, 1, 1, tzinfo=UTC)

    monkeypatch.setattr(history, "datetime", Backwards)
    monkeypatch.setattr(narrating, "datetime", Backwards)
    for number in range(3):
        project.set_note(uids[0], str(number))
        project.enqueue(uids[:1], new_seeds=True)
        narrate_all(project)
    assert [take.number for take in project.takes(uids[0])] == [1, 2, 3]
    assert project.segments_by_uid(uids)[uids[0]].take_number == 3
    labels = [entry.label for entry in reversed(project.history())]
    assert labels == ["note on segment 1", "narrated segment 1"] * 3
    project.undo()
    project.undo()
    assert project.segments_by_uid(uids)[uids[0]].note == "1"


def test_the_database_is_set_up_as_agreed(project: Project) -> None:
    value = project._session.store.value
    assert value("PRAGMA journal_mode") == "wal"
    assert value("PRAGMA foreign_keys") == 1
    assert value("PRAGMA trusted_schema") == 0
    assert value("PRAGMA synchronous") == 2
    assert value("PRAGMA busy_timeout") == store.BUSY_SECONDS * 1000
    tables = project._session.store.rows("PRAGMA main.table_list")
    own = [row for row in tables if not row[1].startswith("sqlite_")]
    assert len(own) > 10
    assert all(row[5] == 1 for row in own)


def test_a_full_disk_does_not_keep_a_project_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    lock = ProjectLock(tmp_path)
    with pytest.raises(MachineFault, match="is open in another studio"):
        ProjectLock(tmp_path)
    lock.release()


def test_a_disk_that_cannot_lock_is_not_another_studio(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cannot(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", cannot)
    with pytest.raises(MachineFault, match="cannot be locked"):
        ProjectLock(tmp_path)
