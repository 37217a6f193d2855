"""What is said in a sound, by a listener in a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engine import wire
from studio.engines.catalogue import EngineSpec, listener
from studio.errors import MachineFault
from studio.narration.resident import IDLE_SECONDS, Resident, answer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HEARING_SECONDS = 120.0
"""Seconds that a short sound may take."""
PATIENCE = 4.0
"""Seconds more for each second of a sound; the embedded listener needs a tenth of one."""
DOUBTFUL = 0.6
"""A word that the listener is less sure of is one to look at."""


class Ear:
    """Listens to single sounds, one after the other."""

    def __init__(self, idle: float = IDLE_SECONDS, spec: EngineSpec | None = None) -> None:
        """Start nothing yet.

        Args:
            idle: Seconds without a sound after which the process ends.
            spec: The listener; None for the one that comes with the studio.
        """
        self._resident = Resident(idle)
        self._spec = spec

    async def hear(self, samples: NDArray[np.float32], rate: int, language: str = "") -> wire.Heard:
        """Listen to samples; cancelled, it leaves the listener as it was.

        Args:
            samples: Mono, shape (frames,), within -1..1.
            rate: Samples per second.
            language: Tag of what is said; empty for what the listener makes of it.

        Raises:
            BadInput: The listener refuses it, such as a language that it does not know.
            MachineFault: It does not start or listen.
        """
        sound = samples.astype("<f4", copy=False).tobytes()
        seconds = len(samples) / rate
        return await self._ask(wire.Hear(0, language, rate=rate), sound, seconds)

    async def hear_file(self, path: Path, language: str = "") -> wire.Heard:
        """Listen to a file that the listener reads by itself; errors as for `hear`.

        Args:
            path: Absolute, for the listener works elsewhere.
            language: Tag of what is said; empty for what the listener makes of it.
        """
        return await self._ask(wire.Hear(0, language, path=str(path)), b"", None)

    async def close(self) -> None:
        """End the process; nothing is heard afterwards."""
        await self._resident.close()

    async def _ask(self, what: wire.Hear, sound: bytes, seconds: float | None) -> wire.Heard:
        async with self._resident.lent(self._spec or listener()) as link:
            request = wire.Hear(link.next_id(), what.language, what.path, what.rate)
            # How long a file is only the listener knows; an end of its process is heard of anyway.
            deadline = None if seconds is None else HEARING_SECONDS + PATIENCE * seconds
            heard = (await answer(link, request, deadline, sound)).message
        if not isinstance(heard, wire.Heard):
            raise MachineFault(f"The listener {link.name} answered with “{heard.KIND}”.")
        return heard
