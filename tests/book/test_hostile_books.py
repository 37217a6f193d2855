"""Books made to harm: each is read rightly or refused in a sentence, soon, with little memory."""

from __future__ import annotations

import json
import random
import stat
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from epub_files import make_epub, page
from office_files import FB2, make_docx, paragraph, run

from studio.book.readers import archive, read, read_bytes
from studio.book.segmenting import Limits, cut
from studio.errors import BadInput

SOON = 15.0
"""Seconds of CPU; five on a machine that does nothing else."""
NOTED = '<p>a<a href="#n5"><sup>1</sup></a></p>'


def stored(path: Path, inside: str | bytes, **more: object) -> Path:
    """A book of one page that no ratio of packed sizes gives away."""
    make_epub(path, {"a.xhtml": inside}, **more)  # type: ignore[arg-type]
    with zipfile.ZipFile(path) as book:
        members = [(name, book.read(name)) for name in book.namelist()]
    with zipfile.ZipFile(path, "w") as book:
        for name, data in members:
            book.writestr(name, data)
    return path


def read_or_said(path: Path) -> str:
    """Read a book, whose account then holds; or what is said instead."""
    try:
        book = read(path)
    except BadInput as refused:
        return str(refused)
    assert book.coverage.unaccounted == 0
    return ""


def deep(tag: str, number: int) -> str:
    return f"<{tag}>" * number + "1. x" + f"</{tag.split()[0]}>" * number


DEEP = {
    **{tag: page(NOTED + deep(tag, 9_900)) for tag in ("span", "li", "div")},
    "link": page("<p>y</p>" + deep('a href="b"', 9_900)),
    "note": page(NOTED + "".join(f'<div id="n{n}">' for n in range(9_900)) + "</div>" * 9_900),
    "unclosed": "<p>" + "<b>" * 9_000 + "x",
}  # fmt: skip


@pytest.mark.parametrize("kind", DEEP)
def test_deep_nesting_is_read(tmp_path: Path, kind: str) -> None:
    path = stored(tmp_path / "b.epub", DEEP[kind])
    started = time.process_time()
    assert read(path).coverage.unaccounted == 0
    assert time.process_time() - started < SOON


def test_nesting_without_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"a\.xhtml in b\.epub nests elements more than 10,000 deep"):
        read(stored(tmp_path / "b.epub", page(deep("div", 100_000))))
    with pytest.raises(BadInput, match="nests"):
        read_bytes(FB2.replace("<section>", "<section>" * 20_000).encode("cp1251"))


@pytest.mark.parametrize("cyclic", ["nav", "ncx", "spine"])
def test_contents_that_lead_in_circles(tmp_path: Path, cyclic: str) -> None:
    line = '<li><a href="a.xhtml">t</a><ol><li><a href="nav.xhtml">u</a><ol>'
    point = '<navPoint><navLabel><text>t</text></navLabel><content src="toc.ncx#a"/>'
    path = make_epub(
        tmp_path / "b.epub",
        {"a.xhtml": page("<p>It rose.</p>")},
        nav=line * 2_000 + "</ol></li></ol></li>" * 2_000 if cyclic == "nav" else None,
        ncx=point * 4_000 + "</navPoint>" * 4_000 if cyclic == "ncx" else None,
        spine=["a.xhtml"] * 40_000 if cyclic == "spine" else None,
    )
    started = time.process_time()
    assert [[block.text for block in c.blocks] for c in read(path).chapters] == [["It rose."]]
    assert time.process_time() - started < SOON


