"""Two jobs under way in one worker when it dies: only the one that kills is failed for it."""

from __future__ import annotations

from narration_helpers import Jobs, MakePool, MakeStudio, line, scripted, until

from studio.narration.supervision import Charges

POISON = "poison"


async def test_who_was_merely_beside_a_killer_is_never_failed(make_pool: MakePool) -> None:
    # Both halves of the neighbours are under way whenever the killer strikes.
    texts = [line(1), f"This line is {POISON}.", line(2), line(3), line(4)]
    spec = scripted("--overlap", "--fault", "exit", "--text", POISON, "--clip-time", "0.05")
    jobs = Jobs(texts)
    pool = make_pool(spec, jobs)
    pool.work()
    await until(lambda: jobs.settled == len(texts) or bool(pool.stopped_because))
    assert not pool.stopped_because
    assert [*jobs.failures] == [1]
    assert jobs.failures[1].startswith("It ended two workers.")
    assert sorted(jobs.clips) == [0, 2, 3, 4]
    assert pool.crashes == 2


async def test_two_killers_side_by_side_take_nobody_along(make_pool: MakePool) -> None:
    texts = [f"One {POISON}.", f"Two {POISON}.", *(line(number) for number in range(4))]
    spec = scripted("--overlap", "--fault", "exit", "--text", POISON, "--clip-time", "0.02")
    jobs = Jobs(texts)
    pool = make_pool(spec, jobs, workers=2)
    pool.work()
    await until(lambda: jobs.settled == len(texts) or bool(pool.stopped_because))
    assert sorted(jobs.failures) == [0, 1]
    assert sorted(jobs.clips) == [2, 3, 4, 5]


async def test_an_overlapping_engine_gives_the_same_bytes_in_order(make_pool: MakePool) -> None:
    texts = [line(number) for number in range(8)]
    made = []
    for switches in ((), ("--overlap",)):
        jobs = Jobs(texts)
        pool = make_pool(scripted("--clip-time", "0.02", *switches), jobs)
        pool.work()
        await until(lambda jobs=jobs: jobs.settled == len(texts))
        assert jobs.order == list(range(8))
        made.append(jobs.clips)
    assert made[0] == made[1]


async def test_both_of_two_stages_are_told(make_studio: MakeStudio) -> None:
    texts = [line(number) for number in range(6)]
    studio = make_studio(texts, scripted("--overlap", "--clip-time", "0.6"), workers=1)
    studio.ask()
    await until(lambda: any(len(status.narrating) == 2 for status in studio.statuses))
    both = next(status for status in studio.statuses if len(status.narrating) == 2)
    assert both.workers[0].stages in (("voicing", "tokens"), ("tokens", "tokens"))
    await studio.idle()
    assert all(segment.chosen for segment in studio.project.segments())


def test_a_charge_makes_a_suspect_until_it_is_settled() -> None:
    charges = Charges()
    charges.killed_worker("waited", begun=False)
    charges.killed_worker("begun", begun=True)
    assert not charges.suspects("waited")
    assert charges.suspects("begun")
    charges.settle("begun")
    assert not charges.suspects("begun")
