"""Figures over the clips that were made: RTF, audio, and how long the rest will take."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

ROLLING_CLIPS = 20
"""Clips of the rolling RTF and of the ETA."""


@dataclass(slots=True)
class Tally:
    """What was made since the studio opened."""

    made: int = 0
    audio: float = 0.0
    """Seconds."""
    _last: deque[tuple[float, float, int, float]] = field(
        default_factory=lambda: deque(maxlen=ROLLING_CLIPS)
    )
    _chapters: dict[int, tuple[float, float]] = field(default_factory=dict)
    _chapter: int = 0

    def add(
        self, chapter: int, wall: float, audio: float, characters: int, since: float = math.inf
    ) -> None:
        """Count one clip.

        Args:
            chapter: Id of its chapter.
            wall: Seconds of synthesis.
            audio: Seconds of sound.
            characters: Length of its text.
            since: Seconds since its worker's clip before it. Where an engine overlaps two clips it
                is less than the synthesis took, and tells how long the rest will take.
        """
        self.made += 1
        self.audio += audio
        self._last.append((wall, audio, characters, min(wall, since)))
        spent, heard = self._chapters.get(chapter, (0.0, 0.0))
        self._chapters[chapter] = (spent + wall, heard + audio)
        self._chapter = chapter

    @property
    def rtf_now(self) -> float:
        """RTF of the last clip, 0 before the first."""
        return self._last[-1][0] / self._last[-1][1] if self._last else 0.0

    @property
    def rtf_rolling(self) -> float:
        """RTF of the last clips together."""
        audio = sum(item[1] for item in self._last)
        return sum(item[0] for item in self._last) / audio if audio else 0.0

    @property
    def seconds_per_clip(self) -> float:
        """Mean synthesis time of the last clips, 0 before the first."""
        return sum(item[0] for item in self._last) / len(self._last) if self._last else 0.0

    @property
    def rtf_chapter(self) -> float:
        """RTF of the chapter that was narrated last."""
        wall, audio = self._chapters.get(self._chapter, (0.0, 0.0))
        return wall / audio if audio else 0.0

    def eta(self, characters: int, workers: int) -> float | None:
        """Seconds until that many characters are narrated; None before the first clip.

        Synthesis alone is counted, so that loading a model does not make it a lie.
        """
        spoken = sum(item[2] for item in self._last)
        if not spoken:
            return None
        return sum(item[3] for item in self._last) / spoken * characters / max(1, workers)
