"""Who narrates: what the studio needs of a director, the real one, and what stands in for one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import Protocol

from studio.narration.status import NarrationStatus
from studio.project.desk import Desk
from studio.project.model import Change
from studio.project.project import Project


class Director(Protocol):
    """What the studio needs of a director; tests bring a scripted one."""

    @property
    def paused(self) -> bool:
        """Whether the queue waits for a person."""

    @property
    def serving(self) -> bool:
        """Whether anything of the queue may be begun."""

    async def run(self) -> None:
        """Serve the queue until it is closed."""

    def wake(self) -> None:
        """Something was queued."""

    def recast(self) -> None:
        """Voices, or what they read, may have changed."""

    def pause(self) -> None:
        """Begin nothing new."""

    def let_through(self, uids: Collection[str]) -> None:
        """Narrate what waits for these segments although the queue is paused; it stays so."""

    def resume(self) -> None:
        """Go on."""

    async def stop(self) -> None:
        """Cancel what is in progress and pause."""

    async def close(self) -> None:
        """End every engine."""


MakeDirector = Callable[
    [Project, Desk, Callable[[Change], None], Callable[[NarrationStatus], None]], Director
]


def real_director(
    project: Project,
    desk: Desk,
    on_change: Callable[[Change], None],
    on_status: Callable[[NarrationStatus], None],
) -> Director:
    """The director over the engines this machine has."""
    # Imported here, as the player is: a book is on the screen before the engines' side is needed.
    from studio.engines.catalogue import Catalogue
    from studio.narration import director

    return director.Director(
        project, desk, Catalogue.of_user(), on_change=on_change, on_status=on_status
    )


class NoDirector:
    """Stands in where none can be made, such as with a broken configuration.

    It narrates nothing and keeps the queue; everything else in the studio works on.
    """

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
