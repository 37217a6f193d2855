"""One engine process beside those of the queue, which stays for a while and never hangs.

What needs an engine for a single answer (a voice's sample, what is said in a recording) takes it
from here: one at a time, started when it is asked for, gone when nobody has asked for a while.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

from engine import wire
from studio.engines.catalogue import EngineSpec, engine_environment
from studio.errors import BadInput, MachineFault
from studio.narration.engine_log import RotatingLog
from studio.narration.faults import LinkError
from studio.narration.link import Link
from studio.narration.worker import HELLO_SECONDS
from studio.project.folders import log_folder

IDLE_SECONDS = 60.0
"""How long the process stays when nobody asks for anything more; less where the engine's own
``idle_seconds`` is less."""


class Resident:
    """Lends a loaded engine, one request after the other."""

    def __init__(
        self,
        idle: float = IDLE_SECONDS,
        loaded: Callable[[wire.Card, str], None] = lambda card, name: None,
    ) -> None:
        """Start nothing yet.

        Args:
            idle: Seconds without a request after which the process ends, at the latest.
            loaded: Is told the card of an engine that has loaded, and its name.
        """
        self.link: Link | None = None
        """The running engine, loaded or still loading."""
        self._idle = idle
        self._loaded = loaded
        self._turn = asyncio.Lock()
        self._spec: EngineSpec | None = None
        self._leaving: asyncio.TimerHandle | None = None
        self._ends: set[asyncio.Task[None]] = set()
        self._closed = False

    @contextlib.asynccontextmanager
    async def lent(self, spec: EngineSpec) -> AsyncIterator[Link]:
        """An engine for one request; one that fails is started anew the next time.

        Raises:
            MachineFault: It does not start, or its link broke.
        """
        async with self._turn:
            self._stay()
            try:
                yield await self._engine(spec)
            except LinkError as error:
                await self._end()
                raise MachineFault(str(error)) from error
            finally:
                self._leave_later()

    async def close(self) -> None:
        """End the process, in the middle of an answer too; nothing is lent afterwards."""
        self._closed = True
        self._stay()
        if self.link is not None:
            self.link.strike("The book was closed.")
        async with self._turn:
            await self._end()
        await asyncio.gather(*self._ends, return_exceptions=True)

    async def _engine(self, spec: EngineSpec) -> Link:
        """The running engine, started where it is not; another one ends."""
        if self._closed:
            raise MachineFault("The book is closed; nothing more is read.")
        if self._spec == spec and self.link is not None and self.link.gone is None:
            return self.link
        await self._end()
        link = Link(spec.name, RotatingLog(log_folder() / f"engine-{spec.name}.log"))
        self.link, self._spec = link, spec
        try:
            await link.start(spec.command, engine_environment(spec), deadline=HELLO_SECONDS)
            load = wire.Load(link.next_id(), dict(spec.options))
            loaded = await answer(link, load, spec.load_deadline)
            if isinstance(loaded.message, wire.Loaded):
                link.card = loaded.message.card
                self._loaded(link.card, spec.name)
        except BaseException:
            # Half loaded, it must not be taken for one that is ready.
            link.strike()
            await self._end()
            raise
        return link

    async def _end(self) -> None:
        link, spec = self.link, self._spec
        self.link = self._spec = None
        if link is not None and spec is not None:
            await link.stop(spec.grace)

    def _stay(self) -> None:
        """Somebody wants something: do not leave."""
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None

    def _leave_later(self) -> None:
        if not self._closed:
            self._stay()
            loop = asyncio.get_running_loop()
            own = self._spec.idle_seconds if self._spec is not None else 0.0
            patience = min(self._idle, own) if own else self._idle
            self._leaving = loop.call_later(patience, self._leave)

    def _leave(self) -> None:
        task = asyncio.get_running_loop().create_task(self._leave_now())
        self._ends.add(task)
        task.add_done_callback(self._ends.discard)

    async def _leave_now(self) -> None:
        async with self._turn:
            if self._leaving is not None:  # nobody came meanwhile
                self._leaving = None
                with contextlib.suppress(LinkError):
                    await self._end()


async def answer(
    link: Link, request: wire.Request, deadline: float | None, payload: bytes = b""
) -> wire.Frame:
    """The answer to a request; where the asker is cancelled, the engine drops it.

    Raises:
        BadInput: The engine refuses it; the reason is the engine's own.
        MachineFault: It failed.
        LinkError: The engine ended, or took longer than the deadline.
    """
    try:
        frame = await link.ask(request, deadline=deadline, payload=payload)
    except asyncio.CancelledError:
        link.cancel(request.id)
        raise
    if isinstance(frame.message, wire.Refused):
        raise BadInput(frame.message.reason)
    if isinstance(frame.message, wire.Failed):
        raise MachineFault(f"The engine {link.name} cannot {request.KIND}: {frame.message.reason}")
    return frame
