"""How numbers are written on the screen: the same everywhere, so that columns can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from studio import wording

NONE = "–"
"""There is no such thing here."""
UNKNOWN = "·"
"""There will be one, but not yet."""

_MEGABYTE = 1 << 20


def duration(seconds: float | None) -> str:
    """Minutes and seconds, hours where there are any: ``0:04``, ``12:30``, ``1:02:03``.

    Args:
        seconds: Any length in seconds; None or a negative one is unknown.

    Returns:
        The text; halves are rounded up, so that a rest of 0.6 s is not shown as none.
    """
    if seconds is None or seconds < 0:
        return UNKNOWN
    return wording.duration(seconds)


def clock(seconds: float) -> str:
    """A place in a sound, to the tenth of a second: ``0:01.4``."""
    tenths = max(0, int(seconds * 10))
    minutes, tenths = divmod(tenths, 600)
    hours, minutes = divmod(minutes, 60)
    head = f"{hours}:{minutes:02}" if hours else f"{minutes}"
    return f"{head}:{tenths // 10:02}.{tenths % 10}"


def seconds(value: float) -> str:
    """The length of a clip: ``4.1s``; ``·`` for none."""
    return f"{value:.1f}s" if value > 0 else UNKNOWN


def rtf(value: float) -> str:
    """A real-time factor in at most four characters: ``.007``, ``1.24``, ``12.3``.

    Args:
        value: Synthesis seconds per second of audio; 0 or less is unknown.

    Returns:
        The text; what is too small to show reads ``.000``.
    """
    if value <= 0:
        return UNKNOWN
    if value < 0.9995:
        return f"{value:.3f}"[1:]
    if value < 9.995:
        return f"{value:.2f}"
    return f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def megabytes(count: int, *, sign: bool = False, unit: bool = True) -> str:
    """Memory in bytes as MB (2²⁰, as budgets are set): ``2,048 MB``; ``·`` for none."""
    if count == 0 and not sign:
        return UNKNOWN
    value = f"{round(count / _MEGABYTE):{'+' if sign else ''},}"
    return f"{value} MB" if unit else value


def gigabytes(count: int) -> str:
    """Memory in bytes as GB (2³⁰) for what is rarely looked at closely: ``12.4 GB``."""
    return f"{count / (1 << 30):.1f} GB"


def seed(value: int) -> str:
    """A seed, in full: it is a name, so no separators."""
    return str(value)


def count(value: int, one: str, many: str = "") -> str:
    """A number and its noun: ``1 take``, ``2 takes``, ``1,024 segments``."""
    return f"{value:,} {one if value == 1 else many or one + 's'}"


def reasons(counted: Mapping[tuple[str, str], int]) -> str:
    """Why some were left out: ``3 have no take and 1 is stale``.

    Args:
        counted: How often each reason holds, by how it reads for one and for more.

    Returns:
        The reasons, the most frequent first; empty where there are none.
    """
    ordered = sorted(counted.items(), key=lambda item: -item[1])
    parts = [f"{count:,} {one if count == 1 else many}" for (one, many), count in ordered]
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def take(number: int, takes: int) -> str:
    """Which take of how many is chosen: ``2/3``, ``–/3`` for none of them, ``–`` without takes."""
    if not takes:
        return NONE
    return f"{number or NONE}/{takes}"


def age(made: str, now: datetime) -> str:
    """How long ago something was made: ``now``, ``5 min``, ``3 h``, ``2 d``, then the date.

    Args:
        made: ISO 8601 time with its zone.
        now: The present, aware of its zone.

    Returns:
        The text; ``·`` where the time cannot be read.
    """
    try:
        then = datetime.fromisoformat(made)
        passed = (now - then).total_seconds()
    except (ValueError, TypeError):
        return UNKNOWN
    if passed < 60:
        return "now"
    for limit, size, unit in ((3600, 60, "min"), (86_400, 3600, "h"), (14 * 86_400, 86_400, "d")):
        if passed < limit:
            return f"{int(passed / size)} {unit}"
    return then.date().isoformat()
