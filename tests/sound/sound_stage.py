"""A scripted stand-in for `sounddevice`: devices that misbehave, come and go."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from studio.sound import device
from studio.sound.source import Samples


class PortAudioError(Exception):
    """Stands for `sounddevice.PortAudioError`."""


class CallbackStop(Exception):
    """Ends a callback once all is drained."""


class CallbackAbort(Exception):
    """Ends a callback at once."""


class Stage:
    """What the device does, and what became of its streams."""

    def __init__(self) -> None:
        """A device that takes any rate and plays ten times as fast as it should."""
        self.rates: set[int] | None = None
        self.vanish_after = 10**9
        self.stall_after = 10**9
        self.gate = threading.Event()
        self.hangs_in = ""
        self.start_fails = False
        self.gone = False
        self.streams: list[Stream] = []
        self.gate_passed = threading.Event()
        self.names = ["Speakers", "Headset"]
        """What is plugged in, for who is told to look."""
        self.known = list(self.names)
        """What PortAudio knows."""
        self.looks = 0

    def pass_gate(self, place: str) -> None:
        """Hang in one kind of call until the test lets go."""
        if self.hangs_in == place:
            self.gate.wait(20)
            self.gate_passed.set()


class Stream:
    """An output stream whose callback is called by a thread."""

    latency = 0.1

    def __init__(self, stage: Stage, samplerate: int, blocksize: int, **options: Any) -> None:
        """Open, if the device is there and takes the rate."""
        stage.pass_gate("open")
        if stage.gone:
            raise PortAudioError("Error querying device -1")
        if stage.rates is not None and samplerate not in stage.rates:
            raise PortAudioError("Invalid sample rate")
        place = options["device"]
        if place is not None and stage.known[place] not in stage.names:
            raise PortAudioError("Device unavailable")
        self.stage, self.rate, self.block, self.options = stage, samplerate, blocksize, options
        self.heard: list[Samples] = []
        self.aborted = threading.Event()
        self.closed = False
        stage.streams.append(self)

    def start(self) -> None:
        """Begin to call back."""
        if self.stage.start_fails:
            raise PortAudioError("Unanticipated host error")
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        """Call back until the end."""
        times = types.SimpleNamespace(outputBufferDacTime=0.0, currentTime=0.0)
        with contextlib.suppress(CallbackStop, CallbackAbort):
            for count in range(10**9):
                if count >= self.stage.stall_after:
                    self.aborted.wait(20)
                if self.aborted.is_set() or count >= self.stage.vanish_after:
                    break
                out = np.full((self.block, 1), np.nan, np.float32)
                self.options["callback"](out, self.block, times, None)
                self.heard.append(out[:, 0].copy())
                time.sleep(self.block / self.rate / 10)
        self.options["finished_callback"]()

    def abort(self) -> None:
        """Fall silent."""
        self.stage.pass_gate("abort")
        self.aborted.set()

    def close(self) -> None:
        """Give the device back."""
        self.stage.pass_gate("close")
        self.closed = True


def staged(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """Put the stand-in where `sounddevice` would be found, with a caller's thread of its own."""
    made = Stage()
    module = types.ModuleType("sounddevice")
    for error in (PortAudioError, CallbackStop, CallbackAbort):
        setattr(module, error.__name__, error)

    def query_devices(name: object = None, kind: object = None) -> Any:
        """List the devices, or look for one."""
        if kind is None:
            return [] if made.gone else [found(name) for name in made.known]
        if made.gone or (name is not None and name not in made.known):
            raise PortAudioError("no such device")
        return found(made.known[0])

    def found(name: str) -> dict[str, Any]:
        """One entry of the list."""
        return {"name": name, "hostapi": 0, "max_output_channels": 2}

    def quiet() -> None:
        """End PortAudio."""

    def look() -> None:
        """Start it: only now does it see what is plugged in."""
        made.looks += 1
        made.known = list(made.names)

    vars(module).update(
        OutputStream=lambda **options: Stream(made, **options),
        query_devices=query_devices,
        _terminate=quiet,
        _initialize=look,
        _exit_handler=quiet,
    )
    monkeypatch.setitem(sys.modules, "sounddevice", module)
    caller = device._Caller()
    monkeypatch.setattr(device, "CALLER", caller)
    monkeypatch.setattr("studio.sound.player.CALLER", caller)
    monkeypatch.setattr(device, "_OPEN", set())
    yield made
    made.gate.set()
