"""The machine is kept awake while it works, by a program that ends with us however we end."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from needs import promised
from rhapsode import done, rhapsode

from studio import awake
from studio.awake import Awake

ENGINE = Path(__file__).parent.parent / "fakes" / "scripted_engine.py"

INHIBIT = """#!/bin/sh
printf 'begin %s %s\\n' "$$" "$*" >> "{log}"
while [ "${{1#--}}" != "$1" ]; do shift; done
"$@"
echo "end $$" >> "{log}"
"""
"""Like systemd-inhibit: options, then a command that it runs and ends with."""


def until(met: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait for a condition."""
    deadline = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a program in place of the system's has recorded."""
    folder = tmp_path / "bin"
    folder.mkdir()
    record = tmp_path / "inhibited"
    fake = folder / "systemd-inhibit"
    fake.write_text(INHIBIT.format(log=record))
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setattr(sys, "platform", "linux")
    return record


def lines(log: Path) -> list[str]:
    """What was recorded, one word each: ``begin`` or ``end``."""
    return [line.split()[0] for line in log.read_text().splitlines()] if log.exists() else []


def test_it_runs_between_begin_and_end(log: Path) -> None:
    kept = Awake()
    assert not kept.holding
    kept.begin()
    kept.begin()
    until(lambda: lines(log) == ["begin"])
    assert "--what=idle:sleep --mode=block --who=Rhapsode --why=narrating a book cat" in (
        log.read_text()
    )
    assert kept.holding
    kept.end()
    kept.end()
    assert lines(log) == ["begin", "end"]
    with Awake(on=False):
        pass
    assert lines(log) == ["begin", "end"]


def test_it_ends_with_us_however_we_end(log: Path) -> None:
    code = (
        "import time, os\nfrom studio.awake import Awake\n"
        "Awake().begin(); print('up', flush=True); time.sleep(600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "up\n"
        until(lambda: lines(log) == ["begin"])
        child = int(log.read_text().split()[1])
        assert psutil.pid_exists(child)
        os.kill(holder.pid, signal.SIGKILL)
        until(lambda: lines(log) == ["begin", "end"])
    until(lambda: not psutil.pid_exists(child))


def test_on_macos_its_own_program_watches_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "caffeinate"
    fake.write_text(f'#!/bin/sh\necho "$*" > "{tmp_path / "said"}"\nexec sleep 600\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(awake, "END_SECONDS", 60)
    kept = Awake()
    kept.begin()
    until((tmp_path / "said").exists)
    until(lambda: (tmp_path / "said").read_text() == f"-i -w {os.getpid()}\n")
    started = time.monotonic()
    kept.end()
    assert time.monotonic() - started < promised(2)


@pytest.mark.parametrize("script", ["#!/bin/sh\nexit 1\n", "no program", None])
def test_what_does_not_work_is_no_reason_to_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("PATH", str(tmp_path))
    if script is not None:
        (tmp_path / "systemd-inhibit").write_text(script)
        (tmp_path / "systemd-inhibit").chmod(0o755)
    before = {child.pid for child in psutil.Process().children()}
    with Awake():
        until(lambda: {child.pid for child in psutil.Process().children()} <= before)
    path, fault = awake.trial()
    assert bool(path) == (script is not None)
    assert bool(fault) == (script is not None)


def test_one_that_does_not_leave_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "systemd-inhibit"
    fake.write_text("#!/bin/sh\nexec sleep 600\n")
    fake.chmod(0o755)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(awake, "END_SECONDS", 0.1)
    before = {child.pid for child in psutil.Process().children()}
    with Awake():
        pass
    assert {child.pid for child in psutil.Process().children()} <= before


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Path:
    """A book of two lines."""
    command = json.dumps([sys.executable, str(ENGINE)])
    (home / "config").mkdir()
    (home / "config" / "config.toml").write_text(f"[engines.hibari]\ncommand = {command}\n")
    (tmp_path / "b.txt").write_text("One line.\n\nAnother line.\n")
    done("new", tmp_path / "b.txt", "--to", tmp_path / "p", cwd=tmp_path)
    return tmp_path / "p"


def test_commands_that_work_keep_the_machine_awake(project: Path, log: Path, home: Path) -> None:
    done("status", project, cwd=project)
    assert lines(log) == []
    done("narrate", project, cwd=project)
    assert lines(log) == ["begin", "end"]
    done("narrate", project, cwd=project)
    assert lines(log) == ["begin", "end"], "nothing to do is no work"
    done("export", project, cwd=project)
    assert lines(log) == ["begin", "end"] * 2
    with (home / "config" / "config.toml").open("a") as config:
        config.write("[ui]\nkeep_awake = false\n")
    done("export", project, cwd=project)
    done("narrate", project, "--reseed", cwd=project)
    assert lines(log) == ["begin", "end"] * 2


def test_doctor_says_how_it_stands(project: Path, log: Path) -> None:
    def said() -> dict[str, object]:
        report = rhapsode("doctor", "--json", cwd=project).data["findings"]
        (finding,) = (finding for finding in report if finding["what"] == "kept awake")
        return dict(finding)

    assert said()["ok"]
    assert "systemd-inhibit" in str(said()["detail"])
    fake = log.parent / "bin" / "systemd-inhibit"
    fake.write_text("#!/bin/sh\necho 'no bus here' >&2\nexit 1\n")
    assert not said()["ok"]
    assert "no bus here" in str(said()["detail"])
    assert not said()["needed"]
