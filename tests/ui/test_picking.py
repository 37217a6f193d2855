"""The pieces of a manuscript before it is imported: ticks, policies, and what comes of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from screens_text import assert_golden, screen_text, settle
from studio_rig import Rig, open_rig

from studio.ui.screens.library import LibraryScreen
from studio.ui.screens.picking import PickingScreen
from studio.ui.screens.prompt import Confirm, Prompt, Report
from studio.ui.screens.studio import StudioScreen
from studio.ui.widgets.column_list import ColumnList

CASES = Path(__file__).parents[1] / "book" / "cases" / "books"
SIZES = pytest.mark.parametrize("size", [(120, 36), (80, 24)], ids=["120", "80"])
BOOK = """# One

It rained on the landing.[^1]

# Two

Nobody came for the bell.

# Three

The mill had stopped.

[^1]: It always did.
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two manuscripts, in which everything happens."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(CASES / "front-matter.epub", tmp_path / "front.epub")
    (tmp_path / "ferry.md").write_text(BOOK, encoding="utf-8")
    return tmp_path


async def name(rig: Rig, book: str) -> PickingScreen:
    """Name a manuscript in the library, and wait for its pieces."""
    await rig.press("n", *[{".": "full_stop"}.get(letter, letter) for letter in book], "enter")
    await rig.until(lambda: isinstance(rig.app.screen, PickingScreen), "for the pieces")
    screen = rig.app.screen
    assert isinstance(screen, PickingScreen)
    await settle(rig.pilot)
    return screen


async def imported(rig: Rig) -> Rig:
    """Import, and open the book."""
    await rig.press("enter")
    await rig.until(lambda: isinstance(rig.app.screen, Report), "for the report")
    await rig.press("enter")
    await rig.until(lambda: isinstance(rig.app.screen, StudioScreen), "for the studio")
    await rig.opened()
    return rig


def kept(rig: Rig) -> dict[str, dict[str, object]]:
    return rig.project._session.reader.setting("import")  # type: ignore[no-any-return]


@SIZES
async def test_the_pieces_say_why_they_are_left_out(size: tuple[int, int]) -> None:
    async with open_rig(None, size) as rig:
        await name(rig, "front.epub")
        assert_golden(rig.app, f"picking_{size[0]}")
        await rig.press("r", "a", "a", "enter")
        await rig.until(lambda: "Nothing would be narrated" in screen_text(rig.app))
        assert_golden(rig.app, f"picking_nothing_{size[0]}")


async def test_what_is_ticked_is_imported(here: Path) -> None:
    async with open_rig(None) as rig:
        screen = await name(rig, "ferry.md")
        await rig.press("j", "space")
        await rig.until(lambda: "2 of 3 pieces" in screen_text(rig.app))
        left = screen.pieces[1].id
        await imported(rig)
        assert [chapter.title for chapter in rig.project.chapters()] == ["One", "Three"]
        assert kept(rig)["ticks"] == {left: False}


async def test_a_policy_changes_the_pieces_and_goes_to_the_import(here: Path) -> None:
    async with open_rig(None) as rig:
        screen = await name(rig, "ferry.md")
        before = screen.pieces[0].characters
        await rig.press("7")
        await rig.until(lambda: "dates: day first" in screen_text(rig.app))
        await rig.press("1")
        await rig.until(lambda: "notes: inline" in screen_text(rig.app))
        await rig.until(lambda: screen.pieces[0].characters > before, "for the note in it")
        await rig.press("5", "5")
        await rig.until(lambda: "front: unticked" in screen_text(rig.app))
        await imported(rig)
        policies = kept(rig)["policies"]
        assert (policies["front"], policies["notes"]) == ("unticked", "inline")
        assert policies["dates"] == "day first"
        assert any("always did" in segment.source for segment in rig.project.segments())


async def test_ticks_stay_when_a_policy_is_turned_and_go_when_asked_to(here: Path) -> None:
    async with open_rig(None) as rig:
        screen = await name(rig, "ferry.md")
        await rig.press("space", "1")
        await rig.until(lambda: "Reading" not in screen_text(rig.app))
        assert not screen.ticked(screen.pieces[0])
        await rig.press("r")
        await rig.until(lambda: screen.ticked(screen.pieces[0]))


