"""What is done with a segment when its turn comes, while the book is listened to onward."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum, auto

from studio.errors import StudioError
from studio.project.model import Kind, Segment
from studio.ui.services import Session

LABEL = "narrated while listening"
"""What the history calls it."""


class Turn(Enum):
    """What to do with a segment when its turn has come."""

    PLAY = auto()
    WAIT = auto()
    SKIP = auto()
    END = auto()


class Turns:
    """Decides what is done with each segment, and has narrated what is lacking."""

    def __init__(
        self, session: Session, *, narrate_ahead: bool, tell: Callable[[str], None]
    ) -> None:
        """Decide for an open book.

        Args:
            session: The book.
            narrate_ahead: Whether to narrate what lacks a take.
            tell: Told in one sentence why that could not be asked for.
        """
        self._session = session
        self._narrate_ahead = narrate_ahead
        self._tell = tell
        self._asked: set[tuple[str, str, str, float]] = set()
        self._recorded: dict[int, bool] = {}

    async def of(self, segment: Segment) -> Turn:
        """What to do with a segment as it is now."""
        if segment.kind is Kind.SCENE_BREAK:
            return Turn.PLAY
        rows = self._session.rows
        coming = segment.queued or segment.uid in rows.narrating
        paused = self.paused(segment)
        if segment.chosen is not None and not segment.stale and not segment.failure:
            # Candidates beside a good take are not waited for; what was asked for in its place is.
            if not coming or paused:
                return Turn.PLAY
            session = self._session
            # What was recorded a moment ago is not in the rows yet: the old take must not pass.
            anew = await session.read(session.project.asked_anew, segment.uid, segment.chosen)
            return Turn.WAIT if anew else Turn.PLAY
        if coming and not (paused and segment.chosen is not None):
            return Turn.WAIT
        if segment.failure:
            return Turn.PLAY if segment.chosen is not None else Turn.SKIP
        wanted = self._narrate_ahead and (paused or _key(segment) not in self._asked)
        if segment.chosen is not None:
            anew = wanted and not paused and not await self._is_recorded(segment)
            return Turn.WAIT if anew else Turn.PLAY
        if wanted:
            return Turn.WAIT
        return Turn.SKIP if self._narrate_ahead else Turn.END

    def paused(self, segment: Segment) -> bool:
        """Whether nothing is going to be narrated, this segment included."""
        narrating = segment.uid in self._session.rows.narrating
        return self._session.director.paused and not narrating

    async def ask(self, ahead: Iterable[Segment]) -> None:
        """Queue, before all bulk work, what lacks a take of some segments."""
        if not self._narrate_ahead or self._session.director.paused:
            return
        wanted = [segment for segment in ahead if await self._is_to_be_asked(segment)]
        if not wanted:
            return
        self._asked.update(map(_key, wanted))
        try:
            await self._session.narrate_ahead(wanted, LABEL)
        except StudioError as error:
            self._tell(str(error))

    async def _is_to_be_asked(self, segment: Segment) -> bool:
        if segment.kind is Kind.SCENE_BREAK or segment.failure or _key(segment) in self._asked:
            return False
        narrating = segment.uid in self._session.rows.narrating
        if narrating or (segment.chosen is not None and not segment.stale):
            return False
        return not await self._is_recorded(segment)

    async def _is_recorded(self, segment: Segment) -> bool:
        """Whether the chosen take is a person's own: nothing takes its place unasked."""
        chosen = segment.chosen
        if chosen is None:
            return False
        if chosen not in self._recorded:
            take = await self._session.read(self._session.project.take, chosen)
            self._recorded[chosen] = take.recorded
        return self._recorded[chosen]


def _key(segment: Segment) -> tuple[str, str, str, float]:
    """What a narration is asked for once with; another text may be asked for again."""
    return segment.uid, segment.spoken, segment.voice, segment.speed
