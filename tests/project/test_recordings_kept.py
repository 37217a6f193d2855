"""A person's own recordings are takes that differ by their text alone, and that nothing deletes."""

from __future__ import annotations

import numpy as np
import pytest
from bookmaking import CARD, HEART, narrate_all, tone

from studio.errors import BadInput
from studio.project.differing import differences
from studio.project.model import RECORDING, Kind, Segment, State, Take, Voice
from studio.project.project import Project
from studio.project.recipe import build_id, build_of

SHA = "0" * 64


def row(project: Project, uid: str) -> Segment:
    return project.segments_by_uid([uid])[uid]


def record(project: Project, uid: str, number: int = 1) -> Take:
    project.add_recording(uid, tone(number, 9600), 48_000, "pick-up.wav", SHA)
    return project.takes(uid)[-1]


def unlike(project: Project, uid: str, take: Take) -> tuple[str, ...]:
    return differences(take, row(project, uid), project.voices(), project.builds)


def test_a_recording_is_chosen_and_undone(project: Project, uids: list[str]) -> None:
    project.enqueue(uids[:1])
    narrate_all(project)
    before = row(project, uids[0])
    change = project.add_recording(uids[0], tone(1, 9600), 48_000, "pick-up.wav", SHA)
    assert change.label == "recording for segment 1: pick-up.wav"
    assert change.segments == {uids[0]}
    now = row(project, uids[0])
    assert (now.takes, now.take_number, now.seconds, now.seed) == (2, 2, 0.2, before.seed)
    take = project.takes(uids[0])[1]
    assert take.recorded
    assert not project.takes(uids[0])[0].recorded
    assert (take.recipe["engine"], take.recipe["file"], take.build) == (
        RECORDING,
        "pick-up.wav",
        "",
    )
    samples, rate = project.read_clip(take)
    assert rate == 48_000
    assert np.array_equal(samples, tone(1, 9600))
    project.undo()
    assert row(project, uids[0]).chosen == before.chosen
    project.redo()
    assert row(project, uids[0]).chosen == take.id


def test_only_its_text_makes_it_stale(project: Project, uids: list[str]) -> None:
    take = record(project, uids[1])
    project.put_voice(Voice(id="bella", engine=HEART.engine, speaker="bella", language=""))
    project.set_voice([uids[1]], "bella")
    project.set_speed([uids[1]], 1.5)
    project.set_seed(uids[1], 5)
    project.set_settings(language="en-GB")
    project.know_build("hibari", build_id("hibari", {"other": "build"}))
    assert row(project, uids[1]).state() in (State.READY, State.FLAGGED)
    assert not row(project, uids[1]).stale
    assert not row(project, uids[1]).elsewhere
    assert unlike(project, uids[1], take) == ()
    project.approve([uids[1]])
    project.edit_spoken(uids[1], "Other words.")
    assert row(project, uids[1]).stale == ("text",)
    assert unlike(project, uids[1], take) == ("text",)


def test_choosing_a_recording_leaves_the_seed(project: Project, uids: list[str]) -> None:
    take = record(project, uids[0])
    project.set_seed(uids[0], 99)
    project.enqueue(uids[:1])
    narrate_all(project)
    project.choose_take(uids[0], take.id)
    assert row(project, uids[0]).seed == 99
    project.choose_take(uids[0], project.takes(uids[0])[1].id)
    assert row(project, uids[0]).seed == 99


def test_the_same_recording_twice_is_one_take(project: Project, uids: list[str]) -> None:
    first = record(project, uids[0])
    record(project, uids[0], number=2)
    assert row(project, uids[0]).takes == 2
    record(project, uids[0])
    assert (row(project, uids[0]).takes, row(project, uids[0]).chosen) == (2, first.id)


def test_what_cannot_be_a_recording_is_refused(project: Project, uids: list[str]) -> None:
    silent = next(s for s in project.segments() if s.kind is Kind.SCENE_BREAK)
    with pytest.raises(BadInput, match="scene break"):
        record(project, silent.uid)
    with pytest.raises(BadInput, match="no sound"):
        project.add_recording(uids[0], np.zeros((0, 1), np.int16), 48_000, "empty.wav", SHA)
    take = record(project, uids[0])
    with pytest.raises(BadInput, match="recording"):
        project.enqueue([uids[0]], remake=take.id)
    assert project.queue() == ()


def test_cleaning_keeps_recordings(project: Project, uids: list[str]) -> None:
    take = record(project, uids[0])
    project.enqueue(uids[:1])
    narrate_all(project)
    assert row(project, uids[0]).chosen != take.id
    project.enqueue(uids[:1], new_seeds=True)
    narrate_all(project)
    report = project.clean(dry_run=False)
    assert [t.number for t in report.takes] == [2]
    assert project.takes(uids[0])[0] == take
    assert project.clip_path(take).exists()


def test_a_lost_recording_is_told_and_not_narrated_over(project: Project, uids: list[str]) -> None:
    take = record(project, uids[0])
    project.enqueue(uids[1:2])
    narrate_all(project)
    for path in (project.folder / "clips").glob("??/*.flac"):
        path.unlink()
    assert project.lost_segments() == {uids[1]}
    ours, other = sorted(project.problems(), key=lambda problem: problem.fixable)
    assert "a recording of yours" in ours.what
    assert ours.serious
    assert other.what.endswith("which was chosen.")
    project.fix()
    assert [item.segment for item in project.queue()] == [uids[1]]
    assert row(project, uids[0]).chosen == take.id


def test_how_a_take_differs_from_what_is_asked_for_now(project: Project, uids: list[str]) -> None:
    project.enqueue(uids[:1])
    narrate_all(project)
    (take,) = project.takes(uids[0])
    assert unlike(project, uids[0], take) == ()
    project.know_build("hibari", take.build)
    assert unlike(project, uids[0], take) == ()
    project.set_seed(uids[0], 12)
    assert unlike(project, uids[0], take) == ("seed",)
    project.know_build("hibari", build_id("hibari", {"other": "build"}))
    project.put_voice(Voice(id="bella", engine="hibari", speaker="bella", language="en-GB"))
    project.set_voice([uids[0]], "bella")
    project.set_speed([uids[0]], 1.2)
    project.edit_spoken(uids[0], "Other words.")
    assert unlike(project, uids[0], take) == (
        "text",
        "voice",
        "language",
        "speed",
        "seed",
        "engine",
    )
    gone = differences(take, row(project, uids[0]), {}, project.builds)
    assert gone == ("text", "voice", "speed", "seed")


def test_with_two_engines_both_builds_are_judged(project: Project, uids: list[str]) -> None:
    project.enqueue(uids[:1])
    narrate_all(project)
    (take,) = project.takes(uids[0])
    here = build_id("hibari", build_of(CARD))
    assert take.build == here
    project.know_build("other", build_id("other", {"a": "b"}))
    assert not row(project, uids[0]).elsewhere
    project.know_build("hibari", build_id("hibari", {"a": "b"}))
    assert row(project, uids[0]).elsewhere
    # A second installation of the same engine is the one that made it.
    project.know_build("hibari on the other card", here)
    assert not row(project, uids[0]).elsewhere
    assert set(project.builds) == {"other", "hibari", "hibari on the other card"}
