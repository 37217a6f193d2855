"""Stands in where no director can be made, such as with a broken configuration."""

from __future__ import annotations

import asyncio
from collections.abc import Collection


class NoDirector:
    """Narrates nothing and keeps the queue; everything else in the studio works on."""

    paused = True
    serving = False

    async def run(self) -> None:
        """Do nothing until it is cancelled."""
        await asyncio.Event().wait()

    def wake(self) -> None:
        """There is nobody to wake."""

    def recast(self) -> None:
        """There is no engine to end."""

    def pause(self) -> None:
        """It is paused for ever."""

    def let_through(self, uids: Collection[str]) -> None:
        """It cannot; the session makes a real one first, where that can be done."""

    def resume(self) -> None:
        """It cannot go on; the session makes a real one as soon as that can be done."""

    async def stop(self) -> None:
        """Nothing is in progress."""

    async def close(self) -> None:
        """There is no engine to end."""
