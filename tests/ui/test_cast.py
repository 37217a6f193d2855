"""The cast: speakers found, given voices, reviewed, and applied as one step."""

from __future__ import annotations

import asyncio
import threading
import tomllib
from pathlib import Path

import pytest
from screens_text import assert_golden
from studio_rig import HEART, Rig, open_rig
from textual.widgets import Static

from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.book.kinds import Kind
from studio.project.model import Voice
from studio.project.project import Project
from studio.ui.casting import NARRATION, NOBODY, OTHERS, SPECIAL, Cast, apply, find
from studio.ui.screens.cast import CastScreen
from studio.ui.screens.prompt import Choose, Prompt
from studio.ui.screens.voice_pick import VoicePick
from studio.ui.widgets.column_list import ColumnList

CHAPTERS = (
    (
        "The Landing",
        (
            (Kind.HEADING, "The Landing"),
            (Kind.PROSE, "The last ferry had left."),
            (Kind.DIALOGUE, "“You’ve missed her,” said the miller."),
            (Kind.DIALOGUE, "“I wrote the board,” said Ann. “I know what it says.”"),
            (Kind.DIALOGUE, "“Then you know that nothing goes.”"),
            (Kind.SCENE_BREAK, ""),
            (Kind.DIALOGUE, "“Who is there?”"),
        ),
    ),
    (
        "Low Water",
        (
            (Kind.PROSE, "Tam Lin, said the miller, was nine."),
            (Kind.DIALOGUE, "“There’s a door,” said Tam."),
            (Kind.DIALOGUE, "“Where?” asked Tam Lin."),
        ),
    ),
)
VOICES = (
    Voice("low", "hibari", "heart", settings={"pitch": -4}),
    Voice("high", "hibari", "heart", settings={"pitch": 4}),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    chapters = [
        ChapterDraft(
            title,
            tuple(
                SegmentDraft(kind, text, text, True, 100 * number + place)
                for place, (kind, text) in enumerate(lines)
            ),
        )
        for number, (title, lines) in enumerate(CHAPTERS)
    ]
    with Project.create(
        tmp_path / "ferry",
        title="The Ferry",
        author="",
        language="en-US",
        voice=HEART,
        chapters=chapters,
    ) as project:
        for voice in VOICES:
            project.put_voice(voice)
    return tmp_path / "ferry"


def told(rig: Rig) -> str:
    place = rig.app.screen.query_one_optional("#cast-told", Static)
    return "" if place is None else str(place.content)


async def cast_open(rig: Rig) -> CastScreen:
    await rig.press("C")
    await rig.until(lambda: "found" in told(rig), "for the speakers")
    screen = rig.app.screen
    assert isinstance(screen, CastScreen)
    return screen


def rows(screen: CastScreen, which: str) -> list[tuple[str, ...]]:
    return [tuple(row) for row in screen.query_one(which, ColumnList)._rows]


async def on_top(rig: Rig, kind: type) -> None:
    await rig.until(lambda: isinstance(rig.app.screen, kind), f"for {kind.__name__}")


async def choose_voice(rig: Rig, *keys: str) -> None:
    """Choose a voice for the speaker under the cursor."""
    await rig.press("enter")
    await on_top(rig, VoicePick)
    await rig.press(*keys, "enter")
    await on_top(rig, CastScreen)
    speakers = rig.app.screen.query_one("#cast-speakers", ColumnList)
    await rig.until(lambda: speakers._rows[speakers.cursor][2] != "–", "for the voice")


def voices(project: Project) -> list[str]:
    return [segment.voice for segment in project.segments()]


async def test_speakers_are_found_and_nothing_is_changed_before_it_is_applied(
    folder: Path,
) -> None:
    async with open_rig(folder) as rig:
        before = [entry.id for entry in rig.project.history()]
        screen = await cast_open(rig)
        assert rows(screen, "#cast-speakers") == [
            ("the miller", "2", "–"),
            ("Ann", "1", "–"),
            ("Tam", "1", "–"),
            ("Tam Lin", "1", "–"),
            (NOBODY, "1", "–"),
            (OTHERS, "6", "–"),
            (NARRATION, "3", "–"),
        ]
        assert [row[2] for row in rows(screen, "#cast-lines")] == [
            "said the miller",
            "the miller and Ann take turns",
        ]
        await choose_voice(rig, "down")
        await rig.press("escape")
        await rig.until(lambda: not isinstance(rig.app.screen, CastScreen))
        assert set(voices(rig.project)) == {"heart"}
        assert [entry.id for entry in rig.project.history()] == before


async def test_applied_it_is_one_step_that_stays_in_the_cast(folder: Path) -> None:
    async with open_rig(folder) as rig:
        rig.screen.grid.move_to(2)
        await rig.press("r")
        await rig.narrated()
        await cast_open(rig)
        await choose_voice(rig, "down")  # the miller: high
        await rig.press("down")
        await choose_voice(rig, "down", "down")  # Ann: low
        await rig.press("ctrl+e")
        await rig.until(lambda: "changed" in rig.notice, "for the cast to be applied")
        assert "3 segments changed; 1 stale" in rig.notice
        assert voices(rig.project)[:7] == ["heart", "heart", "high", "low", "high", *["heart"] * 2]
        kept = tomllib.loads((folder / "project.toml").read_text())
        assert kept["cast"] == {"the miller": "high", "Ann": "low"}
        await rig.press("u")
        await rig.until(lambda: set(voices(rig.project)) == {"heart"}, "for the undo")
        assert rig.project.cast() == {}
        assert "cast" not in tomllib.loads((folder / "project.toml").read_text())
        await rig.press("ctrl+r")
        await rig.until(lambda: "low" in voices(rig.project), "for the redo")
        screen = await cast_open(rig)
        assert rows(screen, "#cast-speakers")[0] == ("the miller", "2", "high")


async def test_a_line_is_left_out_and_another_corrected(folder: Path) -> None:
    async with open_rig(folder) as rig:
        screen = await cast_open(rig)
        await rig.press("tab", "down", "x")
        assert [row[0] for row in rows(screen, "#cast-lines")] == ["✓", "–"]
        await rig.press("tab")
        await choose_voice(rig, "down")
        await rig.press("down", "down", "down", "down")  # nobody named
        assert [row[3] for row in rows(screen, "#cast-lines")] == ["“Who is there?”"]
        await rig.press("tab", "enter")
        await on_top(rig, Choose)
        await rig.press("home", "enter")  # the miller
        await on_top(rig, CastScreen)
        told_three = ("the miller", "3", "high")
        await rig.until(lambda: rows(screen, "#cast-speakers")[0] == told_three, "to be corrected")
        await rig.press("ctrl+e")
        await rig.until(lambda: "changed" in rig.notice, "for the cast to be applied")
        assert voices(rig.project)[2:7] == ["high", "heart", "heart", "heart", "high"]


async def test_two_names_of_one_person_are_merged(folder: Path) -> None:
    async with open_rig(folder) as rig:
        screen = await cast_open(rig)
        await rig.press("down", "down", "r")
        await on_top(rig, Prompt)
        hints = [str(it.content) for it in rig.app.screen.query(Static)]
        assert "perhaps the same: Tam Lin" in hints
        await rig.press("end", *" Lin", "enter")
        await rig.until(lambda: "both lists in one" in told(rig), "for the merger")
        assert ("Tam Lin", "2", "–") in rows(screen, "#cast-speakers")
        assert all(row[0] != "Tam" for row in rows(screen, "#cast-speakers"))


async def test_split_at_the_quotation_marks_in_the_same_step(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await cast_open(rig)
        await choose_voice(rig, "down")  # the miller: high
        await rig.press("down")
        await choose_voice(rig, "down", "down")  # Ann: low
        await rig.press("m", "ctrl+e")
        await rig.until(lambda: "changed" in rig.notice, "for the cast to be applied")
        assert "6 without a take, g b narrates them" in rig.notice
        found = [(it.source, it.voice) for it in rig.project.segments()][2:8]
        assert found == [
            ("“You’ve missed her,”", "high"),
            ("said the miller.", "heart"),
            ("“I wrote the board,”", "low"),
            ("said Ann.", "heart"),
            ("“I know what it says.”", "low"),
            ("“Then you know that nothing goes.”", "high"),
        ]
        assert rig.project.cast() == {"the miller": "high", "Ann": "low"}
        await rig.press("u")
        await rig.until(lambda: len(rig.project.segments()) == 10, "for the undo")
        assert set(voices(rig.project)) == {"heart"}
        assert rig.project.cast() == {}


async def test_applied_twice_by_fast_hands_it_is_applied_once(folder: Path) -> None:
    async with open_rig(folder) as rig:
        screen = await cast_open(rig)
        await choose_voice(rig, "down")
        steps = len(rig.project.history())
        done = threading.Event()
        holding = asyncio.ensure_future(rig.screen.session.read(done.wait))  # a slow disk
        await rig.press("m", "ctrl+e", "ctrl+e", "escape", "ctrl+e")
        await rig.until(lambda: told(rig) == "Applying …", "for the sentence")
        assert rig.app.screen is screen
        done.set()
        await holding
        await rig.until(lambda: "changed" in rig.notice, "for the cast to be applied")
        assert len(rig.project.history()) == steps + 1
        assert [it.voice for it in rig.screen.session.rows.all] == voices(rig.project)


async def test_what_a_window_did_is_shown_though_it_was_closed_meanwhile(folder: Path) -> None:
    async with open_rig(folder) as rig:
        uid = rig.project.segments()[1].uid
        done = threading.Event()
        holding = asyncio.ensure_future(rig.screen.session.read(done.wait))
        asked = asyncio.ensure_future(rig.screen.session.do(rig.project.set_voice, [uid], "low"))
        await rig.pilot.pause()
        asked.cancel()
        done.set()
        await holding
        await rig.until(lambda: rig.screen.session.rows.get(uid).voice == "low")  # type: ignore[union-attr]
        assert asked.cancelled()


async def test_the_chapter_alone(folder: Path) -> None:
    async with open_rig(folder) as rig:
        screen = await cast_open(rig)
        await rig.press("c")
        await rig.until(lambda: len(rows(screen, "#cast-speakers")) == 5, "for the chapter")
        names = [row[0] for row in rows(screen, "#cast-speakers")]
        assert names == ["the miller", "Ann", NOBODY, OTHERS, NARRATION]
        await rig.press("down", "down", "down", "down")
        await choose_voice(rig, "down", "down")  # narration: low
        await rig.press("ctrl+e")
        await rig.until(lambda: "changed" in rig.notice, "for the cast to be applied")
        assert voices(rig.project) == ["low", "low", *["heart"] * 8]
        assert rig.project.cast() == {}, "narration is no speaker"


async def test_nothing_chosen_is_nothing_to_apply(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await cast_open(rig)
        await rig.press("ctrl+e")
        assert "No voice is chosen yet" in told(rig)


@pytest.mark.parametrize(("columns", "height"), [(80, 24), (120, 36)])
async def test_the_cast_looks_as_it_did(folder: Path, columns: int, height: int) -> None:
    async with open_rig(folder, (columns, height)) as rig:
        await cast_open(rig)
        await choose_voice(rig, "down")
        await rig.press("down")
        await rig.pilot.pause()
        assert_golden(rig.app, f"cast_{columns}")


# Without a window.


def cast_of(project: Project, **roles: str) -> Cast:
    segments = [it for it in project.segments() if it.kind is not Kind.SCENE_BREAK]
    return Cast(segments, find(segments, "en-US"), voices=dict(roles))


def test_all_other_dialogue_is_what_has_no_voice_of_its_own(folder: Path) -> None:
    with Project.open(folder) as project:
        cast = cast_of(project, **{"the miller": "high", OTHERS: "low"})
        assert apply(project, cast.wanted(), "cast")
        assert voices(project) == [
            "heart",
            "heart",
            "high",
            "low",
            "high",
            "heart",
            "low",
            "heart",
            "low",
            "low",
        ]
        assert project.cast() == {"the miller": "high"}


def test_who_says_only_a_part_of_a_segment_gets_a_voice_where_it_is_split(tmp_path: Path) -> None:
    lines = (
        "“The bridge is out,” said the miller, and sat down. “Is it?” asked Ann.",
        "“Well,” said Tam.",
    )
    drafts = tuple(SegmentDraft(Kind.DIALOGUE, text, text, True, 1) for text in lines)
    with Project.create(
        tmp_path / "part",
        title="P",
        author="",
        language="en",
        voice=HEART,
        chapters=[ChapterDraft("P", drafts)],
    ) as project:
        for voice in VOICES:
            project.put_voice(voice)
        cast = cast_of(project, **{"the miller": "low", "Ann": "high"})
        assert [name for name in cast.lines() if name not in SPECIAL] == ["Tam"]
        cast.split = True
        assert [name for name in cast.lines() if name not in SPECIAL] == [
            "Ann",
            "Tam",
            "the miller",
        ]
        apply(project, cast.wanted(), "cast")
        assert [(it.source, it.voice) for it in project.segments()] == [
            ("“The bridge is out,”", "low"),
            ("said the miller, and sat down.", "heart"),
            ("“Is it?”", "high"),
            ("asked Ann.", "heart"),
            ("“Well,” said Tam.", "heart"),
        ]


@pytest.mark.parametrize("typed", ["Hm.", "… Hm … !", "🎉 hm", "Missed her!"])
def test_a_typed_text_that_has_no_parts_is_read_whole(folder: Path, typed: str) -> None:
    with Project.open(folder) as project:
        uids = [it.uid for it in project.segments()]
        project.edit_spoken(uids[2], typed)
        project.edit_spoken(uids[3], "Hm.")
        cast = cast_of(project, **{"the miller": "high", "Ann": "low"})
        cast.split = True
        apply(project, cast.wanted(), "cast")
        found = project.segments_by_uid(uids)
        assert (found[uids[2]].voice, found[uids[3]].voice) == ("high", "low")
        assert found[uids[3]].spoken == "Hm."
        assert len(project.segments()) == len(uids) + (typed == "Missed her!")


def test_every_piece_of_a_split_cast_joins_to_the_same_text(folder: Path) -> None:
    with Project.open(folder) as project:
        before = " ".join(it.source for it in project.segments())
        cast = cast_of(project, Ann="low", Tam="high", NARRATION="heart")
        cast.split = True
        apply(project, cast.wanted(), "cast")
        after = project.segments()
        assert " ".join(it.source for it in after) == before
        assert len(after) == 13
        assert project.undo()
        assert len(project.segments()) == 10
