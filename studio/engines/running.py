"""Python programs that are run for a person and read line by line, and that never outlive us."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

_TIED = """
import os, runpy, signal, sys, threading

def leave():
    os.read(0, 1)
    os.killpg(0, signal.SIGKILL)

threading.Thread(target=leave, daemon=True).start()
sys.argv = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""
"""Runs a module; it and what it starts end with whoever holds the other end of its input."""

_STEERING = ("PYTHON", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_DRY_RUN")
"""Variables that begin so would lead an installation elsewhere than into its environment."""


def environment(**own: str) -> dict[str, str]:
    """The user's variables without those that steer another interpreter, and with some of ours."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_STEERING) and name not in {"VIRTUAL_ENV", "__PYVENV_LAUNCHER__"}
    }
    return {**kept, **own}


def run_module(
    python: Path,
    arguments: Sequence[str],
    variables: Mapping[str, str],
    said: Callable[[str], None],
) -> int:
    """Run ``python -m`` something in a process group of its own, to its end.

    Args:
        python: The interpreter.
        arguments: The module and what it is given.
        variables: All of its environment.
        said: Told every line that it writes, as it comes; an empty one each second without any.

    Returns:
        Its exit code.

    Raises:
        OSError: The interpreter cannot be started.
        KeyboardInterrupt: Out of a wait; the process and all it has started are gone by then.
    """
    process = subprocess.Popen(
        [str(python), "-I", "-c", _TIED, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=dict(variables),
        start_new_session=True,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    with process:
        try:
            for line in _lines(process):
                said(line)
            return process.wait()
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise


def _lines(process: subprocess.Popen[str]) -> Iterator[str]:
    """Lines as they come, and an empty one each second without any."""
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line.rstrip())
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=1.0)
        except queue.Empty:
            yield ""
            continue
        if line is None:
            return
        yield line


def ask(python: Path, code: str, variables: Mapping[str, str], *arguments: str) -> str:
    """What a few lines of Python print in an interpreter.

    Raises:
        OSError: It cannot be started.
        subprocess.CalledProcessError: The code failed; its ``stderr`` says how.
        subprocess.TimeoutExpired: It hangs.
    """
    done = subprocess.run(
        [str(python), "-I", "-c", code, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=dict(variables),
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=600,
        check=True,
    )
    return done.stdout
