"""The last card of each engine, kept so that the studio knows an engine before it is started.

What a card says (languages, limits, whether phonemes are understood) is needed when a book is cut
into segments; to load a model of some gigabytes for it would take a minute. So what an engine said
of itself when it was loaded last is kept as JSON in the user's data folder.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import tempfile
from dataclasses import asdict
from pathlib import Path

from engine import wire
from studio.project.folders import data_folder

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
"""Names that are a file's name, too; a card of any other is not kept."""


def remember(card: wire.Card, name: str = "", rtf: float = 0.0, baseline: int = 0) -> None:
    """Keep what an engine said of itself after it was loaded; an older card is replaced.

    A card that cannot be written (a full disk, a folder that can only be read) is not kept, and
    that is no fault: the engine says it again the next time.

    Args:
        card: The final one, of a `wire.Loaded`.
        name: The engine's in the configuration, where it calls itself otherwise.
        rtf: Wall seconds of synthesis per second of audio; 0 where nothing was narrated: what was
            known before stays, as long as the card is the same.
        baseline: Bytes charged to a worker after its first clip; 0 as for ``rtf``.
    """
    name = name or card.engine
    path = _path(name)
    if path is None:
        return
    before, *known = _kept(name)
    if before != card:
        known = [0.0, 0]
    measured = [rtf or known[0], baseline or known[1]]
    if before == card and measured == known:
        return
    kept = {"name": name, "card": asdict(card), "rtf": measured[0], "baseline": measured[1]}
    text = json.dumps(kept, ensure_ascii=False, indent=1, sort_keys=True)
    with contextlib.suppress(OSError):
        _replace(path, text.encode("utf-8", "backslashreplace"))


def remembered(name: str) -> wire.Card | None:
    """The last card of an engine.

    Args:
        name: The engine's, as in the configuration.

    Returns:
        None where it was never loaded here, or where what is kept cannot be read.
    """
    return _kept(name)[0]


def last_rtf(name: str) -> float:
    """How fast an engine was when it was last measured: its real-time factor, 0 if unknown."""
    return _kept(name)[1]


def last_baseline(name: str) -> int:
    """Bytes that a worker of an engine took after its first clip, when it was last measured; 0 if
    unknown."""
    return _kept(name)[2]


def forget(name: str) -> None:
    """An engine was taken away, or will be another one: its card says nothing any more."""
    path = _path(name)
    if path is not None:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def _kept(name: str) -> tuple[wire.Card | None, float, int]:
    """What is kept of an engine: its card, its real-time factor, its baseline."""
    path = _path(name)
    try:
        kept = json.loads(path.read_bytes()) if path is not None else None
        if not isinstance(kept, dict) or kept.get("name") != name:
            return None, 0.0, 0
        hello = {"kind": wire.Hello.KIND, "protocol": 0, "pid": 0, "card": kept["card"]}
        message = next(wire.Decoder().feed(json.dumps(hello).encode() + b"\n")).message
        rtf = float(kept["rtf"])
        baseline = int(kept.get("baseline", 0))
    except (OSError, ValueError, TypeError, KeyError, RecursionError, OverflowError, StopIteration):
        return None, 0.0, 0
    if not isinstance(message, wire.Hello) or not math.isfinite(rtf):
        return None, 0.0, 0
    return message.card, rtf, baseline


def _path(name: str) -> Path | None:
    """Where the card of an engine is kept."""
    return data_folder() / "cards" / f"{name}.json" if _NAME.fullmatch(name) else None


def _replace(path: Path, data: bytes) -> None:
    """Write a file that is either the old one or the new one, whole, at every moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
