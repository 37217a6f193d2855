"""Project calls off the event loop: one thread of their own, one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from studio.lean import without_garbage

P = ParamSpec("P")
T = TypeVar("T")


class Desk:
    """Runs calls on one thread, in the order in which they were handed in."""

    def __init__(self) -> None:
        """Start; the thread comes with the first call."""
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="project")

    async def __call__(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run ``fn`` and wait for its result.

        A caller that is cancelled stops to wait; the call itself is always finished.

        Raises:
            RuntimeError: The desk is closed.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, partial(_run, fn, *args, **kwargs))

    def close(self) -> None:
        """Finish what was handed in, then end the thread; harmless to repeat."""
        self._thread.shutdown(wait=True)


def _run(fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call ``fn`` on the desk's thread."""
    with without_garbage():
        return fn(*args, **kwargs)
