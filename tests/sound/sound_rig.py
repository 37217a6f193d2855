"""Captured sound devices: real PortAudio, real ALSA, and PulseAudio in real time.

Each runs in folders of its own, so tests may run side by side and beside a desktop's sound.
"""

from __future__ import annotations

import contextlib
import ctypes.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from needs import skip_or_fail
from numpy.typing import NDArray

ROOT = Path(__file__).parents[2]


ALSA_FILE = """
pcm.!default {{ type plug slave.pcm "capture" }}
pcm.capture {{ type file slave.pcm "nowhere" file "{folder}/captured.raw" format "raw" }}
pcm.nowhere {{ type null }}
ctl.!default {{ type hw card 0 }}
"""

ALSA_PULSE = """
pcm_type.pulse { lib "libasound_module_pcm_pulse.so" }
pcm.!default { type pulse }
ctl.!default { type hw card 0 }
"""

PULSE = """
load-module module-pipe-sink sink_name=studio file={folder}/pipe format=float32le rate=24000 \
channels=1 use_system_clock_for_timing=yes
set-default-sink studio
load-module module-native-protocol-unix socket={folder}/native
"""

PULSE_OPTIONS = (
    "--daemonize=no --use-pid-file=no --exit-idle-time=-1 --disallow-exit --log-level=error"
)

ALSA_NOTHING = """
pcm.gone { type hw card 99 }
ctl.!default { type hw card 99 }
"""
"""An ALSA configuration whose one device is not there."""


def eventually(condition: Callable[[], bool], what: str, seconds: float = 60.0) -> None:
    """Wait for a condition, and say what did not happen."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds} s for: {what}"
        time.sleep(0.005)


def need_portaudio() -> None:
    """Skip where PortAudio is not installed, or not that of Linux."""
    if not sys.platform.startswith("linux") or not ctypes.util.find_library("portaudio"):
        skip_or_fail("PortAudio on ALSA is needed: apt-get install libportaudio2")


def run_script(script: str, folder: Path, **environment: str) -> dict[str, Any]:
    """Run a script in a process of its own; it prints one JSON object and nothing on fd 2."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "XDG_RUNTIME_DIR": str(folder),
            "PYTHONPATH": str(ROOT),
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", "something was printed on the terminal's descriptor"
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@contextlib.contextmanager
def short_folder() -> Iterator[Path]:
    """A folder whose path is short enough for a socket's name (some 100 bytes)."""
    folder = Path(tempfile.mkdtemp(prefix="rh-", dir="/tmp"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def alsa_environment(folder: Path, configuration: str = ALSA_FILE) -> dict[str, str]:
    """Point ALSA at a device that writes all it is given to ``captured.raw``, without a clock."""
    path = folder / "asoundrc"
    path.write_text(
        configuration.format(folder=folder) if "{folder}" in configuration else configuration
    )
    return {"ALSA_CONFIG_PATH": str(path)}


class Speaker:
    """A PulseAudio server of its own; what it plays in real time is heard by `sound`."""

    def __init__(self, folder: Path) -> None:
        """Start the server and listen."""
        self.environment = {
            "PULSE_SERVER": f"unix:{folder}/native",
            "PULSE_RUNTIME_PATH": str(folder),
            **alsa_environment(folder, ALSA_PULSE),
        }
        self._heard: list[bytes] = []
        configuration = folder / "pulse.pa"
        configuration.write_text(PULSE.format(folder=folder))
        self._server = subprocess.Popen(
            ["pulseaudio", "-n", "-F", str(configuration), *PULSE_OPTIONS.split()],
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(folder),
                "XDG_RUNTIME_DIR": str(folder),
                "PULSE_RUNTIME_PATH": str(folder),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        eventually((folder / "native").exists, "PulseAudio's socket")
        self.environment["PULSE_SERVER_PID"] = str(self._server.pid)
        self._listener = threading.Thread(target=self._listen, args=(folder / "pipe",))
        self._listener.start()

    def _listen(self, pipe: Path) -> None:
        """Collect what comes out until the server is gone."""
        with pipe.open("rb", buffering=0) as stream:
            while block := stream.read(1 << 16):
                self._heard.append(block)

    def close(self) -> None:
        """End the server."""
        self._server.terminate()
        self._server.wait(10)
        self._listener.join(10)

    @property
    def sound(self) -> NDArray[np.float32]:
        """All that was played so far, silence between sounds included."""
        return np.frombuffer(b"".join(self._heard), "<f4")


@contextlib.contextmanager
def pulse() -> Iterator[Speaker]:
    """Run a PulseAudio server for as long as a test."""
    need_portaudio()
    plugins = list(Path("/usr/lib").glob("*/alsa-lib/libasound_module_pcm_pulse.so"))
    if not shutil.which("pulseaudio") or not plugins:
        skip_or_fail("PulseAudio is needed: apt-get install pulseaudio libasound2-plugins")
    with short_folder() as folder:
        speaker = Speaker(folder)
        try:
            yield speaker
        finally:
            speaker.close()
