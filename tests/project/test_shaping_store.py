"""Which segments there are: split, join, insert, delete and what kind each is."""

from __future__ import annotations

from pathlib import Path

import pytest
from bookmaking import HEART, drafts, make, narrate_all, narrated
from hypothesis import given, settings
from hypothesis import strategies as st
from needs import examples

from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.book.kinds import Kind
from studio.book.lexicon import Rule
from studio.book.speaking import speak
from studio.errors import BadInput
from studio.project.model import Failure, Segment, State, Voice
from studio.project.project import Project


def row(project: Project, uid: str) -> Segment:
    return project.segments_by_uid([uid])[uid]


def book_of(*texts: str, language: str = "en-US") -> list[ChapterDraft]:
    """One chapter of lines, the last of which ends its paragraph."""
    lines = [
        SegmentDraft(Kind.PROSE, text, speak(text, Kind.PROSE, language), text is texts[-1], 7)
        for text in texts
    ]
    return [ChapterDraft("One", tuple(lines))]


def texts(project: Project) -> list[tuple[str, str]]:
    return [(segment.source, segment.spoken) for segment in project.segments()]


def test_a_split_gives_the_first_part_what_was_there_and_the_second_what_follows(
    project: Project, uids: list[str]
) -> None:
    uid = uids[1]
    project.enqueue(uids)
    narrate_all(project)
    project.mark([uid])
    project.set_note(uid, "slower")
    project.set_pause([uid], 700)
    project.set_speed([uids[2]], 1.5)
    old = row(project, uid)
    change = project.split(uid, old.source.index("by"))
    assert change.structure
    first, second = project.segments()[1:3]
    assert change.segments == {first.uid, second.uid}
    assert change.label == "split segment 2"
    assert (first.uid, first.takes, first.mark, first.note) == (uid, 1, True, "slower")
    assert (first.pause_ms, first.ends_paragraph) == (None, False)
    assert first.stale == ("text",)
    assert (second.takes, second.mark, second.note, second.chosen) == (0, False, "", None)
    assert (second.pause_ms, second.ends_paragraph) == (700, old.ends_paragraph)
    assert (second.kind, second.voice, second.speed) == (old.kind, old.voice, old.speed)
    assert (first.source, second.source) == ("Line 0 of chapter 0,", "by Dr. Harrow.")
    assert (first.spoken, second.spoken) == ("Line zero of chapter zero,", "by Doctor Harrow.")
    assert second.uid not in uids
    assert [s.number for s in project.segments()] == list(range(1, 10))
    assert project.chapters()[1].first == 6


def test_two_projects_split_alike(tmp_path: Path, project: Project, uids: list[str]) -> None:
    with make(tmp_path / "again") as again:
        for each in (project, again):
            each.split(uids[1], 5)
        assert [(s.uid, s.seed) for s in again.segments()] == [
            (s.uid, s.seed) for s in project.segments()
        ]


def test_parts_that_say_the_same_differ_in_uid_and_seed(tmp_path: Path) -> None:
    with make(tmp_path / "book", chapters=book_of("Stop. Stop. Stop.")) as project:
        uid = project.segments()[0].uid
        project.split(uid, 6)
        project.split(project.segments()[1].uid, 6)
        rows = project.segments()
        assert [s.source for s in rows] == ["Stop."] * 3
        assert len({s.uid for s in rows}) == 3
        assert len({s.seed for s in rows}) == 3


@pytest.mark.parametrize(
    ("at", "words"),
    [(0, "both sides"), (35, "both sides"), (999, "both sides"), (34, "inside"), (2, "inside")],
)
def test_a_split_at_a_wrong_place_is_refused(
    project: Project, uids: list[str], at: int, words: str
) -> None:
    with pytest.raises(BadInput, match=words):
        project.split(uids[1], at)
    assert project.history() == ()


def test_a_part_with_nothing_to_say_is_refused(tmp_path: Path) -> None:
    with make(tmp_path / "book", chapters=book_of("He waited – …")) as project:
        (segment,) = project.segments()
        with pytest.raises(BadInput, match="nothing to say in “– …”"):
            project.split(segment.uid, 10)
        (silent,) = project.insert(segment.uid, "", Kind.SCENE_BREAK).segments
        with pytest.raises(BadInput, match="Segment 2 is a scene break"):
            project.split(silent, 1)


