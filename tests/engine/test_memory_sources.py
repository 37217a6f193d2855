"""The footprint against two other readings of the same process: smaps by hand, and psutil.

smaps lists every mapping, so anonymous, shared and file pages are told apart by what each mapping
is. psutil's uss is what the process alone holds and its pss is everything it holds a share of:
where memory is private all three grow together, and where it is shared, or belongs to a file, each
of them must differ from the others in its own way.
"""

from __future__ import annotations

import mmap
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from memory_holder import Holder, holder

from engine import memory

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

MB = 1 << 20
HELD = 60 * MB
CLOSE = 2 * MB
"""What an interpreter takes for itself between two readings."""

MAPPING = re.compile(r"^[0-9a-f]+-[0-9a-f]+ (\S+) \S+ \S+ (\d+) *(.*)$")
SHARED = ("/dev/shm/", "/dev/zero", "/memfd:", "/SYSV")
"""Names under which Linux lists memory that has no file behind it."""


@dataclass(frozen=True)
class Reading:
    """One process in bytes, by three sources."""

    footprint: int
    by_hand: int
    uss: int
    pss: int
    swap: int

    def since(self, before: Reading) -> Reading:
        """What has come since an earlier reading."""
        names = ("footprint", "by_hand", "uss", "pss", "swap")
        return Reading(*(getattr(self, name) - getattr(before, name) for name in names))


def smaps_by_hand(pid: int) -> int:
    """Sum the anonymous, shared-memory and swapped parts over all mappings, in bytes.

    A private mapping of a file holds anonymous pages too, where the process has written to it. Of
    these smaps tells the whole, not the share; a process without a fork sibling has them alone.
    """
    total, counted = 0, "none"
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        if mapping := MAPPING.match(line):
            _, inode, name = mapping.groups()
            memory_only = inode == "0" or name.startswith(SHARED)
            counted = "Pss:" if memory_only else "Anonymous:"
            continue
        words = line.split()
        if words[0] in (counted, "SwapPss:"):
            total += int(words[1]) * 1024
    return total


def read(pid: int) -> Reading:
    """All sources at once."""
    full = psutil.Process(pid).memory_full_info()
    return Reading(memory.footprint(pid), smaps_by_hand(pid), full.uss, full.pss, full.swap)


def grown(held: Holder) -> Reading:
    """What the holder's memory comes to in each source."""
    before = read(held.pid)
    held.hold()
    return read(held.pid).since(before)


def close(size: int, within: int = CLOSE) -> object:
    """About this many bytes."""
    return pytest.approx(size, abs=within)


def test_all_sources_agree_on_a_process_as_a_whole() -> None:
    with holder("held = b'x' * (60 * 1024 * 1024)") as held:
        held.hold()
        now = read(held.pid)
        assert now.footprint == close(now.by_hand, MB)
        # Beyond the footprint, the process alone holds clean file pages: never the other way round.
        assert now.footprint <= now.pss + now.swap + MB
        assert HELD < now.footprint < now.uss + MB


def test_private_memory_is_the_same_in_every_source() -> None:
    with holder("held = b'x' * (60 * 1024 * 1024)") as held:
        more = grown(held)
    assert more.footprint == close(HELD)
    assert more.by_hand == close(HELD)
    assert more.uss == close(HELD)
    assert more.pss == close(HELD)


FORKED = """
held = bytearray(60 * 1024 * 1024)
for page in range(0, len(held), 4096): held[page] = 1
if not os.fork():
    os.read(0, 1)
    os._exit(0)
"""


def test_pages_shared_with_a_fork_count_by_half() -> None:
    """Copy on write: neither process has them alone, so uss has none of them."""
    with holder(FORKED) as held:
        more = grown(held)
    assert more.footprint == close(HELD // 2, 8 * MB)
    assert more.pss == close(more.footprint, 4 * MB)
    assert more.uss < 4 * MB


SEGMENT = """
segment = open(sys.argv[1], "w+b")
segment.truncate(60 * 1024 * 1024)
held = mmap.mmap(segment.fileno(), 0)
for page in range(0, len(held), 4096): held[page] = 1
"""

ATTACHED = """
segment = open(sys.argv[1], "r+b")
held = mmap.mmap(segment.fileno(), 0)
total = sum(held[page] for page in range(0, len(held), 4096))
"""


def test_shared_memory_moves_to_its_second_user_by_half() -> None:
    """Two processes that know each other only by the name of a segment of shared memory."""
    name = Path(f"/dev/shm/rhapsode-test-{os.getpid()}")
    try:
        with holder(SEGMENT, str(name)) as owner:
            alone = grown(owner)
            assert alone.footprint == close(HELD, 3 * MB)
            assert alone.by_hand == close(HELD, 3 * MB)
            assert alone.pss == close(HELD, 4 * MB)
            before = read(owner.pid)
            with holder(ATTACHED, str(name)) as second:
                second_more = grown(second)
                shared = read(owner.pid).since(before)
            assert second_more.footprint == close(HELD // 2, 3 * MB)
            assert second_more.by_hand == close(HELD // 2, 3 * MB)
            assert shared.footprint == close(-HELD // 2, MB)
            assert shared.uss == close(-HELD, MB)
    finally:
        name.unlink(missing_ok=True)


FILE = """
file = open(sys.argv[1], "rb")
held = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
total = sum(held[page] for page in range(0, len(held), 4096))
"""


def test_file_pages_are_in_pss_and_not_in_the_footprint(tmp_path: Path) -> None:
    path = tmp_path / "weights"
    path.write_bytes(b"x" * HELD)
    with holder(FILE, str(path)) as held:
        more = grown(held)
    assert more.pss == close(HELD, 4 * MB)
    assert more.footprint == close(0)
    assert more.by_hand == close(0)


WRITTEN = """
file = open(sys.argv[1], "rb")
held = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
for page in range(0, len(held) // 2, 4096): held[page] = 1
total = sum(held[page] for page in range(0, len(held), 4096))
"""


def test_written_pages_of_a_private_file_mapping_count(tmp_path: Path) -> None:
    """Half of it was written to, and is anonymous from then on."""
    path = tmp_path / "weights"
    path.write_bytes(b"x" * HELD)
    with holder(WRITTEN, str(path)) as held:
        more = grown(held)
    assert more.footprint == close(HELD // 2)
    assert more.by_hand == close(HELD // 2)
    assert more.pss == close(HELD, 4 * MB)


PAGED_OUT = """
held = mmap.mmap(-1, 60 * 1024 * 1024, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for page in range(0, len(held), 4096): held[page : page + 8] = os.urandom(8)
held.madvise(21)  # MADV_PAGEOUT: reclaim these pages now.
"""


def test_swapped_memory_still_counts() -> None:
    if psutil.swap_memory().free < 2 * HELD:
        pytest.skip("this system has no swap, or next to none of it free")
    if not hasattr(mmap.mmap, "madvise"):
        pytest.skip("this Python cannot ask for pages to be swapped out")
    with holder(PAGED_OUT) as held:
        more = grown(held)
    if more.swap < HELD // 4:
        pytest.skip("this kernel did not swap the pages out when asked to")
    assert more.footprint == close(HELD, 3 * MB)
    assert more.by_hand == close(HELD, 3 * MB)
    assert more.uss + more.swap == close(HELD, 3 * MB)
    assert more.uss < HELD, "and the resident part alone would have told less"
