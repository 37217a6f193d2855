"""A new edition of the manuscript: what stays, what changes, what comes and goes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from bookmaking import HEART, narrate_all
from editions import Draft, accounted, drafts_of, whole

from studio.book.lexicon import Rule
from studio.book.segmenting import Limits
from studio.errors import BadInput
from studio.project.model import Kind, Segment, State
from studio.project.project import Project

LINES = [f"The ferry number {number} left the harbour at night." for number in range(9)]


def made(folder: Path, chapters: Sequence[Draft]) -> Project:
    return Project.create(
        folder / "book",
        title="The Ferry",
        author="",
        language="en-US",
        voice=HEART,
        chapters=drafts_of(chapters),
    )


def narrate(project: Project) -> None:
    project.enqueue([segment.uid for segment in project.segments()])
    narrate_all(project)


def said(project: Project, text: str) -> Segment:
    return next(segment for segment in project.segments() if text in segment.source)


def three() -> list[Draft]:
    return [
        Draft(f"Part {name}", [[line] for line in LINES[start : start + 3]])
        for name, start in (("One", 0), ("Two", 3), ("Three", 6))
    ]


def test_a_chapter_that_moves_to_the_front_keeps_all_it_has(tmp_path: Path) -> None:
    chapters = three()
    with made(tmp_path, chapters) as project:
        narrate(project)
        project.approve([segment.uid for segment in project.segments()])
        before = {segment.uid: segment for segment in project.segments()}
        ids = [chapter.id for chapter in project.chapters()]
        change = project.update_book(drafts_of([chapters[2], chapters[0], chapters[1]]))
        assert change.structure
        assert [chapter.id for chapter in project.chapters()] == [ids[2], ids[0], ids[1]]
        for segment in project.segments():
            assert segment.state() is State.APPROVED
            assert segment.chosen == before[segment.uid].chosen
        assert len(project.history()) == 3


def test_a_mended_typo_is_stale_and_keeps_the_rest(tmp_path: Path) -> None:
    chapters = three()
    with made(tmp_path, chapters) as project:
        narrate(project)
        line = said(project, "number 4")
        project.approve([line.uid])
        project.set_note(line.uid, "slower")
        project.set_pause([line.uid], 900)
        project.put_rules([Rule("harbour", "harber")])
        chapters[1].paragraphs[1] = [LINES[4].replace("night", "dawn")]
        found = project.compared(drafts_of(chapters))
        assert [(each.uid, each.before, each.after) for each in found.changed] == [
            (line.uid, LINES[4], LINES[4].replace("night", "dawn"))
        ]
        project.update_book(drafts_of(chapters))
        now = said(project, "dawn")
        assert now.uid == line.uid
        assert now.spoken == "The ferry number four left the harber at dawn."
        assert (now.note, now.pause_ms, now.chosen, now.seed) == (
            "slower",
            900,
            line.chosen,
            line.seed,
        )
        assert now.state() is State.STALE


def test_a_sentence_of_one_word_is_known_by_its_neighbours(tmp_path: Path) -> None:
    chapters = [Draft("Part One", [[LINES[0]], ["Recieved."], [LINES[1]]])]
    with made(tmp_path, chapters) as project:
        uid = said(project, "Recieved").uid
        chapters[0].paragraphs[1] = ["Received."]
        project.update_book(drafts_of(chapters))
        assert said(project, "Received").uid == uid


def test_of_a_hundred_equal_sentences_only_those_that_go_go(tmp_path: Path) -> None:
    chapters = [Draft("Part One", [*([["Yes."]] * 100), [LINES[0]], *([["Yes."]] * 100)])]
    with made(tmp_path, chapters) as project:
        before = [segment.uid for segment in project.segments()]
        chapters[0].paragraphs[40:42] = []
        chapters[0].paragraphs[150:150] = [[LINES[1]]]
        project.update_book(drafts_of(chapters))
        after = [segment.uid for segment in project.segments()]
        kept = [uid for uid in after if uid in before]
        assert len(kept) == len(before) - 2
        assert kept == [uid for uid in before if uid in after]
        # Two went before the line in the middle, none behind it.
        middle = before.index(said(project, LINES[0]).uid)
        assert set(before[middle:]) <= set(after)


def test_what_a_person_has_deleted_stays_away(tmp_path: Path) -> None:
    chapters = three()
    with made(tmp_path, chapters) as project:
        gone = [said(project, f"number {number} ").uid for number in (0, 3, 4, 5)]
        project.delete([*gone, project.segments()[0].uid])
        project.join(said(project, "number 1 ").uid)
        project.split(said(project, "number 7").uid, 10)
        edition = [*three(), Draft("Part Four", [["Rain fell on the river."]])]
        edition.insert(0, edition.pop(1))
        edition[0].paragraphs[1] = [LINES[4].replace("night", "dawn")]
        before = [segment.uid for segment in project.segments()]
        found = project.compared(drafts_of(edition))
        assert found.left_out == 4
        assert found.new[0].source == LINES[4].replace("night", "dawn")
        project.update_book(drafts_of(edition))
        assert set(before) <= {segment.uid for segment in project.segments()}
        assert {each.source for each in project.removed()} == {
            "Part One",
            LINES[0],
            LINES[3],
            LINES[5],
        }
        assert accounted(project) == whole(drafts_of(edition))


def test_a_scene_break_of_a_person_stays_and_one_of_the_book_goes(tmp_path: Path) -> None:
    chapters = [Draft("Part One", [[LINES[0]], [], [LINES[1]], [LINES[2]]])]
    with made(tmp_path, chapters) as project:
        project.insert(said(project, "number 1 ").uid, "", Kind.SCENE_BREAK)
        project.insert(said(project, "number 1 ").uid, "Words of my own.")
        del chapters[0].paragraphs[1]
        project.update_book(drafts_of(chapters))
        kinds = [(segment.kind, segment.spoken) for segment in project.segments()]
        assert [text for kind, text in kinds if kind is not Kind.SCENE_BREAK][3:4] == [
            "Words of my own."
        ]
        assert [kind for kind, _ in kinds].index(Kind.SCENE_BREAK) == 4


def test_other_rules_of_cutting_cut_nothing_that_is_unchanged(tmp_path: Path) -> None:
    chapters = [Draft("Part One", [LINES[:5], LINES[5:]])]
    with made(tmp_path, chapters) as project:
        before = [(segment.uid, segment.source) for segment in project.segments()]
        shorter = Limits(max_chars=60, target_chars=50)
        assert len(drafts_of(chapters, shorter)[0].segments) > len(before)
        assert not project.compared(drafts_of(chapters, shorter))
        chapters[0].paragraphs[0].insert(3, "Rain fell on the river all night long.")
        project.update_book(drafts_of(chapters, shorter), segmenting=9)
        after = [(segment.uid, segment.source) for segment in project.segments()]
        assert len(set(before) - set(after)) <= 1
        assert accounted(project) == whole(drafts_of(chapters, shorter))
        assert project._session.reader.setting("segmenting") == 9


def test_a_mark_that_nobody_can_say_goes_to_its_sentence(tmp_path: Path) -> None:
    chapters = [Draft("Part One", [[LINES[0]], [LINES[1]]])]
    with made(tmp_path, chapters) as project:
        uids = [segment.uid for segment in project.segments()]
        chapters[0].paragraphs[0] = [f"{LINES[0]}”"]
        chapters[0].paragraphs[1] = [f"“{LINES[1]}"]
        project.update_book(drafts_of(chapters))
        assert [segment.uid for segment in project.segments()] == uids
        assert accounted(project) == whole(drafts_of(chapters))


def test_what_waits_goes_with_its_segment_and_comes_back_without_it(tmp_path: Path) -> None:
    chapters = three()
    with made(tmp_path, chapters) as project:
        project.enqueue([segment.uid for segment in project.segments()])
        waiting = len(project.queue())
        del chapters[1]
        change = project.update_book(drafts_of(chapters))
        assert change.queue
        assert len(project.queue()) == waiting - 4
        project.undo()
        assert len(project.segments()) == waiting


def test_takes_come_back_with_undo(tmp_path: Path) -> None:
    chapters = three()
    with made(tmp_path, chapters) as project:
        narrate(project)
        line = said(project, "number 4")
        project.update_book(drafts_of(chapters[:1]))
        assert project.segments_by_uid([line.uid]) == {}
        project.undo()
        assert said(project, "number 4") == line


def test_the_same_edition_is_no_step(tmp_path: Path) -> None:
    with made(tmp_path, three()) as project:
        assert not project.update_book(drafts_of(three()))
        assert project.can_undo is None


def test_a_book_of_which_all_was_deleted_is_refused(tmp_path: Path) -> None:
    chapters = three()
    with made(tmp_path, chapters) as project:
        project.insert(project.segments()[-1].uid, "", Kind.SCENE_BREAK)
        project.delete([s.uid for s in project.segments() if s.source])
        with pytest.raises(BadInput, match="Nothing would be left to narrate"):
            project.update_book(drafts_of(chapters))
        project.undo()
        assert not project.compared(drafts_of(chapters))
