"""Plain text and Markdown, whose shape is all there is to go by."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.book.kinds import Kind
from studio.book.manuscript import Manuscript
from studio.book.readers import read
from studio.book.readers.encoding import decode_text
from studio.book.segmenting import Limits, cut

WRAPPED = (
    "The road ran north along the river, past the mill and the old bridge that\n"
    "nobody had mended since the flood, and there it ended in a field of stones.\n"
)


def text_book(folder: Path, text: str, name: str = "book.txt") -> Manuscript:
    (folder / name).write_text(text, encoding="utf-8")
    return read(folder / name)


def shape(book: Manuscript) -> list[tuple[str, list[tuple[str, str]]]]:
    return [
        (chapter.title, [(block.kind.value, block.text) for block in chapter.blocks])
        for chapter in book.chapters
    ]


@pytest.mark.parametrize(
    "heading",
    ["Chapter 1", "CHAPTER IV. The Storm", "Chapter Two: A Walk", "PROLOGUE", "第一章"],
)
def test_chapter_lines(tmp_path: Path, heading: str) -> None:
    book = text_book(tmp_path, f"{heading}\n\n{WRAPPED}\n{heading}\n\n{WRAPPED}")
    assert [chapter.title for chapter in book.chapters] == [heading, heading]
    assert [block.kind for block in book.chapters[0].blocks] == [Kind.HEADING, Kind.PROSE]


@pytest.mark.parametrize(
    "line",
    [
        "Part of the wall had fallen.",
        "Chapter one was hard to write.",
        "Book two seats for us, please.",
        "IT WAS THE LAST TRAIN.",
        "1912 was a dry year.",
        "No.",
    ],
)
def test_lines_that_are_prose(tmp_path: Path, line: str) -> None:
    book = text_book(tmp_path, f"{WRAPPED}\n{line}\n\n{WRAPPED}")
    assert len(book.chapters) == 1
    assert [block.kind for block in book.chapters[0].blocks] == [Kind.PROSE] * 3


def test_numbers_that_count_through_the_book_are_chapters(tmp_path: Path) -> None:
    book = text_book(tmp_path, f"I\n\n{WRAPPED}\nII\n\n{WRAPPED}\nIII\n\n{WRAPPED}")
    assert [chapter.title for chapter in book.chapters] == ["I", "II", "III"]
    alone = text_book(tmp_path, f"{WRAPPED}\n7\n\n{WRAPPED}")
    assert len(alone.chapters) == 1


def test_a_number_and_its_title_on_a_line_of_its_own(tmp_path: Path) -> None:
    book = text_book(tmp_path, f"CHAPTER I\n\nThe Long Ferry\n\n{WRAPPED}")
    assert book.chapters[0].title == "CHAPTER I · The Long Ferry"


def test_a_contents_list_is_left_out(tmp_path: Path) -> None:
    listed = "CONTENTS\nChapter 1. Rain\nChapter 2. Wind\nChapter 3. Snow\n"
    book = text_book(tmp_path, f"{listed}\nChapter 1. Rain\n\n{WRAPPED}")
    assert [left.what for left in book.left_out] == ["contents list"]
    assert [chapter.title for chapter in book.chapters] == ["Chapter 1. Rain"]


def test_wrapped_lines_are_joined_and_paragraphs_parted(tmp_path: Path) -> None:
    text = (
        WRAPPED + "\n" + WRAPPED.rstrip() + " The end of it was\nnear.\n“Who is there?”\n“I am.”\n"
    )
    blocks = text_book(tmp_path, text).chapters[0].blocks
    assert [block.kind.value for block in blocks] == ["prose", "prose", "dialogue", "dialogue"]
    assert blocks[0].text == " ".join(WRAPPED.split())


def test_a_word_parted_at_a_hyphen_is_joined(tmp_path: Path) -> None:
    text = WRAPPED.replace("that\n", "well-\n").replace("nobody", "known")
    assert "well-known had" in text_book(tmp_path, text).chapters[0].blocks[0].text


@pytest.mark.parametrize(
    "mark", ["* * *", "***", "—", "#", "----------", "⁂", "~ ~ ~", "=====", "•"]
)
@pytest.mark.parametrize("name", ["book.txt", "book.md"])
def test_scene_breaks(tmp_path: Path, mark: str, name: str) -> None:
    blocks = text_book(tmp_path, f"{WRAPPED}\n{mark}\n\n{WRAPPED}", name).chapters[0].blocks
    assert len({block.text for block in blocks} - {""}) == 1
    if not (name.endswith(".md") and mark in "#•"):
        assert [block.kind for block in blocks] == [Kind.PROSE, Kind.SCENE_BREAK, Kind.PROSE]


def test_verse_is_kept_in_lines(tmp_path: Path) -> None:
    poem = "The moon is up,\nThe sea is wide,\nAnd no one calls\nAcross the tide.\n"
    blocks = text_book(tmp_path, f"{WRAPPED}\n{poem}\n{WRAPPED}").chapters[0].blocks
    assert [b.text for b in blocks if b.kind is Kind.VERSE] == poem.strip().split("\n")


def test_lines_longer_than_any_wrap_are_paragraphs(tmp_path: Path) -> None:
    line = "The road ran north along the river and on past the mill and the old bridge. " * 3
    blocks = text_book(tmp_path, f"{line}\n{line}\nShort.\n").chapters[0].blocks
    assert len(blocks) == 3


ENCODED = "“Café,” she said – it’s naïve. " * 3


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"]
)
def test_encodings_of_western_text(encoding: str) -> None:
    assert decode_text(ENCODED.encode(encoding)) == ENCODED


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Он вышел из дома рано утром и пошёл к реке, где его ждали друзья. " * 5, "cp1251"),
        ("他走进房间，看见桌子上放着一封信。信是他父亲写的。" * 8, "gb18030"),
        ("雨が降っていた。彼は傘を持っていなかった。" * 8, "shift_jis"),
    ],
)
def test_encodings_of_other_scripts(text: str, encoding: str) -> None:
    assert decode_text(text.encode(encoding)) == text


def test_markdown(tmp_path: Path) -> None:
    text = (
        "---\ntitle: The Ferry\nauthor: N. Nemo\n---\n# Chapter *One*\n\nIt [left](x.html) "
        "late.[^1]\nNobody **minded**.  ![alt](p.png)\n\n---\n\n## A section\n\n> “Go,” he said."
        "\n\n```\ncode()\n```\n\n1912. A dry year.\n\n<div>Raw <i>text</i>.</div>\n\n"
        "# Chapter Two\n\n- one\n- two\n\n"
        "| a | b |\n|---|---|\n| c | d |\n\n    Four blanks in.\n\n[^1]: A note.\n"
    )
    book = text_book(tmp_path, text, "book.md")
    assert (book.title, book.author) == ("The Ferry", "N. Nemo")
    assert shape(book) == [
        (
            "Chapter One",
            [
                ("heading", "Chapter One"),
                ("prose", "It left late. Nobody minded."),
                ("scene break", ""),
                ("heading", "A section"),
                ("dialogue", "“Go,” he said."),
                ("prose", "1912. A dry year."),
                ("prose", "Raw text."),
            ],
        ),
        (
            "Chapter Two",
            [
                ("heading", "Chapter Two"),
                ("prose", "one"),
                ("prose", "two"),
                ("prose", "a b"),
                ("prose", "c d"),
                ("prose", "Four blanks in."),
            ],
        ),
    ]
    assert [left.what for left in book.left_out] == ["code block", "picture", "note"]


def test_a_lone_first_heading_is_the_title_of_a_markdown_book(tmp_path: Path) -> None:
    book = text_book(tmp_path, "# The Ferry\n\n## One\n\nA.\n\n## Two\n\nB.\n", "x.md")
    assert book.title == "The Ferry"
    assert len(book.chapters) == 2
    assert [block.text for block in book.chapters[0].blocks] == ["The Ferry", "One", "A."]


LINES = st.lists(
    st.sampled_from(
        [
            *("", "Chapter 1", "IV.", "The sea was wide,", "“Yes.”", "* * *", "and so on"),
            *("    Title Here", "- item", "12"),
            "A line that is rather longer than the others are and goes on a while.",
        ]
    ),
    max_size=20,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LINES)
def test_no_word_of_a_text_file_is_lost(tmp_path: Path, lines: list[str]) -> None:
    book = text_book(tmp_path, "Start here now.\n\n" + "\n".join(lines) + "\n\nStop here now.")
    if any(left.what == "contents list" for left in book.left_out):
        return
    said = " ".join(block.text for chapter in book.chapters for block in chapter.blocks).split()
    wanted = ["Start", "here", "now.", *" ".join(lines).split(), "Stop", "here", "now."]
    assert [w for w in said if w not in "*-"] == [w for w in wanted if w not in "*-"]


def test_a_long_book_is_read_and_cut_quickly() -> None:
    path = Path(__file__).parent / "cases" / "books" / "huge.epub"
    started = time.process_time()
    chapters = cut(read(path), Limits(), "en")
    assert sum(len(chapter.segments) for chapter in chapters) > 7000
    assert time.process_time() - started < 6  # a core that is shared counts for less


def test_importing_the_room_loads_no_parser() -> None:
    code = (
        "import sys, studio.book.readers, studio.book.segmenting, studio.book.speaking\n"
        "heavy = {'lxml', 'selectolax', 'markdown_it', 'charset_normalizer', 'numpy'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
