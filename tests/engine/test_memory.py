"""The footprint, against processes that hold a known amount of memory; macOS by its layouts."""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import subprocess
import sys
from pathlib import Path

import pytest
from memory_holder import holder

from engine import memory

MB = 1 << 20
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def test_private_memory_counts_in_full() -> None:
    with holder("held = b'x' * (60 * 1024 * 1024)") as held:
        assert held.hold() == pytest.approx(60 * MB, abs=3 * MB)


SHARED = """
held = mmap.mmap(-1, 60 * 1024 * 1024)
for page in range(0, len(held), 4096): held[page] = 1
"""

SIBLING = """
reader, writer = os.pipe()
if not os.fork():
    sum(held[page] for page in range(0, len(held), 4096))
    os.write(writer, b"touched")
    os.read(0, 1)
    os._exit(0)
os.read(reader, 7)
"""


@LINUX
def test_shared_memory_counts_in_full_for_its_only_owner() -> None:
    with holder(SHARED) as held:
        assert held.hold() == pytest.approx(60 * MB, abs=3 * MB)


@LINUX
def test_shared_memory_counts_by_half_beside_a_sibling() -> None:
    with holder(SHARED + SIBLING) as held:
        assert held.hold() == pytest.approx(30 * MB, abs=6 * MB)


@LINUX
def test_file_pages_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "weights"
    path.write_bytes(b"x" * (60 * MB))
    body = """
file = open(sys.argv[1], "rb")
held = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
total = sum(held[page] for page in range(0, len(held), 4096))
"""
    with holder(body, str(path)) as held:
        assert held.hold() < 4 * MB


def test_this_process_by_itself_and_by_number() -> None:
    assert memory.footprint() == pytest.approx(memory.footprint(os.getpid()), rel=0.05)
    assert MB < memory.footprint() < 8192 * MB


def test_a_process_that_is_gone() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait(10)
    with pytest.raises(ProcessLookupError):
        memory.footprint(process.pid)


@LINUX
def test_a_process_that_is_dead_but_not_buried() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    assert process.stdout.read() == b""  # closed by its end
    process.stdout.close()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    with pytest.raises(ProcessLookupError):
        memory.footprint(process.pid)
    process.wait(10)


@LINUX
def test_the_counted_lines_and_no_others() -> None:
    text = b"""1000-2000 ---p 0 00:00 0 [rollup]
Rss:              900 kB
Pss:              800 kB
Pss_Dirty:        700 kB
Pss_Anon:          10 kB
Pss_File:         500 kB
Pss_Shmem:          3 kB
Anonymous:        600 kB
Swap:              50 kB
SwapPss:            2 kB
"""
    assert memory.parse_rollup(text) == 15 * 1024
    with pytest.raises(ProcessLookupError):
        memory.parse_rollup(b"")


@LINUX
def test_the_gauge_follows_between_full_measurements() -> None:
    gauge = memory.Gauge(interval=3600)
    before = gauge.read()
    assert before == pytest.approx(memory.footprint(), abs=2 * MB)
    held = mmap.mmap(-1, 40 * MB, flags=mmap.MAP_PRIVATE)
    for page in range(0, len(held), 4096):
        held[page] = 1
    assert gauge.read() - before == pytest.approx(40 * MB, abs=3 * MB)
    held.close()
    assert gauge.read() - before == pytest.approx(0, abs=3 * MB)


def test_the_gauge_measures_anew_in_time() -> None:
    assert memory.Gauge(interval=0).read() == pytest.approx(memory.footprint(), abs=4 * MB)


def test_layouts_are_those_of_the_macos_headers() -> None:
    """<mach/task_info.h> (packed to 4) and <sys/resource.h>, by size and offset."""
    info = memory.TaskVmInfo
    assert ctypes.sizeof(info) == 152 == memory.TASK_VM_INFO_REV1_COUNT * 4
    offsets = {"region_count": 8, "page_size": 12, "resident_size": 16, "internal": 48}
    offsets |= {"compressed": 120, "phys_footprint": 144}
    assert {name: getattr(info, name).offset for name in offsets} == offsets
    assert all(getattr(info, name).size in (4, 8) for name, _ in info._fields_)

    usage = memory.RusageInfoV0
    assert ctypes.sizeof(usage) == 96
    offsets = {"ri_uuid": 0, "ri_user_time": 16, "ri_resident_size": 64, "ri_phys_footprint": 72}
    assert {name: getattr(usage, name).offset for name in offsets} == offsets


class FakeDarwin:
    """The calls of macOS that are used; they check what they are given."""

    def __init__(self) -> None:
        self.mach_task_self = MachTaskSelf()

    def task_info(self, task, flavor, info, count):
        assert (task.value, flavor, count._obj.value) == (0x203, 22, 38)
        ctypes.memset(ctypes.byref(info._obj, 144), 0x11, 8)
        return 0

    def proc_pid_rusage(self, pid, flavor, info):
        assert flavor == 0
        if pid.value == 42:
            ctypes.memset(ctypes.byref(info._obj, 72), 0x22, 8)
            return 0
        ctypes.set_errno(errno.EPERM if pid.value == 1 else errno.ESRCH)
        return -1


class MachTaskSelf:
    """A C function, whose result type can be set."""

    restype: object = None

    def __call__(self) -> int:
        return 0x203


def test_macos_reads_the_right_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_system", FakeDarwin)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert memory.footprint() == memory.footprint(os.getpid()) == 0x1111111111111111
    assert memory.Gauge().read() == 0x1111111111111111
    assert memory.footprint(42) == 0x2222222222222222
    with pytest.raises(PermissionError):
        memory.footprint(1)
    with pytest.raises(ProcessLookupError):
        memory.footprint(7)


def test_another_platform_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "plan9")
    with pytest.raises(OSError, match="plan9"):
        memory.footprint()
