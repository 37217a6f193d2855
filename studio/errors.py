"""The errors that reach a person, each with its exit code.

Every message is one plain sentence: what is wrong, where, and what to do next.
"""

from __future__ import annotations


class StudioError(Exception):
    """Something a person can act on; its text is shown as it is, without a traceback."""

    exit_code = 1


class BadInput(StudioError):
    """A manuscript, a setting or a choice cannot be used."""

    exit_code = 5


class MachineFault(StudioError):
    """Disk, device, engine or lock: the machine is in the way, not the book."""

    exit_code = 6


class Incomplete(StudioError):
    """Some segments failed or have no clip."""

    exit_code = 3


class Differs(StudioError):
    """A verification found other bytes."""

    exit_code = 4