async def test_a_book_of_which_nothing_is_ticked_can_be_chosen_from(here: Path) -> None:
    lines = "".join(f"Chapter {number} ..... {number}\n" for number in range(1, 6))
    (here / "list.txt").write_text(f"Contents\n{lines}", encoding="utf-8")
    async with open_rig(None) as rig:
        screen = await name(rig, "list.txt")
        assert [piece.ticked for piece in screen.pieces if piece.characters] == [False]
        await rig.press("enter")
        await rig.until(lambda: "Nothing would be narrated" in screen_text(rig.app))
        await rig.press("space")
        await imported(rig)
        sources = [segment.source for segment in rig.project.segments(1)]
        assert sources[0].startswith("Contents") or sources[0].startswith("Chapter 1")


async def test_leaving_imports_nothing(here: Path) -> None:
    async with open_rig(None) as rig:
        await name(rig, "ferry.md")
        before = sorted(here.iterdir())
        await rig.press("escape")
        await rig.until(lambda: isinstance(rig.app.screen, LibraryScreen))
        await rig.until(lambda: "was not imported" in screen_text(rig.app))
        assert sorted(here.iterdir()) == before


async def test_a_book_of_many_pieces_is_gone_through(here: Path) -> None:
    text = "\n\n".join(f"# Chapter {number}\n\nIt rained." for number in range(3000))
    (here / "ferry.md").write_text(text, encoding="utf-8")
    async with open_rig(None, (80, 24)) as rig:
        screen = await name(rig, "ferry.md")
        await rig.press("end", "space")
        await rig.until(lambda: "2,999 of 3,000 pieces" in screen_text(rig.app))
        assert screen.query_one(ColumnList).cursor == 2999


async def test_how_far_it_is_is_told(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    tell = LibraryScreen._tell_far

    def listen(self: LibraryScreen, sentence: str) -> None:
        told.append(sentence)
        tell(self, sentence)

    monkeypatch.setattr(LibraryScreen, "_tell_far", listen)
    async with open_rig(None) as rig:
        await name(rig, "ferry.md")
        await imported(rig)
    assert told[-1] == "Importing ferry.md… 100 %"
    assert len(told) == len(set(told)) > 3


async def test_the_pieces_of_a_book_are_chosen_again(here: Path) -> None:
    async with open_rig(None) as rig:
        await name(rig, "ferry.md")
        await imported(rig)
        first = rig.project.segments()[1]
        rig.project.set_note(first.uid, "kept")
        for answer, chapters in (("escape", 3), ("y", 2)):
            rig.screen.action_book_pieces()
            await rig.until(lambda: isinstance(rig.app.screen, Prompt), "for the question")
            await rig.press(*(["enter"] if rig.screen.manuscript else [*"ferry", "full_stop"]))
            if isinstance(rig.app.screen, Prompt):
                await rig.press(*"md", "enter")
            await rig.until(lambda: isinstance(rig.app.screen, PickingScreen), "for the pieces")
            await rig.press("j", "space", "enter")
            await rig.until(lambda: isinstance(rig.app.screen, Confirm), "for the question")
            assert "2 gone" in screen_text(rig.app)
            await rig.press(answer)
            await rig.until(lambda: rig.app.screen is rig.screen)
            await rig.until(lambda: "The book was" in rig.notice)
            assert len(rig.project.chapters()) == chapters
        assert list(kept(rig)["ticks"].values()) == [False]
        assert rig.project.segments()[1].note == "kept"
        await rig.press("u")
        await rig.until(lambda: len(rig.project.chapters()) == 3)
        assert kept(rig)["ticks"] == {}, "what was chosen is taken back with it"
        rig.screen.action_book_pieces()
        await rig.until(lambda: isinstance(rig.app.screen, Prompt))
        await rig.press("enter")
        await rig.until(lambda: isinstance(rig.app.screen, PickingScreen))
        await rig.press("enter")
        await rig.until(lambda: "says all of it already" in rig.notice)
