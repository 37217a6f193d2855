"""Looking through a book with what a person has typed, as long as there is patience for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import thread_time
from typing import TypeVar

from studio.errors import BadInput

T = TypeVar("T")

_BETWEEN = 8
"""Items between two looks at the clock, which takes longer than most searches in one."""


def in_time(items: Iterable[T], seconds: float, sought: str) -> Iterator[T]:
    """The items one by one, while whoever takes them stays within a time.

    Args:
        items: What is looked through.
        seconds: Processor time of this thread that it may take.
        sought: What is looked for, as it was typed.

    Raises:
        BadInput: It takes longer.
    """
    until = thread_time() + seconds
    for number, item in enumerate(items, 1):
        yield item
        if not number % _BETWEEN and thread_time() > until:
            raise BadInput(f"“{sought}” takes too long to look for; ask for more of the text.")
