"""Which weights these are: one name for the bytes of `config.MODEL_FILES`; see `digests`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from engine.narrators import digests
from engine.narrators.cosyvoice3.config import MODEL_FILES, BadModel
from engine.narrators.cosyvoice3.weights import AGAIN


def missing(folder: Path) -> list[str]:
    """Files that a model folder lacks."""
    return [name for name in MODEL_FILES if not (folder / name).is_file()]


def fingerprint(folder: Path, cache: Path | None, progress: Callable[[float], None]) -> str:
    """SHA-256, in hexadecimal digits, over names and content of a model's files.

    Args:
        folder: The model.
        cache: Where digests are remembered; None for nowhere.
        progress: Told how much has been looked at, 0 to 1; what it raises ends the work.

    Raises:
        BadModel: A file cannot be read.
    """
    try:
        return digests.fingerprint(folder, MODEL_FILES, cache, progress)
    except OSError as error:
        raise BadModel(f"“{error.filename}” cannot be read: {error.strerror}; {AGAIN}.") from error