@pytest.mark.parametrize(
    ("inside", "says"),
    [
        ("<p>" + "a<br/>" * 500_000, "more than 250,000 elements"),
        ("<p>" + "<" * 500_000, "more than 250,000 elements"),
        (
            f"<!DOCTYPE a [<!ENTITY a SYSTEM 'b'>]><p>{'&a;' * 500_000}</p>",
            "more than 250,000 elements",
        ),
    ],
)
def test_more_elements_than_any_book_has(tmp_path: Path, inside: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        read(stored(tmp_path / "b.epub", inside))


def test_a_million_pages_are_refused_before_they_are_listed(tmp_path: Path) -> None:
    spine = ["a.xhtml"] * 1_000_000
    path = stored(tmp_path / "b.epub", page("<p>x</p>"), spine=spine)
    started = time.process_time()
    with pytest.raises(BadInput, match=r"b\.epub lists more pages than any book"):
        read(path)
    assert time.process_time() - started < SOON


def test_an_archive_of_countless_files_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_epub(tmp_path / "b.epub", {f"p{n}.xhtml": page("x") for n in range(40)})
    monkeypatch.setattr(archive, "MAX_DIRECTORY", 2_000)
    with pytest.raises(BadInput, match=r"b\.epub holds more files than any book"):
        read(path)


def test_a_member_that_says_it_has_two_gigabytes(tmp_path: Path) -> None:
    path = make_epub(tmp_path / "b.epub", {"a.xhtml": page("<p>It rose.</p>")})
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as book:
        names = [info.filename for info in book.infolist()]
    place = 0
    for name in names:
        place = data.index(b"PK\x01\x02", place)
        if name.endswith("a.xhtml"):
            data[place + 24 : place + 28] = (2**31).to_bytes(4, "little")
        place += 4
    path.write_bytes(data)
    started = time.process_time()
    with pytest.raises(BadInput, match=r"b\.epub unpacks to far more text"):
        read(path)
    assert time.process_time() - started < 1


def test_a_bomb_under_every_limit_of_size_is_told_by_its_ratio(tmp_path: Path) -> None:
    path = make_epub(tmp_path / "b.epub", {"a.xhtml": page("<p>" + "a " * 4_000_000 + "</p>")})
    with pytest.raises(BadInput, match="far more text"):
        read(path)
    with pytest.raises(BadInput, match="far more text"):
        read(make_docx(tmp_path / "b.docx", paragraph(run("a " * 4_000_000))))


def test_links_duplicates_and_names_that_lead_out(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("TOPSECRET")
    path = make_epub(
        tmp_path / "b.epub",
        {"../../secret.txt.xhtml": page("<p>In.</p>"), "link.xhtml": "x", "a.xhtml": page("y")},
    )
    link = zipfile.ZipInfo("OPS/link.xhtml")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "a") as book:
        with pytest.warns(UserWarning, match="Duplicate"):
            book.writestr(link, str(secret))
        with pytest.warns(UserWarning, match="Duplicate"):
            book.writestr("OPS/a.xhtml", page("<p>Later.</p>"))
        book.writestr("/etc/passwd", "x")
    before = sorted(tmp_path.iterdir())
    book_read = read(path)
    texts = [block.text for chapter in book_read.chapters for block in chapter.blocks]
    assert texts == ["In.", "x", "Later."]
    assert sorted(tmp_path.iterdir()) == before
    assert "TOPSECRET" not in str(book_read)


@pytest.mark.parametrize(
    ("name", "data", "whose"),
    [
        ("META-INF/rights.xml", '<r xmlns="http://ns.adobe.com/adept"/>', "by Adobe ADEPT "),
        ("META-INF/license.lcpl", "{}", "by Readium LCP "),
        ("META-INF/sinf.xml", "<s/>", "by Apple FairPlay "),
        ("META-INF/other.xml", "<s/>", ""),
    ],
)
def test_copy_protection_is_named(tmp_path: Path, name: str, data: str, whose: str) -> None:
    covers = (
        "<encryption><EncryptedData><EncryptionMethod Algorithm='http://www.w3.org/2001/04/"
        "xmlenc#aes256-cbc'/><CipherData><CipherReference URI='OPS/a.xhtml'/></CipherData>"
        "</EncryptedData></encryption>"
    )
    extra: dict[str, str | bytes] = {"META-INF/encryption.xml": covers, name: data}
    path = make_epub(tmp_path / "b.epub", {"a.xhtml": b"\x00\xff" * 50}, extra=extra)
    with pytest.raises(BadInput, match=rf"b\.epub is encrypted {whose}\(copy protection\)"):
        read(path)
    del extra["META-INF/encryption.xml"]
    path = make_epub(tmp_path / "c.epub", {"a.xhtml": page("<p>Free.</p>")}, extra=extra)
    assert read(path).chapters[0].blocks[0].text == "Free."


LONG: dict[str, Callable[[], bytes]] = {
    "word.txt": lambda: b"x" * 10_000_000,
    "word.html": lambda: b"<p>" + b"x" * 10_000_000,
    "blanks.txt": lambda: b"x" + b" " * 10_000_000 + b"y",
    "spaced.txt": lambda: b"a b c " * 500_000,
    "markers.txt": lambda: b"[[pause: 1 s]] a " * 50_000,
    "brackets.txt": lambda: b"[[ a" * 500_000,
    "hyphens.txt": lambda: b"ab-\ncd " * 100_000,
    "numbers.txt": lambda: b"\n\n".join(b"%d" % n for n in range(100_000)),
    "pages.txt": lambda: b"a line\f12\n" * 50_000,
    "quotes.md": lambda: b"> " * 5_000 + b"a\n" + b"- a\n" * 10_000,
    "notes.md": lambda: b"[^a]: x\n" * 20_000 + b"[^a]" * 20_000,
    "amps.html": lambda: b"<p>" + b"&amp;" * 500_000 + b"&a" * 500_000,
    "comments.html": lambda: b"<p>" + b"a<!-- -->" * 100_000,
    "sections.fb2": lambda: b"<FictionBook><body>" + b"<section>" * 9_000 + b"<p>x</p>",
}


@pytest.mark.parametrize("name", LONG)
def test_long_and_odd_texts_end_soon(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(LONG[name]())
    started = time.process_time()
    assert "\n" not in read_or_said(path)
    assert time.process_time() - started < SOON


def test_more_lines_than_any_book_has(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_bytes(b"a\n" * 600_000)
    with pytest.raises(BadInput, match=r"b\.txt has more than 300,000 lines"):
        read(tmp_path / "b.txt")


def test_a_word_that_nobody_can_say_is_refused() -> None:
    with pytest.raises(BadInput, match="input holds 10,000,003 characters without a blank"):
        read_bytes(b"A word: " + b"x" * 10_000_000 + b"... And on.")
    line = "春眠不觉晓处处闻啼鸟" * 20_000
    assert read_bytes(line.encode()).chapters[0].blocks[0].text == line


def test_a_long_word_is_cut_soon() -> None:
    book = read_bytes(b"A word: " + b"x" * 90_000 + b". And on.")
    started = time.process_time()
    segments = [s for chapter in cut(book, Limits(), "en") for s in chapter.segments]
    assert "".join(s.source.replace(" ", "") for s in segments).count("x") == 90_000
    assert time.process_time() - started < SOON


MEASURE = """
import json, sys
from pathlib import Path
from peaks import peak_mb
from studio.book.readers import read
from studio.errors import BadInput
try:
    read(Path(sys.argv[1]))
    said = ""
except BadInput as refused:
    said = str(refused)
print(json.dumps([said, peak_mb()]))
"""


def test_the_largest_page_that_is_read_needs_little_memory(tmp_path: Path) -> None:
    rnd = random.Random(1)
    words = " ".join(rnd.choices(["river", "mill", "bridge", "stone", "👍"], k=60_000))
    inside = "".join(f'<b class="c{n}" id="x{n}">a</b> ' for n in range(120_000))
    path = stored(tmp_path / "b.epub", page(f"<p>{words * 10}</p><p>{inside}</p>"))
    ran = subprocess.run(
        [sys.executable, "-c", MEASURE, path],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parent,
    )
    said, peak = json.loads(ran.stdout)
    assert said == ""
    assert peak < 500


MUTABLE: dict[str, bytes] = {
    "b.fb2": FB2.encode("cp1251"),
    "b.html": page("<h1>One</h1><p>It <i>rose</i>.<sup>1</sup></p><table><td>x</table>").encode(),
    "b.md": b"# One\n\nIt *rose*.[^1]\n\n- a\n- b\n\n[^1]: Note.\n\n```\ncode\n```\n",
    "b.txt": "CHAPTER I\n\nIt rose[1] and\f12\nfell—\n\n[1] So.\n\n* * *\n\n“No.”\n".encode(),
}


@pytest.mark.parametrize("name", [*MUTABLE, "b.docx"])
def test_mutated_files_of_other_kinds(tmp_path: Path, name: str) -> None:
    rnd = random.Random(name)
    whole = MUTABLE.get(name) or make_docx(tmp_path / name, paragraph(run("It rose."))).read_bytes()
    path = tmp_path / name
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(rnd.randint(1, 4)):
            at = rnd.randrange(len(data))
            end = at + rnd.randint(0, 9)
            data[at:end] = rnd.choice([b"", b"<", b">", b"\0", rnd.randbytes(3), data[:40]])
        path.write_bytes(data)
        assert "\n" not in read_or_said(path)
