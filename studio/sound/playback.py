"""One sound from its first callback to its end."""

from __future__ import annotations

import time
from enum import StrEnum
from threading import Event, Lock
from typing import Any

import numpy as np

from studio.sound.feeding import Feed
from studio.sound.source import Samples

TAIL_SECONDS = 0.1
"""Silence after the sound: without it devices have swallowed its last 13 ms."""
STALL_SECONDS = 3.0
"""How long a device may go without asking for samples before it counts as gone."""
KNEE = 0.8
"""Level above which a sound that is made louder is bent instead of cut off."""


class Outcome(StrEnum):
    """How a playback ended; the first that happens stays."""

    STOPPED = "stopped"
    ENDED = "ended"
    FAILED = "failed"


class Playback:
    """What the callback plays and where it is; used by several threads."""

    def __init__(self, feed: Feed, rate: int, module: Any) -> None:
        """Play ``feed`` on a device that runs at ``rate`` Hz; ``module`` is `sounddevice`."""
        self._feed = feed
        self.rate = rate
        self._module = module
        self._lock = Lock()
        self._tail = int(TAIL_SECONDS * rate)
        self._base = feed.at
        """The frame where sound set in last (start, seek, resume): none before it is heard."""
        self._silent = True
        self._block: tuple[float, int] = (0.0, feed.at)
        """When the frame after the last block taken will be heard, and that frame."""
        self._called = time.monotonic()
        self._over = 0.0
        self._played_out = False
        self.paused = False
        self.volume = 1.0
        """What samples are multiplied with; a change takes one block."""
        self._gain = -1.0
        self.outcome: Outcome | None = None
        self.reason = ""
        self.latency = 0.0
        self.finished = Event()

    def fill(self, out: Any, frames: int, times: Any, status: Any) -> None:
        """Fill one block; PortAudio's callback. Nothing but its own two exceptions leaves it."""
        with self._lock:
            self._called = time.monotonic()
            if self.outcome is not None or self._feed.failure:
                out.fill(0)
                raise self._module.CallbackAbort
            taken = 0 if self.paused else self._feed.take(out[:, 0])
            out[taken:] = 0
            if taken:
                self._amplify(out[:taken, 0])
                self._note(taken, times)
            self._silent = taken == 0
            if self._feed.at >= self._feed.frames and not self.paused:
                self._tail -= frames - taken
                self._played_out = self._tail <= 0
        if self._played_out:
            raise self._module.CallbackStop

    def _amplify(self, samples: Samples) -> None:
        """Apply the volume, in place; what would go beyond full scale is bent, not cut off."""
        before, after = self._gain, self.volume
        self._gain = after
        if before == after == 1.0 or (before < 0 and after == 1.0):
            return
        if before < 0 or before == after:
            samples *= np.float32(after)
        else:
            samples *= np.linspace(before, after, len(samples), dtype=np.float32)
        if max(before, after) > 1.0:
            over = np.abs(samples) > KNEE
            beyond = (np.abs(samples[over]) - KNEE) / (1 - KNEE)
            samples[over] = np.sign(samples[over]) * (KNEE + (1 - KNEE) * np.tanh(beyond))

    def _note(self, taken: int, times: Any) -> None:
        """Remember when the block just taken will be heard."""
        at = self._feed.at
        if self._silent:
            self._base = at - taken
        ahead = times.outputBufferDacTime - times.currentTime
        # Some systems give no times; the stream's own figure has to do then.
        delay = ahead if 0 < ahead < 2 else self.latency
        self._block = (self._called + delay + taken / self.rate, at)

    def heard(self) -> float:
        """Tell the second of the sound itself that is heard now, whatever its speed."""
        with self._lock:
            when, frame = self._block
            now = time.monotonic() if self.outcome is None else self._over
            behind = max(0.0, when - now) * self.rate
            return self._feed.heard_at(max(self._base, frame - behind)) / self.rate

    def seek(self, seconds: float) -> None:
        """Go on from another place."""
        with self._lock:
            frame = round(self._feed.frame_of(seconds * self.rate))
            frame = max(0, min(frame, self._feed.frames))
            self._feed.seek(frame)
            self._go_on_from(frame)

    def go_over_to(self, feed: Feed) -> None:
        """Take the sound from another feed from now on."""
        with self._lock:
            old, self._feed = self._feed, feed
            self._go_on_from(feed.at)
            over = self.outcome is not None
        old.close()
        if over:
            feed.close()

    def _go_on_from(self, frame: int) -> None:
        self._base = frame
        self._silent = True
        self._block = (0.0, frame)
        self._tail = int(TAIL_SECONDS * self.rate)

    def end(self, outcome: Outcome, reason: str = "") -> bool:
        """Settle how it ended, if that is not settled yet; tells whether it was not."""
        with self._lock:
            if self.outcome is not None:
                return False
            self.outcome, self.reason = outcome, reason
            self._over = time.monotonic()
        self._feed.close()
        return True

    def watch(self) -> bool:
        """Wait for the end and settle how it came; tells whether this call settled it."""
        looked = time.monotonic()
        while not self.finished.wait(0.25):
            now = time.monotonic()
            if now - looked > 1:
                # It was this process that stood still (ctrl-Z, a debugger), not the device.
                self._called = now
            looked = now
            if now - self._called > STALL_SECONDS:
                break
        if self._feed.failure:
            return self.end(Outcome.FAILED, self._feed.failure)
        if self._played_out:
            return self.end(Outcome.ENDED)
        return self.end(
            Outcome.FAILED,
            "The sound device stopped playing; check that it is still connected.",
        )
