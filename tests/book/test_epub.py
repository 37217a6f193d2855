"""EPUBs of every shape: each text once, in order, and nothing dangerous."""

from __future__ import annotations

import os
import time
import zipfile
from pathlib import Path

import pytest
from epub_files import make_epub, page
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from needs import examples

from studio.book.kinds import Kind
from studio.book.manuscript import Manuscript
from studio.book.readers import archive, read
from studio.errors import BadInput


def texts(manuscript: Manuscript) -> list[list[str]]:
    return [[block.text for block in chapter.blocks] for chapter in manuscript.chapters]


def titles(manuscript: Manuscript) -> list[str]:
    return [chapter.title for chapter in manuscript.chapters]


def body(folder: Path, inside: str, **more: object) -> Manuscript:
    """Read a book of one page."""
    return read(make_epub(folder / "book.epub", {"a.xhtml": page(inside)}, **more))  # type: ignore[arg-type]


def point(title: str, src: str, below: str = "") -> str:
    return (
        f"<navPoint><navLabel><text>{title}</text></navLabel>"
        f'<content src="{src}"/>{below}</navPoint>'
    )


def test_contents_from_ncx_alone_nested_and_anchored(tmp_path: Path) -> None:
    pages = {
        "a.xhtml": page('<h1 id="p">Part</h1><p>Opens.</p><h2 id="c1">One</h2><p>First.</p>'),
        "b.xhtml": page('<p>First goes on.</p><h2 id="c2">Two</h2><p>Second.</p>'),
        "c.xhtml": page('<p>Second goes on.</p><p>Loose <a id="c3"></a>mark.</p>'),
    }
    below = point("One", "a.xhtml#c1") + point("Two", "b.xhtml#c2")
    ncx = point("Part", "a.xhtml", below) + point("Three", "c.xhtml#c3")
    book = read(make_epub(tmp_path / "b.epub", pages, ncx=ncx))
    assert titles(book) == ["Part", "One", "Two", "Three"]
    assert texts(book) == [
        ["Part", "Opens."],
        ["One", "First.", "First goes on."],
        ["Two", "Second.", "Second goes on.", "Loose"],
        ["mark."],
    ]


def test_text_before_the_first_listed_page_and_unlisted_chapters_are_kept(tmp_path: Path) -> None:
    pages = {
        "ded.xhtml": page("<p>For Ann.</p>"),
        "a.xhtml": page("<h1>One</h1><p>A.</p>"),
        "cover-up.xhtml": page("<h1>The Cover</h1><p>B.</p>"),
        "rest.xhtml": page("<p>B goes on.</p>"),
    }
    book = read(make_epub(tmp_path / "b.epub", pages, nav='<li><a href="a.xhtml">One</a></li>'))
    assert titles(book) == ["Chapter 1", "One", "The Cover"]
    assert texts(book)[2] == ["The Cover", "B.", "B goes on."]


def test_titles_with_markup_are_folded_to_one_line(tmp_path: Path) -> None:
    nav = '<li><a href="a.xhtml">The <i>Long</i>\n   Ferry&nbsp;&#8212; <b>I</b></a></li>'
    assert titles(body(tmp_path, "<p>x y</p>", nav=nav)) == ["The Long Ferry — I"]


@pytest.mark.parametrize("href", ["a%20b.xhtml", "../OPS/a%20b.xhtml", "./a b.xhtml", "A B.XHTML"])
def test_links_are_names_inside_the_archive(tmp_path: Path, href: str) -> None:
    pages = {"a b.xhtml": page("<p>Found.</p>")}
    book = read(make_epub(tmp_path / "b.epub", pages, nav=f'<li><a href="{href}">Here</a></li>'))
    assert (titles(book), texts(book)) == (["Here"], [["Found."]])


def test_a_link_out_of_the_archive_reads_nothing(tmp_path: Path) -> None:
    (tmp_path / "secret.xhtml").write_text(page("<p>Secret.</p>"))
    book = make_epub(tmp_path / "b.epub", {"a.xhtml": page("<p>Body.</p>")})
    with zipfile.ZipFile(book, "a") as file:
        package = zipfile.ZipFile(book).read("OPS/book.opf").decode()
        moved = package.replace('href="a.xhtml"', 'href="../../secret.xhtml"')
        with pytest.warns(UserWarning, match="Duplicate"):
            file.writestr("OPS/book.opf", moved)
    with pytest.raises(BadInput, match="no readable text"):
        read(book)