SENTENCES = st.lists(
    st.sampled_from(
        [
            "Dr. Harrow paid £5 in 1914.",
            "“Is it true?” he said—and left.",
            "今日は。",
            "天気がいい",
            "naïve cafe\u0301",
            "😀 smiled",
            "שלום עולם!",
            "one  two",
            "well-known",
        ]
    ),
    min_size=1,
    max_size=4,
)


@given(pieces=SENTENCES, glue=st.sampled_from([" ", "", "—"]), at=st.integers(0, 80))
@settings(max_examples=examples(60), deadline=None)
def test_joining_is_the_way_back_from_splitting(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str], glue: str, at: int
) -> None:
    folder = tmp_path_factory.mktemp("split") / "book"
    with make(folder, chapters=book_of(glue.join(pieces), "The end.")) as project:
        uid = project.segments()[0].uid
        before, look = texts(project), row(project, uid)
        try:
            project.split(uid, at)
        except BadInput:
            assert texts(project) == before
            return
        assert all(spoken.strip() for _, spoken in texts(project))
        project.join(uid)
        assert texts(project) == before
        assert row(project, uid) == look
        for _ in range(2):
            project.undo()
        assert row(project, uid) == look


def test_what_is_split_off_often_is_split_off_as_quickly(tmp_path: Path) -> None:
    """“he said.” stands in a book a thousand times; the last split asks what the first did."""
    book = book_of(*(f"“Line {number},” he said." for number in range(300)))
    with make(tmp_path / "many", chapters=book) as project:
        asked: list[str] = []
        project._session.store.connection.set_trace_callback(asked.append)
        counts = []
        for segment in project.segments():
            asked.clear()
            project.split(segment.uid, segment.source.index("he said"))
            counts.append(len(asked))
        segments = project.segments()
        assert len({it.uid for it in segments}) == 600
        assert len({it.seed for it in segments if it.source == "he said."}) == 300
        assert max(counts) < counts[0] + 40


def test_a_typed_text_is_split_where_its_words_are(project: Project, uids: list[str]) -> None:
    source = row(project, uids[1]).source
    project.edit_spoken(uids[1], "Line nought of the first chapter, by Doctor Harrow.")
    project.split(uids[1], source.index("by"))
    first, second = project.segments()[1:3]
    assert (first.spoken, first.edited) == ("Line nought of the first chapter,", True)
    # What is typed as the rules have it counts as not typed.
    assert (second.spoken, second.edited) == ("by Doctor Harrow.", False)
    project.undo()
    project.split(uids[1], source.index("by"), spoken_at=5)
    first, second = project.segments()[1:3]
    assert first.spoken == "Line"
    assert second.spoken == "nought of the first chapter, by Doctor Harrow."


def test_one_typed_word_is_not_split(project: Project, uids: list[str]) -> None:
    project.edit_spoken(uids[1], "Hush.")
    with pytest.raises(BadInput, match="The typed text of segment 2 is one word"):
        project.split(uids[1], row(project, uids[1]).source.index("by"))


def test_the_lexicon_is_heard_in_both_parts(project: Project, uids: list[str]) -> None:
    project.put_rules([Rule("Harrow", "Harro"), Rule("Line", "Lyne")])
    project.split(uids[1], row(project, uids[1]).source.index("by"))
    first, second = project.segments()[1:3]
    assert (first.spoken, second.spoken) == ("Lyne zero of chapter zero,", "by Doctor Harro.")
    project.join(uids[1])
    assert row(project, uids[1]).spoken == "Lyne zero of chapter zero, by Doctor Harro."
    project.remove_rules(["Harrow", "Line"])
    assert row(project, uids[1]).spoken == "Line zero of chapter zero, by Doctor Harrow."


