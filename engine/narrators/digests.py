"""Which weights these are: one name for the bytes of all files of a model.

The name is a hash over the names and the content of the files, so the same files have it on every
machine, wherever they lie and whenever they were fetched. Reading gigabytes takes seconds at every
start, so digests are remembered in the cache folder, each with the size and the time of change of
its file: where both are as they were, the file is taken to be the same. A file that changed within
the last two seconds is not remembered, for a change after that might show in neither. Without a
cache folder all files are read each time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

_SETTLED = 2.0
"""Seconds after which a file's time of change tells it from a later change."""
_CHUNK = 1 << 22
_NAME = "model-digests.json"


def fingerprint(
    folder: Path, names: Sequence[str], cache: Path | None, progress: Callable[[float], None]
) -> str:
    """SHA-256, in hexadecimal digits, over names and content of a model's files.

    Args:
        folder: The model.
        names: Its files, in an order that is always the same.
        cache: Where digests are remembered; None for nowhere.
        progress: Told how much has been looked at, 0 to 1; what it raises ends the work.

    Raises:
        OSError: A file cannot be read; ``filename`` says which.
    """
    known = _remembered(cache)
    sizes = {name: (folder / name).stat().st_size for name in names}
    whole, done = max(1, sum(sizes.values())), 0
    total = hashlib.sha256()
    for name in names:
        path = (folder / name).resolve()
        before = done

        def told(read: int, before: int = before) -> None:
            progress(min(1.0, (before + read) / whole))

        digest = _digest(path, known, told)
        total.update(f"{name}\0{digest}\n".encode())
        done += sizes[name]
        progress(min(1.0, done / whole))
    if cache is not None:
        # Where nothing can be written, the files are read again next time, and no worse for it.
        with contextlib.suppress(OSError):
            _remember(cache, known)
    return total.hexdigest()


def _digest(path: Path, known: dict[str, list[str]], progress: Callable[[int], None]) -> str:
    """SHA-256 of a file, remembered or read."""
    state = path.stat()
    seen = f"{state.st_size}:{state.st_mtime_ns}:{state.st_ino}"
    if (entry := known.get(str(path))) is not None and entry[0] == seen:
        return entry[1]
    digest, read = hashlib.sha256(), 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            read += len(chunk)
            progress(read)
    known.pop(str(path), None)
    if abs(time.time() - state.st_mtime) > _SETTLED:
        known[str(path)] = [seen, digest.hexdigest()]
    return digest.hexdigest()


def _remembered(cache: Path | None) -> dict[str, list[str]]:
    """Path → what was seen of the file and its digest; nothing where the memory is damaged."""
    if cache is None:
        return {}
    try:
        kept = json.loads((cache / _NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(kept, dict):
        return {}
    return {
        path: entry
        for path, entry in kept.items()
        if isinstance(entry, list) and len(entry) == 2 and all(isinstance(e, str) for e in entry)
    }


def _remember(cache: Path, known: dict[str, list[str]]) -> None:
    """Write the memory whole, or leave it as it was."""
    cache.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(suffix=".part", dir=cache)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(known, file, ensure_ascii=False, indent=1, sort_keys=True)
        os.replace(name, cache / _NAME)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
