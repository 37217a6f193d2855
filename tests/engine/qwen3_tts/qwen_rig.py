"""References, and a loaded narrator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from engine import wire
from engine.narrators.qwen3_tts.narrator import Qwen3Tts
from engine.registry import Narration

TRANSCRIPT = "He said that the old man was in the house by the water."
TEXT = "The old man came home, and he said so."


def record(path: Path, seconds: float = 3.0, rate: int = 24000, pitch: float = 140) -> Path:
    """Write something that is judged like speech: syllables, and a pause at its end."""
    time = np.arange(round(seconds * rate)) / rate
    wave = sum(np.sin(2 * np.pi * pitch * n * time + n) / n for n in range(1, 12))
    wave = wave * (1.2 + np.sin(2 * np.pi * 3.3 * time))
    wave *= np.clip((time[-1] - 0.2 - time) / 0.05, 0.001, 1)
    soundfile.write(path, (0.25 * wave / np.abs(wave).max()).astype(np.float32), rate)
    return path


def loaded(folder: Path, **options: Any) -> Qwen3Tts:
    """A loaded narrator in this process."""
    narrator = Qwen3Tts()
    narrator.load({"model": str(folder), "device": "cpu", **options}, lambda fraction: None)
    return narrator


def clip(narrator: Qwen3Tts, text: str = TEXT, **more: Any) -> Narration:
    """One narration."""
    request = wire.Narrate(1, text, **{"language": "en", "voice": "v", "seed": 1, **more})
    return narrator.narrate(request, lambda name, fraction: None, lambda: False)