def test_a_join_keeps_the_first_and_what_was_said_of_both(
    project: Project, uids: list[str]
) -> None:
    project.enqueue(uids)
    narrate_all(project)
    first, second = row(project, uids[1]), row(project, uids[2])
    project.mark([second.uid])
    project.set_note(first.uid, "slower")
    project.set_note(second.uid, "louder")
    project.set_pause([second.uid], 900)
    project.set_kind([second.uid], Kind.DIALOGUE)
    change = project.join(first.uid)
    assert change.structure
    assert change.segments == {first.uid, second.uid}
    both = row(project, first.uid)
    assert both.source == f"{first.source} {second.source}"
    assert (both.mark, both.note, both.pause_ms) == (True, "slower; louder", 900)
    assert (both.kind, both.ends_paragraph) == (Kind.PROSE, second.ends_paragraph)
    assert (both.takes, both.chosen, both.stale) == (1, first.chosen, ("text",))
    assert second.uid not in project.segments_by_uid([second.uid])
    project.undo()
    assert row(project, second.uid).chosen == second.chosen
    assert row(project, second.uid).takes == 1


def test_a_typed_text_stays_typed_when_it_is_joined(project: Project, uids: list[str]) -> None:
    project.edit_spoken(uids[2], "Something else.")
    project.join(uids[1])
    both = row(project, uids[1])
    assert both.edited
    assert both.spoken == "Line 0 of chapter 0, by Doctor Harrow. Something else."
    project.edit_spoken(uids[1], None)
    assert "chapter zero" in row(project, uids[1]).spoken


def test_a_join_needs_two_segments_with_text(project: Project, uids: list[str]) -> None:
    silent = [s.uid for s in project.segments() if s.kind is Kind.SCENE_BREAK]
    with pytest.raises(BadInput, match="Segment 4 is a scene break"):
        project.join(uids[2])
    with pytest.raises(BadInput, match="last of its chapter"):
        project.join(silent[0])
    project.delete([silent[0]])
    with pytest.raises(BadInput, match="Segment 3 is the last of its chapter"):
        project.join(uids[2])


def test_a_segment_of_ones_own(project: Project, uids: list[str]) -> None:
    other = Voice(id="bella", engine=HEART.engine, speaker="bella")
    project.put_voice(other)
    project.set_voice([uids[1]], "bella")
    change = project.insert(uids[1], "  A word\nin between. ")
    assert change.structure
    assert change.label == "inserted a segment after segment 2"
    new = project.segments()[2]
    assert new.inserted
    assert new.uid in change.segments
    assert (new.source, new.spoken, new.voice) == ("", "A word in between.", "bella")
    assert new.ends_paragraph is row(project, uids[1]).ends_paragraph
    assert new.state() is State.DRAFT
    assert not row(project, uids[1]).inserted
    with pytest.raises(BadInput, match="Segment 3 was inserted"):
        project.edit_spoken(new.uid, None)
    with pytest.raises(BadInput, match="Segment 3 was inserted"):
        project.replace_spoken({uids[1]: "Other.", new.uid: None}, "replaced")
    assert not row(project, uids[1]).edited
    project.edit_spoken(new.uid, "Another word.")
    project.enqueue([new.uid])
    narrate_all(project)
    project.approve([new.uid])
    assert row(project, new.uid).state() is State.APPROVED
    assert project.chapters()[0].spoken == 4


def test_inserted_segments_are_split_and_joined_by_what_is_typed(
    project: Project, uids: list[str]
) -> None:
    project.insert(uids[1], "One more. And one.")
    uid = project.segments()[2].uid
    project.split(uid, 10)
    first, second = project.segments()[2:4]
    assert (first.spoken, second.spoken) == ("One more.", "And one.")
    assert first.inserted
    assert second.inserted
    project.join(first.uid)
    assert row(project, uid).spoken == "One more. And one."
    assert row(project, uid).inserted
    project.join(uids[1])
    joined = row(project, uids[1])
    assert not joined.inserted
    assert joined.spoken == "Line 0 of chapter 0, by Doctor Harrow. One more. And one."
    assert joined.source == "Line 0 of chapter 0, by Dr. Harrow."


def test_the_same_text_inserted_twice_is_two_segments(project: Project, uids: list[str]) -> None:
    for _ in range(3):
        project.insert(uids[0], "Again.")
    rows = project.segments()[1:4]
    assert len({s.uid for s in rows}) == len({s.seed for s in rows}) == 3
    project.undo()
    gone = rows[0].uid
    project.insert(uids[0], "Again.")
    assert project.segments()[1].uid != gone or project.can_redo is None


