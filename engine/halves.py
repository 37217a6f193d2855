"""Halves of clips: beginning several together, a thread for second ones, when both threads rest."""

from __future__ import annotations

import os
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from engine.registry import Beginning, Half, Staged, Together


@dataclass(slots=True)
class Effort:
    """What one clip has taken so far."""

    processor: float
    """Processor time of the process when it was begun."""
    wall: float = 0.0
    """Seconds of its own halves; of a half that was made together with others, its share."""

    @contextmanager
    def timed(self, share: float = 1.0) -> Iterator[None]:
        """Add what is done inside, or a share of it."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.wall += share * (time.perf_counter() - started)


def begin(staged: Staged, beginnings: Sequence[Beginning]) -> list[Half | Exception]:
    """The first halves of some clips, together where there are several; one answer for each.

    A clip that is begun by itself is begun as if there were no batches.
    """
    if len(beginnings) > 1 and isinstance(staged, Together):
        try:
            return staged.begin_together(beginnings)
        except Exception as error:
            return [error] * len(beginnings)
    made: list[Half | Exception] = []
    for one in beginnings:
        try:
            made.append(staged.begin(one.request, one.stage, one.cancelled))
        except Exception as error:
            made.append(error)
    return made


class SecondThread:
    """Works on one thing at a time, beside the thread that gives it."""

    def __init__(self) -> None:
        """Start nothing: the thread is made with its first work."""
        self._changed = threading.Condition()
        self._work: Callable[[], None] | None = None
        self._thread: threading.Thread | None = None

    def give(self, work: Callable[[], None]) -> None:
        """Have it work on this, as soon as it is idle; what escapes from it ends the process."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="second half", daemon=True)
            self._thread.start()
        with self._changed:
            self._changed.wait_for(lambda: self._work is None)
            self._work = work
            self._changed.notify_all()

    def wait(self) -> None:
        """Wait until it is idle."""
        with self._changed:
            self._changed.wait_for(lambda: self._work is None)

    def _run(self) -> None:
        """Work, forever; without its work the other thread would wait forever too."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._work is not None)
                work = self._work
            try:
                if work is not None:
                    work()
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            with self._changed:
                self._work = work = None
                self._changed.notify_all()


class Rests:
    """Finds the moments in which no half is being worked on."""

    def __init__(self, rest: Callable[[], None]) -> None:
        """Call something in each of these moments; nothing begins until it is over."""
        self._rest = rest
        self._lock = threading.Lock()
        self._busy = 0

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Inside of this there is no rest; may be nested."""
        with self._lock:
            self._busy += 1
        try:
            yield
        finally:
            with self._lock:
                self._busy -= 1
                if not self._busy:
                    self._tidy()

    def _tidy(self) -> None:
        """The rest itself; what goes wrong in it is no clip's fault."""
        try:
            self._rest()
        except Exception:
            traceback.print_exc()
