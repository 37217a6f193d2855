"""Several takes of one segment side by side: which is chosen when all of them are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from studio.project.model import Take
from studio.project.session import Session
from studio.review import ranking

NEAR = 5
"""How far a neighbour may be: further off, a level says nothing, and a long book is long."""


def takes_beside(session: Session, uid: str) -> tuple[Take, ...]:
    """The chosen takes before and after a segment in its chapter: what it should sound like."""
    beside = []
    for order, sign in (("DESC", "<"), ("ASC", ">")):
        chosen = session.store.value(
            "SELECT chosen FROM (SELECT n.chosen FROM segments s"
            f" JOIN segments n ON n.chapter = s.chapter AND n.position {sign} s.position"
            f" WHERE s.uid = ? ORDER BY n.position {order} LIMIT {NEAR})"
            " WHERE chosen IS NOT NULL LIMIT 1",
            (uid,),
        )
        take = None if chosen is None else session.reader.take(chosen)
        if take is not None:
            beside.append(take)
    return tuple(beside)


def choose_best(
    session: Session, group: int, uid: str, fits: Callable[[Mapping[str, Any]], bool]
) -> None:
    """Choose what the checks like best once the last candidate is made, within a transaction.

    The first of a group's candidates was chosen so that there is something to hear. What a person
    has chosen or approved, before or meanwhile, stays.

    Args:
        session: The project.
        group: What was asked for together.
        uid: The segment.
        fits: Whether a recipe says what the segment asks for now.
    """
    store = session.store
    waits = "SELECT 1 FROM queue WHERE segment = ? AND grp = ? LIMIT 1"
    if store.value(waits, (uid, group)) or not _group_has_chosen(session, group, uid):
        return
    if store.value("SELECT 1 FROM segments WHERE uid = ? AND approved = chosen", (uid,)):
        return
    takes = [take for take in session.reader.takes(uid) if fits(take.recipe)]
    best = ranking.best(takes, ranking.level_around(takes_beside(session, uid)))
    if best is not None:
        store.execute(
            "UPDATE segments SET chosen = ?, seed = ? WHERE uid = ?", (best.id, best.seed, uid)
        )


def _group_has_chosen(session: Session, group: int, uid: str) -> bool:
    """Whether the segment's take was chosen by the group, and by nothing and nobody since."""
    entry = session.store.value("SELECT entry FROM groups WHERE id = ?", (group,))
    last = session.store.value(
        "SELECT entry FROM cells JOIN history h ON h.id = entry WHERE tbl = 'segments'"
        " AND key = ? AND col = 'chosen' AND h.undone = 0 ORDER BY h.rank DESC LIMIT 1",
        (uid,),
    )
    return entry is not None and last == entry
