"""How values on the command line are read; what cannot be is told in one sentence."""

from __future__ import annotations

import argparse


def positive(text: str) -> int:
    """A whole number from 1."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"“{text}” is no whole number from 1 upwards")
    return number


def whole(text: str) -> int:
    """A whole number from 0."""
    return 0 if text == "0" else positive(text)


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
