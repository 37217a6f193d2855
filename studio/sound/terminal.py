"""Keeping what native audio libraries print off the screen.

ALSA, JACK and PortAudio print to file descriptor 2, which is the terminal that Textual draws on.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from threading import RLock

_LOCK = RLock()


@contextlib.contextmanager
def silenced() -> Iterator[None]:
    """Send file descriptor 2 to nowhere for a while.

    The descriptor belongs to the whole process: unless `own_terminal` is in force, whatever else is
    written to it meanwhile is lost too, so keep the while short.
    """
    with _LOCK, _nowhere():
        yield


@contextlib.contextmanager
def own_terminal() -> Iterator[None]:
    """Give Python's standard error a descriptor of its own and point descriptor 2 at nowhere.

    Inside, Textual (which draws on ``sys.__stderr__``) and tracebacks still reach the terminal;
    native libraries do not, at any time and from any thread. To be entered before the app starts. A
    program that is to draw on the terminal itself, such as an editor, must be given
    ``stderr=sys.__stderr__``.
    """
    standard, current = sys.__stderr__, sys.stderr
    if standard is None:
        yield
        return
    standard.flush()
    private = io.TextIOWrapper(
        os.fdopen(os.dup(2), "wb"),
        standard.encoding,
        standard.errors,
        line_buffering=standard.line_buffering,
    )
    with private, _nowhere():
        sys.__stderr__ = private  # type: ignore[misc]
        if current is standard:
            sys.stderr = private
        try:
            yield
        finally:
            sys.__stderr__ = standard  # type: ignore[misc]
            if sys.stderr is private:
                sys.stderr = current


@contextlib.contextmanager
def _nowhere() -> Iterator[None]:
    """Point file descriptor 2 at nowhere, and back."""
    try:
        saved = os.dup(2)
    except OSError:  # the process has no standard error: there is nothing to silence
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
