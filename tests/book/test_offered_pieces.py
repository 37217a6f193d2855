"""A book is offered for choosing whatever starts unticked, and every kind tells how far it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from epub_files import make_epub, page
from office_files import FB2, make_docx, paragraph, run

from studio.book.manuscript import Manuscript
from studio.book.policies import Matter, Policies
from studio.book.readers import read
from studio.errors import BadInput

LISTED = (
    "CONTENTS\n\n1. The Mill ..... 1\n2. The Bell ..... 9\n\n\n1. The Mill\n\nIt rose.\n\n\n"
    "2. The Bell\n\nIt rang.\n"
)
RIGHTS = "<p>© 2020 N. Nemo. All rights reserved. ISBN 1.</p>"
MADE: dict[str, Callable[[Path], object]] = {
    "b.txt": lambda p: p.write_text(LISTED, "utf-8"),
    "b.md": lambda p: p.write_text("# One\n\nIt rose.\n", "utf-8"),
    "b.html": lambda p: p.write_text(page("<p>It rose.</p>"), "utf-8"),
    "b.fb2": lambda p: p.write_bytes(FB2.encode("cp1251")),
    "b.docx": lambda p: make_docx(p, paragraph(run("It rose."))),
    "b.epub": lambda p: make_epub(p, {"a.xhtml": page("<p>It rose.</p>")}),
}


def said(book: Manuscript) -> list[list[str]]:
    return [[block.text for block in chapter.blocks] for chapter in book.chapters]


def test_a_book_of_which_nothing_is_ticked_is_offered(tmp_path: Path) -> None:
    path = make_epub(tmp_path / "b.epub", {"r.xhtml": page(RIGHTS)})
    with pytest.raises(
        BadInput, match=r"b\.epub has nothing to narrate: every piece .* --take N\."
    ):
        read(path)
    book = read(path, offered=True)
    assert said(book) == []
    assert [(piece.ticked, piece.why) for piece in book.pieces] == [
        (False, "it is not part of the story")
    ]
    assert book.coverage.unaccounted == 0
    taken = read(path, ticks={book.pieces[0].id: True})
    assert said(taken) == [["© 2020 N. Nemo. All rights reserved. ISBN 1."]]


def test_a_book_without_text_is_not_offered(tmp_path: Path) -> None:
    path = make_epub(tmp_path / "b.epub", {"a.xhtml": page("<img src='x'/>")})
    with pytest.raises(BadInput, match="no readable text"):
        read(path, offered=True)


def test_front_matter_that_is_ticked_holds_pages_that_are_emptied_else(tmp_path: Path) -> None:
    path = make_epub(
        tmp_path / "b.epub",
        {
            "r.xhtml": page(f'<section epub:type="copyright-page">{RIGHTS}</section>'),
            "p.xhtml": page("<img src='x'/>"),
            "a.xhtml": page("<h1>One</h1><p>It rose.</p>"),
        },
    )
    assert said(read(path)) == [["One", "It rose."]]
    book = read(path, Policies(front=Matter.TICKED))
    assert said(book)[0] == ["© 2020 N. Nemo. All rights reserved. ISBN 1."]
    assert [piece.ticked for piece in book.pieces] == [True, False, True]
    assert book.coverage.unaccounted == 0


def test_the_contents_of_a_text_file_are_a_piece(tmp_path: Path) -> None:
    path = tmp_path / "b.txt"
    path.write_text(LISTED, "utf-8")
    story = [["1. The Mill", "It rose."], ["2. The Bell", "It rang."]]
    book = read(path)
    assert said(book) == story
    contents = book.pieces[0]
    assert (contents.title, contents.ticked) == ("Contents", False)
    assert contents.why == "its titles are the chapters' labels"
    listed = read(path, ticks={contents.id: True})
    assert said(listed) == [["CONTENTS", "1. The Mill", "2. The Bell"], *story]
    assert [piece.id for piece in listed.pieces] == [piece.id for piece in book.pieces]
    assert listed.pieces[0].ticked
    assert book.coverage.unaccounted == listed.coverage.unaccounted == 0


@pytest.mark.parametrize("name", MADE)
def test_every_kind_tells_how_far_it_is(tmp_path: Path, name: str) -> None:
    MADE[name](tmp_path / name)
    told: list[float] = []
    read(tmp_path / name, progress=told.append)
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0.0, 1.0)
    assert len({fraction for fraction in told if 0 < fraction < 1}) >= 1
