"""The devices that can be played on, by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def output_names(module: Any) -> tuple[str, ...]:
    """Name every device that plays, once each, in the order of the system.

    The same device is often there once for each of the system's ways to it.

    Args:
        module: `sounddevice`.
    """
    return tuple(dict.fromkeys(str(device["name"]) for _, device in _playing(module)))


def find_output(module: Any, name: str) -> int | None:
    """Find a device by its name, or by a part of it that only one device's name has.

    Of several ways to it the system's preferred one is taken.

    Returns:
        PortAudio's number of it, or None where there is no one such device.
    """
    wanted = name.casefold().strip()
    devices = [(number, device, str(device["name"])) for number, device in _playing(module)]
    found = [it for it in devices if it[2].casefold().strip() == wanted]
    found = found or [it for it in devices if wanted in it[2].casefold()]
    if len({its_name for _, _, its_name in found}) != 1:
        return None
    preferred = _preferred_way(module)
    return min(found, key=lambda it: (it[1].get("hostapi") != preferred, it[0]))[0]


def _playing(module: Any) -> Sequence[tuple[int, Mapping[str, Any]]]:
    """Devices with outputs, by PortAudio's numbers."""
    return [
        (number, device)
        for number, device in enumerate(module.query_devices())
        if device["max_output_channels"] > 0
    ]


def _preferred_way(module: Any) -> int | None:
    """The system's own way to its devices: that of its own device."""
    try:
        own: Mapping[str, Any] = module.query_devices(None, "output")
    except (module.PortAudioError, ValueError):
        return None
    return own.get("hostapi")
