"""A real terminal for the tests: tmux on a socket of its own."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from needs import skip_or_fail

PATIENCE = 30.0
"""Seconds that a condition is waited for."""


class Terminal:
    """One window with a command in it."""

    def __init__(self, socket: str) -> None:
        self._tmux = ["tmux", "-L", socket, "-f", os.devnull]

    def start(
        self, command: list[str], size: tuple[int, int], cwd: Path, env: Mapping[str, str]
    ) -> None:
        """Open the window; the exit code stays on the screen when the command has ended."""
        line = f"{shlex.join(command)}; echo exit $?; exec sleep 600"
        settings = [part for name, value in env.items() for part in ("-e", f"{name}={value}")]
        self._run(
            "new-session",
            "-d",
            "-x",
            str(size[0]),
            "-y",
            str(size[1]),
            "-c",
            str(cwd),
            *settings,
            "sh",
            "-c",
            line,
        )

    def text(self) -> str:
        """What the window shows."""
        return self._run("capture-pane", "-p")

    def keys(self, *keys: str) -> None:
        """Press keys by tmux's names."""
        self._run("send-keys", *keys)

    def type(self, text: str) -> None:
        """Type letters."""
        self._run("send-keys", "-l", text)

    def wait(self, *wanted: str, gone: bool = False, seconds: float = PATIENCE) -> str:
        """Wait until all of the texts are on the screen (or none of them)."""
        deadline = time.monotonic() + seconds
        while True:
            shown = self.text()
            present = [text in shown for text in wanted]
            if not any(present) if gone else all(present):
                return shown
            assert time.monotonic() < deadline, f"waited in vain for {wanted}:\n{shown}"
            time.sleep(0.05)

    def pid(self) -> int:
        """The process id of the shell in the window."""
        return int(self._run("display-message", "-p", "#{pane_pid}"))

    def close(self) -> None:
        """End the server of this socket."""
        subprocess.run([*self._tmux, "kill-server"], capture_output=True, check=False)

    def _run(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self._tmux, *arguments],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8"},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@contextmanager
def terminal(name: str) -> Iterator[Terminal]:
    """A terminal of one test's own."""
    if shutil.which("tmux") is None:
        skip_or_fail("tmux is not installed; the tests in a real terminal need it")
    window = Terminal(f"rhapsode-test-{os.getpid()}-{name}")
    try:
        yield window
    finally:
        window.close()
