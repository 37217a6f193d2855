"""Whether the model's files still are what was loaded.

A recipe names the model by the content of its files, and the text embedding is read out of
``llm.pt`` for as long as the process lives (see `llm_torch`). A file that another one takes the
place of is no matter: what was opened stays as it was. One that is written over changes under the
model, without a word and with another sound than the recipe says; so it is looked at with each
clip.
"""

from __future__ import annotations

import os
import weakref
from contextlib import suppress
from pathlib import Path

from engine.narrators.cosyvoice3.config import MODEL_FILES, BadModel
from engine.registry import Fatal, Transient

MAPPED = "llm.pt"
"""The file that is read from while clips are made."""


class Untouched:
    """The files of a model folder, as they were when this was made: before they were read."""

    def __init__(self, folder: Path) -> None:
        """Remember how they are.

        Raises:
            BadModel: One cannot be read.
        """
        self._folder = folder
        try:
            self._mapped = os.open(folder / MAPPED, os.O_RDONLY)
        except OSError as error:
            raise BadModel(f"“{folder / MAPPED}” cannot be read: {error.strerror}.") from error
        weakref.finalize(self, os.close, self._mapped)
        self._was = _seen(os.fstat(self._mapped))
        self._all = self._every()

    def loaded(self) -> None:
        """The files have been read: they have to be those that were looked at first.

        Raises:
            Transient: One has been changed meanwhile.
        """
        now = self._every()
        changed = next((name for name in now if now[name] != self._all[name]), None)
        if changed is not None:
            raise Transient(
                f"“{changed}” in the model folder “{self._folder}” was changed while the model was "
                "loaded, so it is loaded again."
            )

    def check(self) -> None:
        """What is read from while clips are made has to be what was loaded.

        Raises:
            Fatal: It has been written over.
        """
        if _seen(os.fstat(self._mapped)) != self._was:
            raise Fatal(
                f"“{MAPPED}” in the model folder “{self._folder}” was written over while it was in "
                "use, so this process no longer has the model that its recipes name."
            )

    def _every(self) -> dict[str, object]:
        """How each is, and which: another may have taken its place. None for what is gone."""
        found: dict[str, object] = {}
        for name in MODEL_FILES:
            found[name] = None
            with suppress(OSError):
                state = (self._folder / name).stat()
                found[name] = (*_seen(state), state.st_dev, state.st_ino)
        return found


def _seen(state: os.stat_result) -> tuple[int, int]:
    """What tells a file from itself after somebody wrote to it."""
    return state.st_size, state.st_mtime_ns
