"""New seeds side by side, and takes made again, by real engine processes."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from threading import Event

import numpy as np
import pytest
from narration_helpers import MakeStudio, Studio, line, scripted, until

from studio.engines.catalogue import Catalogue
from studio.errors import BadInput
from studio.narration import clip_writing
from studio.narration.making import Made, keep
from studio.narration.verify import verify
from studio.narration.worker import Job
from studio.project.model import NewTake, Outcome, Take
from studio.project.project import Project

TEXTS = [line(1), line(2)]


def takes(studio: Studio, index: int = 0) -> tuple[Take, ...]:
    return studio.project.takes(studio.uids[index])


def outcomes(studio: Studio) -> list[Outcome]:
    return [outcome for change in studio.changes for outcome in change.outcomes]


async def test_candidates_have_seeds_of_their_own_and_leave_the_chosen_take(
    make_studio: MakeStudio,
) -> None:
    studio = make_studio(TEXTS, scripted())
    studio.ask()
    await studio.idle()
    before = studio.segment(0)
    studio.ask([studio.uids[0]], candidates=3, first=True)
    await studio.idle()
    after = studio.segment(0)
    assert (after.chosen, after.seed, after.takes) == (before.chosen, before.seed, 4)
    made = takes(studio)
    assert len({take.seed for take in made}) == len({take.pcm_hash for take in made}) == 4
    told = outcomes(studio)
    assert [outcome.take for outcome in told] == [take.id for take in made[1:]]
    assert all(outcome.item.candidate and not outcome.same for outcome in told)
    assert studio.project.queue() == ()


async def test_the_best_candidate_of_a_draft_is_chosen_and_all_of_it_is_one_step(
    make_studio: MakeStudio,
) -> None:
    # The first of them is silent, the others are clean. One worker, or another might be first.
    studio = make_studio(TEXTS[:1], scripted("--fault", "silence", "--at", "1"), workers=1)
    studio.ask(candidates=3, first=True)
    await studio.idle()
    made = takes(studio)
    assert [bool(take.findings) for take in made] == [True, False, False]
    segment = studio.segment(0)
    assert segment.chosen == made[1].id, "the first was only there to be heard meanwhile"
    assert segment.seed == made[1].seed
    assert len(studio.project.history()) == 1
    studio.project.undo()
    assert studio.segment(0).chosen is None
    assert len(takes(studio)) == 3, "takes only grow"
    studio.project.redo()
    assert studio.segment(0).chosen == made[1].id


async def test_takes_are_numbered_as_they_were_made_however_long_one_takes_to_write(
    make_studio: MakeStudio, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = Event()

    def unevenly(project: Project, job: Job, made: Made) -> NewTake:
        # The first, the silent one, is written after the one that was made after it.
        if not made.samples.any():
            assert written.wait(20)
        take = keep(project, job, made)
        written.set()
        return take

    monkeypatch.setattr(clip_writing, "keep", unevenly)
    studio = make_studio(TEXTS[:1], scripted("--fault", "silence", "--at", "1"), workers=1)
    studio.ask(candidates=2, first=True)
    await studio.idle()
    assert [bool(take.findings) for take in takes(studio)] == [True, False]


async def test_what_a_person_chooses_meanwhile_stays(make_studio: MakeStudio) -> None:
    spec = scripted("--fault", "silence", "--at", "1", "--clip-time", "0.3")
    studio = make_studio(TEXTS[:1], spec, workers=1)
    studio.ask(candidates=3, first=True)
    await until(lambda: len(takes(studio)) == 2)
    first, second = takes(studio)
    studio.project.choose_take(studio.uids[0], second.id)
    studio.project.choose_take(studio.uids[0], first.id)
    await studio.idle()
    assert len(takes(studio)) == 3
    assert studio.segment(0).chosen == first.id, "flagged, but a person wanted it"


async def test_an_edit_meanwhile_leaves_candidates_of_the_old_text_unchosen(
    make_studio: MakeStudio,
) -> None:
    studio = make_studio(TEXTS[:1], scripted("--clip-time", "0.3"), workers=1)
    studio.ask(candidates=2, first=True)
    await until(lambda: len(takes(studio)) == 1)
    studio.project.edit_spoken(studio.uids[0], "Another text.")
    await studio.idle()
    made = takes(studio)
    assert len(made) == 2
    fitting = [take.id for take in made if take.spoken == "Another text."]
    assert studio.segment(0).chosen == (fitting[0] if fitting else made[0].id)
    assert bool(studio.segment(0).stale) is not bool(fitting)


async def test_a_failing_candidate_leaves_a_good_segment_good(make_studio: MakeStudio) -> None:
    studio = make_studio(TEXTS[:1], scripted("--fault", "refuse", "--at", "2"))
    studio.ask()
    await studio.idle()
    studio.ask(candidates=1, first=True)
    await studio.idle()
    assert studio.segment(0).failure == ""
    (outcome,) = outcomes(studio)
    assert outcome.take is None
    assert "another script" in outcome.reason


async def test_a_take_made_again_gives_the_same_bytes_and_no_second_take(
    make_studio: MakeStudio,
) -> None:
    studio = make_studio(TEXTS, scripted())
    studio.ask()
    await studio.idle()
    (old,) = takes(studio)
    # The segment has moved on: the recipe is the take's, not the segment's.
    studio.project.edit_spoken(studio.uids[0], "Another text.")
    studio.project.set_speed([studio.uids[0]], 1.2)
    studio.ask([studio.uids[0]], remake=old.id, first=True)
    await studio.idle()
    assert takes(studio) == (old,)
    (outcome,) = outcomes(studio)
    assert (outcome.take, outcome.same, outcome.item.remake) == (old.id, True, old.id)
    assert studio.segment(0).chosen == old.id


async def test_a_lost_clip_comes_back(make_studio: MakeStudio) -> None:
    studio = make_studio(TEXTS[:1], scripted())
    studio.ask()
    await studio.idle()
    (old,) = takes(studio)
    heard, _ = studio.project.read_clip(old)
    studio.project.clip_path(old).unlink()
    studio.ask(remake=old.id, first=True)
    await studio.idle()
    again, _ = studio.project.read_clip(old)
    assert np.array_equal(heard, again)
    assert outcomes(studio)[0].same


async def test_other_bytes_are_kept_as_another_take_that_nobody_chose(
    make_studio: MakeStudio,
) -> None:
    studio = make_studio(TEXTS[:1], scripted("--fault", "impure"), workers=1)
    studio.ask()
    await studio.idle()
    (old,) = takes(studio)
    studio.ask(remake=old.id, first=True)
    await studio.idle()
    kept, new = takes(studio)
    assert kept == old
    assert new.recipe == old.recipe
    assert new.pcm_hash != old.pcm_hash
    assert studio.segment(0).chosen == old.id
    (outcome,) = outcomes(studio)
    assert (outcome.take, outcome.same) == (new.id, False)


async def test_a_voice_that_has_changed_cannot_make_an_old_take(make_studio: MakeStudio) -> None:
    studio = make_studio(TEXTS[:1], scripted())
    studio.ask()
    await studio.idle()
    (old,) = takes(studio)
    voice = studio.project.voices()["tone"]
    studio.project.put_voice(replace(voice, style="slower"))
    studio.ask(remake=old.id, first=True)
    await studio.idle()
    (outcome,) = outcomes(studio)
    assert outcome.reason.startswith("Take 1 cannot be made again: the voice “tone” has changed")
    assert studio.segment(0).failure == ""
    assert takes(studio) == (old,)


async def test_a_twin_of_the_voice_makes_it_where_its_own_is_gone(make_studio: MakeStudio) -> None:
    studio = make_studio(TEXTS[:1], scripted())
    studio.ask()
    await studio.idle()
    (old,) = takes(studio)
    voice = studio.project.voices()["tone"]
    studio.project.put_voice(replace(voice, id="twin"))
    studio.project.put_voice(replace(voice, style="slower"))
    studio.ask(remake=old.id, first=True)
    await studio.idle()
    assert outcomes(studio)[0].same


async def test_an_engine_that_dies_costs_no_candidate_and_doubles_none(
    make_studio: MakeStudio,
) -> None:
    studio = make_studio(TEXTS[:1], scripted("--clip-time", "0.2"), workers=1)
    studio.ask()
    await studio.idle()
    (old,) = takes(studio)
    studio.ask(candidates=3, first=True)
    studio.ask(remake=old.id, first=True)
    await until(lambda: bool(studio.director.status.narrating))
    for worker in studio.director.status.workers:
        os.kill(worker.pid, signal.SIGKILL)
    await studio.idle()
    assert len(takes(studio)) == 4
    assert studio.segment(0).chosen == old.id
    assert sorted(outcome.same for outcome in outcomes(studio)) == [False, False, False, True]
    assert studio.director.status.crashes >= 1


async def test_recordings_are_not_verified_and_not_made_again(make_studio: MakeStudio) -> None:
    spec = scripted()
    studio = make_studio(TEXTS, spec)
    studio.ask()
    await studio.idle()
    pcm, rate = studio.project.read_clip(takes(studio)[0])
    studio.project.add_recording(studio.uids[0], pcm // 2, rate, "mine.wav", "0" * 64)
    _, recording = takes(studio)
    assert recording.recorded
    told: list[tuple[int, int]] = []
    chosen = [recording, *takes(studio, 1)]
    catalogue = Catalogue({spec.name: spec})
    assert await verify(studio.project, catalogue, chosen, lambda *at: told.append(at)) == []
    assert told == [(1, 1)]
    with pytest.raises(BadInput, match="recording"):
        studio.ask([studio.uids[0]], remake=recording.id)
