"""What the process of the studio asks of Python and of the C library: little memory, no jerks."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_M_MMAP_THRESHOLD = -3
"""The parameter's number in glibc's ``malloc.h``."""

BIG = 128 * 1024
"""Bytes from which on a block is a mapping of its own and leaves with what was in it."""


def return_big_blocks() -> None:
    """Have freed blocks of a clip's size go back to the system.

    glibc raises the size from which it does so with each such block that is freed, and then keeps
    them in each thread's arena: some fifteen megabytes while a book is narrated.
    """
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):  # another C library
            ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, BIG)


@contextmanager
def without_garbage() -> Iterator[None]:
    """Look for no garbage meanwhile: what is made is a long book's, and makes none.

    The search comes again and again while many objects are made, and no thread runs during it.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def set_aside() -> None:
    """Look for garbage once, then leave what is alive out of every later search.

    A long book is a hundred thousand objects that stay. To look through them, as Python does
    every few seconds while keys are pressed, takes long enough to be felt.
    """
    gc.collect()
    gc.freeze()
