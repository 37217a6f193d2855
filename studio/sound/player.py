"""Playing a sound: start, pause, seek, stop, and where it is."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from threading import Lock, Thread
from typing import Any

from studio.errors import MachineFault
from studio.sound.device import (
    CALLER,
    COMMON_RATE,
    OPEN_SECONDS,
    Callback,
    Output,
    Unavailable,
    open_output,
    problem,
)
from studio.sound.feeding import feed_for
from studio.sound.playback import Outcome, Playback
from studio.sound.source import AudioSource, ClipSource

__all__ = ["AudioSource", "ClipSource", "Player"]

STOP_SECONDS = 0.5
"""How long `Player.stop` waits for a device; it is told to be silent before that."""


class Player:
    """Plays one sound at a time. Safe for use by several threads."""

    def __init__(
        self,
        device: str | None = None,
        *,
        on_end: Callable[[], None] = lambda: None,
        on_fault: Callable[[str], None] = lambda reason: None,
    ) -> None:
        """Prepare to play; no device is touched yet.

        Args:
            device: Part of the device's name; None for the system's own.
            on_end: Called once when a sound has been heard to its end, and not after `stop`.
            on_fault: Called once, with a plain sentence, when a device vanishes while playing or
                a sound cannot be read further. Both are called from threads of the player.
        """
        self.device = device
        self.on_end = on_end
        self.on_fault = on_fault
        self._lock = Lock()
        self._ticket = 0
        self._current: tuple[Playback, Output] | None = None
        self._duration = 0.0

    @staticmethod
    def available(device: str | None = None) -> str | None:
        """Tell why nothing can be played, in one plain sentence, or None if sound works.

        May take some seconds where the sound system does not answer; never raises.
        """
        return problem(device)

    def play(self, source: AudioSource, start_frame: int = 0) -> None:
        """Play a sound instead of what is playing now.

        Opening a device takes tens of milliseconds, and up to some seconds where it does not
        answer: not to be called on an event loop.

        Args:
            source: What to play. A `ClipSource` is played from memory, anything else is read ahead
                by a thread of its own.
            start_frame: Frame of the source to begin with.

        Raises:
            MachineFault: Nothing can be played; the sentence says why.
        """
        self.stop()
        with self._lock:
            ticket = self._ticket
        try:
            playback, output = self._open(source, start_frame)
        except Unavailable as error:
            raise MachineFault(str(error)) from error
        with self._lock:
            superseded = ticket != self._ticket
            if not superseded:
                self._current = (playback, output)
                self._duration = source.frames / source.rate
        if superseded:  # stopped, or another sound was started, while this one was being opened
            playback.end(Outcome.STOPPED)
            CALLER.submit(output.close)
            return
        try:
            CALLER.call(output.start, OPEN_SECONDS)
        except Unavailable as error:
            playback.end(Outcome.FAILED, str(error))
            CALLER.submit(output.close)
            raise MachineFault(str(error)) from error
        Thread(
            target=self._follow, args=(playback, output), name="sound player", daemon=True
        ).start()

    def stop(self) -> None:
        """Fall silent at once. Comes back in bounded time even where the device hangs."""
        with self._lock:
            self._ticket += 1
            current = self._current
        if current is not None and current[0].end(Outcome.STOPPED):
            with contextlib.suppress(Unavailable):
                CALLER.call(current[1].abort, STOP_SECONDS)

    def pause(self) -> None:
        """Be silent and stay at this place."""
        if (playback := self._playback()) is not None:
            playback.paused = True

    def resume(self) -> None:
        """Go on after `pause`."""
        if (playback := self._playback()) is not None:
            playback.paused = False

    def seek(self, seconds: float) -> None:
        """Go on from another place, held within the sound."""
        if (playback := self._playback()) is not None:
            playback.seek(seconds)

    def close(self) -> None:
        """Stop; the player can be used again."""
        self.stop()

    @property
    def position(self) -> float:
        """The second of the sound that is heard now, or was heard last."""
        with self._lock:
            current = self._current
        if current is None:
            return 0.0
        if current[0].outcome is Outcome.ENDED:
            return self._duration
        return min(current[0].heard(), self._duration)

    @property
    def duration(self) -> float:
        """Length in seconds of the sound that is, or was last, played."""
        return self._duration

    @property
    def playing(self) -> bool:
        """Whether a sound is going on and not paused."""
        playback = self._playback()
        return playback is not None and not playback.paused

    @property
    def paused(self) -> bool:
        """Whether a sound waits to be resumed."""
        playback = self._playback()
        return playback is not None and playback.paused

    def _playback(self) -> Playback | None:
        """Give the playback that is going on."""
        with self._lock:
            current = self._current
        return None if current is None or current[0].outcome is not None else current[0]

    def _open(self, source: AudioSource, start: int) -> tuple[Playback, Output]:
        """Open the device at the sound's rate or, failing that, at a common one."""
        made: list[Playback] = []

        def callback_for(rate: int, module: Any) -> Callback:
            """Make the playback for a rate; the one that is not opened reads no more."""
            for refused in made:
                refused.end(Outcome.STOPPED)
            made.append(Playback(feed_for(source, rate, start), rate, module))
            return made[-1].fill

        rates = list(dict.fromkeys((source.rate, COMMON_RATE)))
        try:
            output = CALLER.call(
                lambda: open_output(
                    self.device, rates, callback_for, lambda: made[-1].finished.set()
                ),
                OPEN_SECONDS,
            )
        except Unavailable:
            for refused in made:
                refused.end(Outcome.STOPPED)
            raise
        made[-1].latency = output.latency
        return made[-1], output

    def _follow(self, playback: Playback, output: Output) -> None:
        """See a playback to its end, give the device back and tell how it ended."""
        settled = playback.watch()
        CALLER.submit(output.close)
        if settled and playback.outcome is Outcome.ENDED:
            self.on_end()
        elif settled:
            self.on_fault(playback.reason)
