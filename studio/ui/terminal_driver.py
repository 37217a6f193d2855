"""Painting on a terminal that may go away, or stop reading, in the middle of it.

Textual's own driver hands frames to a thread through a queue of bounded length. Where that thread
ends with an error, or the terminal takes nothing (ctrl-s, a network that hangs), the event loop
waits for room in the queue for ever, deaf to every signal, and narration waits with it. Here a
terminal that is gone is left as on a hangup, and one that does not read misses frames: it gets a
whole one when it reads again.
"""

from __future__ import annotations

import contextlib
import os
import queue
import select
import signal
import threading
from collections.abc import Callable
from typing import Any

from textual.drivers._writer_thread import WriterThread
from textual.drivers.linux_driver import LinuxDriver

FAREWELL_SECONDS = 1.0
"""How long a terminal that does not read may hold up the end."""


class Painted:
    """The terminal as a file to write to; when it is gone, what is written to it is too."""

    def __init__(self, file: Any, on_loss: Callable[[], None], on_idle: Callable[[], None]) -> None:
        """Write to a file.

        Args:
            file: The terminal.
            on_loss: Called when it is gone, from the thread that writes.
            on_idle: Called when all is written, from the thread that writes.
        """
        self._file, self._on_loss, self._on_idle = file, on_loss, on_idle

    def write(self, text: str) -> int:
        """Write, or forget."""
        self._try(lambda: self._file.write(text))
        return len(text)

    def flush(self) -> None:
        """Hand over what was written."""
        self._try(self._file.flush)
        self._on_idle()

    def _try(self, act: Callable[[], Any]) -> None:
        try:
            act()
        except OSError:
            self._on_loss()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class TerminalDriver(LinuxDriver):
    """Textual's driver, which no terminal can stop."""

    def __init__(self, *args: Any, **wishes: Any) -> None:
        """Paint as Textual does."""
        super().__init__(*args, **wishes)
        painted: Any = Painted(self._file, self._lost, self._caught_up)
        self._file = painted
        self._gone = False
        self._missed = False
        """Whether the terminal lacks a frame."""
        self._watching = False

    def start_application_mode(self) -> None:
        """Take the terminal, and hear of it when it goes away."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if self.input_tty and not self._watching and hasattr(select, "poll"):
            self._watching = True
            threading.Thread(target=self._watch, name="terminal", daemon=True).start()

    def write(self, data: str) -> None:
        """Hand over what is to be painted; a terminal that does not read misses it."""
        thread = self._writer_thread
        if thread is None or self._gone:
            return
        try:
            thread._queue.put_nowait(data)
        except queue.Full:
            self._missed = True

    def close(self) -> None:
        """Leave the terminal, soon even where it does not read."""
        thread, self._writer_thread = self._writer_thread, None
        if thread is not None:
            _end(thread)

    def _caught_up(self) -> None:
        """The terminal has read all there was; called by the thread that writes."""
        if self._missed and not self._gone:
            self._missed = False
            self._loop.call_soon_threadsafe(self._app.refresh)

    def _run_input_thread(self) -> None:
        """Read keys; a terminal that is gone has none."""
        try:
            self.run_input_thread()
        except OSError:
            self._lost()

    def _watch(self) -> None:
        """Wait until the terminal hangs up; reading it would then find its end again and again."""
        poll = select.poll()
        poll.register(self.fileno, 0)
        found = poll.poll()
        # Where terminals cannot be watched, as on macOS, the first write to it tells.
        if any(event & (select.POLLHUP | select.POLLERR) for _, event in found):
            self._lost()

    def _lost(self) -> None:
        """The terminal is gone; told once, from any thread."""
        if self._gone:
            return
        self._gone = True
        _forget(self._file)
        self.exit_event.set()
        leave: Any = getattr(self._app, "leave")  # noqa: B009 (the studio's own app has it)
        self._loop.call_soon_threadsafe(leave, signal.SIGHUP)


def _end(thread: WriterThread) -> None:
    """End the thread that writes; what a terminal does not read is thrown away."""
    with contextlib.suppress(queue.Full):
        thread._queue.put(None, timeout=FAREWELL_SECONDS)
    thread.join(FAREWELL_SECONDS)
    if thread.is_alive():
        # It sits in a write. A signal makes it try again, into nothing, and the rest of the queue
        # follows.
        _forget(thread)
        signal.signal(signal.SIGWINCH, lambda number, frame: None)
        signal.pthread_kill(thread.ident or 0, signal.SIGWINCH)
        with contextlib.suppress(queue.Full):
            thread._queue.put(None, timeout=FAREWELL_SECONDS)
        thread.join(FAREWELL_SECONDS)


def _forget(terminal: Any) -> None:
    """From now on what is written to it goes nowhere, also what Python flushes when it ends."""
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), terminal.fileno())
