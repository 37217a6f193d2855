"""HTML, Word and FB2, and manuscripts that are no files."""

from __future__ import annotations

import time
import zipfile
from pathlib import Path

import pytest
from epub_files import make_epub, page
from naive_count import characters, of_markup
from office_files import FB2, make_docx, paragraph, run

from studio.book.kinds import Kind
from studio.book.manuscript import Manuscript
from studio.book.policies import Notes, Policies
from studio.book.readers import read, read_bytes
from studio.errors import BadInput

AT_END = Policies(notes=Notes.CHAPTER_END)


def shape(book: Manuscript) -> list[tuple[str, list[str]]]:
    return [(chapter.title, [b.text for b in chapter.blocks]) for chapter in book.chapters]


WEB = """<!DOCTYPE html><html lang="en-GB"><head><title>The Ferry</title>
<meta name="author" content="N. Nemo"><style>.off{display:none}</style></head><body>
<h1>The Ferry</h1><h2>Contents</h2>
<ul><li><a href="#a">Down</a><li><a href="#b">Up</a><li><a href="#c">Over</a></ul>
<h2 id="a">I</h2><p>It fell.<a href="#n1"><sup>1</sup></a><p class=off>Never.
<h2 id="b">II</h2><p>It rose &mdash; slowly.
<h2 id="c">III</h2><p>It was over.
<div id="n1"><p>1. Not for long. <a href="#r1">↩</a></div></body></html>"""


def test_a_web_page_with_a_list_of_contents(tmp_path: Path) -> None:
    path = tmp_path / "page.htm"
    path.write_text(WEB, encoding="utf-8")
    book = read(path)
    assert (book.title, book.author, book.language) == ("The Ferry", "N. Nemo", "en-GB")
    assert shape(book) == [
        ("The Ferry", ["The Ferry"]),
        ("Down", ["I", "It fell."]),
        ("Up", ["II", "It rose — slowly."]),
        ("Over", ["III", "It was over."]),
    ]
    assert [piece.id for piece in book.pieces] == ["text", "text#2", "text#3", "text#4"]
    assert book.coverage.unaccounted == 0
    assert book.coverage.total == of_markup(WEB.encode())
    assert shape(read(path, AT_END))[1][1] == ["I", "It fell.", "Not for long."]


def test_a_web_page_in_an_old_encoding_goes_by_its_headings(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    text = "<meta charset=windows-1252><h1>One</h1><p>Café.<h1>Two</h1><p>Thé."
    path.write_bytes(text.encode("cp1252"))
    assert shape(read(path)) == [("One", ["One", "Café."]), ("Two", ["Two", "Thé."])]


DOCUMENT = (
    paragraph(run("The Ferry"), "Titel")
    + paragraph(run("The Landing 3"), "Verzeichnis1")
    + paragraph(run("The Landing"), "berschrift1")
    + paragraph(
        run("It was ")
        + f'<w:ins w:id="1" w:author="e">{run("very ")}</w:ins>'
        + '<w:del w:id="2" w:author="e"><w:r><w:delText>quite </w:delText></w:r></w:del>'
        + run("secretly ", "<w:vanish/>")
        + run("late.")
        + '<w:r><w:footnoteReference w:id="2"/></w:r>'
    )
    + paragraph(run("The moon is up,") + "<w:r><w:br/></w:r>" + run("and all is still."))
    + "<w:tbl><w:tr><w:tc>"
    + paragraph(run("left"))
    + "</w:tc><w:tc>"
    + paragraph(run("right"))
    + "</w:tc></w:tr></w:tbl>"
    + paragraph(run("Low Water"), "berschrift1")
    + paragraph(run("well") + "<w:r><w:noBreakHyphen/></w:r>" + run("known"))
)
NOTES = (
    f'<w:footnote w:id="1" w:type="separator">{paragraph("<w:r><w:separator/></w:r>")}</w:footnote>'
    f'<w:footnote w:id="2">{paragraph(run(" By the clock."))}</w:footnote>'
)


def test_a_word_document(tmp_path: Path) -> None:
    path = make_docx(tmp_path / "book.docx", DOCUMENT, notes=NOTES, title="The Ferry")
    book = read(path)
    assert (book.title, book.author, book.language) == ("The Ferry", "N. Nemo", "en-GB")
    assert shape(book) == [
        (
            "The Ferry · The Landing",
            [
                *("The Ferry", "The Landing", "It was very late."),
                *("The moon is up, and all is still.", "left", "right"),
            ],
        ),
        ("Low Water", ["Low Water", "well‑known"]),
    ]
    rules = {rule: number for rule, _, number, _ in book.coverage.by_rule()}
    assert rules == {
        "contents list": 11,
        "deleted text": 5,
        "hidden text": 8,
        "note": characters("By the clock."),
    }
    assert (book.coverage.unaccounted, book.coverage.added) == (0, ())
    at_end = read(path, AT_END)
    assert shape(at_end)[0][1][-1] == "By the clock."
    assert at_end.coverage.unaccounted == 0


def test_what_the_converter_does_not_carry_over_is_told(tmp_path: Path) -> None:
    lost = "<w:p><w:r><w:t>Kept.</w:t></w:r></w:p><w:odd><w:t>Lost.</w:t></w:odd>"
    book = read(make_docx(tmp_path / "book.docx", lost))
    assert [block.text for block in book.chapters[0].blocks] == ["Kept."]
    assert [(item.what, item.characters) for item in book.left_out] == [("lost in conversion", 5)]


@pytest.mark.parametrize(
    "part", ["<!DOCTYPE w [<!ENTITY a 'b'>]><w/>", "<w:document>", "<i>" * 300 + "</i>" * 300]
)
def test_a_bad_word_document_is_refused_plainly(tmp_path: Path, part: str) -> None:
    path = tmp_path / "book.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", part)
    with pytest.raises(BadInput, match=r"book\.docx .*\.docx\.") as refused:
        read(path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["book.fb2", "book.fb2.zip", "book.fbz", "-"])