def test_a_page_twice_in_the_spine_and_one_that_is_missing(tmp_path: Path) -> None:
    pages = {"a.xhtml": page("<p>A.</p>"), "b.xhtml": page("<p>B.</p>")}
    path = make_epub(tmp_path / "b.epub", pages, spine=["a.xhtml", "b.xhtml", "a.xhtml"])
    assert texts(read(path)) == [["A."], ["B."]]
    whole = zipfile.ZipFile(path)
    with zipfile.ZipFile(tmp_path / "c.epub", "w") as fewer:
        for name in whole.namelist():
            if name != "OPS/b.xhtml":
                fewer.writestr(name, whole.read(name))
    book = read(tmp_path / "c.epub")
    assert texts(book) == [["A."]]
    assert "b.xhtml" in book.left_out[0].what


@pytest.mark.parametrize(
    "data",
    [
        page("<p>Café – déjà vu.</p>").encode("utf-16"),
        page("<p>Café – déjà vu.</p>").replace("utf-8", "utf-16").encode("utf-16-le"),
        page("<p>Café – déjà vu.</p>").replace("utf-8", "windows-1252").encode("cp1252"),
        page("<p>Café – déjà vu.</p>").replace("utf-8", "latin-9x").encode("cp1252"),
        page("<p>Café – déjà vu.</p>").encode("utf-8-sig"),
        b"<p>Caf&eacute; &ndash; d&eacute;j&#224; vu.",
        b"<p/><title/><p><![CDATA[Caf\xc3\xa9 \xe2\x80\x93 d\xc3\xa9j\xc3\xa0]]> vu.</b>",
    ],
)
def test_any_encoding_and_any_markup_gives_the_text(tmp_path: Path, data: bytes) -> None:
    book = read(make_epub(tmp_path / "b.epub", {"a.xhtml": data}))
    assert texts(book) == [["Café – déjà vu."]]


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("<ul><li>a<ul><li><p>b</p></li></ul></li><li>c</li></ul>", ["a", "b", "c"]),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", ["a b", "c"]),
        ("<p>H<sub>2</sub>O and x<sup>2</sup></p>", ["H2O and x2"]),
        ("<p>one<br/>two</p>", ["one two"]),
        ("<h1>Chapter 1<br/>The Storm</h1><p>x</p>", ["Chapter 1", "The Storm", "x"]),
        ("<h1>The Long<br/>Ferry</h1><p>x</p>", ["The Long Ferry", "x"]),
        ('<p><span class="dropcap">T</span> he Magi</p>', ["The Magi"]),
        ('<p class="dropcap">W</p><p>hen they left</p>', ["When they left"]),
        ('<p><span class="dropcap">A</span> man came</p>', ["A man came"]),
        ('<p>a</p><hr/><p>* * *</p><p>b</p>', ["a", "", "b"]),
        ('<p>a <span epub:type="pagebreak">12</span>b</p>', ["a b"]),
        ('<p>a<a href="#n1" id="r1"><sup>1</sup></a> b.</p><p id="n1">1. A note.</p>', ["a b."]),
        ('<p>See <a href="#x">part 2</a>.</p><p id="x">2 men.</p>', ["See part 2.", "2 men."]),
        ("<p>a</p><aside epub:type='footnote'>n</aside>", ["a"]),
        ("<h1>Dawn</h1><p>DAWN</p><p>Dawn.</p>", ["Dawn", "Dawn."]),
        ("<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>字", ["漢字"]),
        ("<p hidden=''>h</p><p>s</p><script>x</script>", ["s"]),
        ("<p>a</p>tail <i>i</i><p>b</p>", ["a", "tail i", "b"]),
    ],
)  # fmt: skip
def test_what_stands_on_a_page(tmp_path: Path, inside: str, expected: list[str]) -> None:
    assert texts(body(tmp_path, inside)) == [expected]


def test_verse_is_kept_in_lines_only_where_it_is_clear(tmp_path: Path) -> None:
    verse = "<p>The moon is up,<br/>The sea is wide,<br/>And no one calls<br/>Across the tide.</p>"
    blocks = body(tmp_path, verse).chapters[0].blocks
    assert [block.kind for block in blocks] == [Kind.VERSE] * 4


