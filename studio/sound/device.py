"""The sound device, reached through PortAudio without ever hanging or printing.

PortAudio is not made for several threads, and its calls have been seen to hang, so all of them are
made by one thread of their own, for which callers wait a bounded time.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeAlias, TypeVar

from studio.sound.outputs import find_output, output_names
from studio.sound.terminal import silenced

LATENCY = 0.1
"""Seconds between a callback and the ear that are asked for."""
BLOCK = 1024
"""Frames per callback."""
COMMON_RATE = 48000
"""What a device is asked for when it does not take a sound's own rate."""
OPEN_SECONDS = 5.0
"""How long finding or opening a device may take."""
LEAVE_SECONDS = 1.0
"""How long the end of the program may wait for a device."""
FRESH_SECONDS = 5.0
"""How long PortAudio's list of devices is taken for true where the system's own may change."""

T = TypeVar("T")
Callback: TypeAlias = Callable[[Any, int, Any, Any], None]
"""PortAudio's callback: out of shape (frames, 1), frames, times, status."""


class Unavailable(Exception):
    """Why there is no sound, in one plain sentence."""


class NotThere(Unavailable):
    """The device that was asked for by name is not there."""


class _Caller:
    """One thread that makes all calls to PortAudio, in order."""

    def __init__(self) -> None:
        """Start nothing yet: most commands never play a sound."""
        self._queue: SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = SimpleQueue()
        self._lock = Lock()
        self._started = False

    def submit(self, function: Callable[[], T]) -> Future[T]:
        """Have a function called without waiting for it."""
        future: Future[T] = Future()
        with self._lock:
            if not self._started:
                # A daemon, because a call that hangs must not keep the program from leaving.
                Thread(target=self._serve, name="sound device", daemon=True).start()
                self._started = True
        self._queue.put((function, future))
        return future

    def call(self, function: Callable[[], T], seconds: float) -> T:
        """Have a function called and wait for its result, but not for ever.

        Raises:
            Unavailable: It did not come back in time.
        """
        future = self.submit(function)
        try:
            return future.result(seconds)
        except TimeoutError:
            if not future.cancel():
                _leave_without_portaudio()
                future.add_done_callback(_close_late)
            raise Unavailable(
                "The sound device does not answer; check the sound system, or choose another "
                "device in the settings."
            ) from None

    def _serve(self) -> None:
        """Make the calls, one after the other."""
        while True:
            function, future = self._queue.get()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(function())
            except BaseException as error:
                future.set_exception(error)


CALLER = _Caller()


class Output:
    """A device opened for one sound."""

    def __init__(self, module: Any, stream: Any, rate: int) -> None:
        """Wrap an open stream of `sounddevice`."""
        self._module = module
        self._stream = stream
        self.rate = rate
        self.latency = float(stream.latency)

    def start(self) -> None:
        """Start calling back. To be called by `CALLER`."""
        try:
            with silenced():
                self._stream.start()
        except self._module.PortAudioError as error:
            raise Unavailable(_cannot_open(error)) from error

    def abort(self) -> None:
        """Fall silent at once. To be called by `CALLER`."""
        with contextlib.suppress(self._module.PortAudioError):
            self._stream.abort()

    def close(self) -> None:
        """Give the device back. To be called by `CALLER`."""
        _OPEN.discard(self)
        with contextlib.suppress(self._module.PortAudioError):
            self._stream.close()


_OPEN: set[Output] = set()
"""Outputs not yet closed; touched by `CALLER`'s thread alone."""


def problem(device: str | None = None) -> str | None:
    """Tell why nothing can be played on a device (None: the system's own), or None if it can."""

    def look() -> None:
        """Ask PortAudio for the device, and again after a fresh look at what is plugged in."""
        module = _portaudio()
        try:
            module.query_devices(device, "output")
        except (module.PortAudioError, ValueError):
            _look_again(module)
            try:
                module.query_devices(device, "output")
            except (module.PortAudioError, ValueError) as error:
                raise Unavailable(_not_found(device)) from error

    try:
        CALLER.call(look, OPEN_SECONDS)
    except Unavailable as error:
        return str(error)
    return None


def devices() -> tuple[str, ...]:
    """Names of the devices that play, after a fresh look unless something is playing now.

    May take some seconds where the sound system does not answer.

    Raises:
        Unavailable: There is no PortAudio, or it does not answer.
    """

    def look() -> tuple[str, ...]:
        """Ask PortAudio."""
        module = _portaudio()
        _look_again(module)
        return output_names(module)

    return CALLER.call(look, OPEN_SECONDS)