@pytest.mark.parametrize("broken", [False, True])
def test_fb2(tmp_path: Path, name: str, broken: bool) -> None:
    data = (FB2.replace("</epigraph>", "") if broken else FB2).encode("cp1251")
    path = tmp_path / name
    if name == "-":
        book = read_bytes(data)
    elif name.endswith(".fb2"):
        path.write_bytes(data)
        book = read(path)
    else:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("inside.fb2", data)
        book = read(path)
    assert (book.title, book.author, book.language) == ("Паром", "Анна Ли", "ru")
    found = [text for _, texts in shape(book) for text in texts]
    assert found == [
        *("Паром", "Вода.", "Ли", "Глава 1 Берег", "Он вышел рано.", "Песня", "тихо течёт река"),
        *("мимо окна", "Глава 2", "Вечер", "Темно."),
    ]
    titles = [chapter.title for chapter in book.chapters]
    assert titles == ["Паром", "Глава 1 Берег", "Глава 2 · Вечер"]
    kinds = [block.kind for block in book.chapters[1].blocks]
    assert kinds[-2:] == [Kind.VERSE, Kind.VERSE]
    assert book.coverage.unaccounted == 0


def test_notes_of_fb2_are_read_where_they_are_called(tmp_path: Path) -> None:
    book = read_bytes(FB2.encode("cp1251"), policies=Policies(notes=Notes.INLINE))
    texts = [block.text for chapter in book.chapters for block in chapter.blocks]
    assert texts[texts.index("Он вышел рано.") + 1] == "То есть утром."
    assert book.coverage.unaccounted == 0


@pytest.mark.parametrize(
    ("data", "title", "texts"),
    [
        (b"# The Ferry\n\n*It* rose.\n", "The Ferry", ["The Ferry", "It rose."]),
        (b"Chapter 1\n\nIt rose.\n", "Chapter 1", ["Chapter 1", "It rose."]),
        (b"<!DOCTYPE html><h1>One</h1><p>It rose.", "One", ["One", "It rose."]),
        ("It rose.".encode("utf-16"), "standard input", ["It rose."]),
    ],
)
def test_standard_input_is_known_by_what_it_holds(
    data: bytes, title: str, texts: list[str]
) -> None:
    assert shape(read_bytes(data)) == [(title, texts)]


def test_an_epub_and_a_word_document_from_standard_input(tmp_path: Path) -> None:
    epub = make_epub(tmp_path / "b.epub", {"a.xhtml": page("<p>It rose.</p>")})
    assert shape(read_bytes(epub.read_bytes())) == [("Chapter 1", ["It rose."])]
    word = make_docx(tmp_path / "b.docx", paragraph(run("It rose.")))
    assert shape(read_bytes(word.read_bytes())) == [("standard input", ["It rose."])]
    with pytest.raises(BadInput, match="standard input is empty"):
        read_bytes(b"")
    with pytest.raises(BadInput, match="no book in it"):
        read_bytes(b"PK\x03\x04 and so on")
    with pytest.raises(BadInput, match=r"is a PDF.*Calibre"):
        read_bytes(b"%PDF-1.7")


def test_a_word_cut_into_many_runs_is_one(tmp_path: Path) -> None:
    words = "".join(run(letter) for letter in "It rose")
    body = paragraph(words + run(" high", "<w:b/>") + run(" up.") + run(" Et toi?", FRENCH))
    book = read(make_docx(tmp_path / "b.docx", body))
    assert [block.text for block in book.chapters[0].blocks] == ["It rose high up. Et toi?"]
    assert book.coverage.unaccounted == 0


FRENCH = '<w:lang w:val="fr-FR"/>'


def test_runs_that_differ_in_nothing_cost_little(tmp_path: Path) -> None:
    one = make_docx(tmp_path / "a.docx", paragraph(run("rose ")) * 4_000)
    many = make_docx(tmp_path / "b.docx", paragraph(run("ro") + run("se ")) * 4_000)
    spent = []
    for path in (one, many, one, many):
        start = time.process_time()
        read(path)
        spent.append(time.process_time() - start)
    assert min(spent[1::2]) < 2 * min(spent[::2])
