"""Blind comparisons as the project keeps them. They are results: undo does not touch them."""

from __future__ import annotations

from datetime import UTC, datetime

from studio.errors import BadInput
from studio.project.former import TAKE_VOICE
from studio.project.model import RECORDING
from studio.project.session import Session
from studio.review import blind


def candidates(session: Session) -> list[blind.Candidate]:
    """The takes of segments that have several, oldest first; recordings are left out."""
    rows = session.store.rows(
        "SELECT t.id, t.segment, t.spoken, json_extract(r.recipe, '$.engine'),"
        f" {TAKE_VOICE},"
        " t.fingerprint, t.build, json_extract(r.recipe, '$.options')"
        " FROM takes t JOIN take_records r ON r.take = t.id"
        " WHERE t.segment IN (SELECT uid FROM segments) AND t.segment IN"
        " (SELECT segment FROM takes GROUP BY segment HAVING count(*) > 1) ORDER BY t.id"
    )
    return [
        blind.Candidate(
            take,
            segment,
            spoken,
            engine or "",
            voice,
            f"{voice} {fingerprint[:6]}",
            f"{build} {options}" if options else build,
        )
        for take, segment, spoken, engine, voice, fingerprint, build, options in rows
        if engine != RECORDING
    ]


def begin(session: Session, pair: blind.Pair, seed: int, trials: int) -> blind.Test:
    """Draw a test and keep it, so that what X was is on record before anything is heard."""
    if not pair.takes:
        raise BadInput("There are no takes to compare; narrate some first.")
    a, b, questions = blind.plan(pair, seed, trials)
    with session.store.transaction():
        number = session.store.execute(
            "INSERT INTO blind_tests (made, seed, what, a, b) VALUES (?, ?, ?, ?, ?)",
            (_now(), seed, pair.what, a, b),
        ).lastrowid
        for it in questions:
            session.store.execute(
                "INSERT INTO blind_trials (test, number, segment, a, b, x)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (number, it.number, it.segment, it.a, it.b, it.x),
            )
    return _test(session, int(number or 0))


def answer(session: Session, test: int, number: int, said: str) -> blind.Test:
    """Keep an answer, ``a`` or ``b``; the first one counts."""
    with session.store.transaction():
        session.store.execute(
            "UPDATE blind_trials SET answer = ?, answered = ?"
            " WHERE test = ? AND number = ? AND answer = ''",
            (said, _now(), test, number),
        )
    return _test(session, test)


def tests(session: Session) -> list[blind.Test]:
    """All of them, the oldest first; those without an answer are left out."""
    rows = session.store.rows(
        "SELECT id FROM blind_tests t WHERE EXISTS"
        " (SELECT 1 FROM blind_trials WHERE test = t.id AND answer != '') ORDER BY id"
    )
    return [_test(session, row[0]) for row in rows]


def _test(session: Session, number: int) -> blind.Test:
    ((made, seed, what, a, b),) = session.store.rows(
        "SELECT made, seed, what, a, b FROM blind_tests WHERE id = ?", (number,)
    )
    trials = session.store.rows(
        "SELECT number, segment, a, b, x, answer FROM blind_trials WHERE test = ? ORDER BY number",
        (number,),
    )
    return blind.Test(number, made, seed, what, a, b, tuple(blind.Trial(*row) for row in trials))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
