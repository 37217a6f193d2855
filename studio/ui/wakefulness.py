"""The machine is kept from sleeping while a book is narrated, and a moment longer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from studio.awake import Awake

LINGER_SECONDS = 10.0
"""How long the machine is kept awake when there is no more work: the next may come at once."""


async def keep_awake(stirred: asyncio.Event, busy: Callable[[], bool], *, on: bool) -> None:
    """Keep the machine from sleeping while there is work, until this is cancelled.

    Args:
        stirred: Set by others whenever ``busy`` may be another.
        busy: Whether there is work.
        on: Whether a person wants it; without, nothing is ever started.
    """
    awake = Awake(on=on)
    try:
        while True:
            await stirred.wait()
            stirred.clear()
            if busy() and not awake.holding:
                await asyncio.to_thread(awake.begin)
            elif awake.holding and not busy():
                await asyncio.sleep(LINGER_SECONDS)
                if not busy():
                    await asyncio.to_thread(awake.end)
    finally:
        if awake.holding:
            await asyncio.to_thread(awake.end)
