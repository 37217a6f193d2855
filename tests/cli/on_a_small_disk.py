"""What a studio does where the disk is full, or can only be read; runs where it may mount one.

``python on_a_small_disk.py full|read-only|packing FOLDER``: mounts a small disk at the folder.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from rhapsode import Ran, done, rhapsode

LINES = 30


def mount(folder: Path, options: str) -> None:
    """Mount, or mount again, a disk of a few megabytes."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", folder], check=True)


def ends_in_words(ran: Ran, *words: str) -> None:
    """The machine is in the way, and one sentence says how."""
    assert ran.code == 6, (ran.code, ran.out, ran.err)
    said = ran.data["error"]
    assert any(word in said for word in words), said
    assert "Traceback" not in ran.err
    assert "sqlite" not in said.lower()


def takes(book: Path) -> list[int]:
    """Takes of each segment."""
    return [row["takes"] for row in done("segments", book, cwd=book)["segments"]]


def make_book(disk: Path) -> Path:
    """A book whose lines take a moment each."""
    text = "\n\n".join(f"Line {n} of the slow book runs along the wall." for n in range(LINES))
    (disk.parent / "slow.txt").write_text(text, encoding="utf-8")
    done("new", disk.parent / "slow.txt", "--to", disk / "p", cwd=disk.parent)
    return disk / "p"


def fill(disk: Path) -> Path:
    """Take all the room that is left."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                continue
    return ballast


def recorded(book: Path) -> int:
    """Takes in the database, read beside the running studio."""
    with sqlite3.connect(f"file:{book / 'book.db'}?mode=ro", uri=True) as store:
        return int(store.execute("SELECT count(*) FROM takes").fetchone()[0])


def full(disk: Path) -> None:
    """The disk fills up in the middle of narrating, and before an export."""
    mount(disk, "size=12m")
    book = make_book(disk)
    running = subprocess.Popen(
        [sys.executable, "-m", "studio", "narrate", str(book), "--json"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while recorded(book) < 4:
        assert running.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    ballast = fill(disk)
    out, err = running.communicate(timeout=60)
    ends_in_words(Ran(running.returncode, out, err), f"The disk of {book}", "is full")
    made = takes(book)
    assert 4 <= sum(made) < LINES
    assert max(made) == 1
    ends_in_words(rhapsode("export", book, "--partial", "--json", cwd=book), "Make room")
    ends_in_words(rhapsode("narrate", book, "--json", cwd=book), "MB free", "is full")
    assert done("status", book, cwd=book)["title"]
    checked = rhapsode("doctor", book, "--json", cwd=book)
    assert checked.code == 0, checked.out
    assert any("0.0 GB free" in finding["detail"] for finding in checked.data["findings"])
    ballast.unlink()
    assert done("narrate", book, cwd=book)["made"] == LINES - sum(made), "none is made again"
    assert takes(book) == [1] * LINES
    done("export", book, cwd=book)
    assert done("doctor", book, cwd=book)["problems"] == 0


def read_only(disk: Path) -> None:
    """The disk can only be read: looking and exporting elsewhere work, the rest says why not."""
    mount(disk, "size=12m")
    book = make_book(disk)
    done("narrate", book, "--segments", "1-3", cwd=book)
    before = sorted(book.rglob("*"))
    mount(disk, "remount,ro")
    for command in (["narrate", book], ["clean", book, "--yes"]):
        ends_in_words(rhapsode(*command, "--json", cwd=book), "cannot be written to")
    ends_in_words(rhapsode("export", book, "--partial", "--json", cwd=book), "another folder")
    assert sum(takes(book)) == 3
    done("export", book, "--partial", "--to", disk.parent / "elsewhere", cwd=book)
    assert done("doctor", book, cwd=book)["problems"] == 0
    fixed = rhapsode("doctor", book, "--fix", "--json", cwd=book)
    assert fixed.code == 6
    assert any("cannot be written to" in finding["detail"] for finding in fixed.data["findings"])
    assert sorted(book.rglob("*")) == before
    mount(disk, "remount,rw")
    assert done("narrate", book, cwd=book)["made"] == LINES - 3
    assert takes(book) == [1] * LINES


def blindly(*arguments: object, cwd: Path) -> Ran:
    """A command that believes every disk to be large, so that it meets the end of this one."""
    code = (
        "import shutil, sys; from studio.cli import main;"
        "shutil.disk_usage = lambda _: shutil._ntuple_diskusage(1 << 40, 0, 1 << 40);"
        "sys.exit(main(sys.argv[1:]))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments), "--json"],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr)


def packing(disk: Path) -> None:
    """A project is packed to a disk that is too small for it, and unpacked on one."""
    mount(disk, "size=4m")
    book = disk.parent / "p"
    text = "\n\n".join(f"Line {n} of the slow book runs along the wall." for n in range(LINES))
    (disk.parent / "slow.txt").write_text(text, encoding="utf-8")
    done("new", disk.parent / "slow.txt", "--to", book, cwd=disk.parent)
    done("narrate", book, cwd=book)
    packed = done("pack", book, "--to", disk.parent, cwd=book)["file"]
    ballast = fill(disk)
    for command in (["pack", book, "--to", disk / "x"], ["unpack", packed, "--to", disk / "q"]):
        ends_in_words(rhapsode(*command, "--json", cwd=book), "MB free; make room")
    # Half of what is needed is seen before; what fills up meanwhile is seen by the disk.
    ballast.unlink()
    for command in (["pack", book, "--to", disk / "x"], ["unpack", packed, "--to", disk / "q"]):
        ballast.write_bytes(bytes(shutil.disk_usage(disk).free - (1 << 18)))
        ends_in_words(blindly(*command, cwd=book), "is full; make room")
        assert [path.name for path in disk.iterdir()] == ["ballast"]
        ballast.unlink()
    done("unpack", packed, "--to", disk / "q", cwd=book)
    assert takes(disk / "q") == [1] * LINES
    assert done("doctor", disk / "q", cwd=book)["problems"] == 0


if __name__ == "__main__":
    os.environ["COLUMNS"] = "100"
    {"full": full, "read-only": read_only, "packing": packing}[sys.argv[1]](Path(sys.argv[2]))
    print("done")
