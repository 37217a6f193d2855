"""What an engine says of itself when it is started: its card, before any model is loaded."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time

from engine import wire
from studio import temporary
from studio.engines.catalogue import EngineSpec, engine_environment

DEADLINE = 10.0
"""Seconds for its greeting."""
_CHUNK = 65536


def card_of(spec: EngineSpec, deadline: float = DEADLINE) -> wire.Card | None:
    """Start an engine, hear its greeting and end it.

    Args:
        spec: How it is started.
        deadline: Seconds until it must have greeted.

    Returns:
        Its card; None where it cannot be started or has not said what it is.
    """
    with temporary.folder("hello") as folder:
        try:
            process = subprocess.Popen(
                spec.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env=engine_environment(spec),
                start_new_session=True,
            )
        except OSError:
            return None
        with process:
            try:
                return _greeting(process, time.monotonic() + deadline)
            finally:
                # The session is ours; whatever it has started goes with it.
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)


def _greeting(process: subprocess.Popen[bytes], until: float) -> wire.Card | None:
    """The card of the first message, if it comes in time and is a greeting."""
    assert process.stdout is not None
    decoder = wire.Decoder()
    while (left := until - time.monotonic()) > 0:
        if not select.select([process.stdout], [], [], left)[0]:
            break
        data = os.read(process.stdout.fileno(), _CHUNK)
        if not data:
            break
        try:
            for frame in decoder.feed(data):
                hello = frame.message
                speaks = isinstance(hello, wire.Hello) and hello.protocol == wire.PROTOCOL
                return hello.card if speaks else None  # type: ignore[union-attr]
        except wire.WireError:
            break
    return None
