"""New seeds on their way, and what has come of them: told as one once all of them are there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from studio.project.model import Outcome, QueueItem


class NewSeeds:
    """What was asked for together, or was left over from last time."""

    def __init__(self) -> None:
        """Nothing was asked for."""
        self._awaited: Counter[str] = Counter()
        self._made: Counter[str] = Counter()
        self._failed: list[str] = []

    def ask(self, counts: Mapping[str, int]) -> None:
        """So many more takes are awaited, by segment."""
        self._awaited.update(counts)

    def less(self, uid: str, count: int = 1) -> None:
        """Some of a segment's are done with, or will not come."""
        self._awaited[uid] -= count
        if self._awaited[uid] <= 0:
            del self._awaited[uid]

    def came(self, outcome: Outcome) -> None:
        """One was made, or has failed."""
        self.less(outcome.item.segment)
        if outcome.take is not None:
            self._made[outcome.item.segment] += 1
        else:
            self._failed.append(outcome.reason)

    def forget(self, uids: Iterable[str], queued: Callable[[str], bool]) -> None:
        """What was taken out of the queue will not come."""
        for uid in self._awaited.keys() & set(uids):
            if not queued(uid):
                del self._awaited[uid]

    def take_news(self) -> tuple[Counter[str], list[str]] | None:
        """How many takes each segment has got, and why others failed; None before all are there,
        and where there is nothing to tell."""
        if self._awaited or not (self._made or self._failed):
            return None
        news = self._made, self._failed
        self._made, self._failed = Counter(), []
        return news


class LeftOver(NewSeeds):
    """New seeds that waited in the queue when the book was opened."""

    def __init__(self, queue: Iterable[QueueItem]) -> None:
        """Await those of a queue."""
        super().__init__()
        waiting = {item.id: item.segment for item in queue if item.candidate}
        self._items = frozenset(waiting)
        self.ask(Counter(waiting.values()))

    def has(self, outcome: Outcome) -> bool:
        """Whether it is of one of them."""
        return outcome.item.id in self._items
