"""The footprint of a process: the memory the system charges to it.

Linux: Pss_Anon + Pss_Shmem + SwapPss of ``/proc/PID/smaps_rollup``. Plain Pss is not it, because it
moves when a sibling worker comes or goes with whom file pages (libraries, weights) are shared.
macOS: ``phys_footprint``, the figure that Activity Monitor shows and that the system acts on.
This module is stdlib only: the studio measures its workers with it, the engine itself.
"""

from __future__ import annotations

import ctypes
import math
import os
import sys
import time
from typing import Any

_COUNTED = (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:")
"""Lines of ``smaps_rollup`` that make up the footprint (all in kB)."""


def footprint(pid: int | None = None) -> int:
    """Measure a process.

    Args:
        pid: The process; None means this one.

    Returns:
        The footprint in bytes.

    Raises:
        ProcessLookupError: There is no such process (any more).
        PermissionError: The process belongs to somebody else.
        OSError: The system does not tell, or this platform is not supported.
    """
    if sys.platform == "darwin":
        return _own_darwin() if pid is None or pid == os.getpid() else _other_darwin(pid)
    if sys.platform == "linux":
        return _linux("self" if pid is None else str(pid))
    raise OSError(f"there is no way to measure a process on {sys.platform}")


class Gauge:
    """This process's own footprint, cheap enough to be asked after every clip.

    On Linux a full measurement walks the page tables (4 ms for 250 MB, a tenth of a short clip). In
    between, what the kernel counts anyway is enough: the last full measurement, plus the change of
    the anonymous, shared-memory and swapped sizes since then. These differ from the footprint only
    in what a process shares, which an engine does not change from clip to clip.
    """

    def __init__(self, interval: float = 1.0) -> None:
        """Measure fully at most every so many seconds."""
        self._interval = interval
        self._measured = -math.inf
        self._full = 0
        self._counted = 0

    def read(self) -> int:
        """The footprint in bytes.

        Raises:
            OSError: The system does not tell.
        """
        if sys.platform != "linux":
            return footprint()
        now = time.monotonic()
        with open("/proc/self/status", "rb", buffering=0) as file:
            counted = parse_status(file.read(8192))
        if now - self._measured >= self._interval:
            self._full, self._counted, self._measured = footprint(), counted, now
        return max(0, self._full + counted - self._counted)


def parse_status(text: bytes) -> int:
    """Sum what ``/proc/PID/status`` counts of anonymous, shared and swapped memory, in bytes."""
    names = (b"RssAnon:", b"RssShmem:", b"VmSwap:")
    words = (line.split() for line in text.splitlines())
    return sum(int(parts[1]) * 1024 for parts in words if len(parts) == 3 and parts[0] in names)


def _linux(name: str) -> int:
    """Read the footprint from proc; a process that is gone is a `ProcessLookupError`."""
    try:
        with open(f"/proc/{name}/smaps_rollup", "rb", buffering=0) as file:
            text = file.read(8192)
    except FileNotFoundError as error:
        if os.path.isdir(f"/proc/{name}"):
            raise OSError("this kernel does not tell what a process shares") from error
        raise ProcessLookupError(f"there is no process {name}") from error
    return parse_rollup(text)


def parse_rollup(text: bytes) -> int:
    """Sum the counted lines of ``smaps_rollup``.

    Raises:
        ProcessLookupError: None of them is there: the process has no memory any more.
    """
    sizes = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 3 and words[0] in _COUNTED:
            sizes[words[0]] = int(words[1]) * 1024
    if b"Pss_Anon:" not in sizes:
        raise ProcessLookupError("the process has no memory any more")
    return sum(sizes.values())


class TaskVmInfo(ctypes.Structure):
    """``task_vm_info`` of <mach/task_info.h>, up to and with revision 1.

    The header packs it to 4 bytes. As both 32-bit members stand side by side right after the first
    64-bit one, every 64-bit member falls on a multiple of 8 all the same, so packing moves nothing
    and is not repeated here.
    Revision 1 ends with ``phys_footprint``; the kernel fills in as much as the caller's count asks
    for, so that later revisions need not be declared.
    """

    _fields_ = (
        ("virtual_size", ctypes.c_uint64),
        ("region_count", ctypes.c_int32),
        ("page_size", ctypes.c_int32),
        ("resident_size", ctypes.c_uint64),
        ("resident_size_peak", ctypes.c_uint64),
        ("device", ctypes.c_uint64),
        ("device_peak", ctypes.c_uint64),
        ("internal", ctypes.c_uint64),
        ("internal_peak", ctypes.c_uint64),
        ("external", ctypes.c_uint64),
        ("external_peak", ctypes.c_uint64),
        ("reusable", ctypes.c_uint64),
        ("reusable_peak", ctypes.c_uint64),
        ("purgeable_volatile_pmap", ctypes.c_uint64),
        ("purgeable_volatile_resident", ctypes.c_uint64),
        ("purgeable_volatile_virtual", ctypes.c_uint64),
        ("compressed", ctypes.c_uint64),
        ("compressed_peak", ctypes.c_uint64),
        ("compressed_lifetime", ctypes.c_uint64),
        ("phys_footprint", ctypes.c_uint64),
    )


class RusageInfoV0(ctypes.Structure):
    """``rusage_info_v0`` of <sys/resource.h>: the oldest revision already has the footprint."""

    _fields_ = (
        ("ri_uuid", ctypes.c_uint8 * 16),
        ("ri_user_time", ctypes.c_uint64),
        ("ri_system_time", ctypes.c_uint64),
        ("ri_pkg_idle_wkups", ctypes.c_uint64),
        ("ri_interrupt_wkups", ctypes.c_uint64),
        ("ri_pageins", ctypes.c_uint64),
        ("ri_wired_size", ctypes.c_uint64),
        ("ri_resident_size", ctypes.c_uint64),
        ("ri_phys_footprint", ctypes.c_uint64),
        ("ri_proc_start_abstime", ctypes.c_uint64),
        ("ri_proc_exit_abstime", ctypes.c_uint64),
    )


TASK_VM_INFO = 22
TASK_VM_INFO_REV1_COUNT = 38
"""Size of `TaskVmInfo` in the kernel's unit, 32-bit words."""
RUSAGE_INFO_V0 = 0

# A field too many or too few would be read as nonsense, silently: better not to start at all.
for _struct, _size, _name, _offset in (
    (TaskVmInfo, TASK_VM_INFO_REV1_COUNT * 4, "phys_footprint", 144),
    (RusageInfoV0, 96, "ri_phys_footprint", 72),
):
    if ctypes.sizeof(_struct) != _size or getattr(_struct, _name).offset != _offset:
        raise ImportError(f"{_struct.__name__} is not laid out as the system's headers say")


def _system() -> Any:
    """The C library, which on macOS is the whole system interface."""
    return ctypes.CDLL(None, use_errno=True)


def _own_darwin() -> int:
    """The footprint of this process, from its own task."""
    system = _system()
    info = TaskVmInfo()
    count = ctypes.c_uint32(TASK_VM_INFO_REV1_COUNT)
    system.mach_task_self.restype = ctypes.c_uint32
    task = ctypes.c_uint32(system.mach_task_self())
    result = system.task_info(task, TASK_VM_INFO, ctypes.byref(info), ctypes.byref(count))
    if result != 0 or count.value < TASK_VM_INFO_REV1_COUNT:
        raise OSError(f"task_info answered {result} with {count.value} words")
    return int(info.phys_footprint)


def _other_darwin(pid: int) -> int:
    """The footprint of another process of the same user."""
    info = RusageInfoV0()
    if _system().proc_pid_rusage(ctypes.c_int(pid), RUSAGE_INFO_V0, ctypes.byref(info)) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))  # ESRCH and EPERM become their own classes
    return int(info.ri_phys_footprint)
