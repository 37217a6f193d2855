"""How long segments are, and how long an engine lets them be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from studio.book.marks import cjk_share

_MOSTLY = 0.4
"""From this share of Chinese or Japanese characters on, a text is measured as one of those."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long segments are, in characters of source text."""

    max_chars: int = 300
    """No segment is longer, unless a single word is."""
    target_chars: int = 220
    """Sentences are joined up to this."""
    max_spoken: int = 500
    """Characters of spoken text; years, sums and signs are several times as long as they look."""
    cost: Callable[[str], int] | None = None
    """What an engine counts instead of characters, such as phonemes or tokens, of spoken text."""
    max_cost: int = 0
    """The most of them in a segment."""

    @classmethod
    def for_engine(
        cls, max_chars: int, cost: Callable[[str], int] | None = None, max_cost: int = 0
    ) -> Limits:
        """The usual lengths, shortened to what an engine takes.

        Args:
            max_chars: The engine's longest text, as its card says.
            cost: Counts what else bounds a text, such as its phonemes or tokens; pure.
            max_cost: The most of them that the engine takes at once; 0 for no such limit.
        """
        usual = cls()
        if max_cost <= 0:
            cost = None
        return cls(
            max_chars=min(usual.max_chars, max_chars),
            target_chars=min(usual.target_chars, max_chars),
            max_spoken=min(usual.max_spoken, max_chars),
            cost=cost,
            max_cost=max_cost,
        )

    def half(self) -> Limits:
        """Limits for what is too long as it is spoken."""
        return replace(self, max_chars=self.max_chars // 2, target_chars=self.target_chars // 2)

    def fitted(self, text: str) -> Limits:
        """Limits for a text; one Chinese character takes as long to say as three letters."""
        if cjk_share(text) < _MOSTLY:
            return self
        return replace(
            self,
            max_chars=max(1, self.max_chars * 2 // 5),
            target_chars=max(1, self.target_chars * 2 // 5),
        )

    def exceeded(self, spoken: str) -> bool:
        """Whether a spoken text is too long."""
        if len(spoken) > self.max_spoken:
            return True
        return self.cost is not None and self.cost(spoken) > self.max_cost