def open_output(
    device: str | None,
    rates: Sequence[int],
    callback_for: Callable[[int, Any], Callback],
    finished: Callable[[], None],
) -> Output:
    """Open a device at the first rate it takes. To be called by `CALLER`.

    Args:
        device: Part of its name, or None for the system's own.
        rates: In order of preference, in Hz.
        callback_for: Makes the callback for a rate; it is also given the `sounddevice` module,
            whose exceptions end a callback.
        finished: Called when the callback has ended, for whatever reason, and all is drained.

    Raises:
        NotThere: There is no one device of that name.
        Unavailable: There is no PortAudio, or no device, or it cannot be opened.
    """
    module = _portaudio()
    if device is None:
        _follow_the_system(module)
        place = None
    else:
        place = find_output(module, device)
        if place is None:
            _look_again(module)
            place = find_output(module, device)
        if place is None:
            raise NotThere(_not_found(device))
    output, failure = _try_rates(module, place, rates, callback_for, finished)
    if output is None:
        _look_again(module)
        if device is not None and (place := find_output(module, device)) is None:
            raise NotThere(_not_found(device))
        output, failure = _try_rates(module, place, rates, callback_for, finished)
    if output is not None:
        _OPEN.add(output)
        return output
    if isinstance(failure, ValueError) or not _any_output(module):
        raise Unavailable(_not_found(device)) from failure
    raise Unavailable(_cannot_open(failure)) from failure


def _try_rates(
    module: Any,
    device: int | None,
    rates: Sequence[int],
    callback_for: Callable[[int, Any], Callback],
    finished: Callable[[], None],
) -> tuple[Output | None, Exception | None]:
    """Open a device at the first rate it takes, or tell what it said to the first."""
    failure: Exception | None = None
    for rate in rates:
        try:
            with silenced():
                stream = module.OutputStream(
                    samplerate=rate,
                    channels=1,
                    dtype="float32",
                    device=device,
                    latency=LATENCY,
                    blocksize=BLOCK,
                    callback=callback_for(rate, module),
                    finished_callback=finished,
                )
            return Output(module, stream, rate), None
        except (module.PortAudioError, ValueError) as error:
            # ValueError: no device at all.
            failure = failure or error
    return None, failure


def _portaudio() -> Any:
    """Import `sounddevice`, which initialises PortAudio."""
    with silenced():
        try:
            module = importlib.import_module("sounddevice")
        except (OSError, ImportError) as error:
            raise Unavailable(_no_portaudio()) from error
        except Exception as error:  # PortAudioError, which has no name before the import
            raise Unavailable(
                f"Nothing can be played because PortAudio does not start ({error}); check the "
                "sound system."
            ) from error
    # Registered after sounddevice's own handler, so that it is called before that one; once only.
    atexit.unregister(_fall_silent)
    atexit.register(_fall_silent)
    return module


def _fall_silent() -> None:
    """Close what still plays when the program ends: PortAudio's own end would wait for ever."""

    def close_all() -> None:
        """Abort first: closing a running stream is what hangs."""
        for output in list(_OPEN):
            output.abort()
            output.close()

    with contextlib.suppress(Unavailable):
        CALLER.call(close_all, LEAVE_SECONDS)


def _look_again(module: Any) -> None:
    """Have PortAudio look for devices anew: its list is made once, when it starts."""
    global _looked
    if _OPEN:
        return
    with silenced(), contextlib.suppress(module.PortAudioError):
        module._terminate()
        module._initialize()
    _looked = time.monotonic()


_looked = 0.0
"""When PortAudio looked for devices last; touched by `CALLER`'s thread alone."""


def _follow_the_system(module: Any) -> None:
    """Have PortAudio learn which device is the system's own now.

    On Linux the sound server sees to that. macOS tells it to PortAudio once, so that headphones
    connected since would stay silent.
    """
    if sys.platform == "darwin" and time.monotonic() - _looked > FRESH_SECONDS:
        _look_again(module)


def _any_output(module: Any) -> bool:
    """Tell whether PortAudio knows any device that plays."""
    return any(device["max_output_channels"] > 0 for device in module.query_devices())


def _close_late(future: Future[Any]) -> None:
    """Close an output that was opened after its caller had given up."""
    if future.exception() is None and isinstance(output := future.result(), Output):
        output.close()


def _leave_without_portaudio() -> None:
    """Keep a call that hangs from holding up the end of the program as well."""
    handler = getattr(sys.modules.get("sounddevice"), "_exit_handler", None)
    if handler is not None:
        atexit.unregister(handler)


def _no_portaudio() -> str:
    """Say how to get PortAudio."""
    how = (
        "sudo apt-get install libportaudio2"
        if Path("/etc/debian_version").exists()
        else "your system's package manager (portaudio)"
    )
    return f"Nothing can be played because PortAudio is missing; install it with: {how}"


def _not_found(device: str | None) -> str:
    """Say that there is no such device."""
    if device is None:
        return (
            "Nothing can be played because no sound device was found; connect one or start the "
            "sound server. Narrating and exporting work without."
        )
    return (
        f"Nothing can be played because there is no one sound device named “{device}”; choose "
        "another in the settings."
    )


def _cannot_open(error: Exception | None) -> str:
    """Say that a device is there but cannot be used."""
    detail = str(error.args[0]) if error is not None and error.args else "unknown error"
    return f"The sound device cannot be opened ({detail}); check that nothing else holds it."
