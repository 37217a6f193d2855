"""What native libraries print does not reach the screen; what Python prints does."""

from __future__ import annotations

import subprocess
import sys

from sound_rig import ROOT


def stderr_of(script: str) -> str:
    """Run a script and give what it wrote on its standard error."""
    done = subprocess.run(
        [sys.executable, "-c", "import os, sys\nfrom studio.sound.terminal import *\n" + script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr


def test_silenced_for_a_while() -> None:
    assert (
        stderr_of("""
os.write(2, b"before ")
with silenced(), silenced():
    os.write(2, b"ALSA lib pcm.c ")
os.write(2, b"after")
""")
        == "before after"
    )


def test_own_terminal_keeps_python_and_drops_native_output() -> None:
    assert (
        stderr_of("""
with own_terminal():
    os.write(2, b"ALSA lib pcm.c: underrun ")
    sys.__stderr__.write("frame ")
    sys.__stderr__.flush()
    with silenced():
        sys.__stderr__.write("frame meanwhile ")
        sys.__stderr__.flush()
    print("warning", file=sys.stderr, flush=True)
os.write(2, b"after ")
sys.__stderr__.write("end")
""")
        == "frame frame meanwhile warning\nafter end"
    )


def test_without_standard_error_nothing_fails() -> None:
    assert stderr_of("os.close(2)\nwith silenced():\n    pass") == ""
