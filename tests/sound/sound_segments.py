"""Segments and clips for the tests of this room."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

from studio.project.model import Kind, Segment
from studio.sound.assembly import Piece
from studio.sound.plan import Clip

CLIPS = Path(__file__).parent / "clips"


def segment(
    number: int,
    kind: Kind = Kind.PROSE,
    *,
    ends_paragraph: bool = True,
    pause_ms: int | None = None,
    chosen: int | None = None,
) -> Segment:
    """Make a segment; only what decides its sound can be chosen."""
    return Segment(
        uid=f"s{number}",
        number=number,
        chapter=1,
        kind=kind,
        source="" if kind is Kind.SCENE_BREAK else "Text.",
        spoken="" if kind is Kind.SCENE_BREAK else "Text.",
        edited=False,
        ends_paragraph=ends_paragraph,
        voice="heart",
        seed=1,
        speed=1.0,
        pause_ms=pause_ms,
        mark=False,
        note="",
        failure="",
        takes=0,
        chosen=chosen,
        approved=None,
        take_number=0,
        seconds=0.0,
        rtf=0.0,
        findings=(),
        stale=(),
        elsewhere=False,
        queued=False,
    )


def case(name: str) -> tuple[NDArray[np.int16], int]:
    """Read one of the synthetic clips beside these tests."""
    pcm, rate = soundfile.read(CLIPS / name, dtype="int16", always_2d=True)
    return pcm, rate


def level(frames: int, value: int, channels: int = 1) -> NDArray[np.int16]:
    """Make a clip that stays at one value."""
    return np.full((frames, channels), value, np.int16)


def clip(pcm: NDArray[np.int16], rate: int) -> Clip:
    """Describe a clip held in memory."""
    return Clip(len(pcm), rate, lambda: (pcm, rate))


def piece(pcm: NDArray[np.int16], rate: int, pause_ms: int = 0, label: str = "s") -> Piece:
    """Make a piece of a clip held in memory."""
    return Piece(len(pcm), rate, lambda: (pcm, rate), pause_ms, label)
