"""What a person may choose: policies, pieces, and markers in the text."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from epub_files import make_epub, page

from studio.book.kinds import Kind
from studio.book.manuscript import Manuscript
from studio.book.policies import Matter, Notes, Policies, Said
from studio.book.readers import read, read_bytes
from studio.book.segmenting import Limits, cut
from studio.errors import BadInput


def said(book: Manuscript) -> list[list[str]]:
    return [[block.text for block in chapter.blocks] for chapter in book.chapters]


def one(folder: Path, inside: str, policies: Policies | None = None) -> list[str]:
    book = read(make_epub(folder / "b.epub", {"a.xhtml": page(inside)}), policies)
    assert book.coverage.unaccounted == 0
    return said(book)[0]


CALL = '<a epub:type="noteref" href="{}"><sup>{}</sup></a>'
NOTED = {
    "a.xhtml": page(
        f"<h1>One</h1><p>First{CALL.format('#n1', 1)} here.</p><p>Second"
        f"{CALL.format('notes.xhtml#n2', 2)}{CALL.format('#n1', 1)}.</p><p>Third.</p>"
        '<aside epub:type="footnote" id="n1"><p>1. On the spot.</p></aside>'
    ),
    "b.xhtml": page(f"<h1>Two</h1><p>Fourth{CALL.format('notes.xhtml#n3', 3)}.</p>"),
    "notes.xhtml": page(
        '<section epub:type="endnotes"><h1>Notes</h1><ol><li id="n2"><p>Far off.</p><p>And on. '
        '<a href="a.xhtml#r">↩</a></p></li><li id="n3"><p>1914 was wet.</p></li>'
        '<li id="n4"><p>Nobody calls.</p></li></ol></section>'
    ),
}


ONE = ["One", "First here.", "Second.", "Third."]
FAR_OFF = ["Far off.", "And on."]
LAST = "1914 was wet."


@pytest.mark.parametrize(
    ("notes", "expected"),
    [
        (Notes.SKIPPED, [ONE, ["Two", "Fourth."]]),
        (
            Notes.INLINE,
            [[*ONE[:2], "On the spot.", ONE[2], *FAR_OFF, ONE[3]], ["Two", "Fourth.", LAST]],
        ),
        (Notes.CHAPTER_END, [[*ONE, "On the spot.", *FAR_OFF], ["Two", "Fourth.", LAST]]),
    ],
)
def test_notes(tmp_path: Path, notes: Notes, expected: list[list[str]]) -> None:
    book = read(make_epub(tmp_path / "b.epub", NOTED), Policies(notes=notes))
    assert said(book) == expected
    assert book.coverage.unaccounted == 0
    assert sum("Nobody" in text for chapter in said(book) for text in chapter) == 0


def test_a_note_on_a_page_that_is_set_aside_is_read_once(tmp_path: Path) -> None:
    path = Path(__file__).parent / "cases" / "books" / "nonlinear.epub"
    at_end = read(path, Policies(notes=Notes.CHAPTER_END))
    assert said(at_end) == [["Body text ends.", "A note about tides."]]
    assert at_end.coverage.unaccounted == 0


def test_a_page_that_is_set_aside_holds_notes_of_any_shape(tmp_path: Path) -> None:
    pages = {
        "a.xhtml": page(f"<p>It rose{CALL.format('n.xhtml#n1', 1)}.</p>"),
        "n.xhtml": page('<h2>Notes</h2><p id="n1">So they say.</p><p>Nothing else.</p>'),
    }
    path = make_epub(tmp_path / "b.epub", pages)
    with zipfile.ZipFile(path) as old:
        members = {name: old.read(name) for name in old.namelist()}
    package = members["OPS/book.opf"].replace(b'idref="p1"', b'idref="p1" linear="no"')
    with zipfile.ZipFile(path, "w") as book:
        for name, data in {**members, "OPS/book.opf": package}.items():
            book.writestr(name, data)
    at_end = read(path, Policies(notes=Notes.CHAPTER_END))
    assert said(at_end) == [["It rose.", "So they say."]]
    assert at_end.coverage.unaccounted == 0


def test_notes_of_markdown() -> None:
    text = b"# One\n\nIt rose.[^a] It fell.\n\n[^a]: So *they* say.\n\n    Twice.\n"
    book = read_bytes(text, policies=Policies(notes=Notes.INLINE))
    assert said(book) == [["One", "It rose. It fell.", "So they say.", "Twice."]]
    assert book.coverage.unaccounted == 0


@pytest.mark.parametrize(
    ("inside", "policies", "expected"),
    [
        ("<p>See <a href='x'>www.example.org</a> now.</p>", Policies(), "See www.example.org now."),
        (
            "<p>See <a href='x'>https://example.org/a?b</a> now.</p>",
            Policies(addresses=Said.SKIPPED),
            "See now.",
        ),
        (
            "<p>See <a href='x'>this page</a> now.</p>",
            Policies(addresses=Said.SKIPPED),
            "See this page now.",
        ),
        ("<p>A</p><table><tr><td>x</td></tr></table>", Policies(), "A x"),
        ("<p>A</p><table><tr><td>x</td></tr></table>", Policies(tables=Said.SKIPPED), "A"),
        ("<p>A</p><img alt='A boat'/>", Policies(), "A"),
        ("<p>A</p><img alt='A boat'/>", Policies(images=Said.SPOKEN), "A A boat"),
        ("<p>A <img alt='(boat)'/>B</p>", Policies(images=Said.SPOKEN), "A (boat) B"),
    ],
)
def test_addresses_tables_and_pictures(
    tmp_path: Path, inside: str, policies: Policies, expected: str
) -> None:
    assert " ".join(one(tmp_path, inside, policies)) == expected


def test_policies_by_name() -> None:
    chosen = Policies.of({"notes": "chapter-end", "images": "spoken"})
    assert chosen == Policies(notes=Notes.CHAPTER_END, images=Said.SPOKEN)
    with pytest.raises(BadInput, match=r"no policy “nots”; there are notes, addresses"):
        Policies.of({"nots": "inline"})
    with pytest.raises(BadInput, match="“loud” is no choice for notes; choose skipped or inline"):
        Policies.of({"notes": "loud"})


def typed(kind: str, inside: str) -> str:
    return page(f'<section epub:type="{kind}">{inside}</section>')


INDEX = "".join(f"<p>Word{n}, {n}, {n + 3}–{n + 4}</p>" for n in range(12))
MATTER = {
    "cover.xhtml": typed("cover", "<p>A Book</p>"),
    "title.xhtml": page("<h1>A Book</h1><p>by N. Nemo</p><p>Press</p>"),
    "rights.xhtml": page("<p>© 2020 N. Nemo. All rights reserved. ISBN 1.</p>"),
    "ded.xhtml": typed("dedication", "<p>For Ann.</p>"),
    "one.xhtml": page("<h1>One</h1><p>It rose.</p>"),
    "two.xhtml": page("<h1>Two</h1><p>Index of things. Also by boat.</p>"),
    "after.xhtml": typed("afterword", "<h1>Afterword</h1><p>It fell.</p>"),
    "index.xhtml": page(f"<h1>Index</h1>{INDEX}"),
    "ads.xhtml": page("<h2>Also by N. Nemo</h2><p>The Tide</p><p>The Bell</p>"),
}
METADATA = (
    "<dc:title>A Book</dc:title><dc:creator>N. Nemo</dc:creator><dc:language>en</dc:language>"
)


def matter(folder: Path, policies: Policies | None = None, **ticks: bool) -> Manuscript:
    book = read(
        make_epub(folder / "b.epub", MATTER, metadata=METADATA),
        policies,
        {f"OPS/{name}.xhtml": value for name, value in ticks.items()},
    )
    assert book.coverage.unaccounted == 0
    return book


def ticked(book: Manuscript) -> list[str]:
    return [p.id.removeprefix("OPS/").removesuffix(".xhtml") for p in book.pieces if p.ticked]


def test_pieces_and_why_they_start_unticked(tmp_path: Path) -> None:
    book = matter(tmp_path)
    assert [(p.id[4:-6], p.title, p.ticked, p.why, p.chapters) for p in book.pieces] == [
        ("cover", "Cover", False, "a cover is for the eye", ()),
        ("title", "A Book", False, "title and author are told with the book", ()),
        ("rights", "Copyright page", False, "it is not part of the story", ()),
        ("ded", "Chapter 1", True, "", (1,)),
        ("one", "One", True, "", (2,)),
        ("two", "Two", True, "", (3,)),
        ("after", "Afterword", True, "", (4,)),
        ("index", "Index", False, "it only points at printed pages", ()),
        ("ads", "Also by N. Nemo", False, "it is not part of the story", ()),
    ]
    assert all(piece.characters > 0 for piece in book.pieces)


def test_front_and_back_matter_by_policy(tmp_path: Path) -> None:
    story = ["one", "two"]
    without = Policies(front=Matter.UNTICKED, back=Matter.UNTICKED)
    assert ticked(matter(tmp_path, without)) == story
    assert ticked(matter(tmp_path, Policies(back=Matter.TICKED)))[-2:] == ["index", "ads"]
    assert ticked(matter(tmp_path, Policies(front=Matter.TICKED)))[:4] == [
        *("cover", "title", "rights", "ded")
    ]


def test_a_persons_choice_goes_before_all(tmp_path: Path) -> None:
    book = matter(tmp_path, None, cover=True, rights=True, two=False, ded=False)
    assert ticked(book) == ["cover", "rights", "one", "after"]
    assert said(book) == [
        ["A Book"],
        ["© 2020 N. Nemo. All rights reserved. ISBN 1."],
        ["One", "It rose."],
        ["Afterword", "It fell."],
    ]
    by_id = {piece.id[4:-6]: piece for piece in book.pieces}
    assert by_id["cover"].why == "a cover is for the eye"
    assert by_id["two"].chapters == ()
    assert by_id["after"].chapters == (4,)
    assert any(item.why == "it is not ticked" for item in book.left_out)


def test_the_parts_of_a_page_and_a_chapter_over_several_pages(tmp_path: Path) -> None:
    pages = {
        "a.xhtml": page('<h1 id="i">I</h1><p>One.</p><h1 id="j">II</h1><p>Two.</p>'),
        "b.xhtml": page("<p>Two goes on.</p>"),
    }
    nav = '<li><a href="a.xhtml#i">I</a></li><li><a href="a.xhtml#j">II</a></li>'
    path = make_epub(tmp_path / "b.epub", pages, nav=nav)
    assert [(p.id, p.title, p.chapters) for p in read(path).pieces] == [
        ("OPS/a.xhtml", "I", (1,)),
        ("OPS/a.xhtml#2", "II", (2,)),
        ("OPS/b.xhtml", "Two goes on.", (2,)),
    ]
    left = read(path, ticks={"OPS/a.xhtml": False})
    assert said(left) == [["II", "Two.", "Two goes on."]]
    assert [piece.chapters for piece in left.pieces] == [(), (1,), (1,)]
    with pytest.raises(BadInput, match=r"b\.epub has nothing to narrate: every piece"):
        read(path, ticks={piece.id: False for piece in read(path).pieces})


def test_a_page_of_contents_that_a_person_wants_is_read(tmp_path: Path) -> None:
    links = "".join(f'<li><a href="c.xhtml#{n}">Chapter {n}</a></li>' for n in range(4))
    pages = {
        "c.xhtml": page(f'<nav epub:type="toc"><ol>{links}</ol></nav>'),
        "d.xhtml": page("<p>It rose.</p>"),
    }
    path = make_epub(tmp_path / "b.epub", pages)
    assert said(read(path)) == [["It rose."]]
    book = read(path, ticks={"OPS/c.xhtml": True})
    assert said(book)[0] == [f"Chapter {n}" for n in range(4)]
    assert book.coverage.unaccounted == 0


MARKED = """[[chapter: The Landing]]
It rose. [[pause: 1.5 s]] It fell.

