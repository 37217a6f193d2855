"""What a card says of the machine."""

from __future__ import annotations

import platform
from importlib.metadata import version

import pytest

from engine import build


def test_versions_processor_and_system_are_named() -> None:
    found = build.build(["numpy", "a-package-that-is-not-there"])
    assert found["numpy"] == version("numpy")
    assert found["a-package-that-is-not-there"] == "missing"
    assert found["arch"] == platform.machine()
    assert all(found.values())


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (["processor\t: 0", "model name\t: AMD EPYC 9R14", "model name\t: other"], "AMD EPYC 9R14"),
        (
            ["CPU implementer\t: 0x41", "CPU part\t: 0xd40"],
            "implementer 0x41 part 0xd40",
        ),
        (["processor : 0"], ""),
    ],
)
def test_processors_are_read_from_cpuinfo(lines: list[str], name: str) -> None:
    assert build.parse_cpuinfo(lines) == name


def test_macos_is_named_by_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build.sys, "platform", "darwin")
    monkeypatch.setattr(platform, "mac_ver", lambda: ("15.1", ("", "", ""), "arm64"))
    monkeypatch.setattr(build, "_sysctl", lambda name: "Apple M4" if b"brand" in name else "")
    assert (build.system(), build.cpu()) == ("macOS 15.1", "Apple M4")
