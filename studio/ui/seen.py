"""Which take of a segment a person had before them as the chosen one when they pressed a key.

A take that narration brings is in the rows a moment before it is on the screen, and a key may
have been pressed a moment before it is served: what is approved is what was seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from time import monotonic

REMEMBERED = 100
"""So many changes that are on the screen are remembered, for what sounds still."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A segment's chosen take became another one, and nobody had pressed a key for it."""

    before: int | None
    painted: float = math.inf
    """When the new one was on the screen, by the monotonic clock."""


class Seen:
    """What narration has chosen of late, and since when that is to be seen."""

    def __init__(self) -> None:
        """Nothing has changed."""
        self._changed: dict[str, Changed] = {}

    def note(self, uid: str, before: int | None) -> None:
        """Narration has chosen another take of a segment, which is not painted yet."""
        known = self._changed.pop(uid, None)
        waits = known is not None and known.painted == math.inf
        self._changed[uid] = known if known is not None and waits else Changed(before)

    def painted(self, uids: Iterable[str]) -> None:
        """These segments are on the screen as they are in the rows."""
        now = monotonic()
        for uid in self._changed.keys() & set(uids):
            if self._changed[uid].painted == math.inf:
                self._changed[uid] = Changed(self._changed[uid].before, now)
        old = [uid for uid, it in self._changed.items() if it.painted < math.inf]
        for uid in old[:-REMEMBERED]:
            del self._changed[uid]

    def chosen(self, uid: str, now: int | None, pressed: float) -> int | None:
        """The take that was to be seen as the chosen one.

        Args:
            uid: The segment.
            now: The take that is chosen.
            pressed: When the key was pressed, by the monotonic clock.
        """
        it = self._changed.get(uid)
        return now if it is None or it.painted < pressed else it.before

    def came_under(self, uid: str, sounding: int | None) -> bool:
        """Whether the chosen take has come while the one before it sounds; said once of each."""
        it = self._changed.get(uid)
        if it is None or sounding is None or it.before != sounding:
            return False
        del self._changed[uid]
        return True
