"""How talking to an engine process can fail, in words for a person."""

from __future__ import annotations

import signal
from collections.abc import Sequence


class LinkError(Exception):
    """A request got no answer; the text is plain words for a person."""


class CannotStart(LinkError):
    """There is no such program, or it is not an engine of ours; trying again will not help."""


class Overdue(LinkError):
    """The engine lives, but has not answered within the deadline."""


class EngineGone(LinkError):
    """The process ended, or had to be ended, before it answered."""

    def __init__(self, reason: str, code: int | None = None, tail: Sequence[str] = ()) -> None:
        """Keep what is known of the end.

        Args:
            reason: Plain words.
            code: Exit status, negative for a signal, None if unknown.
            tail: The last lines of stderr.
        """
        super().__init__(reason)
        self.exit_code = code if code is not None and code >= 0 else None
        self.signal = -code if code is not None and code < 0 else None
        self.tail = tuple(tail)


def describe_exit(name: str, code: int | None, tail: Sequence[str]) -> str:
    """How a process ended, in plain words, with its last line of stderr where that helps."""
    last = f" Its last words: {tail[-1][:200]}" if tail else ""
    if code is None:
        return f"The engine {name} ended in a way that could not be read.{last}"
    if code == -signal.SIGKILL:
        return f"The engine {name} was killed (signal 9); the system may be short of memory.{last}"
    if code < 0:
        return f"The engine {name} died of signal {-code} ({_signal_name(-code)}).{last}"
    if code == 0:
        return f"The engine {name} left without being asked.{last}"
    return f"The engine {name} ended with exit code {code}.{last}"


def _signal_name(number: int) -> str:
    """Such as ``SIGSEGV``."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