def test_an_insertion_goes_to_the_ends_too(project: Project, uids: list[str]) -> None:
    last = project.segments()[-1]
    project.insert(uids[0], "The very first.", Kind.HEADING, before=True)
    project.insert(last.uid, "The very last.")
    project.insert(last.uid, "", Kind.SCENE_BREAK, before=True)
    rows = project.segments()
    assert rows[0].spoken == "The very first."
    assert (rows[0].kind, rows[0].ends_paragraph) == (Kind.HEADING, True)
    assert rows[-1].spoken == "The very last."
    assert (rows[-3].kind, rows[-3].state()) == (Kind.SCENE_BREAK, State.READY)
    for text, kind in (("", Kind.PROSE), (" ", Kind.PROSE), ("…", Kind.PROSE)):
        with pytest.raises(BadInput, match=r"something to say|nothing to say"):
            project.insert(uids[0], text, kind)
    with pytest.raises(BadInput, match="has no text"):
        project.insert(uids[0], "Words.", Kind.SCENE_BREAK)
    with pytest.raises(BadInput, match="half a character"):
        project.insert(uids[0], "\ud800")


def test_a_thousand_splits_in_one_place(project: Project, uids: list[str]) -> None:
    words = [f"word{number}" for number in range(1001)]
    project.insert(uids[1], " ".join(words))
    uid = project.segments()[2].uid
    begin = texts(project)
    for count in range(1000, 0, -1):
        project.split(uid, len(" ".join(words[:count])) + 1)
    rows = project.segments()
    assert [s.spoken for s in rows[2:-6]] == words
    assert [s.source for s in (*rows[:2], *rows[-6:])] == [
        source for source, _ in (*begin[:2], *begin[-6:])
    ]
    assert len({s.uid for s in rows}) == len(rows) == 9 + 1000
    for _ in range(1000):
        project.undo()
    assert texts(project) == begin


def test_all_segments_of_a_chapter_are_deleted_with_it(project: Project) -> None:
    first, second = project.chapters()
    before = project.segments()
    project.enqueue([s.uid for s in before])
    change = project.delete([s.uid for s in project.segments(first.id)])
    assert change.structure
    assert change.label == "deleted 4 segments"
    assert [c.id for c in project.chapters()] == [second.id]
    assert project.chapters()[0].first == 1
    assert project.queue_size()[0] == 3
    with pytest.raises(BadInput, match="every segment"):
        project.delete([s.uid for s in project.segments()])
    project.undo()
    assert [(c.id, c.title, c.segments) for c in project.chapters()] == [
        (c.id, c.title, c.segments) for c in (first, second)
    ]
    assert [s.uid for s in project.segments()] == [s.uid for s in before]
    assert project.delete([]) == project.delete(())


def test_what_is_deleted_while_it_is_narrated_comes_back_with_its_take(
    project: Project, uids: list[str]
) -> None:
    project.enqueue(uids[:3])
    taken = [narrated(project, item) for item in project.queue()]
    project.delete([uids[1]])
    assert [item.segment for item in project.queue()] == [uids[0], uids[2]]
    change = project.record(taken[:2], [Failure(taken[2].item, "refused")])
    assert uids[1] in change.segments
    assert project.queue() == ()
    assert [s.uid for s in project.segments() if s.chosen] == [uids[0]]
    assert project.history()[0].label == "deleted segment 2" or project.can_undo
    while uids[1] not in project.segments_by_uid([uids[1]]):
        assert project.undo() is not None
    back = row(project, uids[1])
    assert (back.takes, back.chosen, back.queued) == (1, None, False)
    project.choose_take(back.uid, project.takes(back.uid)[0].id)
    assert row(project, back.uid).state() is State.READY


def test_a_failure_of_what_was_deleted_is_forgotten(project: Project, uids: list[str]) -> None:
    project.enqueue(uids[:1])
    (item,) = project.queue()
    project.delete([uids[0]])
    project.record([], [Failure(item, "refused")])
    project.undo()
    assert row(project, uids[0]).failure == ""


def test_a_split_while_it_is_narrated_keeps_what_comes_and_does_not_choose_it(
    project: Project, uids: list[str]
) -> None:
    project.enqueue(uids[1:2])
    (item,) = project.queue()
    result = narrated(project, item)
    project.split(uids[1], 5)
    project.record([result])
    first = row(project, uids[1])
    assert (first.takes, first.chosen, first.state()) == (1, None, State.DRAFT)
    project.undo()
    assert row(project, uids[1]).chosen is None
    assert project.takes(uids[1])[0].spoken == row(project, uids[1]).spoken


