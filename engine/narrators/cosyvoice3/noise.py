"""The two noises of CosyVoice3, which are constants: the flow's start and the vocoder's hiss.

Both come out of one run of torch's CPU generator from seed 0. First the flow's noise is drawn;
then the weights of modules that are built in between take their share of the stream and are
thrown away; then follows the vocoder's noise, row by row. The stream has one number a draw, so a
prefix of the vocoder's noise is drawn alone and grows where it stopped: 17,280 bytes a frame
instead of 259 MB. Generators are our own; torch's global one is neither read nor moved.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from threading import Lock

import torch
from torch import Tensor

MEL = 80
"""Mel bands."""
MAX_FRAMES = 15_000
"""Mel frames that there is noise for: 300 s, the reference's among them."""
HOP = 480
"""Samples of the wave in one mel frame."""
HARMONICS = 9
"""The fundamental and its eight overtones."""
BLOCK = 1_500
"""Frames (30 s) of the vocoder's noise that are kept, and that are drawn at once beyond them."""

_BETWEEN = (
    512 * MEL * 4,
    512,
    *(512 * 512 * 3, 512) * 4,
    512,
    1,
    HARMONICS,
)
"""Numbers drawn by what is built between the noises: five convolutions of the f0 predictor (each
weight, then bias), its last layer, and the phases that the harmonics start with, which no sample
ever reads."""


@lru_cache(maxsize=1)
def flow_noise() -> Tensor:
    """What the flow starts from: normal, (1, 80, 15000) on the CPU; sliced from frame 0 always."""
    return torch.randn(1, MEL, MAX_FRAMES, generator=torch.Generator().manual_seed(0))


def source_noise(frames: int) -> Tensor:
    """The vocoder's noise of the first ``frames`` mel frames: uniform in [0, 1), (480 · frames, 9).

    Draws what is asked for whole; `source_blocks` holds less at a time.
    """
    return torch.cat([torch.empty(0, HARMONICS), *source_blocks(frames)])


def source_blocks(frames: int) -> Iterator[Tensor]:
    """The same noise piece by piece, each (480 · n, 9) on the CPU with n ≤ `BLOCK`."""
    if frames <= 0:
        return
    yield _KEPT.rows(min(frames, BLOCK) * HOP)
    generator = _KEPT.after() if frames > BLOCK else None
    for start in range(BLOCK, frames, BLOCK):
        rows = min(frames - start, BLOCK) * HOP
        yield torch.rand(rows, HARMONICS, generator=generator)


class _Prefix:
    """The first rows of the vocoder's noise, kept as far as they were ever needed."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lock = Lock()
        self._generator: torch.Generator | None = None
        self._rows = torch.empty(0, HARMONICS)

    def rows(self, count: int) -> Tensor:
        """The first ``count`` rows, at most those of one block."""
        with self._lock:
            missing = count - len(self._rows)
            if missing > 0:
                more = torch.rand(missing, HARMONICS, generator=self._at_end())
                self._rows = torch.cat([self._rows, more])
            return self._rows[:count]

    def after(self) -> torch.Generator:
        """A generator that stands at the first row after the kept block, which is full by now."""
        with self._lock:
            generator = torch.Generator()
            generator.set_state(self._at_end().get_state())
            return generator

    def _at_end(self) -> torch.Generator:
        """The generator, standing behind the rows that there are."""
        if self._generator is None:
            self._generator = _behind_the_modules()
        return self._generator


def _behind_the_modules() -> torch.Generator:
    """A generator that has drawn all that comes before the vocoder's noise."""
    generator = torch.Generator().manual_seed(0)
    torch.randn(1, MEL, MAX_FRAMES, generator=generator)
    torch.randn(6561, MEL, generator=generator)  # the flow's token embedding
    waste = torch.empty(max(*_BETWEEN, MEL * 192))
    for count in (MEL * 192, MEL, *_BETWEEN):  # the flow's speaker layer first
        waste[:count].uniform_(generator=generator)
    return generator


_KEPT = _Prefix()
