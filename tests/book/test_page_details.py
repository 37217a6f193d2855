"""What stands on a page beside its text, and marks of print in plain text."""

from __future__ import annotations

from pathlib import Path

import pytest
from epub_files import make_epub, page

from studio.book.kinds import Kind
from studio.book.manuscript import Block, Manuscript
from studio.book.readers import read, read_bytes
from studio.book.readers.blocks import unspaced
from studio.book.readers.styles import hidden_by
from studio.book.segmenting import Limits, cut


def blocks(book: Manuscript) -> list[Block]:
    assert book.coverage.unaccounted == 0
    return [block for chapter in book.chapters for block in chapter.blocks]


def epub(folder: Path, inside: str, **more: object) -> list[Block]:
    return blocks(read(make_epub(folder / "b.epub", {"a.xhtml": inside}, **more)))  # type: ignore[arg-type]


def texts(found: list[Block]) -> list[str]:
    return [block.text for block in found]


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("<p>He <del>went</del><ins>ran</ins> home.</p>", ["He ran home."]),
        ("<p>He <s>went</s> ran.</p>", ["He went ran."]),
        (
            "<epub:switch><epub:case required-namespace='x'><p>Sum.</p></epub:case>"
            "<epub:default><p>A sum.</p></epub:default></epub:switch>",
            ["A sum."],
        ),
        (
            "<p>So <epub:switch><epub:case required-namespace='x'>one</epub:case>"
            "<epub:case required-namespace='y'>two</epub:case></epub:switch> it is.</p>",
            ["So one it is."],
        ),
        ("<p>So <math><mi>x</mi><annotation>\\x</annotation></math>.</p>", ["So x."]),
        ('<p>A <span style="font-size:0">no</span>yes</p>', ["A yes"]),
        ('<p>A <span style="opacity: 0;">no</span>yes</p>', ["A yes"]),
        ('<p>A <span style="font-size:0.9em">yes</span></p>', ["A yes"]),
        ("<div class='pg-boilerplate'>Free eBook.</div><p>A</p>", ["A"]),
        ("<h1>C H A P T E R&#160;&#160;O N E</h1><p>A</p>", ["CHAPTER ONE", "A"]),
        ("<h1>C H A P T E R I V</h1><p>A</p>", ["CHAPTER IV", "A"]),
        ("<h1>A B C</h1><p>A</p>", ["A B C", "A"]),
        ("<p>R&D; and &foo; so</p>", ["R&D; and &foo; so"]),
    ],
)
def test_what_is_left_out_of_a_page(tmp_path: Path, inside: str, expected: list[str]) -> None:
    assert texts(epub(tmp_path, page(inside))) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("C H A P T E R   O N E", "CHAPTER ONE"),
        ("  P R O L O G U E", "PROLOGUE"),
        ("K A P I T E L 1 2", "KAPITEL 12"),
        ("I am a man", "I am a man"),
        ("a b c d", "a b c d"),
    ],
)
def test_letters_that_are_set_apart(line: str, expected: str) -> None:
    assert unspaced(line) == expected


def test_entities_that_a_page_declares(tmp_path: Path) -> None:
    declared = (
        '<!DOCTYPE html [<!ENTITY name "Anna &#38; Lee"><!ENTITY nest "&name;">'
        '<!ENTITY mark "<b>x</b>"><!ENTITY far SYSTEM "file:///etc/passwd">]>'
    )
    text = f"{declared}<html><body><p>So &name; &nest;&mark;&far; went &eacute;.</p></body></html>"
    book = read(make_epub(tmp_path / "b.epub", {"a.xhtml": text}))
    assert texts(blocks(book)) == ["So Anna & Lee went é."]
    rules = {item.rule: (item.characters, item.times) for item in book.coverage.skipped}
    assert rules == {"entity without meaning": (len("&nest;&mark;&far;"), 3)}


VERSE = "the moon is up,<br/>and all the wide grey sea<br/>lies still,<br/>and no one calls across"
WRAPPED = (
    "the moon was up and all the wide<br/>grey sea lay still, and no one that<br/>"
    "night called across the sound to<br/>the boats that waited in the mist"
)


def test_verse_needs_no_capitals_where_its_lines_are_broken_on_purpose(tmp_path: Path) -> None:
    found = epub(tmp_path, page(f"<p>{VERSE}</p>"))
    assert [block.kind for block in found] == [Kind.VERSE] * 4
    assert [block.kind for block in epub(tmp_path, page(f"<p>{WRAPPED}</p>"))] == [Kind.PROSE]
    bare = VERSE.replace("<br/>", "\n")
    assert len(epub(tmp_path, page(f"<p>{bare}</p>"))) == 1


