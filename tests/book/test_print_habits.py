"""Habits of print that mean something else to a listener than to a reader."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from epub_files import make_epub, page

from studio.book.languages import language_tag
from studio.book.manuscript import Manuscript
from studio.book.readers import read
from studio.book.readers.encoding import decode_markup, decode_text
from studio.book.readers.hyphens import hyphen_between
from studio.book.readers.styles import hidden_by


def said(book: Manuscript) -> list[str]:
    return [block.text for chapter in book.chapters for block in chapter.blocks if block.text]


def epub(folder: Path, inside: str, **more: object) -> Manuscript:
    return read(make_epub(folder / "b.epub", {"a.xhtml": page(inside)}, **more))  # type: ignore[arg-type]


def text(folder: Path, content: str, name: str = "b.txt") -> Manuscript:
    (folder / name).write_text(content, encoding="utf-8")
    return read(folder / name)


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ('<p><span class="dropcap">I</span>\nn time.</p>', ["In time."]),
        ('<p><span class="dropcap">A</span> nd then.</p>', ["And then."]),
        ('<p><span class="dropcap">O</span>\n<span>nce more.</span></p>', ["Once more."]),
        ('<p><span class="dropcap">“I</span> t is.”</p>', ["“It is.”"]),
        ('<p><span class="dropcap">A</span>\nman came.</p>', ["A man came."]),
        ('<p><span class="dropcap">A</span> long time.</p>', ["A long time."]),
        ('<p><span class="dropcap">I</span>\nsaw him.</p>', ["I saw him."]),
        ('<p><span class="dropcap">O</span> Captain!</p>', ["O Captain!"]),
    ],
)
def test_drop_caps_that_are_words_too(tmp_path: Path, inside: str, words: list[str]) -> None:
    assert said(epub(tmp_path, inside)) == words


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("<p>She said <q>go</q> twice.</p>", ["She said “go” twice."]),
        ("<p>She said <q>“go”</q> twice.</p>", ["She said “go” twice."]),
        ("<p>Fish &amp;amp; chips &amp;mdash; it&amp;#8217;s.</p>", ["Fish & chips — it’s."]),
        ("<p>It&#146;s &#147;fine&#148;&#133;</p>", ["It’s “fine”…"]),
        (
            '<div><span style="display: block">One</span>'
            '<span style="display:block">Two</span></div>',
            ["One", "Two"],
        ),
        ("<p>10<sup>6</sup> men, H<sub>2</sub>O, 4<sup>th</sup></p>", ["10⁶ men, H2O, 4th"]),
        (
            "<p>An extraordi-\nnary day, a well-\nknown man, two-\nor three.</p>",
            ["An extraordinary day, a well-known man, two- or three."],
        ),
    ],
)
def test_signs_and_line_ends_in_pages(tmp_path: Path, inside: str, words: list[str]) -> None:
    assert said(epub(tmp_path, inside)) == words


@pytest.mark.parametrize(
    "inside",
    [
        '<p>It rose.<a id="r" href="#n"><sup>1</sup></a></p>'
        '<ol><li id="n">Note. <a href="#r">↩</a></li></ol>',
        '<p>It rose.<a id="r" href="#n"><sup>1</sup></a></p>'
        '<p id="n">Note. <a href="#r">back</a></p>',
        '<p>It rose.<a href="#n">(1)</a></p><p id="n">(1) Note.</p>',
        '<p>It rose.<a class="sup" href="#n">1</a></p><h3>Notes</h3><p id="n">1. Note.</p>',
        '<p>It rose.<span style="vertical-align: super"><a href="#n">1</a></span></p>'
        '<aside epub:type="footnote" id="n">Note.</aside>',
        "<p>It rose.<sup>1</sup></p>",
        "<p>It rose<sup>[2]</sup>.</p>",
    ],
)
def test_notes_of_many_makes(tmp_path: Path, inside: str) -> None:
    book = epub(tmp_path, inside)
    assert said(book) == ["It rose."]
    assert any("note" in item.what for item in book.left_out)


def test_a_measure_keeps_its_power_and_a_page_of_notes_goes_with_its_heading(
    tmp_path: Path,
) -> None:
    pages = {
        "a.xhtml": page('<p>Ten miles<sup>2</sup> of sea<a href="n.xhtml#n"><sup>1</sup></a>.</p>'),
        "n.xhtml": page('<h2>Notes</h2><p id="n">1. It was not.</p>'),
    }
    book = read(make_epub(tmp_path / "b.epub", pages))
    assert said(book) == ["Ten miles2 of sea."]
    assert len(book.chapters) == 1


def test_style_sheets_hide(tmp_path: Path) -> None:
    sheet = ".gone, p.off { display: none } @media x { .seen { display:none } }"
    sheet += " .b .c {display:none}"
    head = '<link rel="stylesheet" href="s.css"/></head><body>'
    inside = page(
        '<p>Seen.</p><p class="gone">No.</p><p class="off">No.</p>'
        '<p class="seen">Here.</p><p class="c">There.</p>'
    ).replace("</head><body>", head)
    book = read(make_epub(tmp_path / "b.epub", {"a.xhtml": inside}, extra={"OPS/s.css": sheet}))
    assert said(book) == ["Seen.", "Here.", "There."]
    assert any("hidden text" in item.what for item in book.left_out)
    assert hidden_by(".x{display:none}.x{display:block}") == frozenset()


def test_a_chapter_does_not_start_inside_a_word(tmp_path: Path) -> None:
    nav = '<li><a href="a.xhtml">One</a></li><li><a href="a.xhtml#x">Two</a></li>'
    inside = '<p>First.</p><p>It struck thir<a id="x"/>teen. It stopped.</p>'
    book = epub(tmp_path, inside, nav=nav)
    assert [said_by.title for said_by in book.chapters] == ["One", "Two"]
    assert said(book) == ["First.", "It struck thirteen. It stopped."]
    after = '<p>First words<a id="x"></a></p><h2>Two</h2><p>More.</p>'
    book = epub(tmp_path, after, nav=nav)
    assert [len(chapter.blocks) for chapter in book.chapters] == [1, 2]


@pytest.mark.parametrize(
    ("left", "right", "between"),
    [
        ("extraordi", "nary", ""),
        ("well", "known", "-"),
        ("two", "or", "- "),
        ("Anglo", "Saxon", "-"),
        ("sun", "flower", ""),
        ("war", "ship", "-"),
    ],
)
def test_hyphens_at_line_ends(left: str, right: str, between: str) -> None:
    assert hyphen_between(left, right, frozenset({"sunflower", "war-ship"})) == between


def test_words_cut_by_the_end_of_a_line_of_text(tmp_path: Path) -> None:
    book = text(
        tmp_path,
        "An extraordi-\nnary day for the well-\nknown man with a two-\nor three-year plan.\n",
    )
    assert said(book) == [
        "An extraordinary day for the well-known man with a two- or three-year plan."
    ]


@pytest.mark.parametrize(
    "listing",
    [
        "CONTENTS\n\nChapter 1. Down\n\nChapter 2. Up\n\n",
        "CONTENTS\n\nChapter 1. Down\nChapter 2. Up\n\n\n",
        "Table of Contents\n\nChapter 1. Down ..... 3\nChapter 2. Up ..... 9\n\n",
    ],
)
def test_a_contents_list_is_no_chapter(tmp_path: Path, listing: str) -> None:
    story = "Chapter 1. Down\n\nIt fell.\n\nChapter 2. Up\n\nIt rose.\n"
    book = text(tmp_path, listing + story)
    assert said(book) == ["Chapter 1. Down", "It fell.", "Chapter 2. Up", "It rose."]
    assert any(item.what == "contents list" for item in book.left_out)


def test_a_chapter_called_contents_is_told(tmp_path: Path) -> None:
    book = text(tmp_path, "CONTENTS\n\nThe box held a knife and a letter.\n\nIt was cold.\n")
    assert "The box held a knife and a letter." in said(book)


def test_notes_and_pictures_in_plain_text(tmp_path: Path) -> None:
    book = text(
        tmp_path,
        "The sea rose[1] and fell.[2]\n\n[Illustration: a boat]\n\nIt was [3] late.\n\n"
        "[1] So they say,\nall of them.\n[2] It did.\n\nThe end.[7]\n",
    )
    assert said(book) == ["The sea rose and fell.", "It was [3] late.", "The end.[7]"]
    assert {item.what for item in book.left_out} == {"2 × note", "picture"}


def test_further_paragraphs_of_a_note_and_marks_of_page_programs(tmp_path: Path) -> None:
    book = text(
        tmp_path,
        "# A {#id .class}\n\nText[^a] ==here==.\n\n[^a]: First.\n\n    Second.\n\n"
        "::: note\n\nMore {x} here.\n\n:::\n",
        "b.md",
    )
    assert said(book) == ["A", "Text here.", "More {x} here."]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"caf\xe9 and \xe2\x80\x9cquoted\xe2\x80\x9d text", "café and “quoted” text"),
        ("naïve café".encode("cp1252"), "naïve café"),
        ("Он сказал нам, что придёт".encode("cp1251"), "Он сказал нам, что придёт"),
    ],
)
def test_a_stray_byte_spoils_nothing_else(data: bytes, expected: str) -> None:
    assert decode_text(data) == expected
    if "Он" not in expected:
        assert decode_markup(b"<p>" + data + b"</p>") == f"<p>{expected}</p>"


def test_utf_32_and_signs_of_windows(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("Wide text.\n".encode("utf-32"))
    assert said(read(tmp_path / "a.txt")) == ["Wide text."]
    assert said(text(tmp_path, "It\x92s \x93fine\x94\x85 now.\n")) == ["It’s “fine”… now."]


@pytest.mark.parametrize("unit", ["[1] a\n", "[Footnote ", "x-\n", "[1]", "Contents\n\n", "a[1] "])
def test_hostile_texts_end_soon(tmp_path: Path, unit: str) -> None:
    before = time.process_time()
    (tmp_path / "b.txt").write_text("A.\n\n" + unit * 20_000)
    read(tmp_path / "b.txt")
    assert time.process_time() - before < 20


@pytest.mark.parametrize(
    ("said", "tag"),
    [
        ("en_US", "en-US"),
        ("eng", "en"),
        ("English", "en"),
        ("English (US)", "en"),
        ("EN-us", "en-US"),
        ("en, fr", "en"),
        ("en US", "en"),
        ("de_DE.UTF-8", "de-DE"),
        ("zh-hans-cn", "zh-Hans-CN"),
        ("und", ""),
        ("zxx", ""),
        ("x-none", ""),
        ("i-default", ""),
        ("*", ""),
        ("Klingon", ""),
        ("zz-!!", ""),
        ("", ""),
    ],
)
def test_languages_as_books_name_them(said: str, tag: str) -> None:
    assert language_tag(said) == tag


def test_a_book_that_writes_its_language_in_its_own_way_is_read(tmp_path: Path) -> None:
    metadata = "<dc:title>A</dc:title><dc:language>en_GB</dc:language>"
    book = epub(tmp_path, "<p>It rained.</p>", metadata=metadata)
    assert book.language == "en-GB"
