"""The machine is kept from going to sleep while it works, by the system's own program for that.

Where there is none, or it fails, work goes on all the same; `rhapsode doctor` says how it stands.
The program ends with us however we end: macOS's watches our process, the others wait at a pipe
that closes when we are gone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Self

REASON = "narrating a book"
END_SECONDS = 2.0
"""How long the program may take to leave before it is killed."""
TRIAL_SECONDS = 5.0
"""How long a trial may take."""

WAITER = "cat"
"""What the program runs, and ends with: it ends when its input does."""


def program() -> list[str]:
    """The command that keeps this machine awake while it runs; empty where there is none."""
    if sys.platform == "darwin":
        caffeinate = shutil.which("caffeinate")
        return [caffeinate, "-i", "-w", str(os.getpid())] if caffeinate else []
    for name in ("systemd-inhibit", "elogind-inhibit"):
        if path := shutil.which(name):
            what = ["--what=idle:sleep", "--mode=block", "--who=Rhapsode", f"--why={REASON}"]
            return [path, *what, WAITER]
    if path := shutil.which("gnome-session-inhibit"):
        return [path, "--inhibit", "idle:suspend", "--reason", REASON, WAITER]
    return []


class Awake:
    """Keeps the machine awake between `begin` and `end`, or within a ``with`` block."""

    def __init__(self, *, on: bool = True) -> None:
        """Nothing runs yet.

        Args:
            on: Whether a person wants it; without, nothing is ever started.
        """
        self._on = on
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def holding(self) -> bool:
        """Whether the program was started and not ended."""
        return self._child is not None

    def begin(self) -> None:
        """Start the program; harmless to repeat."""
        command = program() if self._on and self._child is None else []
        if not command:
            return
        with suppress(OSError):
            self._child = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # ctrl-c in the terminal is not meant for it.
                start_new_session=True,
            )
            # One that gives up at once must not stay behind as a zombie.
            threading.Thread(target=self._child.wait, name="awake", daemon=True).start()

    def end(self) -> None:
        """Let the machine sleep again; harmless to repeat."""
        child, self._child = self._child, None
        if child is None:
            return
        assert child.stdin is not None
        with suppress(OSError):
            child.stdin.close()
        if sys.platform == "darwin":
            child.terminate()
        try:
            child.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()

    def __enter__(self) -> Self:
        """Begin."""
        self.begin()
        return self

    def __exit__(self, *_: object) -> None:
        """End."""
        self.end()


def trial() -> tuple[str, str]:
    """Try the program for a moment.

    Returns:
        Its path, or empty where there is none; and what it complained of, or empty.
    """
    command = program()
    if not command:
        return "", ""
    try:
        # With an end of input in front of it, it leaves at once.
        wait = [] if sys.platform == "darwin" else command[1:]
        tried = subprocess.run(
            [command[0], *(wait or ["-i", "/usr/bin/true"])],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TRIAL_SECONDS,
            check=False,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        return command[0], "it does not answer"
    except OSError as error:
        return command[0], str(error.strerror)
    if tried.returncode == 0:
        return command[0], ""
    told = (tried.stderr.strip() or f"it ended with {tried.returncode}").splitlines()[-1]
    return command[0], told
