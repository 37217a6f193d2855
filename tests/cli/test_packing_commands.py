"""`rhapsode pack` and `rhapsode unpack`, as somebody types them."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rhapsode import done, rhapsode

ENGINE = Path(__file__).parent.parent / "fakes" / "scripted_engine.py"


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Path:
    """A narrated book of three lines."""
    command = json.dumps([sys.executable, str(ENGINE)])
    (home / "config").mkdir()
    (home / "config" / "config.toml").write_text(f"[engines.hibari]\ncommand = {command}\n")
    (tmp_path / "The Ferry.md").write_text("# The Ferry\n\nOne line.\n\nAnother line.\n")
    done("new", tmp_path / "The Ferry.md", "--to", tmp_path / "p", cwd=tmp_path)
    done("narrate", tmp_path / "p", cwd=tmp_path)
    return tmp_path / "p"


def test_there_and_back(project: Path, tmp_path: Path) -> None:
    done("export", project, cwd=tmp_path)
    packed = done("pack", "p", cwd=tmp_path)
    assert packed["file"] == str(tmp_path / "the-ferry.rhapsode")
    assert (packed["clips"], packed["missing_clips"], packed["exports_left_out"]) == (3, 0, 1)
    there = done("unpack", "the-ferry.rhapsode", cwd=tmp_path)
    assert there["project"] == str(tmp_path / "the-ferry")
    rows = done("segments", project, cwd=tmp_path)
    assert done("segments", "the-ferry", cwd=tmp_path) == rows
    assert done("doctor", "the-ferry", cwd=tmp_path)["problems"] == 0
    done("export", "the-ferry", cwd=tmp_path)
    wav, again = (
        [path.read_bytes() for path in folder.glob("exports/*.wav")]
        for folder in (project, tmp_path / "the-ferry")
    )
    assert wav == again
    assert wav
    for command in (["pack", "p"], ["unpack", "the-ferry.rhapsode"]):
        ran = rhapsode(*command, "--json", cwd=tmp_path)
        assert ran.code == 5
        assert "exists already; name another" in ran.data["error"]


def test_for_people(project: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    ran = rhapsode("pack", "p", "--to", "elsewhere", cwd=tmp_path)
    assert ran.out.splitlines()[0].startswith("“The Ferry”: 3 clips, ")
    assert ran.out.splitlines()[-1] == "Elsewhere: rhapsode unpack the-ferry.rhapsode"
    assert ran.err == ""
    ran = rhapsode("unpack", "elsewhere/the-ferry.rhapsode", "--to", "q", cwd=tmp_path)
    assert ran.out.splitlines()[-1] == "Next: rhapsode open q"
    recent = json.loads((Path(os.environ["RHAPSODE_HOME"]) / "data" / "recent.json").read_text())
    assert recent[0]["folder"] == str(tmp_path / "q")
    ran = rhapsode("unpack", "The Ferry.md", cwd=tmp_path)
    assert ran.code == 5
    assert "is no packed project" in ran.err
    assert rhapsode("unpack", "nothing.rhapsode", cwd=tmp_path).code == 5
    assert rhapsode("pack", "elsewhere", cwd=tmp_path).code == 5


def test_packing_needs_no_lock(project: Path, tmp_path: Path) -> None:
    hold = "import sys; from studio.project.project import Project; from pathlib import Path\n"
    hold += "with Project.open(Path(sys.argv[1])): print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(project)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        assert done("pack", "p", cwd=tmp_path)["clips"] == 3
        holder.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["TERM", "INT"])
def test_a_stop_leaves_nothing(project: Path, tmp_path: Path, number: signal.Signals) -> None:
    """Stopped in the middle, by a clip that never ends."""
    slow = sorted(project.glob("clips/*/*.flac"))[1]
    slow.unlink()
    os.mkfifo(slow)
    before = sorted(tmp_path.rglob("*"))
    running = subprocess.Popen(
        [sys.executable, "-m", "studio", "pack", str(project)],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 30
    while not list(tmp_path.glob(".*.part-*/packed")):
        assert running.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    running.send_signal(number)
    _, err = running.communicate(timeout=30)
    assert running.returncode == 130, err
    assert err == "rhapsode: Interrupted.\n"
    assert sorted(tmp_path.rglob("*")) == before


def test_what_is_to_be_typed_next_can_be_copied_whatever_the_folder_is_called(
    tmp_path: Path, home: Path
) -> None:
    manuscript, folder = tmp_path / "bo ök.md", tmp_path / "Anna’s bo ök"
    manuscript.write_text("# The Ferry\n\nOne line.\n", encoding="utf-8")
    told = rhapsode("new", manuscript, "--to", folder, cwd=tmp_path).out
    assert _to_type(told, "Next:") == ["rhapsode", "open", str(folder)]
    told = rhapsode("pack", folder, "--to", tmp_path / "a b.rhapsode", cwd=tmp_path).out
    assert _to_type(told, "Elsewhere:") == ["rhapsode", "unpack", "a b.rhapsode"]
    there = tmp_path / "書 2"
    told = rhapsode("unpack", tmp_path / "a b.rhapsode", "--to", there, cwd=tmp_path).out
    assert _to_type(told, "Next:") == ["rhapsode", "open", str(there)]


def _to_type(told: str, before: str) -> list[str]:
    """The command that is shown behind a word, as a shell would take it apart."""
    return shlex.split(told.partition(f"{before} ")[2].splitlines()[0])
