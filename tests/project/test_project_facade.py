"""The facade: what a person does to a book, and what stands in it afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest
from bookmaking import clip_of, make, narrate_all, narrated

from studio.errors import BadInput, MachineFault
from studio.project.model import Failure, Kind, Reuse, State
from studio.project.project import Project, is_project
from studio.project.recipe import build_id


def row(project: Project, uid: str):
    return project.segments_by_uid([uid])[uid]


def test_a_new_book_is_all_drafts_and_says_so(project: Project) -> None:
    states = [segment.state() for segment in project.segments()]
    assert states.count(State.DRAFT) == 6
    assert states.count(State.READY) == 2  # scene breaks
    first, second = project.chapters()
    assert (first.first, first.segments, first.spoken, first.done) == (1, 4, 3, 1)
    assert second.first == 5
    assert [s.number for s in project.segments()] == list(range(1, 9))
    assert [s.number for s in project.segments(second.id)] == [5, 6, 7, 8]


def test_spoken_text_is_source_text_where_nothing_was_changed(project: Project) -> None:
    heading, prose = project.segments()[:2]
    assert heading.spoken is heading.source
    assert "Doctor Harrow" in prose.spoken
    assert "Dr. Harrow" in prose.source


def test_two_imports_give_the_same_uids(tmp_path: Path, project: Project) -> None:
    with make(tmp_path / "again") as again:
        assert [s.uid for s in again.segments()] == [s.uid for s in project.segments()]
        assert len({s.uid for s in again.segments()}) == 8


def test_segments_by_uid_agree_with_the_list(project: Project) -> None:
    listed = {s.uid: s for s in project.segments()}
    assert project.segments_by_uid([*listed, "unknown"]) == listed


def test_an_existing_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    with pytest.raises(BadInput, match="exists already"):
        make(tmp_path / "book")
    assert list((tmp_path / "book").iterdir()) == []


def test_a_failed_creation_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="language"):
        make(tmp_path / "book", language="no language at all")
    assert list(tmp_path.iterdir()) == []


def test_narrating_chooses_the_take_and_empties_the_queue(
    project: Project, uids: list[str]
) -> None:
    change = project.enqueue(uids)
    assert change.queue
    assert change.segments == frozenset(uids)
    assert row(project, uids[0]).state() is State.QUEUED
    narrate_all(project)
    assert project.queue() == ()
    assert {row(project, uid).state() for uid in uids} == {State.READY}
    assert project.chapters()[0].done == 4
    assert project.chapters()[0].seconds == pytest.approx(0.3)


def test_editing_makes_a_take_stale_and_back_again(project: Project, uids: list[str]) -> None:
    project.enqueue(uids)
    narrate_all(project)
    project.edit_spoken(uids[1], "Something else.")
    assert row(project, uids[1]).stale == ("text",)
    assert row(project, uids[1]).edited
    assert project.chapters()[0].stale == 1
    project.edit_spoken(uids[1], row(project, uids[1]).source.replace("Dr.", "Doctor"))
    assert row(project, uids[1]).state() is State.READY
    assert not row(project, uids[1]).edited


def test_everything_that_decides_the_sound_makes_stale(project: Project, uids: list[str]) -> None:
    project.enqueue(uids)
    narrate_all(project)
    project.set_speed([uids[0]], 1.25)
    assert row(project, uids[0]).stale == ("speed",)
    heart = project.voices()["heart"]
    change = project.put_voice(type(heart)(id="heart", engine="hibari", speaker="sky"))
    assert set(uids) <= change.segments
    assert row(project, uids[0]).stale == ("voice", "speed")
    assert row(project, uids[1]).stale == ("voice",)


def test_the_language_of_the_book_counts_where_the_voice_has_none(
    project: Project, uids: list[str]
) -> None:
    heart = project.voices()["heart"]
    project.put_voice(type(heart)(id="heart", engine="hibari", speaker="heart", language=""))
    assert project.voices()["heart"].language == "en-US"
    project.enqueue(uids)
    narrate_all(project)
    change = project.set_settings(language="en-GB")
    assert set(uids) <= change.segments
    assert row(project, uids[0]).stale == ("language",)
    assert project.voices()["heart"].language == "en-GB"


def test_a_take_of_another_build_is_shown_and_not_stale(project: Project, uids: list[str]) -> None:
    project.enqueue(uids)
    narrate_all(project)
    assert not row(project, uids[0]).elsewhere
    project.know_build("hibari", build_id("hibari", {"onnxruntime": "2"}))
    assert row(project, uids[0]).elsewhere
    assert row(project, uids[0]).state() is State.READY
    project.know_build("hibari", build_id("other", {"onnxruntime": "2"}))
    assert not row(project, uids[0]).elsewhere


def test_a_result_for_edited_text_is_kept_and_not_chosen(project: Project, uids: list[str]) -> None:
    project.enqueue([uids[1]])
    (item,) = project.queue()
    new = narrated(project, item)
    project.edit_spoken(uids[1], "Edited meanwhile.")
    project.record([new])
    segment = row(project, uids[1])
    assert (segment.takes, segment.chosen) == (1, None)
    assert project.queue() == ()
    assert project.can_undo == "edited segment 2"


def test_asking_again_after_an_edit_outlives_the_old_result(
    project: Project, uids: list[str]
) -> None:
    project.enqueue([uids[1]])
    (item,) = project.queue()
    old = narrated(project, item)
    project.edit_spoken(uids[1], "Edited meanwhile.")
    project.enqueue([uids[1]], first=True)
    project.record([old])
    (again,) = project.queue()
    assert again.id == item.id
    project.record([narrated(project, again)])
    assert row(project, uids[1]).state() is State.READY
    assert project.queue() == ()


def test_asking_twenty_times_makes_it_once(project: Project, uids: list[str]) -> None:
    for _ in range(20):
        project.enqueue([uids[1]], first=True)
    (item,) = project.queue()
    new = narrated(project, item)
    for _ in range(20):
        project.enqueue([uids[1]], first=True)
    project.record([new])
    assert project.queue() == ()
    assert row(project, uids[1]).takes == 1


def test_single_lines_go_first_in_the_order_asked(project: Project, uids: list[str]) -> None:
    project.enqueue(list(reversed(uids)))
    assert [item.segment for item in project.queue()] == uids
    project.enqueue([uids[4]], first=True)
    project.enqueue([uids[2]], first=True)
    order = [item.segment for item in project.queue()]
    assert order == [uids[4], uids[2], uids[0], uids[1], uids[3], uids[5]]
    first = project.next_items(2, {project.queue()[0].id})
    assert [item.segment for item in first] == [uids[2], uids[0]]
    assert [item.first for item in project.queue()[:3]] == [True, True, False]


def test_scene_breaks_are_not_queued(project: Project) -> None:
    everything = [s.uid for s in project.segments()]
    breaks = [s.uid for s in project.segments() if s.kind is Kind.SCENE_BREAK]
    change = project.enqueue(everything)
    assert len(project.queue()) == 6
    assert change.segments.isdisjoint(breaks)
    assert not project.enqueue(breaks)


def test_new_seeds_leave_the_segment_alone_until_the_take_is_chosen(
    project: Project, uids: list[str]
) -> None:
    before = row(project, uids[1]).seed
    project.enqueue([uids[1]], new_seeds=True)
    (item,) = project.queue()
    assert item.seed != before
    assert row(project, uids[1]).seed == before
    project.record([narrated(project, item)])
    assert row(project, uids[1]).seed == item.seed
    project.undo()
    assert row(project, uids[1]).seed == before


def test_a_queued_line_takes_the_new_seed(project: Project, uids: list[str]) -> None:
    project.enqueue([uids[1]])
    (item,) = project.queue()
    new = narrated(project, item)
    project.enqueue([uids[1]], first=True, new_seeds=True)
    (again,) = project.queue()
    assert again.seed != item.seed
    project.record([new])  # what was in progress is kept, and the new seed is still to come
    assert [left.seed for left in project.queue()] == [again.seed]


def test_a_failure_is_shown_until_a_success_or_an_edit(project: Project, uids: list[str]) -> None:
    project.enqueue(uids[:2])
    project.record([], [Failure(item, "the engine refused it") for item in project.queue()])
    assert row(project, uids[0]).state() is State.FAILED
    assert project.chapters()[0].failed == 2
    assert project.queue() == ()
    change = project.edit_spoken(uids[0], "Try this.")
    assert change.segments == {uids[0]}
    assert row(project, uids[0]).state() is State.DRAFT
    project.enqueue([uids[1]])
    narrate_all(project)
    assert row(project, uids[1]).state() is State.READY


def test_a_recipe_that_was_made_is_chosen_again(project: Project, uids: list[str]) -> None:
    project.enqueue([uids[1]])
    (item,) = project.queue()
    made = narrated(project, item)
    project.record([made])
    project.enqueue([uids[1]], new_seeds=True)
    narrate_all(project)
    build = build_id("hibari", made.provenance["build"])
    take = project.find_take(uids[1], made.recipe_id, build)
    assert take is not None
    assert project.find_take(uids[1], made.recipe_id, "hibari:other") is None
    project.set_seed(uids[1], made.recipe["seed"])
    project.enqueue([uids[1]])
    (item,) = project.queue()
    project.record([Reuse(item, take.id)])
    segment = row(project, uids[1])
    assert (segment.chosen, segment.takes) == (take.id, 2)
    assert project.queue() == ()


def test_choosing_a_take_copies_its_seed(project: Project, uids: list[str]) -> None:
    for _ in range(2):
        project.enqueue([uids[1]], new_seeds=True)
        narrate_all(project)
    first, second = project.takes(uids[1])
    assert row(project, uids[1]).take_number == 2
    project.choose_take(uids[1], first.id)
    assert (row(project, uids[1]).seed, row(project, uids[1]).take_number) == (first.seed, 1)
    with pytest.raises(BadInput, match="no take"):
        project.choose_take(uids[0], second.id)


def test_only_a_current_take_can_be_approved(project: Project, uids: list[str]) -> None:
    with pytest.raises(BadInput, match="Segment 1 has no take"):
        project.approve(uids)
    project.enqueue(uids)
    narrate_all(project)
    project.edit_spoken(uids[1], "Else.")
    with pytest.raises(BadInput, match=r"Segment 2 .* text changed"):
        project.approve(uids)
    assert project.chapters()[0].approved == 0
    project.approve([s.uid for s in project.segments() if s.uid != uids[1]])
    assert project.chapters()[0].approved == 2
    project.approve([uids[0]], on=False)
    assert row(project, uids[0]).state() is State.READY


def test_nothing_changes_nothing(project: Project, uids: list[str]) -> None:
    assert not project.mark([uids[0]], on=False)
    assert not project.set_note(uids[0], "  ")
    assert not project.edit_spoken(uids[0], None)
    assert not project.set_settings(title="The Ferry")
    assert not project.approve([])
    assert not project.clear_queue()
    assert project.undo() is None
    assert project.history() == ()


def test_what_cannot_be_is_refused(project: Project, uids: list[str]) -> None:
    silence = project.segments()[3].uid
    for call, sentence in (
        (lambda: project.edit_spoken(uids[0], "  "), "cannot be empty"),
        (lambda: project.edit_spoken(silence, "x"), "scene break"),
        (lambda: project.edit_spoken("nobody", "x"), "no segment"),
        (lambda: project.edit_spoken(uids[0], "\ud800"), "half a character"),
        (lambda: project.set_voice(uids, "nobody"), "no voice"),
        (lambda: project.set_seed(uids[0], 2**32), "seed"),
        (lambda: project.set_pause(uids, -1), "pause"),
        (lambda: project.set_speed(uids, 9), "speed"),
        (lambda: project.set_settings(pauses={"prose": -1}), "between 0"),
        (lambda: project.set_settings(pauses={"prse": 1}), "means nothing"),
        (lambda: project.take(99), "no take"),
    ):
        with pytest.raises(BadInput, match=sentence):
            call()
    assert project.history() == ()


def test_marks_notes_and_pauses(project: Project, uids: list[str]) -> None:
    project.mark(uids)
    project.set_note(uids[0], " too fast ")
    project.set_pause(uids[:2], 250)
    project.set_pause(uids[1:2], None)
    segment = row(project, uids[0])
    assert (segment.mark, segment.note, segment.pause_ms) == (True, "too fast", 250)
    assert row(project, uids[1]).pause_ms is None
    labels = [entry.label for entry in project.history()]
    assert labels == [
        "pause after segment 2",
        "pause after 2 segments",
        "note on segment 1",
        "marked 6 segments",
    ]


def test_settings_are_stored_and_written(project: Project) -> None:
    project.set_settings(title="A", pauses={"prose": 900}, export={"bits": 24, "rate": None})
    settings = project.settings()
    assert (settings.pauses.prose, settings.pauses.dialogue) == (900, 550)
    assert settings.export == {"bits": 24}
    text = (project.folder / "project.toml").read_text()
    assert "prose = 900" in text
    project.undo()
    assert project.settings().pauses.prose == 700
    assert "prose" not in (project.folder / "project.toml").read_text()


def test_read_only_reads_beside_the_studio_and_writes_nothing(
    project: Project, uids: list[str]
) -> None:
    with Project.open(project.folder, read_only=True) as reader:
        project.mark(uids)
        assert all(s.mark for s in reader.segments() if s.uid in uids)
        for call in (lambda: reader.mark(uids), reader.undo, lambda: reader.enqueue(uids)):
            with pytest.raises(MachineFault, match="reading only"):
                call()


def test_a_closed_project_leaves_no_database_log(tmp_path: Path) -> None:
    make(tmp_path / "book").close()
    with Project.open(tmp_path / "book", read_only=True) as reader:
        assert reader.info.title == "The Ferry"
    names = {path.name for path in (tmp_path / "book").iterdir()}
    assert names == {"book.db", "project.toml", "lock"}


def test_no_project_is_said_plainly(tmp_path: Path) -> None:
    assert not is_project(tmp_path)
    with pytest.raises(BadInput, match="holds no project"):
        Project.open(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_moved_project_is_the_same(project: Project, uids: list[str], tmp_path: Path) -> None:
    project.enqueue(uids)
    narrate_all(project)
    before = project.segments()
    project.close()
    project.folder.rename(tmp_path / "moved")
    with Project.open(tmp_path / "moved") as moved:
        assert moved.segments() == before
        assert moved.problems(deep=True) == []
        pcm, rate = moved.read_clip(moved.takes(uids[0])[0])
        assert rate == 24_000
        assert (pcm == clip_of(dict(moved.takes(uids[0])[0].recipe))).all()
