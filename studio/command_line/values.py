"""How values on the command line are read; what cannot be is told in one sentence."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

from studio.errors import BadInput
from studio.typed_paths import check_path

WORKERS_PER_CORE = 4
FEWEST_WORKERS_ALLOWED = 8
"""So many processes may be asked for on any machine."""
MOST_NUMBERS = 100_000
"""In one range; no book has as many pieces."""
MOST_TOKENS = 10_000
MOST_STEPS, MOST_THREADS = 100, 256
"""Of a measurement; 25 are a second of sound, and a clip has at most 300 seconds."""


def positive(text: str) -> int:
    """A whole number from 1."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"“{text}” is no whole number from 1 upwards")
    return number


def length(text: str) -> int:
    """A number of speech tokens, as many as ten thousand, which is more than any engine takes."""
    return _at_most(MOST_TOKENS, text)


def steps(text: str) -> int:
    """A number of Euler steps, as many as an engine's option takes."""
    return _at_most(MOST_STEPS, text)


def threads(text: str) -> int:
    """A number of threads, as many as an engine's option takes."""
    return _at_most(MOST_THREADS, text)


def _at_most(most: int, text: str) -> int:
    """A whole number from 1 to a bound."""
    number = positive(text)
    if number > most:
        raise argparse.ArgumentTypeError(f"“{text}” is more than {most:,}")
    return number


def path(text: str) -> Path:
    """A path that can be; whether something is there the command finds out."""
    try:
        check_path(Path(text))
    except BadInput as error:
        raise argparse.ArgumentTypeError(str(error).rstrip(".")) from error
    return Path(text)


def path_or_nothing(text: str) -> str:
    """A path that can be, or an empty text where none is meant."""
    return str(path(text)) if text else ""


def engine(text: str) -> str:
    """The name of an engine, with settings of this run or without; whether it is here the command
    finds out. Shells complete it."""
    return text


def engine_apart(text: str) -> str:
    """The name of an engine that is installed apart; as `engine`."""
    return text


def workers(text: str) -> int:
    """How many engine processes; not so many that the machine runs out of memory."""
    number = positive(text)
    most = max(FEWEST_WORKERS_ALLOWED, WORKERS_PER_CORE * (os.cpu_count() or 1))
    if number > most:
        raise argparse.ArgumentTypeError(
            f"{number} engine processes are more than this machine can hold; give {most} at most"
        )
    return number


def whole(text: str) -> int:
    """A whole number from 0."""
    return 0 if text == "0" else positive(text)


def numbers(text: str) -> range:
    """A number from 1, or some in a row: ``3`` or ``3-7``."""
    first, dash, last = text.replace("–", "-").partition("-")
    try:
        found = range(int(first), int(last if dash else first) + 1)
    except ValueError:
        found = range(0)
    if not found or found[0] < 1 or len(found) > MOST_NUMBERS:
        raise argparse.ArgumentTypeError(f"“{text}” is no number; write it as 3 or as 3-7")
    return found


def megabytes(text: str) -> int:
    """A size in MB, or 0 for ``off``."""
    return 0 if text == "off" else positive(text)


def seconds(text: str) -> float:
    """A time that passes."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"“{text}” is no number of seconds above 0")
    return number


@dataclass(frozen=True, slots=True)
class Trim:
    """Which seconds: the best so many, or from one to another."""

    best: float = 0.0
    start: float = 0.0
    end: float = 0.0


def trim(text: str) -> Trim:
    """``best``, ``best:8`` or ``12.4-20.3``."""
    word, _, length = text.partition(":")
    try:
        if word == "best":
            best = float(length) if length else 8.0
            if 1 <= best <= 30:
                return Trim(best=best)
        else:
            first, _, last = text.replace("–", "-").partition("-")
            start, end = _seconds(first), _seconds(last)
            if 0 <= start < end:
                return Trim(start=start, end=end)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(
        f"“{text}” names no seconds; write best:8 (1 to 30) or 12.4-20.3"
    )


def _seconds(text: str) -> float:
    """Seconds, or minutes and seconds."""
    minutes, _, seconds = text.rpartition(":")
    found = (float(minutes) * 60 if minutes else 0.0) + float(seconds)
    if not 0 <= found < 1e6:
        raise ValueError(text)
    return found