[[voice: anna]]

“Who is it?” [[voice:]] she said.

[[pause: 500 ms]]
[[chapter: Low Water]]

Chapter 2

It ended.

[[vioce: anna]] Not me. [[pause: soon]]
"""


@pytest.mark.parametrize("name", ["b.txt", "b.md"])
def test_markers(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(MARKED, encoding="utf-8")
    book = read(tmp_path / name)
    assert [chapter.title for chapter in book.chapters] == ["The Landing", "Low Water"]
    blocks = [block for chapter in book.chapters for block in chapter.blocks]
    assert [(b.text, b.voice, b.pause_ms, b.runs_on) for b in blocks] == [
        ("It rose.", "", 1500, True),
        ("It fell.", "", None, False),
        ("“Who is it?”", "anna", None, True),
        ("she said.", "", 500, False),
        ("Chapter 2", "", None, False),
        ("It ended.", "", None, False),
        ("[[vioce: anna]] Not me. [[pause: soon]]", "", None, False),
    ]
    assert [block.kind for block in blocks[2:4]] == [Kind.DIALOGUE, Kind.PROSE]
    assert book.notices == (
        "[[vioce: anna]] is read as text; the markers are chapter, voice and pause",
        "[[pause: soon]] is read as text; write it like [[pause: 1.5 s]]",
    )
    assert book.coverage.unaccounted == 0
    segments = [s for chapter in cut(book, Limits(), "en") for s in chapter.segments]
    assert [(s.voice, s.pause_ms, s.ends_paragraph) for s in segments[:4]] == [
        *(("", 1500, False), ("", None, True), ("anna", None, False), ("", 500, True))
    ]


@pytest.mark.parametrize("inside", ["[[a]]", "[[Note: see p. 3]]", "[[ : ]]", "[[pause: 99 min]]"])
def test_what_only_looks_like_a_marker_is_text(tmp_path: Path, inside: str) -> None:
    assert one(tmp_path, f"<p>So {inside} it is.</p>") == [f"So {inside} it is."]


def test_a_marker_in_a_web_page_parts_a_chapter(tmp_path: Path) -> None:
    inside = "<h1>One</h1><p>A.</p><p>[[chapter: Two]]</p><p>B.</p><h2>[[pause: 2 s]]</h2>"
    book = read(make_epub(tmp_path / "b.epub", {"a.xhtml": page(inside)}))
    assert [(c.title, c.blocks[-1].pause_ms) for c in book.chapters] == [
        ("One", None),
        ("Two", 2000),
    ]
    assert [piece.id for piece in book.pieces] == ["OPS/a.xhtml", "OPS/a.xhtml#2"]
