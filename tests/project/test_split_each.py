"""Many segments split at once are what they would be split one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest
from bookmaking import make

from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.book.kinds import Kind
from studio.book.lexicon import Rule
from studio.errors import BadInput
from studio.project.model import Segment
from studio.project.project import Project

LINES = (
    (Kind.HEADING, "Chapter IV and what follows"),
    (Kind.DIALOGUE, "“No,” said Dr. Harrow, “not on 3 May.” He went."),
    (Kind.DIALOGUE, "“Yes,” he said."),
    (Kind.DIALOGUE, "“Often,” he said."),
    (Kind.PROSE, "The door of the mill stood open."),
    (Kind.SCENE_BREAK, ""),
)


def book(folder: Path) -> Project:
    """Two chapters of lines, some of them with all that a person may have decided."""
    chapter = tuple(SegmentDraft(kind, text, text, True, n) for n, (kind, text) in enumerate(LINES))
    project = make(folder, chapters=[ChapterDraft("One", chapter), ChapterDraft("Two", chapter)])
    uids = [segment.uid for segment in project.segments()]
    project.put_rules([Rule("Harrow", "Harro")])
    project.set_pause([uids[1], uids[4]], 250)
    project.set_speed([uids[2]], 1.1)
    project.edit_spoken(uids[4], "The doors of a mill were all open.")
    project.insert(uids[5], "A line of my own, and more of it.")
    project.set_note(uids[1], "slower")
    return project


def starts(segment: Segment) -> list[int]:
    """Where every second word begins."""
    text = segment.source or segment.spoken
    return [at + 1 for at, char in enumerate(text) if char == " "][::2]


def told(project: Project) -> list[Segment]:
    return project.segments()


def test_it_is_as_one_after_the_other(tmp_path: Path) -> None:
    with book(tmp_path / "one") as one, book(tmp_path / "each") as each:
        cuts = {s.uid: starts(s) for s in each.segments() if s.kind is not Kind.SCENE_BREAK}
        before = told(each)
        for uid, places in cuts.items():
            for at in reversed(places):
                one.split(uid, at)
        change = each.split_each(cuts)
        assert told(each) == told(one)
        assert change.label == f"split {len(cuts)} segments"
        assert {s.uid for s in each.segments()} - {s.uid for s in before} <= change.segments
        each.undo()
        assert told(each) == before
        each.redo()
        assert told(each) == told(one)


def test_what_was_taken_out_goes_with_the_part_it_stood_in(tmp_path: Path) -> None:
    with book(tmp_path / "one") as one, book(tmp_path / "each") as each:
        for project in (one, each):
            uid = project.segments()[1].uid
            text = project.segments()[1].source
            for word in ("He went", "“not", "said"):
                project.split(uid, text.index(word))
            project.delete([project.segments()[2].uid])
            project.join(uid)
            project.join(uid)
        uid = each.segments()[1].uid
        cuts = starts(each.segments()[1])
        for at in reversed(cuts):
            one.split(uid, at)
        each.split_each({uid: cuts})
        assert told(each) == told(one)
        assert each.removed() == one.removed()


def test_one_that_cannot_be_split_leaves_all_as_they_are(tmp_path: Path) -> None:
    with book(tmp_path / "book") as project:
        before = told(project)
        uids = [segment.uid for segment in project.segments()]
        with pytest.raises(BadInput, match="words on both sides"):
            project.split_each({uids[1]: [6], uids[2]: [0]})
        assert told(project) == before
        assert not project.split_each({})
        assert not project.split_each({uids[1]: []})
