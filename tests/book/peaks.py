"""The most memory that a process has held since it began."""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path


def peak_mb() -> int:
    """Megabytes that this process held at most.

    Linux hands what getrusage says of a parent down to the programs that it starts, so a large test
    process would be measured in place of the small one; what the memory map says is its own.
    """
    status = Path("/proc/self/status")
    if status.exists():
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        if found:
            return int(found[1]) // 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (1024 if sys.platform == "linux" else 2**20)
