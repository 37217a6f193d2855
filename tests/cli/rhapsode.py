"""Runs the real command in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """The one JSON object of standard output."""
        return json.loads(self.out)


def rhapsode(
    *arguments: object,
    cwd: Path,
    timeout: float = 120,
    env: dict[str, str] | None = None,
) -> Ran:
    """Run ``rhapsode`` with these arguments in ``cwd``, without a terminal."""
    done = subprocess.run(
        [sys.executable, "-m", "studio", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def done(*arguments: object, cwd: Path, **options: Any) -> Any:
    """Run with ``--json``, insist on success, and return the object."""
    ran = rhapsode(*arguments, "--json", cwd=cwd, **options)
    assert ran.code == 0, ran.err + ran.out
    return ran.data
