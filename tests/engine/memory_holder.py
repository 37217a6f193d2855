"""A process that holds a known amount of memory, one step when told to."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from engine import memory

HOLDER = """
import mmap, os, sys
def say(text): sys.stdout.write(text + "\\n"); sys.stdout.flush(); sys.stdin.readline()
say("ready")
{body}
say("holding")
"""


class Holder:
    """A process that goes on one step when told to."""

    def __init__(self, body: str, *arguments: str) -> None:
        code = HOLDER.format(body=body)
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout.readline() == "ready\n"
        self.pid = self.process.pid
        self.before = memory.footprint(self.pid)

    def hold(self) -> int:
        """Let it take its memory; returns by how much its footprint grew, in bytes."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "holding\n"
        return memory.footprint(self.pid) - self.before


@contextmanager
def holder(body: str, *arguments: str) -> Iterator[Holder]:
    """Start a holder and leave nothing of it."""
    held = Holder(body, *arguments)
    try:
        yield held
    finally:
        held.process.stdin.close()
        held.process.wait(10)
        held.process.stdout.close()
