"""Whatever a book is written in, rows and columns line up: in every list, size and colour."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len
from screens_text import assert_rows_fill, strips
from studio_rig import HEART, Rig, open_rig

from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.book.kinds import Kind
from studio.project.folders import config_folder
from studio.project.importing import import_book
from studio.project.project import Project
from studio.ui import cells

BOOKS = Path(__file__).parent.parent / "book" / "cases" / "books"
SIZES = [(80, 24), (200, 60)]

LINES = (
    "漢字を読む。雪の夜に、誰もいない。",
    "مرحبا بكم في القرية القديمة على ضفة النهر",
    "שלום עולם 12 34",
    "العدد ١٢٣ و 456",
    "👨‍👩‍👧 went out; 👍🏽 said 🇫🇷, ❤️ and ✅️.",
    "Ca\u0301fe\u0301 no\u0308e\u0308l, Z\u0351\u036b\u0343a\u0363l\u0368g\u0367o\u0351!",
    "\u202eturned round\u202c, \u2066isolated\u2069, \u200fmarked",
    "สวัสดีชาวโลก हिन्दी में लिखा",
    "A\tstray\ttab, a soft\u00adhyphen, a no\u00a0break, a \x07bell",
    "ﷺ ꧅ 𒐫 ⸻ wide and wider",
    "Plain, for comparison.",
)


def own_book(folder: Path) -> Path:
    """Every awkward line, under a title as awkward as they are."""
    lines = tuple(SegmentDraft(Kind.PROSE, text, text, True, n) for n, text in enumerate(LINES))
    titles = ("漢字の長い題名" * 6, "مرحبا بكم 12", "👨‍👩‍👧 " * 20, "Ca\u0301fe\u0301")
    Project.create(
        folder,
        title="שלום 👍🏽 漢字 " * 8,
        author="",
        language="en-US",
        voice=HEART,
        chapters=[ChapterDraft(title, lines) for title in titles],
    ).close()
    return folder


def imported(name: str, folder: Path) -> Path:
    project, _ = import_book(BOOKS / f"{name}.epub", folder, voice=HEART)
    project.close()
    return folder


def column_of(line: str, marks: str) -> int | None:
    """The cell in which the first of some marks stands."""
    place = min((line.find(mark) for mark in marks if mark in line), default=-1)
    return None if place < 0 else cell_len(line[:place])


def assert_columns_stand(rig: Rig) -> None:
    """The state of every row stands in one column, and so does what comes behind the text."""
    grid = rig.screen.grid.content_region
    lines = [strip.text for strip in strips(rig.app)][grid.y + 1 : grid.bottom]
    rows = [line for line in lines if column_of(line, "○●!") is not None]
    assert rows
    assert len({column_of(line, "○●!") for line in rows}) == 1, rows
    # The words "heart" of the column of voices, or the figures behind the text, end together.
    voices = [line for line in rows if " heart " in line]
    assert len({cell_len(line[: line.rindex(" heart ")]) for line in voices}) <= 1, voices


async def look_around(rig: Rig, columns: int) -> None:
    """Every pane and window of the studio, with every line of the book."""
    await rig.until(lambda: not rig.screen.has_class("-opening"))
    for _ in LINES:
        assert_rows_fill(rig.app, columns)
        await rig.press("j")
    assert_columns_stand(rig)
    await rig.press("g", "g", "r")
    await rig.narrated()
    await rig.press("R")
    await rig.narrated()
    await rig.until(lambda: len(rig.screen.takes) == 2)
    assert_rows_fill(rig.app, columns)
    assert_columns_stand(rig)
    for keys in (["t"], ["1"], ["2"], ["e"], ["escape"], ["ctrl+a"], ["escape"], ["L"]):
        await rig.press(*keys)
        assert_rows_fill(rig.app, columns)
    await rig.press("escape", "escape")
    for keys in (["question_mark"], ["colon"], ["E"], ["H"], ["f"]):
        await rig.press(*keys)
        await rig.until(lambda: len(rig.app.screen_stack) > 2)
        assert_rows_fill(rig.app, columns)
        await rig.press("escape")
        await rig.until(lambda: len(rig.app.screen_stack) == 2)
    assert_rows_fill(rig.app, columns)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_everything_lines_up(tmp_path: Path, size: tuple[int, int]) -> None:
    async with open_rig(own_book(tmp_path / "b"), size) as rig:
        await look_around(rig, size[0])


@pytest.mark.parametrize("name", ["cjk", "rtl-emoji", "long-title"])
async def test_books_from_outside(tmp_path: Path, name: str) -> None:
    for size in SIZES:
        async with open_rig(imported(name, tmp_path / str(size)), size) as rig:
            await rig.until(lambda: not rig.screen.has_class("-opening"))
            for _ in rig.screen.session.rows.all:
                assert_rows_fill(rig.app, size[0])
                await rig.press("j")
            assert_columns_stand(rig)


@pytest.mark.parametrize("look", ["rhapsode-light", "ansi-dark", "ansi-light", "no colour"])
async def test_in_every_colour(tmp_path: Path, look: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if look == "no colour":
        monkeypatch.setenv("NO_COLOR", "1")
    else:
        config_folder().mkdir(parents=True)
        (config_folder() / "config.toml").write_text(f'[ui]\ntheme = "{look}"\n')
    async with open_rig(own_book(tmp_path / "b"), (80, 24)) as rig:
        assert look in (rig.app.theme, "no colour")
        await rig.until(lambda: not rig.screen.has_class("-opening"))
        for keys in (["j"], ["r"], ["1"], ["2"], ["e"], ["escape"], ["ctrl+a"], ["question_mark"]):
            await rig.press(*keys)
            assert_rows_fill(rig.app, 80)


async def test_the_library(tmp_path: Path) -> None:
    for name in ("cjk", "rtl-emoji", "long-title", "own"):
        folder = tmp_path / name
        own_book(folder) if name == "own" else imported(name, folder)
        async with open_rig(folder):
            pass
    for size in SIZES:
        async with open_rig(None, size) as rig:
            await rig.pilot.pause()
            assert_rows_fill(rig.app, size[0])


@pytest.mark.parametrize("text", ["שלום עולם 12 34", "مرحبا بكم", "abc שלום"])
@pytest.mark.parametrize("width", [4, 12, 40])
def test_what_is_read_from_the_right_ends_where_its_column_ends(text: str, width: int) -> None:
    """A terminal that turns such text must not take the figures behind it along."""
    shown = cells.fit(text, width)
    from_the_right = any("\u0590" <= char <= "\u08ff" for char in shown)
    assert shown.rstrip().endswith(cells.LEFT_AGAIN) == from_the_right
    assert cell_len(shown) == width
    assert cells.LEFT_AGAIN not in cells.fit("Plain – “text”, 漢字", width)
