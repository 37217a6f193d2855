"""Title pages, lists of contents and pages of rights, in every kind of manuscript."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from epub_files import make_epub, page
from office_files import make_docx, paragraph, run

from studio.book.manuscript import Manuscript
from studio.book.policies import Matter, Policies
from studio.book.readers import read

TITLE_PAGE = "title and author are told with the book"
STORY = [["Chapter I", "It rose."], ["Chapter II", "It fell."]]
GUTENBERG = (
    "Title: The Lugger\n\nAuthor: Ann Harbour\n\n*** START OF THE PROJECT GUTENBERG EBOOK X ***\n\n"
)


def said(book: Manuscript) -> list[list[str]]:
    return [[block.text for block in chapter.blocks] for chapter in book.chapters]


def html(path: Path, inside: str, author: str = "Ann Harbour") -> Path:
    path.write_text(
        f'<html lang="en"><head><title>The Lugger</title><meta name="author" content="{author}">'
        f"</head><body>{inside}</body></html>",
        "utf-8",
    )
    return path


WORD_STORY = (
    paragraph(run("Chapter I"), "berschrift1")
    + paragraph(run("It rose."))
    + paragraph(run("Chapter II"), "berschrift1")
    + paragraph(run("It fell."))
)
TITLED: dict[str, Callable[[Path], object]] = {
    "b.html": lambda p: html(
        p,
        "<h1>The Lugger</h1><p>Ann Harbour</p><h2>Chapter I</h2><p>It rose.</p>"
        "<h2>Chapter II</h2><p>It fell.</p>",
    ),
    "b.md": lambda p: p.write_text(
        "---\ntitle: The Lugger\nauthor: Ann Harbour\n---\n\n# The Lugger\n\nAnn Harbour\n\n"
        "# Chapter I\n\nIt rose.\n\n# Chapter II\n\nIt fell.\n",
        "utf-8",
    ),
    "b.docx": lambda p: make_docx(
        p, paragraph(run("The Lugger"), "Titel") + paragraph(run("N. Nemo")) + WORD_STORY
    ),
    "b.txt": lambda p: p.write_text(
        GUTENBERG + "The Lugger\n\nby Ann Harbour\n\n\nChapter I\n\nIt rose.\n\n\n"
        "Chapter II\n\nIt fell.\n",
        "utf-8",
    ),
}


@pytest.mark.parametrize("name", TITLED)
def test_a_page_of_title_and_author_starts_unticked(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    TITLED[name](path)
    book = read(path)
    assert said(book) == STORY
    assert [(piece.ticked, piece.why) for piece in book.pieces] == [
        (False, TITLE_PAGE),
        (True, ""),
        (True, ""),
    ]
    assert [piece.chapters for piece in book.pieces] == [(), (1,), (2,)]
    assert "title page" in {part.rule for part in book.coverage.skipped}
    assert book.coverage.unaccounted == 0
    for taken in (read(path, ticks={"text": True}), read(path, Policies(front=Matter.TICKED))):
        assert said(taken)[1:] == STORY
        assert said(taken)[0][0] == "The Lugger"
        assert all(piece.ticked for piece in taken.pieces)
        assert taken.coverage.unaccounted == 0


def test_a_page_that_says_more_than_title_and_author_is_told(tmp_path: Path) -> None:
    more = "<p>Ann Harbour</p><p>A tale of the estuary, told by those who lived there.</p>"
    story = "<h2>Chapter I</h2><p>It rose.</p><h2>Chapter II</h2><p>It fell.</p>"
    book = read(html(tmp_path / "a.html", f"<h1>The Lugger</h1>{more}{story}"))
    assert all(piece.ticked for piece in book.pieces)
    book = read(html(tmp_path / "b.html", f"<h1>The Lugger</h1><p>Ann Harbour</p>{story}", ""))
    assert all(piece.ticked for piece in book.pieces)


LISTS = {
    "links.md": "# Contents\n\n- [One](#one)\n- [Two](#two)\n- [Three](#three)\n\n",
    "two links.md": "# Contents\n\n- [One](#one)\n- [Two](#two)\n\n",
    "numbered.md": "## Contents\n\n1. [One](#one)\n2. [Two](#two)\n3. [Three](#three)\n\n",
    "no heading.md": "- [One](#one)\n- [Two](#two)\n- [Three](#three)\n\n",
    "no links.md": "# Contents\n\n1. One\n2. Two\n\n",
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_of_contents_in_markdown_is_not_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    story = "# One\n\nIt rose.\n\n# Two\n\nIt fell.\n\n# Three\n\nEnd.\n"
    path.write_text(LISTS[name] + story, "utf-8")
    book = read(path)
    assert said(book) == [["One", "It rose."], ["Two", "It fell."], ["Three", "End."]]
    assert "contents list" in {part.rule for part in book.coverage.skipped}
    assert book.coverage.unaccounted == 0


@pytest.mark.parametrize(
    "inside",
    [
        "# Contents\n\nA drawer held oars and rope.\n\n# Two\n\nEnd.\n",
        "# Contents\n\n- Oars\n- Rope\n\n# Two\n\nEnd.\n",
        "# One\n\n- [Oars](#oars)\n- [Rope](#rope)\n\n# Two\n\nEnd.\n",
    ],
)
def test_a_chapter_called_contents_and_other_lists_are_told(tmp_path: Path, inside: str) -> None:
    path = tmp_path / "b.md"
    path.write_text(inside, "utf-8")
    book = read(path)
    assert len(book.chapters) == 2
    assert "contents list" not in {part.rule for part in book.coverage.skipped}


@pytest.mark.parametrize(
    ("places", "led"),
    [
        ('<h1 id="{}">', True),
        ('<a id="{}"></a><h1>', True),
        ('<div id="{}"><h1>', True),
        ('<h1><a name="{}"></a>', True),
        ('<p id="{}">Oh.</p><h1>', False),
    ],
)
def test_a_list_of_two_links_is_one_where_both_lead_to_chapters(
    tmp_path: Path, places: str, led: bool
) -> None:
    one, two = places.format("a"), places.format("b")
    listed = '<ul><li><a href="#a">First</a></li><li><a href="#b">Second</a></li></ul>'
    book = read(
        html(tmp_path / "b.html", f"{listed}{one}I</h1><p>It rose.</p>{two}II</h1><p>It fell.</p>")
    )
    texts = [text for chapter in said(book) for text in chapter]
    assert ("First" not in texts) is led
    assert len(book.chapters) == (2 if led else 3)
    assert book.coverage.unaccounted == 0


TOC_HEADING = (
    '<w:style w:type="paragraph" w:styleId="TOCHeading"><w:name w:val="TOC Heading"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Zitat"><w:name w:val="Quote"/>'
    '<w:rPr><w:lang w:val="fr-FR"/></w:rPr></w:style>'
)


@pytest.mark.parametrize(
    ("head", "style"),
    [("Contents", "TOCHeading"), ("What is in it", "TOCHeading"), ("Contents", "berschrift1")],
)
def test_the_heading_of_words_contents_goes_with_them(
    tmp_path: Path, head: str, style: str
) -> None:
    listed = paragraph(run("Chapter I 1"), "Verzeichnis1") * 2
    body = paragraph(run(head), style) + paragraph("") + listed + WORD_STORY
    book = read(make_docx(tmp_path / "b.docx", body, styles=TOC_HEADING))
    assert said(book) == STORY
    assert book.coverage.unaccounted == 0
    alone = paragraph(run(head), style) + paragraph(run("Oars and rope."))
    book = read(make_docx(tmp_path / "c.docx", alone + WORD_STORY, styles=TOC_HEADING))
    assert said(book)[0] == [head, "Oars and rope."]


def test_a_title_paragraph_names_the_book(tmp_path: Path) -> None:
    body = paragraph(run("The ") + run("Lugger"), "Titel") + WORD_STORY
    assert read(make_docx(tmp_path / "b.docx", body)).title == "The Lugger"
    assert read(make_docx(tmp_path / "c.docx", body, title="Stated")).title == "Stated"
    assert read(make_docx(tmp_path / "d.docx", WORD_STORY)).title == "d"


FRENCH = '<w:lang w:val="fr-FR"/>'


def test_the_language_of_a_paragraph_in_word_is_the_blocks(tmp_path: Path) -> None:
    body = (
        WORD_STORY * 3
        + paragraph(run("Il est ", FRENCH) + run("14 h 30.", FRENCH))
        + paragraph(run("He said ") + run("bonjour", FRENCH))
        + paragraph(run("Colour.", '<w:lang w:val="en-US"/>'))
        + paragraph(run("Oui."), "Zitat")
        + paragraph(run("Nobody knows.", '<w:lang w:val="x-none"/>'))
    )
    book = read(make_docx(tmp_path / "b.docx", body, styles=TOC_HEADING))
    assert book.language == "en-GB"
    tongues = {block.text: block.language for chapter in book.chapters for block in chapter.blocks}
    assert {text: tongue for text, tongue in tongues.items() if tongue} == {
        "Il est 14 h 30.": "fr-FR",
        "Oui.": "fr-FR",
    }
    assert book.coverage.unaccounted == 0


def test_a_word_document_is_in_the_language_of_most_of_its_text(tmp_path: Path) -> None:
    body = paragraph(run("Il est 14 h 30, dit-il.", FRENCH)) + paragraph(run("Yes."))
    book = read(make_docx(tmp_path / "b.docx", body))
    assert book.language == "fr-FR"
    assert [block.language for block in book.chapters[0].blocks] == ["", "en-GB"]


RIGHTS = "<p>© 2020 N. Nemo. All rights reserved. ISBN 1.</p>"


@pytest.mark.parametrize(
    "inside", [RIGHTS, f'<section epub:type="copyright-page">{RIGHTS}</section>']
)
def test_a_page_of_rights_that_is_told_has_no_number(tmp_path: Path, inside: str) -> None:
    path = make_epub(
        tmp_path / "b.epub",
        {
            "a.xhtml": page("<h1>Chapter I</h1><p>It rose.</p>"),
            "r.xhtml": page(inside),
            "b.xhtml": page("<p>It fell.</p>"),
        },
    )
    for book in (
        read(path, ticks={"OPS/r.xhtml": True}),
        read(path, Policies(front=Matter.TICKED)),
    ):
        assert [chapter.title for chapter in book.chapters] == [
            "Chapter I",
            "Copyright page",
            "Chapter 2",
        ]
        assert book.pieces[1].title == "Copyright page"
    assert read(path).pieces[1].title == "Copyright page"
    headed = make_epub(
        tmp_path / "c.epub",
        {"a.xhtml": page("<p>It rose.</p>"), "r.xhtml": page(f"<h1>Rights</h1>{RIGHTS}")},
    )
    book = read(headed, ticks={"OPS/r.xhtml": True})
    assert [chapter.title for chapter in book.chapters] == ["Chapter 1", "Rights"]


LISTED = (
    "The Lugger\n\nby Ann Harbour\n\n\n{}CONTENTS\n\n1. The Mill ..... 1\n2. The Bell ..... 9\n\n\n"
    "1. The Mill\n\nIt rose.\n\n\n2. The Bell\n\nIt rang.\n"
)


@pytest.mark.parametrize(
    ("between", "place"), [("", 1), ("PREFACE\n\nIt is told as it was.\n\n\n", 2)]
)
def test_the_contents_of_a_text_file_stand_where_they_are(
    tmp_path: Path, between: str, place: int
) -> None:
    path = tmp_path / "b.txt"
    path.write_text(LISTED.format(between), "utf-8")
    for ticks in ({}, {"contents": True}):
        pieces = read(path, ticks=ticks).pieces
        assert [piece.id for piece in pieces].index("contents") == place
        assert len(pieces) == 3 + place
