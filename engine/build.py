"""What else may change an engine's bytes: library versions, processor, system."""

from __future__ import annotations

import ctypes
import platform
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def build(packages: Sequence[str]) -> dict[str, str]:
    """Describe this build without importing any of the packages.

    Args:
        packages: Distributions whose version matters to the output.

    Returns:
        Their versions (``missing`` where one is not installed), ``cpu``, ``arch`` and ``system``:
        numerical libraries choose their code by processor, and rarer functions are the system's.
    """
    versions = {name: _version(name) for name in packages}
    return {**versions, "cpu": cpu(), "arch": platform.machine(), "system": system()}


def _version(name: str) -> str:
    """The installed version of a distribution."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def system() -> str:
    """The operating system and its mathematical library, such as ``Linux glibc 2.36``."""
    if sys.platform == "darwin":
        return f"macOS {platform.mac_ver()[0]}"
    library = " ".join(part for part in platform.libc_ver() if part)
    return f"{platform.system()} {library or 'unknown libc'}"


def cpu() -> str:
    """The processor's model name, or its architecture where the system has no name for it."""
    if sys.platform == "darwin":
        return _sysctl(b"machdep.cpu.brand_string") or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.machine()
    return parse_cpuinfo(lines) or platform.machine()


def parse_cpuinfo(lines: Sequence[str]) -> str:
    """A name out of ``/proc/cpuinfo``: x86 has one, ARM has maker and part numbers."""
    facts: dict[str, str] = {}
    for line in lines:
        key, _, value = line.partition(":")
        facts.setdefault(key.strip(), value.strip())
    if name := facts.get("model name"):
        return name
    maker, part = facts.get("CPU implementer"), facts.get("CPU part")
    return f"implementer {maker} part {part}" if maker and part else ""


def _sysctl(name: bytes) -> str:
    """A text that the macOS kernel tells."""
    size = ctypes.c_size_t(256)
    buffer = ctypes.create_string_buffer(size.value)
    found = ctypes.CDLL(None).sysctlbyname(name, buffer, ctypes.byref(size), None, 0)
    return buffer.value.decode("utf-8", "replace") if found == 0 else ""
