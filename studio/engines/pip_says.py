"""What pip writes, in a person's words: how far it is, and why it failed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote

_DOWNLOADING = re.compile(r"\s*Downloading (?P<file>\S+) \((?P<size>[^)]+)\)")
_SMALL = re.compile(r"(?i)\b(?:kB|bytes)$")
_HERE = re.compile(r"\s*(?:Using cached|Processing) (?P<file>\S+)")
_INSTALLING = re.compile(r"Installing collected packages: (?P<names>.+)")
_MISSING = re.compile(r"No matching distribution found for (?P<what>[^\s(]+)")

_OFFLINE = (
    "NewConnectionError",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "NameResolutionError",
    "RemoteDisconnected",
    "Connection refused",
    "Connection reset",
    "Network is unreachable",
    "Temporary failure in name resolution",
    "Max retries exceeded",
    "ProxyError",
)
_FULL = ("No space left on device", "Errno 28", "Disk quota exceeded")


def progress(line: str) -> str:
    """What a line of pip's tells about how far it is; empty for most, and for small packages."""
    if (found := _DOWNLOADING.match(line)) and not _SMALL.search(found["size"]):
        return f"downloading {_name(found['file'])} ({found['size']})"
    if found := _HERE.match(line):
        return f"taking {_name(found['file'])} from this machine"
    if found := _INSTALLING.match(line):
        count = len(found["names"].split(", "))
        return f"unpacking {count} package{'s' if count > 1 else ''}"
    return ""


def reason(lines: Iterable[str]) -> str:
    """Why pip failed, and what to do, as one sentence without a full stop.

    Args:
        lines: Everything that it wrote.
    """
    said = list(lines)
    if _any(said, _FULL):
        return "the disk is full; make room and run the command again"
    missing = next((found for line in said if (found := _MISSING.search(line))), None)
    # A connection that broke and came back is no reason, where versions were heard of.
    if _any(said, _OFFLINE) and (missing is None or _any(said, ("(from versions: none)",))):
        return (
            "the package index cannot be reached; see to the connection (or --index-url, or pip's "
            "own configuration) and run the command again"
        )
    if any("THESE PACKAGES DO NOT MATCH THE HASHES" in line for line in said):
        return "a package did not arrive as the index says it is; run the command again"
    if missing:
        return (
            f"the package index has no {missing['what']} for this Python and this machine; another "
            "one may: --python PATH, --index-url URL"
        )
    if any("ResolutionImpossible" in line for line in said):
        return "the versions that are asked for exclude each other here, by pip's configuration"
    errors = [line.removeprefix("ERROR: ").rstrip(".") for line in said if line.startswith("ERROR")]
    return f"pip says: {errors[-1]}" if errors else "pip ended without saying why"


def _any(lines: list[str], words: tuple[str, ...]) -> bool:
    return any(word in line for line in lines for word in words)


def _name(file: str) -> str:
    """A wheel's name without its folder and its tags: ``torch 2.13.0+cpu``."""
    base = unquote(file.rsplit("/", 1)[-1].partition("#")[0])
    parts = base.removesuffix(".whl").split("-")
    return f"{parts[0]} {parts[1]}" if base.endswith(".whl") and len(parts) >= 5 else base
