"""Manuscripts of the awkward kinds, made here, and all that must come of each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from epub_files import make_epub, page
from office_files import FB2, make_docx, paragraph, run

from studio.book.policies import Notes, Policies
from studio.book.readers import read

Said = list[list[str]]
CASES: dict[str, tuple[Callable[[Path], object], Said]] = {}
INLINE = Policies(notes=Notes.INLINE)


def one(name: str, inside: str, *said: str) -> None:
    """An EPUB of one page."""
    CASES[f"{name}.epub"] = (lambda p: make_epub(p, {"a.xhtml": page(inside)}), [list(said)])


def text(name: str, data: str | bytes, said: Said, encoding: str = "utf-8") -> None:
    """A file of text."""
    raw = data.encode(encoding) if isinstance(data, str) else data
    CASES[name] = (lambda p: p.write_bytes(raw), said)


one(
    "drop cap in two spans",
    '<p><span class="dropcap">“</span><span class="dropcap">I</span>t rose.</p>',
    "“It rose.",
)
one(
    "small capitals behind",
    '<p><span class="lettrine">T</span><small>HE RIVER</small> rose.</p>',
    "THE RIVER rose.",
)
one("soft hyphens", "<p>An extra&#173;ordin&#xAD;ary day.</p>", "An extraordinary day.")
one(
    "line-break hyphens",
    "<p>He was won-\n  derful and well-\n known.</p>",
    "He was wonderful and well-known.",
)
one(
    "verse in breaks",
    "<p>The river, low,<br/>Went slowly by,<br/>And so did I,<br/>Alone.</p>",
    "The river, low,",
    "Went slowly by,",
    "And so did I,",
    "Alone.",
)
one(
    "break in prose",
    "<p>It rose that night.<br/>It fell by day.</p>",
    "It rose that night. It fell by day.",
)
one(
    "table",
    "<table><tr><th>Name</th><th>Age</th></tr><tr><td>Ann</td><td>9</td></tr></table>",
    "Name Age",
    "Ann 9",
)
one(
    "page numbers",
    '<p>It <span epub:type="pagebreak" id="p7">7</span>rose.</p><p class="pagenum">[8]</p>'
    "<p>End.</p>",
    "It rose.",
    "End.",
)
one(
    "ruby with brackets",
    "<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>字だ。</p>",
    "漢字だ。",
)
one("alt text is for the eye", '<p>It rose.</p><p><img alt="A boat" src="x"/></p>', "It rose.")
one("double entities", "<p>Ann &amp;amp; Bob&amp;#8217;s caf&amp;eacute;</p>", "Ann & Bob’s café")
one("comments and sections", "<p>It <!-- not --><![CDATA[& so]]> rose.</p>", "It & so rose.")
one("list", "<ol><li>Oars</li><li>Rope<ul><li>thin</li></ul></li></ol>", "Oars", "Rope", "thin")
one(
    "hidden",
    '<p>It rose.</p><p hidden="hidden">No.</p><p style="visibility: hidden">No.</p>',
    "It rose.",
)
CASES["malformed.epub"] = (
    lambda p: make_epub(p, {"a.xhtml": "<html><body><p>It <b>rose <i>high</b> up</i>.<p>R&D fell"}),
    [["It rose high up.", "R&D fell"]],
)
CASES["latin-1 page.epub"] = (
    lambda p: make_epub(
        p,
        {
            "a.xhtml": "<?xml version='1.0' encoding='iso-8859-1'?><html><p>Café</p></html>".encode(
                "latin-1"
            )
        },
    ),
    [["Café"]],
)
CASES["scrambled fonts.epub"] = (
    lambda p: make_epub(
        p,
        {"a.xhtml": page("<p>It rose.</p>")},
        extra={
            "META-INF/encryption.xml": "<encryption><EncryptedData><EncryptionMethod Algorithm="
            "'http://www.idpf.org/2008/embedding'/><CipherData><CipherReference URI='OPS/f.otf'/>"
            "</CipherData></EncryptedData></encryption>"
        },
    ),
    [["It rose."]],
)
CASES["wrong ncx.epub"] = (
    lambda p: make_epub(
        p,
        {"a.xhtml": page("<h1>One</h1><p>A.</p>"), "b.xhtml": page("<h1>Two</h1><p>B.</p>")},
        ncx='<navPoint><navLabel><text>X</text></navLabel><content src="gone.xhtml"/></navPoint>',
    ),
    [["One", "A."], ["Two", "B."]],
)
CASES["nested and anchored.epub"] = (
    lambda p: make_epub(
        p,
        {
            "a.xhtml": page(
                '<h1 id="p">Part</h1><h2 id="x">I</h2><p>A.</p><h2 id="y">II</h2><p>B.</p>'
            ),
            "b.xhtml": page("<p>B goes on.</p>"),
        },
        nav='<li><a href="a.xhtml#p">Part</a><ol><li><a href="a.xhtml#x">I</a></li><li>'
        '<a href="a.xhtml#y">II</a></li></ol></li>',
    ),
    [["Part"], ["I", "A."], ["II", "B.", "B goes on."]],
)
CASES["endnotes in another file.epub"] = (
    lambda p: make_epub(
        p,
        {
            "a.xhtml": page(
                '<h1>One</h1><p>It rose<a epub:type="noteref" href="n.xhtml#n1">1</a>.</p>'
            ),
            "n.xhtml": page(
                '<section epub:type="endnotes"><p id="n1"><a href="a.xhtml">1</a> So they say.</p>'
                "</section>"
            ),
        },
    ),
    [["One", "It rose.", "So they say."]],
)
text(
    "front matter.md",
    "---\ntitle: A\nlang: en\n---\n\n# One\n\nIt *rose*.[^a]\n\n[^a]: So.\n",
    [["One", "It rose.", "So."]],
)
text(
    "lists.md",
    "# One\n\n1. Oars\n2. Rope\n\n> It rose.\n\n# Two\n\n---\n\nEnd.\n",
    [["One", "1. Oars", "2. Rope", "It rose."], ["Two", "End."]],
)
text(
    "contents and heads.txt",
    "CONTENTS\n\n1. The Mill ..... 1\n2. The Bell ..... 9\n\n\n"
    "1. The Mill\n\nIt rose and\n\nTHE FERRY\n\f\nTHE FERRY\n\nfell again.\n\n\n"
    "2. The Bell\n\nIt rang\n\nTHE FERRY\n\f\nand rang.\n",
    [["1. The Mill", "It rose and fell again."], ["2. The Bell", "It rang and rang."]],
)
text(
    "windows.txt", "“It’s naïve – café,” she said…", [["“It’s naïve – café,” she said…"]], "cp1252"
)
text(
    "macintosh.txt",
    "“Née in Málaga,” she said. It’s “déjà vu”…\n" * 4,
    [[("“Née in Málaga,” she said. It’s “déjà vu”… " * 4).strip()]],
    "mac-roman",
)
text("utf-16.txt", "It’s late. Он вышел.", [["It’s late. Он вышел."]], "utf-16")
text(
    "chinese.txt",
    "春眠不觉晓，处处闻啼鸟。夜来风雨声，花落知多少。",
    [["春眠不觉晓，处处闻啼鸟。夜来风雨声，花落知多少。"]],
    "gb18030",
)
text(
    "russian.txt",
    "Он вышел рано утром и долго шёл по берегу реки.",
    [["Он вышел рано утром и долго шёл по берегу реки."]],
    "koi8-r",
)
text(
    "japanese.txt",
    "春はあけぼの。やうやう白くなりゆく山ぎは。",
    [["春はあけぼの。やうやう白くなりゆく山ぎは。"]],
    "shift-jis",
)
CASES["footnotes and changes.docx"] = (
    lambda p: make_docx(
        p,
        paragraph(run("One"), "berschrift1")
        + paragraph(
            run("It ")
            + f"<w:ins>{run('rose')}</w:ins><w:del><w:r><w:delText>fell</w:delText></w:r></w:del>"
            + '<w:r><w:footnoteReference w:id="2"/></w:r>'
            + run(".")
        )
        + "<w:p><w:r><w:pict><v:shape xmlns:v='urn:schemas-microsoft-com:vml'><v:textbox>"
        f"<w:txbxContent>{paragraph(run('In a box.'))}</w:txbxContent></v:textbox></v:shape>"
        "</w:pict></w:r></w:p>",
        notes=f'<w:footnote w:id="2">{paragraph(run("So they say."))}</w:footnote>',
    ),
    [["One", "It rose.", "So they say.", "In a box."]],
)
text(
    "notes body.fb2",
    FB2.encode("cp1251"),
    [
        ["Паром", "Вода.", "Ли"],
        [
            "Глава 1 Берег",
            "Он вышел рано.",
            "То есть утром.",
            "Песня",
            "тихо течёт река",
            "мимо окна",
        ],
        ["Глава 2", "Вечер", "Темно."],
    ],
)
text(
    "saved from a browser.html",
    "<!DOCTYPE html>\n<!-- saved from url=(0019)https://example.org/ -->\n<html lang=en><head>"
    "<meta charset=utf-8><title>The Ferry</title><style>.x{display:none}</style>"
    "<script>var a='<p>no</p>'</script></head><body><div class=x>Menu</div><h1>One<h1/>"
    "<p>It rose<br>at night.<p>It fell.<noscript>No</noscript></body></html>",
    [["One", "It rose at night.", "It fell."]],
)


@pytest.mark.parametrize("name", CASES)
def test_all_of_it_is_said_once_and_in_order(tmp_path: Path, name: str) -> None:
    make, expected = CASES[name]
    make(tmp_path / name)
    book = read(tmp_path / name, INLINE)
    assert [[block.text for block in c.blocks if block.text] for c in book.chapters] == expected
    assert book.coverage.unaccounted == 0
