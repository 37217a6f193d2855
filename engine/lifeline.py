"""An engine does not outlive its studio, whatever the engine is doing at that moment.

The end of its requests is what normally tells it (`engine.server` reads them on a thread). That
thread needs the interpreter, which a library stuck in native code may hold for ever; and it hears
nothing where another process has inherited the studio's end of the pipe. So the system is asked to
tell as well: Linux sends a signal when the parent dies, macOS an event to whoever waits for it.

On macOS the event is heard by a thread too: there an engine that holds the interpreter for ever
goes when it lets go, or when the machine does.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import threading
from contextlib import suppress

_PR_SET_PDEATHSIG = 1


def leave(code: int = 0) -> None:
    """End this process at once, with everything it has started in its own session."""
    if os.getpgrp() == os.getpid():
        with suppress(OSError):
            os.killpg(0, signal.SIGKILL)
    os._exit(code)


def tie(requests: int) -> None:
    """Tie this process's life to that of the one which started it.

    Args:
        requests: File descriptor of the requests; at its end the studio is gone already.
    """
    if sys.platform == "linux":
        _ask_linux()
    elif hasattr(select, "kqueue"):
        threading.Thread(target=_wait_for, args=(os.getppid(),), daemon=True).start()
    if _hung_up(requests):  # It died before it could be watched: no signal would come.
        leave()


def _ask_linux() -> None:
    """Have SIGHUP sent when the parent dies, and be dead a second after it.

    The handler is ``alarm`` itself, called with the number of the signal, which is 1: a second
    later SIGALRM ends the process. Neither step needs the interpreter. The second is for the
    thread that reads requests, which ends the children of this process as well.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    libc.signal.argtypes = (ctypes.c_int, ctypes.c_void_p)
    libc.signal.restype = ctypes.c_void_p
    libc.signal(signal.SIGHUP, ctypes.cast(libc.alarm, ctypes.c_void_p))
    libc.prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGHUP))


def _wait_for(parent: int) -> None:
    """Wait for the end of the parent, and leave with it (macOS)."""
    queue = select.kqueue()
    event = select.kevent(parent, select.KQ_FILTER_PROC, select.KQ_EV_ADD, select.KQ_NOTE_EXIT)
    try:
        if os.getppid() == parent:
            queue.control([event], 1)
    except ProcessLookupError:
        pass  # Gone in between.
    except OSError:
        return  # It cannot be watched; the end of the requests still tells.
    leave()


def _hung_up(requests: int) -> bool:
    """Whether the other end of a pipe is closed, whatever still waits in it."""
    poll = select.poll()
    poll.register(requests, 0)
    return any(state & select.POLLHUP for _, state in poll.poll(0))
