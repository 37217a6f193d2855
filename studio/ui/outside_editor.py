"""A text in the person's own editor, with the terminal lent to it."""

from __future__ import annotations

import math
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, TextIO

from textual.app import App, SuspendNotSupported

from studio.errors import MachineFault


def edit_outside(app: App[Any], text: str) -> str:
    """Edit a text in $VISUAL or $EDITOR.

    Returns:
        The text as it was saved, with its line ends folded into spaces.

    Raises:
        MachineFault: No editor is set, it cannot be started, or it failed; the text is unchanged.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise MachineFault(f"$VISUAL or $EDITOR, “{command}”, is no command: {error}.") from error
    if not words:
        raise MachineFault("Neither $VISUAL nor $EDITOR is set, so there is no editor to open.")
    with tempfile.TemporaryDirectory(prefix="rhapsode-") as folder:
        path = Path(folder) / "spoken.txt"
        path.write_text(text + "\n", encoding="utf-8")
        code = _run(app, [*words, str(path)])
        if code:
            raise MachineFault(f"“{command}” ended with code {code}; the text is unchanged.")
        try:
            return " ".join(path.read_text(encoding="utf-8").split())
        except (OSError, UnicodeDecodeError) as error:
            raise MachineFault(
                f"What “{command}” left cannot be read ({error}); the text is unchanged."
            ) from error


AFTER_SECONDS = 0.2
"""How long after an editor was closed a signal may still be on its way to us."""

_open_until = 0.0


def is_open() -> bool:
    """Whether an editor has the terminal, or had it a moment ago."""
    return time.monotonic() < _open_until


def _terminal() -> TextIO | None:
    """Where an editor may write its errors, or None for where this process does."""
    try:
        sys.__stderr__.fileno()  # type: ignore[union-attr]
    except (AttributeError, OSError, ValueError):
        return None
    return sys.__stderr__


def _run(app: App[Any], words: list[str]) -> int:
    """Lend the terminal to a command."""
    global _open_until
    problem: OSError | None = None
    code = 0
    _open_until = math.inf
    try:
        with app.suspend():
            # Nothing may leave this block early: the terminal would not be taken back.
            try:
                # Descriptor 2 leads nowhere in the studio; see `studio.sound.terminal`.
                code = subprocess.run(words, check=False, stderr=_terminal()).returncode
            except OSError as error:
                problem = error
    except SuspendNotSupported as error:
        raise MachineFault("This terminal cannot be lent to an editor.") from error
    finally:
        _open_until = time.monotonic() + AFTER_SECONDS
    if problem is not None:
        raise MachineFault(
            f"“{words[0]}” cannot be started ({problem.strerror}); set $VISUAL or $EDITOR."
        ) from problem
    return code
