"""Voices, pauses, kinds and dates of a new edition reach text that is unchanged, and no more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from bookmaking import HEART, narrate_all

from studio.book.drafts import ChapterDraft
from studio.book.kinds import Kind
from studio.book.manuscript import Block, ChapterText, Manuscript
from studio.book.markers import obey
from studio.book.policies import Dates, Policies
from studio.book.segmenting import Limits, cut
from studio.project import renewing
from studio.project.importing import import_book
from studio.project.manuscripts import Choice, Source
from studio.project.model import Segment, State, Voice
from studio.project.project import Project

ANNA = Voice(id="anna", engine="hibari", speaker="heart", settings={"pitch": 2})
BELLA = Voice(id="bella", engine="hibari", speaker="heart", settings={"pitch": -2})
RIVER = "The river rose for a long and quiet while."
FELL = "Then it fell, and nobody said a word about it."
RAIN = "Rain came in the night of the third day."


def edition(*texts: str | Block) -> tuple[ChapterDraft, ...]:
    blocks = [text if isinstance(text, Block) else Block(Kind.PROSE, text) for text in texts]
    chapters, _, _ = obey([ChapterText("One", tuple(blocks))])
    return cut(Manuscript("T", "", "en-US", chapters), Limits(), "en-US")


def made(folder: Path, chapters: Sequence[ChapterDraft]) -> Project:
    project = Project.create(
        folder / "book", title="T", author="", language="en-US", voice=HEART, chapters=chapters
    )
    project.put_voice(ANNA)
    project.put_voice(BELLA)
    project.enqueue([segment.uid for segment in project.segments()])
    narrate_all(project)
    return project


def said(project: Project, text: str) -> Segment:
    return next(segment for segment in project.segments() if segment.source == text)


def test_a_voice_and_a_pause_reach_unchanged_text_in_one_step(tmp_path: Path) -> None:
    with made(tmp_path, edition(RIVER, FELL, RAIN)) as project:
        before = project.segments()
        steps = len(project.history())
        new = edition(f"{RIVER} [[pause: 2 s]]", f"[[voice: anna]] {FELL}", f"[[voice:]] {RAIN}")
        told = project.compared(new)
        assert [(each.number, each.what) for each in told.directed] == [
            (1, ("pause 2 s",)),
            (2, ("voice anna",)),
        ]
        assert told.unchanged == 3
        assert told
        project.update_book(new)
        assert len(project.history()) == steps + 1
        assert said(project, RIVER).pause_ms == 2000
        assert (said(project, FELL).voice, said(project, FELL).state()) == ("anna", State.STALE)
        assert said(project, RAIN) == before[2]
        assert not project.compared(new)
        project.undo()
        assert project.segments() == before
        project.redo()
        project.update_book(edition(RIVER, FELL, RAIN))
        assert project.segments() == before


def test_a_voice_that_was_renamed_is_meant_by_its_former_name(tmp_path: Path) -> None:
    with made(tmp_path, edition(RIVER, f"[[voice: anna]] {FELL}", f"[[voice:]] {RAIN}")) as project:
        project.update_book(edition(RIVER, f"[[voice: anna]] {FELL}", f"[[voice:]] {RAIN}"))
        project.set_voice([said(project, FELL).uid], "anna")
        project.rename_voice("anna", "ann")
        project.rename_voice("heart", "reader")
        new = edition(f"[[voice: anna]] {RIVER}", FELL, f"[[voice: bella]] {RAIN}")
        project.update_book(new)
        voices = [said(project, text).voice for text in (RIVER, FELL, RAIN)]
        assert voices == ["ann", "ann", "bella"]
        assert not project.compared(new)


def test_what_a_person_has_set_stays(tmp_path: Path) -> None:
    with made(tmp_path, edition(RIVER, FELL, RAIN)) as project:
        project.set_voice([said(project, FELL).uid], "bella")
        project.set_pause([said(project, RIVER).uid], 300)
        new = edition(f"{RIVER} [[pause: 2 s]]", f"[[voice: anna]] {FELL}", RAIN)
        project.update_book(new)
        assert said(project, RIVER).pause_ms == 300
        assert said(project, FELL).voice == "bella"
        assert said(project, RAIN).voice == "anna"
        # What the person decided outlives the editions that follow, too.
        project.update_book(edition(RIVER, FELL, RAIN))
        assert said(project, FELL).voice == "bella"
        assert said(project, RIVER).pause_ms == 300
        assert said(project, RAIN).voice == "heart"


def test_an_edition_without_news_leaves_another_narrator_alone(tmp_path: Path) -> None:
    with made(tmp_path, edition(RIVER, FELL)) as project:
        project.set_voice([s.uid for s in project.segments()], "bella")
        assert not project.compared(edition(RIVER, FELL))
        assert not project.update_book(edition(RIVER, FELL))


def test_a_voice_that_the_book_has_by_now_reads_what_called_for_it(tmp_path: Path) -> None:
    chapters = edition(RIVER, f"[[voice: carl]] {FELL}")
    with made(tmp_path, chapters) as project:
        assert said(project, FELL).voice == "heart"
        project.put_voice(replace(ANNA, id="carl"))
        project.update_book(chapters)
        assert said(project, FELL).voice == "carl"


def test_a_heading_of_the_new_edition_is_read_as_one(tmp_path: Path) -> None:
    with made(tmp_path, edition("The Landing", RIVER)) as project:
        landing = said(project, "The Landing")
        project.update_book(edition(Block(Kind.HEADING, "The Landing"), RIVER))
        now = said(project, "The Landing")
        assert (now.uid, now.kind, now.spoken) == (landing.uid, Kind.HEADING, "The Landing.")
        project.set_kind([now.uid], Kind.VERSE)
        project.update_book(edition("The Landing", RIVER))
        assert said(project, "The Landing").kind is Kind.VERSE


def test_what_is_wanted_within_a_segment_is_told(tmp_path: Path) -> None:
    with made(tmp_path, edition(f"{RIVER} {FELL}")) as project:
        (segment,) = project.segments()
        new = edition(f"{RIVER} [[pause: 2 s]] {FELL}")
        assert project.compared(new).inside == (1,)
        project.update_book(new)
        assert project.segments() == [segment]


@pytest.mark.parametrize("joins", [False, True])
def test_parts_and_wholes_go_on_to_follow(tmp_path: Path, joins: bool) -> None:
    with made(tmp_path, edition(f"{RIVER} {FELL} [[pause: 1 s]]")) as project:
        (segment,) = project.segments()
        project.split(segment.uid, len(RIVER) + 1)
        if joins:
            project.join(segment.uid)
        project.update_book(edition(f"[[voice: anna]] {RIVER} {FELL} [[pause: 2 s]]"))
        assert {each.voice for each in project.segments()} == {"anna"}
        pauses = [each.pause_ms for each in project.segments()]
        assert pauses == ([2000] if joins else [None, 2000])


def test_what_a_person_has_put_in_and_what_is_of_an_older_program_stay(tmp_path: Path) -> None:
    with made(tmp_path, edition(RIVER, FELL)) as project:
        own = project.insert(said(project, RIVER).uid, "Words of my own.")
        assert own
        project._session.store.execute("UPDATE segments SET asked = '' WHERE source = ?", (FELL,))
        project.update_book(edition(f"[[voice: anna]] {RIVER}", FELL))
        assert [each.voice for each in project.segments()] == ["anna", "heart", "heart"]


def test_another_order_of_dates_changes_what_is_said_for_them(tmp_path: Path) -> None:
    source = tmp_path / "book.md"
    source.write_text("# One\n\nIt was 03/04/2021.\n\nIt was 5 o'clock.\n\nNot 06/07/2021.\n")
    project, _ = import_book(source, tmp_path / "book", voice=HEART, language="en-US")
    with project:
        typed = said(project, "Not 06/07/2021.")
        project.edit_spoken(typed.uid, "Not in June.")
        choice = Choice(Policies(dates=Dates.DAY_FIRST))
        renewal = renewing.compare(project, Source(source), choice)
        spoken = "It was the third of April, twenty twenty-one."
        assert [each.what for each in renewal.update.directed] == [
            (f"dates day first: {spoken}",),
            ("dates day first: Not the sixth of July, twenty twenty-one.",),
        ]
        renewing.apply(project, renewal)
        assert said(project, "It was 03/04/2021.").spoken == spoken
        assert said(project, "Not 06/07/2021.").spoken == "Not in June."
        # From now on the studio reads new texts like this, too.
        uid = said(project, "It was 03/04/2021.").uid
        project.join(uid)
        project.split(uid, len("It was 03/04/2021. "))
        assert said(project, "It was 03/04/2021.").spoken == spoken
        assert not project.compared(renewal.prepared.chapters, {"import": choice.values()})


def test_a_foreign_paragraph_keeps_its_language_in_all_that_is_done_to_it(tmp_path: Path) -> None:
    french = "Il y avait 21 bateaux. Puis il y en avait 30 au port ce soir."
    with made(tmp_path, edition(RIVER, Block(Kind.PROSE, french, language="fr"))) as project:
        uid = said(project, french).uid
        project.split(uid, len("Il y avait 21 bateaux. "))
        assert said(project, "Il y avait 21 bateaux.").spoken == "Il y avait vingt et un bateaux."
        assert "trente" in project.segments()[2].spoken
        project.set_kind([uid], Kind.HEADING)
        project.join(uid)
        assert "vingt et un" in said(project, french).spoken
        longer = french.replace("30 au port", "40 au vieux port")
        project.update_book(edition(RIVER, Block(Kind.PROSE, longer, language="fr")))
        assert "quarante" in said(project, longer).spoken
        project.undo()
        project.update_book(edition(RIVER, Block(Kind.PROSE, longer)))
        assert "forty" in said(project, longer).spoken


def test_parts_of_what_was_joined_are_not_taken_for_each_other(tmp_path: Path) -> None:
    chapters = edition(Block(Kind.HEADING, "The Landing"), f"{RIVER} [[pause: 1 s]]", FELL, RAIN)
    with made(tmp_path, chapters) as project:
        for place in (0, 1):
            project.join(project.segments()[place].uid)
        first, second = project.segments()
        project.split(first.uid, len("The Landing The river "))
        project.split(second.uid, len(FELL) + 1)
        before = [(each.kind, each.voice, each.pause_ms) for each in project.segments()]
        assert not project.compared(chapters)
        project.update_book(chapters)
        after = [(each.kind, each.voice, each.pause_ms) for each in project.segments()]
        assert after == before
