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
    NotThere,
    Output,
    Unavailable,
    devices,
    open_output,
    problem,
)
from studio.sound.feeding import Feed, feed_for
from studio.sound.playback import Outcome, Playback
from studio.sound.source import AudioSource, ClipSource
from studio.sound.stretching import Tempo

__all__ = ["AudioSource", "ClipSource", "Player"]

STOP_SECONDS = 0.5
"""How long `Player.stop` waits for a device; it is told to be silent before that."""
MOST_VOLUME = 1.5
"""How loud it gets; more would be heard as distortion."""


class Player:
    """Plays one sound at a time. Safe for use by several threads."""

    def __init__(
        self,
        device: str | None = None,
        *,
        on_end: Callable[[], None] = lambda: None,
        on_fault: Callable[[str], None] = lambda reason: None,
        on_notice: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        """Prepare to play; no device is touched yet.

        Args:
            device: The device's name, or a part that no other has; None for the system's own.
                Where it is not there, the system's own is played on until it is.
            on_end: Called once when a sound has been heard to its end, and not after `stop`.
            on_fault: Called once, with a plain sentence, when a device vanishes while playing or
                a sound cannot be read further.
            on_notice: Told in one plain sentence what is not as it was asked for, while the sound
                goes on. All three are called from threads of the player.
        """
        self.device = device
        self.on_end = on_end
        self.on_fault = on_fault
        self.on_notice = on_notice
        self._lock = Lock()
        self._ticket = 0
        self._current: tuple[Playback, Output] | None = None
        self._source: AudioSource | None = None
        self._volume = 1.0
        self._tempo = Tempo(lambda sentence: self.on_notice(sentence))
        self._told_of: str | None = None
        """The device whose absence was told, until it is there again."""

    @staticmethod
    def available(device: str | None = None) -> str | None:
        """Tell why nothing can be played, in one plain sentence, or None if sound works.

        May take some seconds where the sound system does not answer; never raises.
        """
        return problem(device)

    @staticmethod
    def devices() -> tuple[str, ...]:
        """Name the devices that can be played on.

        May take some seconds where the sound system does not answer.

        Raises:
            MachineFault: There is no sound system; the sentence says why.
        """
        try:
            return devices()
        except Unavailable as error:
            raise MachineFault(str(error)) from error

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
                self._current, self._source = (playback, output), source
                playback.volume = self._volume
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
        """Stop and end the helper; the player can be used again."""
        self.stop()
        self._tempo.close()

    @property
    def volume(self) -> float:
        """How loud it is: 1 for as it is, 0 for silence, at most 1.5."""
        return self._volume

    @volume.setter
    def volume(self, volume: float) -> None:
        self._volume = max(0.0, min(volume, MOST_VOLUME))
        with self._lock:
            current = self._current
        if current is not None:
            current[0].volume = self._volume

    @property
    def speed(self) -> float:
        """How fast it plays, at the same pitch; 1 for as it is."""
        return self._tempo.speed

    def set_speed(self, speed: float) -> None:
        """Play at another speed from now on, what plays now included.

        May start a process: not to be called on an event loop.
        """
        if speed == self._tempo.speed:
            return
        self._tempo.speed = speed
        if speed == 1.0:
            self._tempo.close()
        else:
            self._tempo.warm_up()
        with self._lock:
            current, source = self._current, self._source
        if current is not None and source is not None and current[0].outcome is None:
            playback = current[0]
            start = int(playback.heard() * source.rate)
            playback.go_over_to(self._feed(source, playback.rate, start))

    def set_device(self, device: str | None) -> None:
        """Play on another device from now on, what plays now included.

        Opens the device where something plays: not to be called on an event loop.

        Raises:
            MachineFault: Nothing can be played there.
        """
        self.device = device
        self._told_of = None
        playback, source = self._playback(), self._source
        if playback is not None and source is not None:
            self.play(source, int(playback.heard() * source.rate))

    @property
    def position(self) -> float:
        """The second of the sound that is heard now, or was heard last; at any speed."""
        with self._lock:
            current = self._current
        if current is None:
            return 0.0
        if current[0].outcome is Outcome.ENDED:
            return self.duration
        return min(current[0].heard(), self.duration)

    @property
    def duration(self) -> float:
        """Length in seconds of the sound that is, or was last, played; at any speed."""
        source = self._source
        return 0.0 if source is None else source.frames / source.rate

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
            made.append(Playback(self._feed(source, rate, start), rate, module))
            made[-1].volume = self._volume
            return made[-1].fill

        rates = list(dict.fromkeys((source.rate, COMMON_RATE)))
        device = self.device

        def open_device(name: str | None) -> Output:
            """Open one device; for `CALLER`."""
            return open_output(name, rates, callback_for, lambda: made[-1].finished.set())

        try:
            try:
                output = CALLER.call(lambda: open_device(device), OPEN_SECONDS)
                self._told_of = None
            except NotThere:
                output = CALLER.call(lambda: open_device(None), OPEN_SECONDS)
                self._tell_of(device)
        except Unavailable:
            for refused in made:
                refused.end(Outcome.STOPPED)
            raise
        made[-1].latency = output.latency
        return made[-1], output

    def _feed(self, source: AudioSource, rate: int, start: int) -> Feed:
        """Make the feed of a sound at the speed that is set."""
        return feed_for(source, rate, start, None if self.speed == 1.0 else self._tempo)

    def _tell_of(self, device: str | None) -> None:
        """Say once that a device is not there."""
        if device != self._told_of:
            self._told_of = device
            self.on_notice(f"“{device}” is not here; playing on the system's own device.")

    def _follow(self, playback: Playback, output: Output) -> None:
        """See a playback to its end, give the device back and tell how it ended."""
        settled = playback.watch()
        CALLER.submit(output.close)
        if settled and playback.outcome is Outcome.ENDED:
            self.on_end()
        elif settled:
            self.on_fault(playback.reason)