def test_the_language_of_a_paragraph_is_carried(tmp_path: Path) -> None:
    inside = page(
        '<p>English.</p><p lang="fr">Oui.</p><p><i xml:lang="de">Ja doch.</i></p>'
        '<p>So <i lang="fr">oui</i>.</p><div lang="es"><p>Si.</p><p lang="en-US">Yes.</p></div>'
        '<h2 lang="la">Finis</h2>'
    ).replace("<html", '<html lang="en"')
    book = read(make_epub(tmp_path / "b.epub", {"a.xhtml": inside}))
    wanted = ["", "fr", "de", "", "es", "", "la"]
    assert [block.language for block in blocks(book)] == wanted
    drafts = cut(book, Limits(), "en")
    assert [s.language for chapter in drafts for s in chapter.segments] == wanted


def test_style_sheets_hide_by_tag_and_by_size() -> None:
    sheet = "aside, .x { display: none !important } span.y{font-size:0} .z{opacity:0.5}"
    assert hidden_by(sheet) == {"aside", ".x", "span.y"}
    assert hidden_by("body{display:none}") == frozenset()


PRINTED = """THE FERRY

Chapter 1

The road ran north along the river, past the mill and the old bridge that
nobody had mended since the
{}and there it ended in a field of stones.

He waited there until the
{}evening, and nobody came.

It grew dark, and he
{}went home.
"""


@pytest.mark.parametrize(
    "breaks",
    [
        ["\n12\n\n", "\n13\n\n", "\n14\n\n"],
        ["12\n\fTHE FERRY\n", "13\n\fTHE FERRY\n", "14\n\fTHE FERRY\n"],
        ["\fTHE FERRY 12\n", "\f13 THE FERRY\n", "\fTHE FERRY 14\n"],
        ["\n[Pg 12]\n\n", "\n[Pg 13]\n\n", "\n[Pg 14]\n\n"],
        ["- 12 -\n\n\n", "- 13 -\n\n\n", "- 14 -\n\n\n"],
        ["\f", "\f", "\f"],
    ],
)
def test_page_numbers_and_running_heads_of_a_printed_book(breaks: list[str]) -> None:
    found = texts(blocks(read_bytes(PRINTED.format(*breaks).encode())))
    assert found == [
        "THE FERRY",
        "Chapter 1",
        "The road ran north along the river, past the mill and the old bridge that nobody had "
        "mended since the and there it ended in a field of stones.",
        "He waited there until the evening, and nobody came.",
        "It grew dark, and he went home.",
    ]


def test_numbers_that_are_no_pages() -> None:
    chapters = "".join(f"{n}\n\nIt rose on day {n}.\n\n\n" for n in range(1, 6))
    assert len(read_bytes(chapters.encode()).chapters) == 5
    days = "".join(f"\fDay {n}\n\nIt rose.\n\n" for n in range(1, 6))
    assert "Day 3" in texts(blocks(read_bytes(days.encode())))
    year = b"It was the year\n\n1914\n\nand it was wet.\n"
    assert "1914" in " ".join(texts(blocks(read_bytes(year))))


def test_the_notices_of_an_archive_and_of_a_transcriber() -> None:
    text = (
        "The Project Gutenberg eBook of The Ferry\n\nTitle: The Ferry\nAuthor: N. Nemo\n\n"
        "*** START OF THE PROJECT GUTENBERG EBOOK THE FERRY ***\n\n[Transcriber’s Note: two "
        "slips mended.]\n\nIt rose.\n\n[Illustration]\n\nIt fell.\n\n"
        "*** END OF THE PROJECT GUTENBERG EBOOK THE FERRY ***\nTerms.\n"
    )
    book = read_bytes(text.encode())
    assert (book.title, book.author) == ("The Ferry", "N. Nemo")
    assert texts(blocks(book)) == ["It rose.", "It fell."]
    assert [item.what for item in book.left_out] == [
        *("archive's notices", "transcriber's note", "picture")
    ]


def test_the_notices_of_an_archive_on_pages(tmp_path: Path) -> None:
    first = page(
        "<p>This eBook is free.</p><pre>*** START OF THE PROJECT GUTENBERG EBOOK X ***</pre>"
        '<h1 id="i">I</h1><p>It rose.</p><h1 id="j">II</h1><p>It <q>fell</q>.</p>'
    )
    last = page("<p>So it was.</p><p>*** END OF THE PROJECT GUTENBERG EBOOK X ***</p><p>Terms.</p>")
    nav = '<li><a href="a.xhtml#i">I</a></li><li><a href="a.xhtml#j">II</a></li>'
    pages = {"a.xhtml": first, "b.xhtml": last}
    book = read(make_epub(tmp_path / "b.epub", pages, nav=nav))
    assert [texts(list(chapter.blocks)) for chapter in book.chapters] == [
        ["I", "It rose."],
        ["II", "It “fell”.", "So it was."],
    ]
    assert book.coverage.unaccounted == 0