def test_front_matter_is_left_out_by_what_it_is_and_never_by_its_name(tmp_path: Path) -> None:
    links = "".join(f'<p><a href="c{n}.xhtml">Chapter {n}</a></p>' for n in range(4))
    pages = {
        "x1.xhtml": page(f"<h1>Contents</h1>{links}"),
        "x2.xhtml": page("<p>Copyright © 2020 N. Nemo. All rights reserved. ISBN 1-2.</p>"),
        "copyright.xhtml": page("<h1>Copyright</h1><p>He had no right to copy her.</p>"),
        "toc.xhtml": page("<h1>Contents</h1><p>The box held three things.</p>"),
    }
    book = read(make_epub(tmp_path / "b.epub", pages))
    assert titles(book) == ["Copyright", "Contents"]
    assert [left.what for left in book.left_out] == [
        "contents page (OPS/x1.xhtml)",
        "copyright page (OPS/x2.xhtml)",
    ]
    assert all(left.characters > 0 for left in book.left_out)


def test_no_entity_is_expanded_and_no_file_is_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("TOPSECRET")
    lines = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    doctype = f'<!DOCTYPE html [<!ENTITY l0 "lol">{lines}<!ENTITY x SYSTEM "file://{secret}">]>'
    data = doctype + "<html><body><p>Before. &l11; &x; After.</p></body></html>"
    book = read(make_epub(tmp_path / "b.epub", {"a.xhtml": data}))
    assert texts(book) == [["Before. After."]]


def test_deep_nesting_is_read_or_refused_plainly(tmp_path: Path) -> None:
    deep = "<div>" * 2000 + "Deep." + "</div>" * 2000
    assert texts(body(tmp_path, deep)) == [["Deep."]]
    with pytest.raises(BadInput, match="deep"):
        body(tmp_path, "<i>" * 50_000 + "x" + "</i>" * 50_000)


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = make_epub(tmp_path / "b.epub", {"a.xhtml": b" " * (archive.MAX_FILE + 1)})
    started = time.process_time()
    with pytest.raises(BadInput, match=r"b\.epub unpacks"):
        read(path)
    assert time.process_time() - started < 1


ENCRYPTED = (
    '<encryption><EncryptedData><EncryptionMethod Algorithm="{}"/><CipherData>'
    '<CipherReference URI="{}"/></CipherData></EncryptedData></encryption>'
)


