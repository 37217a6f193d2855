"""Whether the model's files still are what they were when their name was taken.

A recipe names the model by the content of its files, which are read twice: for the name, and to
load them. From then on nothing is read from them: they may be written over, cut off or deleted.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from engine.narrators.cosyvoice3.config import MODEL_FILES
from engine.registry import Transient


class Untouched:
    """The files of a model folder, as they were when this was made: before they were read."""

    def __init__(self, folder: Path) -> None:
        """Remember how they are."""
        self._folder = folder
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

    def _every(self) -> dict[str, object]:
        """How each is, and which: another may have taken its place. None for what is gone."""
        found: dict[str, object] = {}
        for name in MODEL_FILES:
            found[name] = None
            with suppress(OSError):
                state = (self._folder / name).stat()
                found[name] = (state.st_size, state.st_mtime_ns, state.st_dev, state.st_ino)
        return found
