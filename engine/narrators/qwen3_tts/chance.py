"""All the chance there is in a clip: one draw after the other, each from a key of its own.

mlx-audio draws from MLX's global state, which belongs to a thread, has no seed unless somebody sets
one, and moves on with whatever else draws in between. Here the key of a draw is made of the clip's
seed and the draw's number, and of nothing else: no state is read, none is left behind, and another
draw elsewhere changes nothing. Therefore the one function of mlx-audio's model that draws is
replaced (`model.load` does so), rather than the global state seeded before each clip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import mlx.core as mx


class Chance:
    """Stands where mlx-audio's ``categorical_sampling`` stood."""

    def __init__(self) -> None:
        """No clip is being made yet."""
        self._seed: int | None = None
        self._drawn = 0
        self._on_draw: Callable[[int], None] = lambda drawn: None

    @contextmanager
    def of(self, seed: int, on_draw: Callable[[int], None]) -> Iterator[None]:
        """Draw with a seed.

        Args:
            seed: 0 to 2**32 - 1.
            on_draw: Told after each draw how many there were; what it raises ends the clip.
        """
        self._seed, self._drawn, self._on_draw = seed, 0, on_draw
        try:
            yield
        finally:
            self._seed = None

    def __call__(self, logits: mx.array, temp: float) -> mx.array:
        """Draw from logits [..., V]; returns ids of shape [...].

        Raises:
            RuntimeError: No clip is being made, so that there is no seed.
        """
        import mlx.core as mx

        if self._seed is None:
            raise RuntimeError("something draws outside of a clip, where there is no seed")
        # Threefry takes two words of 32 bits as its key: the seed, and the number of the draw.
        key = mx.random.key(self._seed << 32 | self._drawn)
        self._drawn += 1
        self._on_draw(self._drawn)
        return mx.random.categorical(logits * (1 / temp), key=key)