def test_encryption_matters_where_it_covers_text(tmp_path: Path) -> None:
    font = ENCRYPTED.format("http://www.idpf.org/2008/embedding", "OPS/font.otf")
    extra: dict[str, str | bytes] = {"META-INF/encryption.xml": font}
    assert texts(body(tmp_path, "<p>Read.</p>", extra=extra)) == [["Read."]]
    aes = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
    extra = {"META-INF/encryption.xml": ENCRYPTED.format(aes, "OPS/a.xhtml")}
    with pytest.raises(BadInput, match="encrypted"):
        body(tmp_path, "<p>Read.</p>", extra=extra)


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.epub", b"this is no zip", "is not an EPUB"),
        ("a.epub", b"", "is empty"),
        ("a.txt", b"%PDF-1.7 ...", "is a PDF"),
        ("a.txt", bytes(range(32)) * 40, "does not hold text"),
        ("a.txt", b" \n\n . \n", "no readable text"),
        ("a.pdf", b"%PDF-1.7", "is a PDF"),
        ("a.xyz", b"text", "kind that cannot be read"),
        ("a.mobi", b"text", "is a Kindle book"),
        ("a.txt", rb"{\rtf1 text}", "is an RTF document.*save it as Word document"),
    ],
)
def test_bad_files_are_named_in_one_sentence(
    tmp_path: Path, name: str, data: bytes, says: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(BadInput, match=f"{name}.*{says}") as refused:
        read(tmp_path / name)
    assert "\n" not in str(refused.value)


def test_missing_files_folders_and_forbidden_files(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no file .*gone\.txt"):
        read(tmp_path / "gone.txt")
    (tmp_path / "dir.epub").mkdir()
    with pytest.raises(BadInput, match=r"dir\.epub is a folder"):
        read(tmp_path / "dir.epub")
    locked = tmp_path / "locked.txt"
    locked.write_text("x")
    locked.chmod(0)
    if not os.access(locked, os.R_OK):
        with pytest.raises(BadInput, match=r"locked\.txt may not be read"):
            read(locked)


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(BadInput, match=r"pipe\.txt is a pipe or a device .*rhapsode new - <"):
        read(tmp_path / "pipe.txt")


def said(path: Path) -> str:
    """What is said about a file, or its name where it is read."""
    try:
        read(path)
    except BadInput as refused:
        return str(refused)
    return path.name


WORDS = st.lists(
    st.sampled_from("alder birch cedar elm fir hazel larch oak pine yew".split()), max_size=4
)
TAGS = ["p", "div", "b", "i", "span", "li", "ul", "h2", "td", "em", "section", "blockquote"]


@st.composite
def markup(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A random page, often malformed, and its words by an account kept while it was made."""
    parts, words = [], []
    for _ in range(draw(st.integers(1, 12))):
        tag = draw(st.sampled_from(TAGS))
        # Numbered, because a line that repeats the heading above it is rightly heard once.
        some = [f"{word}{len(words) + n}" for n, word in enumerate(draw(WORDS))]
        words += some
        opening = draw(st.sampled_from([f"<{tag}>", "", f'<{tag} class="x">', "<br>", f"</{tag}>"]))
        closing = draw(st.sampled_from([f"</{tag}>", "", "</b>", "<br/>", "<!-- no -->"]))
        parts.append(f"{opening} {' '.join(some)} {closing}")
    return "".join(parts), words


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(60))
@given(markup())
def test_no_word_of_any_page_is_lost(tmp_path: Path, made: tuple[str, list[str]]) -> None:
    inside, words = made
    book = body(tmp_path, f"<p>start</p>{inside}<p>end</p>")
    found = " ".join(block.text for chapter in book.chapters for block in chapter.blocks)
    assert sorted(found.split()) == sorted(["start", *words, "end"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(60))
@given(st.binary(max_size=400), st.sampled_from(["a.epub", "a.txt", "a.md"]), st.booleans())
def test_random_bytes_are_read_or_refused(
    tmp_path: Path, data: bytes, name: str, inside: bool
) -> None:
    path = tmp_path / name
    if inside and name == "a.epub":
        make_epub(path, {"a.xhtml": data, "b.xhtml": page("<p>b</p>")}, extra={"OPS/x": data})
    else:
        path.write_bytes(data)
    assert "\n" not in said(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(40))
@given(st.integers(0, 3000), st.binary(min_size=1, max_size=8))
def test_a_damaged_epub_is_read_or_refused(tmp_path: Path, at: int, junk: bytes) -> None:
    path = make_epub(tmp_path / "a.epub", {"a.xhtml": page("<p>Body.</p>" * 20)}, nav="")
    data = path.read_bytes()
    at %= len(data)
    path.write_bytes(data[:at] + junk + data[at + len(junk) :])
    assert "a.epub" in said(path)


def _book_with(folder: Path, spine: str, container: str = "") -> Manuscript:
    """A book whose package is written here, mistakes included."""
    items = "".join(
        f'<item id="{n}" href="{n}.xhtml" media-type="application/xhtml+xml"/>' for n in "ab"
    )
    path = folder / "odd.epub"
    with zipfile.ZipFile(path, "w") as book:
        roots = f'{container}<rootfile full-path="book.opf"/>'
        book.writestr("META-INF/container.xml", f"<container>{roots}</container>")
        book.writestr("first.opf", "no package")
        book.writestr(
            "book.opf",
            f"<package><metadata/><manifest>{items}</manifest><spine>{spine}</spine></package>",
        )
        for name in "ab":
            book.writestr(f"{name}.xhtml", page(f"<h1>{name}</h1><p>Text {name}.</p>"))
    return read(path)


@pytest.mark.parametrize(
    ("spine", "container"),
    [
        ("", ""),
        ('<itemref idref="x"/>', ""),
        ('<itemref idref="a" linear="no"/><itemref idref="b" linear="no"/>', ""),
        ('<itemref idref="a"/><itemref idref="b"/>', '<rootfile full-path="first.opf"/>'),
    ],
)
def test_a_package_with_mistakes_loses_no_text(tmp_path: Path, spine: str, container: str) -> None:
    book = _book_with(tmp_path, spine, container)
    assert texts(book) == [["a", "Text a."], ["b", "Text b."]]
