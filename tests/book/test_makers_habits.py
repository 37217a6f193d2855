"""Manuscripts as their makers leave them: chapters, what is told, and what is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from epub_files import make_epub, page
from office_files import make_docx, paragraph, run

from studio.book.kinds import Kind
from studio.book.readers import read

STATED = "<dc:title>The Lugger</dc:title><dc:creator>Ann Harbour</dc:creator>"
Said = list[list[str]]
CASES: dict[str, tuple[Callable[[Path], object], Said]] = {}


def text(name: str, data: str, *said: list[str], encoding: str = "utf-8") -> None:
    """A file of text; headings are marked with ``#``."""
    CASES[name] = (lambda p: p.write_bytes(data.encode(encoding)), list(said))


def one(name: str, inside: str, *said: list[str], nav: str | None = None) -> None:
    """An EPUB of one page."""
    CASES[f"{name}.epub"] = (
        lambda p: make_epub(p, {"a.xhtml": page(inside)}, metadata=STATED, nav=nav),
        list(said),
    )


def word(name: str, body: str, *said: list[str], styles: str = "") -> None:
    """A Word document."""
    CASES[f"{name}.docx"] = (lambda p: make_docx(p, body, styles=styles), list(said))


HEAD = '<title>The Lugger</title><meta name="author" content="Ann Harbour">'
text(
    "short first chapter.html",
    f"<html><head>{HEAD}</head><body><h1>The Lugger</h1><h2>by Ann Harbour</h2><h2>I</h2>"
    "<p>It rose.</p><h2>II</h2><p>It fell.</p></body></html>",
    ["#I", "It rose."],
    ["#II", "It fell."],
)
text(
    "first chapter without a name.html",
    f"<html><head>{HEAD}</head><body><h1>The Lugger</h1><h2>Ann Harbour</h2><p>It rose.</p>"
    "<h2>II</h2><p>It fell.</p></body></html>",
    ["#The Lugger", "#Ann Harbour", "It rose."],
    ["#II", "It fell."],
)
text(
    "title, then untitled section.fb2",
    "<FictionBook><description><title-info><author><first-name>Ann</first-name><last-name>Harbour"
    "</last-name></author><book-title>The Lugger</book-title></title-info></description><body>"
    "<title><p>The Lugger</p><p>Ann Harbour</p></title><section><p>It rose.</p></section>"
    "<section><title><p>II</p></title><p>It fell.</p></section>"
    "<section><title><p>III</p></title><p>On.</p></section></body></FictionBook>",
    ["#The Lugger Ann Harbour", "It rose."],
    ["#II", "It fell."],
    ["#III", "On."],
)
text(
    "archive.txt",
    "Title: The Lugger\n\nAuthor: Ann Harbour\n\n"
    "*** START OF THIS PROJECT GUTENBERG EBOOK THE LUGGER ***\n\n\n"
    "Produced by A. Person and the Online\nTeam at http://www.example.org\n\n\n\n"
    'THE LUGGER\n\nBY\n\nANN HARBOUR\n\nAuthor of "The Mill"\n\nLONDON\n1908\n\n\n\n'
    "CONTENTS\n\nCHAPTER                        PAGE\n"
    "   I.  THE QUAY                   1\n  II.  LOW WATER                 14\n\n\n"
    "CHAPTER THE FIRST\n\nTHE QUAY\n\n\nIt rose.\n\n"
    "CHAPTER THE SECOND\n\nLOW WATER\n\n\nIt fell.\n\n"
    "*** END OF THIS PROJECT GUTENBERG EBOOK THE LUGGER ***\nUpdated.\n",
    ["#CHAPTER THE FIRST", "#THE QUAY", "It rose."],
    ["#CHAPTER THE SECOND", "#LOW WATER", "It fell."],
)
text(
    "archive.html",
    "<html><head><title>The Project Gutenberg eBook of The Lugger, by Ann Harbour</title></head>"
    "<body><h1>THE LUGGER</h1><h2>by Ann Harbour</h2><div><h2>CHAPTER I.<br/>The Quay</h2>"
    "<p>It rose.</p></div><h2>CHAPTER II.<br/>Low Water</h2><p>It fell.</p></body></html>",
    ["#CHAPTER I.", "#The Quay", "It rose."],
    ["#CHAPTER II.", "#Low Water", "It fell."],
)
word(
    "styles of its own",
    paragraph(run("Erstes Kapitel"), "Kapitel")
    + paragraph(run("Es stieg."))
    + '<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr>'
    + run("Zweites Kapitel")
    + "</w:p>"
    + paragraph(run("Es fiel.")),
    ["#Erstes Kapitel", "Es stieg."],
    ["#Zweites Kapitel", "Es fiel."],
    styles='<w:style w:type="paragraph" w:styleId="Kapitel"><w:name w:val="Kapitelkopf"/>'
    '<w:basedOn w:val="berschrift1"/></w:style>',
)
word(
    "no styles",
    paragraph(run("CHAPTER ONE", "<w:b/>"))
    + paragraph(run("The Quay"))
    + paragraph(run("It rose.") + '<w:r><w:br w:type="page"/></w:r>' + run("It fell."))
    + paragraph(run("CHAPTER TWO", "<w:b/>"))
    + "<w:p><w:r><w:ruby><w:rt><w:r><w:t>かん</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢"
    "</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>",
    ["#CHAPTER ONE", "#The Quay", "It rose. It fell."],
    ["#CHAPTER TWO", "漢"],
)
text(
    "no headings.html",
    "<table><tr><td><center><b>1</b></center><p>It rose.<p><b>2</b><p>It fell.<p><b>3</b><p>On.",
    ["#1", "It rose."],
    ["#2", "It fell."],
    ["#3", "On."],
)
text(
    "page numbers and no headings.html",
    "<p>It rose and<p>1<p>fell again.<p>2<p>On and<p>3<p>on.",
    ["It rose and", "1", "fell again.", "2", "On and", "3", "on."],
)
one(
    "listed paragraphs",
    '<p>It began.</p><a id="c1"/><p class="x">I</p><p>It rose.</p><div id="c2"/><p><b>Epilogue</b>'
    "</p><p>It fell.</p>",
    ["It began."],
    ["#I", "It rose."],
    ["#Epilogue", "It fell."],
    nav='<li><a href="a.xhtml#c1">I</a></li><li><a href="a.xhtml#c2">Epilogue</a></li>',
)
one(
    "one entry for all",
    "<section><h1>Part 1</h1><section><h1>Chapter 1</h1><p>A.</p></section>"
    "<section><h1>Chapter 2</h1><p>B.</p></section></section>",
    ["#Part 1", "#Chapter 1", "A."],
    ["#Chapter 2", "B."],
    nav='<li><a href="a.xhtml">Part 1</a></li>',
)
one("a break in a word", "<p>A well-<br/>known man.</p>", ["A well-known man."])
one(
    "notes by class alone",
    '<p>It rose.<span class="super">1</span></p><p class="footnote"><sup>1</sup> So they say.</p>'
    '<p class="FootnoteText">2 So they said.</p>',
    ["It rose."],
)
CASES["who made it.epub"] = (
    lambda p: make_epub(
        p,
        {
            "i.xhtml": page('<section epub:type="imprint"><h2>Imprint</h2><p>Made.</p></section>'),
            "toc.xhtml": page('<h2>Table of Contents</h2><p><a href="a.xhtml">One</a></p>'),
            "a.xhtml": page("<h2>One</h2><p>It rose.</p>"),
            "p.xhtml": page('<div><p class="pt">PART TWO</p></div>'),
            "b.xhtml": page("<h2>1</h2><p>It fell.</p>"),
            "c.xhtml": page('<section epub:type="colophon"><p>Set in Caslon.</p></section>'),
        },
        nav='<li><a href="a.xhtml">One</a></li><li><span>Part Two</span><ol><li>'
        '<a href="b.xhtml">1</a></li></ol></li>',
        metadata=STATED,
    ),
    [["#One", "It rose."], ["#PART TWO"], ["#1", "It fell."]],
)
text(
    "remarks of writers.html",
    '<html><body><p class="c2 title">The Lugger</p><h1>One</h1><p>It rose.<sup><a href="#cmnt1" '
    'id="cmnt_ref1">[a]</a></sup></p><h1>Two</h1><p>It fell.</p><div class="c6"><p><a '
    'href="#cmnt_ref1" id="cmnt1">[a]</a><span>Really?</span></p></div></body></html>',
    ["#The Lugger"],
    ["#One", "It rose."],
    ["#Two", "It fell."],
)
text(
    "pandoc.md",
    "---\ntitle: The Lugger\nauthor:\n  - Ann Harbour\n---\n\n# Prologue {-}\n\n"
    "It [rose]{.smallcaps} ~~fast~~ to H~2~O.^[So they say.]\n\n\\newpage\n\nFerry\n:   A boat.\n\n"
    '| Low the river,\n|   slow the stream.\n\n# One {#c1 key="a b"}\n\n'
    "| a | b\n|---|---\n| 1 | 2\n\n- [ ] oars\n",
    ["#Prologue", "It rose fast to H2O.", "Ferry", "A boat.", "Low the river,", "slow the stream."],
    ["#One", "a b", "1 2", "oars"],
)
text(
    "notes program.md",
    "% The Lugger\n% Ann Harbour\n\n# One\n\n[[Ann|She]] saw [[Bob]]. ![[a.png]] %%not this%%\n",
    ["#One", "She saw Bob."],
)
text(
    "fields.md",
    "Title: The Lugger\nAuthor: Ann Harbour\n\n# One\n\nIt rose.\n",
    ["#One", "It rose."],
)
text(
    "readings.txt",
    "第一章　港\n\n　吾輩《わがはい》は猫だ。\n　｜名前《なまえ》はない。［＃改ページ］\n\n"
    "底本：「全集」文庫\n1987年\n",
    ["#第一章 港", "吾輩は猫だ。", "名前はない。"],
    encoding="shift-jis",
)
text(
    "page at its foot.txt",
    "CHAPTER ONE\n\nThe road ran on to the old\n\n12\n\n\fmill and ended.\n\nCHAPTER TWO\n\nEnd.\n",
    ["#CHAPTER ONE", "The road ran on to the old mill and ended."],
    ["#CHAPTER TWO", "End."],
)
text(
    "drawn headings.txt",
    "== CHAPTER ONE ==\n\nIt rose.\n\n[Chapter 2]\n\nIt fell.\n\n--- Day Three ---\n\nOn.\n",
    ["#CHAPTER ONE", "It rose."],
    ["#Chapter 2", "It fell."],
    ["#Day Three", "On."],
)
text(
    "numbers in words.txt",
    "Prologue\n\nIt began.\n\nOne\n\nIt rose.\n\nTwo\n\nIt fell.\n",
    ["#Prologue", "It began."],
    ["#One", "It rose."],
    ["#Two", "It fell."],
)
text(
    "many kinds of names.txt",
    "chapter 1: the quay\n\nit rose.\n\nSCENE I. A quay.\n\nANN. On.\n\n3. Kapitel\n\nEs fiel.\n\n"
    "CHAPTER ONE HUNDRED AND TWENTY-TWO\n\nOn.\n\nChap. XXV\n\nEnd.\n",
    ["#chapter 1: the quay", "it rose."],
    ["#SCENE I. A quay.", "ANN. On."],
    ["#3. Kapitel", "Es fiel."],
    ["#CHAPTER ONE HUNDRED AND TWENTY-TWO", "On."],
    ["#Chap. XXV", "End."],
)


@pytest.mark.parametrize("name", CASES)
def test_chapters_and_what_is_told(tmp_path: Path, name: str) -> None:
    make, expected = CASES[name]
    make(tmp_path / name)
    book = read(tmp_path / name)
    said = [
        [("#" if block.kind is Kind.HEADING else "") + block.text for block in chapter.blocks]
        for chapter in book.chapters
    ]
    assert [[one for one in texts if one] for texts in said] == expected
    assert book.coverage.unaccounted == 0


@pytest.mark.parametrize("name", ["archive.txt", "archive.html", "pandoc.md", "notes program.md"])
def test_title_and_author_are_found(tmp_path: Path, name: str) -> None:
    make, _ = CASES[name]
    make(tmp_path / name)
    book = read(tmp_path / name)
    assert (book.title, book.author) == ("The Lugger", "Ann Harbour")