def test_headings_are_spoken_otherwise(tmp_path: Path) -> None:
    with make(tmp_path / "book", chapters=book_of("Chapter IV", "Prose.")) as project:
        uid = project.segments()[0].uid
        prose = row(project, uid).spoken
        project.set_kind([uid], Kind.HEADING)
        assert row(project, uid).spoken == speak("Chapter IV", Kind.HEADING, "en-US") != prose
        project.set_kind([uid], Kind.DIALOGUE)
        assert row(project, uid).spoken == speak("Chapter IV", Kind.DIALOGUE, "en-US")
        project.edit_spoken(uid, "The fourth")
        project.set_kind([uid], Kind.HEADING)
        assert row(project, uid).spoken == "The fourth"
        for _ in range(4):
            project.undo()
        assert (row(project, uid).kind, row(project, uid).spoken) == (Kind.PROSE, prose)


def test_a_scene_break_has_no_text_and_nothing_else_is_without(
    project: Project, uids: list[str]
) -> None:
    silent = next(s.uid for s in project.segments() if s.kind is Kind.SCENE_BREAK)
    with pytest.raises(BadInput, match="Segment 2 has text"):
        project.set_kind([silent, uids[1]], Kind.SCENE_BREAK)
    with pytest.raises(BadInput, match="Segment 4 is a scene break"):
        project.set_kind([uids[1], silent], Kind.VERSE)
    assert row(project, uids[1]).kind is Kind.PROSE
    assert not project.set_kind([silent], Kind.SCENE_BREAK)
    assert not project.set_kind([uids[1]], Kind.PROSE)


def test_what_ended_a_failure_is_told(project: Project, uids: list[str]) -> None:
    project.enqueue(uids[:3])
    project.record([], [Failure(item, "too long") for item in project.queue()])
    assert [row(project, uid).failure for uid in uids[:3]] == ["too long"] * 3
    assert uids[1] in project.split(uids[1], 5).segments
    assert project.set_kind([uids[2]], Kind.HEADING).segments == {uids[2]}
    assert uids[0] in project.join(uids[0]).segments
    assert not any(segment.failure for segment in project.segments())


def test_shapes_are_undone_after_closing(tmp_path: Path) -> None:
    def look(project: Project) -> list[object]:
        return [(s.uid, s.source, s.spoken, s.kind, s.number) for s in project.segments()]

    with make(tmp_path / "book") as project:
        looks = [look(project)]
        uids = [s.uid for s in project.segments()]
        for command in (
            lambda: project.split(uids[1], 5),
            lambda: project.join(uids[1]),
            lambda: project.insert(uids[2], "A word."),
            lambda: project.delete(uids[4:]),
            lambda: project.set_kind([uids[0]], Kind.PROSE),
        ):
            command()
            looks.append(look(project))
    for before in reversed(looks[:-1]):
        with Project.open(tmp_path / "book") as project:
            assert project.undo() is not None
            assert look(project) == before
    for after in looks[1:]:
        with Project.open(tmp_path / "book") as project:
            assert project.redo() is not None
            assert look(project) == after


def test_several_shapes_in_one_step_see_each_other(tmp_path: Path) -> None:
    with make(tmp_path / "book", chapters=drafts(2, 402)) as project:
        before = [s.uid for s in project.segments()]

        def steps(book: Project) -> None:
            for uid in before[1:4]:
                book.split(uid, 5)
            book.mark(s.uid for s in book.segments())
            book.delete([before[5]])
            assert book.chapters()[0].segments == 404

        change = project.together("cut up", steps)
        assert change.structure
        assert change.label == "cut up"
        rows = project.segments()
        assert len(rows) == 804 + 3 - 1
        assert all(s.mark for s in rows)
        project.undo()
        assert [s.uid for s in project.segments()] == before

        def failing(book: Project) -> None:
            book.delete(before[:10])
            assert book.chapters()[0].segments == 392
            book.split(before[0], 1)

        with pytest.raises(BadInput, match="no segment"):
            project.together("half", failing)
        assert [s.uid for s in project.segments()] == before
        assert project.chapters()[0].segments == 402
        assert project.can_redo == "cut up"
