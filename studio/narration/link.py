"""One engine process and the stream to it: start, ask, stop, and never hang on a dead one.

asyncio's ``Process.wait()`` is not used: it waits until every pipe is closed, which a grandchild
that inherited one can put off for ever. A `asyncio.SubprocessProtocol` hears of the exit itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import shutil
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine import wire
from studio.narration import empty_folder
from studio.narration.engine_log import RotatingLog, Tail
from studio.narration.faults import CannotStart, EngineGone, LinkError, Overdue, describe_exit

DRAIN_SECONDS = 0.2
"""How long a dead engine's last words are waited for when something still holds its stdout."""

CLOSED_SECONDS = 1.0
"""How long an engine may live on after it closed its stdout."""

REAP_SECONDS = 5.0
"""How long the system may take to end a killed process before it is given up."""

PIPE_BYTES = 1024 * 1024
"""Wished size of the stdout pipe: a whole clip fits, so that writing it never idles the engine."""


Answer = wire.Frame | LinkError
"""How a call ends: the last event of its id, or why there will be none."""


@dataclass(frozen=True, slots=True)
class _Call:
    """One request without an answer yet."""

    on_answer: Callable[[Answer], None]
    on_event: Callable[[wire.Event], None] | None


class Link:
    """The studio's end of one engine process. One event loop, no locks."""

    def __init__(self, name: str, log: RotatingLog) -> None:
        """Prepare; `start` makes the process.

        Args:
            name: The engine's name, for messages.
            log: Where its stderr goes.
        """
        self.name = name
        self.tail = Tail()
        self.pid = 0
        self.ended = asyncio.Event()
        """Set once the process is gone and every call has been answered."""
        self.gone: EngineGone | None = None
        """How it ended."""
        self.card: wire.Card | None = None
        self.on_end: Callable[[EngineGone], None] | None = None
        """Called once when the process is gone, after the pending calls were answered."""
        self._log = log
        self._decoder = wire.Decoder()
        self._calls: dict[int, _Call] = {}
        self._ids = 0
        self._hello: asyncio.Future[wire.Hello] = asyncio.get_running_loop().create_future()
        self._transport: asyncio.SubprocessTransport | None = None
        self._folder = ""
        self._starting = False
        self._doomed = False
        self._exited = False
        self._open = {1, 2}
        self._blame = ""

    async def start(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        deadline: float | None = 60.0,
    ) -> wire.Card:
        """Start the process in its own session and hear its greeting.

        Args:
            command: Program and arguments, as `studio.engines.catalogue` gives them.
            environment: All of the environment the process gets.
            deadline: Seconds until its greeting; None where somebody else watches.

        Returns:
            What the engine says of itself before its model is loaded.

        Raises:
            CannotStart: No such program, or it speaks something else.
            EngineGone: It ended before it greeted.
        """
        if self.gone is not None:
            raise self.gone  # Called off before it began.
        self._folder = empty_folder.make()
        self._starting = True
        loop = asyncio.get_running_loop()
        try:
            await loop.subprocess_exec(
                lambda: _Pipes(self),
                *command,
                env=dict(environment),
                cwd=self._folder,
                start_new_session=True,
            )
        except OSError as error:
            self._finish()
            raise CannotStart(
                f"The engine {self.name} cannot be started: {command[0]}: "
                f"{error.strerror or error}. Check [engines.{self.name}] in config.toml."
            ) from error
        except BaseException:
            self._finish()
            raise
        try:
            async with asyncio.timeout(deadline):
                hello = await asyncio.shield(self._hello)
        except TimeoutError:
            await self.kill(f"The engine {self.name} said nothing within {deadline:.0f} seconds.")
            raise self._gone() from None
        except BaseException:
            await self.kill()
            raise
        if hello.protocol != wire.PROTOCOL:
            await self.kill()
            raise CannotStart(
                f"The engine {self.name} speaks protocol {hello.protocol} and this studio speaks "
                f"{wire.PROTOCOL}: install the engine that belongs to this version."
            )
        self.card = hello.card
        return hello.card

    # ---- asking ----------------------------------------------------------------------------------

    def next_id(self) -> int:
        """A request id that this process has not seen."""
        self._ids += 1
        return self._ids

    def send(
        self,
        request: wire.Request,
        on_answer: Callable[[Answer], None],
        on_event: Callable[[wire.Event], None] | None = None,
        payload: bytes = b"",
    ) -> None:
        """Write a request; its answer comes to ``on_answer``, exactly once.

        Args:
            request: What to ask, with an id from `next_id`.
            on_answer: Gets the answering frame, or the error that there will be none.
            on_event: Gets what is said on the way: loading, stage.
            payload: What goes with it, such as the sound to listen to.
        """
        if self.gone is not None:
            on_answer(self.gone)
            return
        self._calls[request.id] = _Call(on_answer, on_event)
        self._write(request, payload)

    def forget(self, request: int) -> None:
        """Give a request up: whatever still comes for it is skipped."""
        self._calls.pop(request, None)

    async def ask(
        self,
        request: wire.Request,
        *,
        deadline: float | None,
        on_event: Callable[[wire.Event], None] | None = None,
        payload: bytes = b"",
    ) -> wire.Frame:
        """Send a request and await its answer, for ``deadline`` seconds or as long as it takes.

        Raises:
            EngineGone: The process ended first.
            Overdue: The deadline passed first; the process still runs.
        """
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

        def settle(answer: Answer) -> None:
            if not answered.done():
                answered.set_result(answer)

        self.send(request, settle, on_event, payload)
        try:
            async with asyncio.timeout(deadline):
                answer = await answered
        except TimeoutError:
            raise Overdue(
                f"The engine {self.name} has not answered “{request.KIND}” "
                f"within {deadline:.0f} seconds."
            ) from None
        finally:
            self.forget(request.id)
        if isinstance(answer, LinkError):
            raise answer
        return answer

    def cancel(self, request: int) -> None:
        """Ask the engine to drop a request; the request itself is answered, not this."""
        if self.gone is None:
            self._write(wire.Cancel(self.next_id(), request))

    # ---- ending ----------------------------------------------------------------------------------

    async def stop(self, grace: float) -> None:
        """Ask, then TERM the group, then KILL it; returns when the process is gone.

        Args:
            grace: Seconds for the polite steps together.
        """
        if self.gone is None and self._transport is not None:
            with contextlib.suppress(wire.WireError):
                self._write(wire.Shutdown(self.next_id()))
            if await self._ends_within(grace / 2):
                return
            self._signal(signal.SIGTERM)
            if await self._ends_within(grace / 2):
                return
        await self.kill()

    async def kill(self, reason: str = "") -> None:
        """End the process group now.

        Args:
            reason: Why, in plain words; what pending calls are told.
        """
        self.strike(reason)
        if not await self._ends_within(REAP_SECONDS):
            # The system cannot end it (a hung disk or driver): tell the callers all the same.
            self._log.note(f"process {self.pid} survives SIGKILL; given up")
            self._finish()

    def strike(self, reason: str = "") -> None:
        """Send KILL to the group and return; the end is heard of later."""
        self._blame = self._blame or reason
        self._doomed = True
        if not self._starting:
            self._finish()
        self._signal(signal.SIGKILL)

    async def _ends_within(self, seconds: float) -> bool:
        """Whether the process is gone before the time is up."""
        try:
            async with asyncio.timeout(seconds):
                await self.ended.wait()
        except TimeoutError:
            return False
        return True

    def _signal(self, number: signal.Signals) -> None:
        """Signal the process group; the group is ours, since `start` made the session."""
        if self.pid and self.gone is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    # ---- what the pipes tell ---------------------------------------------------------------------

    def _connected(self, transport: asyncio.SubprocessTransport) -> None:
        """The process runs."""
        self._transport = transport
        self.pid = transport.get_pid()
        self._log.note(f"{self.name}: process {self.pid} started")
        if self._doomed:
            self._signal(signal.SIGKILL)
        stdout = transport.get_pipe_transport(1)
        if sys.platform == "linux" and stdout is not None:
            # An engine that ended at once may be heard of before its start is: its pipe is closed.
            with contextlib.suppress(OSError, ValueError):
                fcntl.fcntl(stdout.get_extra_info("pipe"), fcntl.F_SETPIPE_SZ, PIPE_BYTES)

    def _heard(self, data: bytes) -> None:
        """Bytes from the engine's wire."""
        if self._blame:
            return
        try:
            for frame in self._decoder.feed(data):
                self._dispatch(frame)
                if self._blame:
                    return  # What it says after it was given up must not be charged to anybody.
        except wire.WireError as error:
            self._log.note(f"process {self.pid}: {error}")
            self.strike(
                f"The engine {self.name} wrote something that is not the studio’s protocol "
                f"({error}); it was ended. Its log may tell why: {self._log.path}"
            )

    def _heard_error(self, data: bytes) -> None:
        """Bytes from the engine's stderr."""
        self.tail.feed(data)
        self._log.write(data)

    def _dispatch(self, frame: wire.Frame) -> None:
        """Bring one message to the call it belongs to."""
        message = frame.message
        if not self._hello.done():
            if not isinstance(message, wire.Hello):
                raise wire.WireError("it did not greet first")
            self._hello.set_result(message)
        elif isinstance(message, wire.Bye):
            self._log.note(f"process {self.pid} says bye: {message.reason}")
        elif isinstance(message, (wire.Loading, wire.Stage)):
            call = self._calls.get(message.id)
            if call is not None and call.on_event is not None:
                call.on_event(message)
        elif isinstance(
            message,
            (
                wire.Loaded,
                wire.Prepared,
                wire.Clip,
                wire.Heard,
                wire.Refused,
                wire.Failed,
                wire.Measured,
            ),
        ):
            call = self._calls.pop(message.id, None)
            if call is None:
                self._log.note(
                    f"process {self.pid}: “{message.KIND}” for request {message.id}, "
                    "which is not waiting; skipped"
                )
            else:
                call.on_answer(frame)
        else:
            kind = message.kind if isinstance(message, wire.Unknown) else message.KIND
            self._log.note(f"process {self.pid}: a message of kind “{kind}”; skipped")

    def _pipe_ended(self, fd: int) -> None:
        """The engine closed its wire or its stderr; without a wire it is dead, or soon must be."""
        self._open.discard(fd)
        if self._exited:
            if not self._open:
                self._finish()
        elif fd == 1:
            asyncio.get_running_loop().call_later(CLOSED_SECONDS, self.strike)

    def _process_exited(self) -> None:
        """The process is dead; its last words may still be in the pipes."""
        self._exited = True
        if self._open:
            asyncio.get_running_loop().call_later(DRAIN_SECONDS, self._finish)
        else:
            self._finish()

    def _finish(self) -> None:
        """Answer everybody and leave nothing behind."""
        if self.gone is not None:
            return
        # Whatever the engine started in its session goes with it.
        self._signal(signal.SIGKILL)
        self.gone = self._gone()
        self._log.note(f"{self.name}: process {self.pid} is gone: {self.gone}")
        if self._transport is not None:
            self._transport.close()
        self._remove_folder()
        calls, self._calls = self._calls, {}
        for call in calls.values():
            call.on_answer(self.gone)
        if not self._hello.done():
            self._hello.set_exception(self.gone)
            self._hello.exception()  # Seen: nobody may be waiting for it any more.
        self.ended.set()
        if self.on_end is not None:
            self.on_end(self.gone)

    def _gone(self) -> EngineGone:
        """How the process ended, in words."""
        if self.gone is not None:
            return self.gone
        code = self._transport.get_returncode() if self._transport is not None else None
        tail = self.tail.lines()
        return EngineGone(self._blame or describe_exit(self.name, code, tail), code, tail)

    def _remove_folder(self) -> None:
        """Remove the private working folder."""
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = ""

    def _write(self, request: wire.Request, payload: bytes = b"") -> None:
        """One request to the engine's stdin; a closed pipe is heard of through the exit."""
        line = wire.encode(request, payload)
        stdin = self._transport.get_pipe_transport(0) if self._transport is not None else None
        if isinstance(stdin, asyncio.WriteTransport) and not stdin.is_closing():
            stdin.write(line)
            if payload:
                stdin.write(payload)


class _Pipes(asyncio.SubprocessProtocol):
    """Hands what asyncio hears of the process to its link."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._link._connected(transport)

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        assert isinstance(data, bytes)
        if fd == 1:
            self._link._heard(data)
        else:
            self._link._heard_error(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd in (1, 2):
            self._link._pipe_ended(fd)

    def process_exited(self) -> None:
        self._link._process_exited()
