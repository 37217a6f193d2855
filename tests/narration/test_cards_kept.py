"""What an engine says of itself once it is loaded is known without it from then on."""

from __future__ import annotations

from narration_helpers import Jobs, MakePool, scripted, until

from studio.engines import cards

TEXTS = ["The ferry was late again, and nobody minded."]


async def test_a_worker_leaves_its_card_and_its_pace(make_pool: MakePool) -> None:
    jobs = Jobs(TEXTS)
    pool = make_pool(scripted("--clip-time", "0.05", name="mine"), jobs)
    assert cards.remembered("mine") is None
    pool.work()
    await until(lambda: jobs.settled == 1)
    card = cards.remembered("mine")
    assert card is not None
    assert (card.engine, card.sample_rate) == ("scripted", 24_000)
    known = cards.last_rtf("mine"), cards.last_baseline("mine")
    assert known[0] > 0, "known while the studio is open"
    assert known[1] == 50 << 20
    await pool.unload()
    assert (cards.last_rtf("mine"), cards.last_baseline("mine")) == known
    assert cards.remembered("mine") == card
