"""Files made to harm, by name; and a process that reads them one by one and tells what each took.

Run as a program: ``python hostile_files.py FOLDER SCALE NAME …`` prints one line of JSON. Each file
is made and read in a process of its own, under limits of the system.
"""

from __future__ import annotations

import io
import json
import os
import resource
import sys
import time
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from epub_files import make_epub, page
from office_files import FB2, STYLES, make_docx, paragraph, run
from peaks import peak_mb

from studio.book.readers import read
from studio.errors import BadInput

SECONDS = 60
"""CPU after which the system ends a reading."""
MEMORY = 2 * 2**30
M = 1_000_000
PROSE = "The old ferry went over the river again and nobody saw it. "
CELL = "<w:tc>" + paragraph(run("a")) + "</w:tc>"
CALL = '<w:r><w:footnoteReference w:id="{}"/></w:r>'
NOTE = '<w:footnote w:id="{}">' + paragraph(run("n")) + "</w:footnote>"
Make = Callable[[int], str | bytes]
"""Gives the text of a file of about so many parts, a million at full scale."""


def each(form: str, number: int) -> str:
    """A text of numbered parts."""
    return "".join(form.format(n) for n in range(number))


def chained(number: int) -> str:
    """Entities that stand for ten of the one before."""
    tens = [f"&e{n};" * 10 for n in range(number)]
    return "".join(f'<!ENTITY e{n} "{ten}">' for n, ten in enumerate(tens, 1))


PLAIN: Mapping[str, Make] = {
    "word": lambda n: "x" * 10 * n,
    "paragraph": lambda n: PROSE * (n // 3),
    "chinese": lambda n: "春眠不觉晓处处闻啼鸟" * (n * 7 // 10),
    "stops": lambda n: "春眠不觉晓。处处闻啼鸟！" * (n * 6 // 10),
    "blanks": lambda n: "x" + " " * 20 * n + "y",
    "nul": lambda n: "a\0b " * 3 * n,
    "quotes": lambda n: "“a " * 2 * n,
    "hyphens": lambda n: "ab-\ncd " * (n * 29 // 100),
    "list": lambda n: "- a\n" * (n * 29 // 100),
    "headings": lambda n: "CHAPTER I\n\n" * (n * 14 // 100),
    "pages": lambda n: "a line\f12\n" * (n * 14 // 100),
    "notes": lambda n: each("a[{0}] ", n // 4) + "\n[1] x" * (n // 4),
    "contents": lambda n: "CONTENTS\n\n" + each("Title {0} ..... 7\n\n", n // 10) + "Title 1",
    "spaced": lambda n: "a b c d e f g\n" * (n * 29 // 100),
    "markers": lambda n: "[[pause: 1 s]] a " * n,
    "voices": lambda n: "[[voice: a]] b\n" * (n * 14 // 100),
    "joined": lambda n: "a\u0301\u0323" * 2 * n,
}
LETTERS: Mapping[str, tuple[str, str]] = {
    "koi8-r": ("Он вышел рано утром. ", "koi8-r"),
    "shift-jis": ("春はあけぼの。", "shift-jis"),
    "utf-16": ("The ferry. ", "utf-16"),
    "gb18030": ("春眠不觉晓。", "gb18030"),
}
MARKDOWN: Mapping[str, Make] = {
    "items": lambda n: "- a\n" * (n * 29 // 100),
    "links": lambda n: "[a](" * n,
    "emphasis": lambda n: "a**b" * 2 * n,
    "table": lambda n: "|a|b|\n|-|-|\n" + "|a|b|\n" * (n // 4),
    "wide": lambda n: "|a" * (n // 3) + "|\n" + "|-" * (n // 3) + "|\n",
    "calls": lambda n: "[^a]: x\n" * (n // 7) + "[^a] " * (n // 7),
    "tags": lambda n: "<a " * 3 * n,
    "ticks": lambda n: each("`a ``b {0}", n // 4),
    "deep": lambda n: "> " * (n // 20) + "a",
    "most marks": lambda n: "[a](b) *c* " * (n * 4 // 100),
    "paragraph": lambda n: PROSE * (n // 3),
}
PAGES: Mapping[str, Make] = {
    "word": lambda n: "<p>" + "x" * 10 * n,
    "paragraph": lambda n: "<p>" + PROSE * (n // 3),
    "breaks": lambda n: "<p>" + "a<br>" * n,
    "most breaks": lambda n: "<p>" + "a<br/>" * (n * 24 // 100),
    "most items": lambda n: "<ul>" + "<li>a b</li>" * (n * 12 // 100),
    "cells": lambda n: "<table><tr>" + "<td>a</td>" * (n * 12 // 100),
    "contents": lambda n: "<h1>Contents</h1>" + "<ul><li>Contents" * min(4_900, n) + "<p>x",
    "rows": lambda n: "<table>" + "<tr><td>a</td></tr>" * (n * 6 // 100),
    "tables": lambda n: "<table><tr><td>a" * (n // 500),
    "value": lambda n: "<p class='" + "x " * 10 * n + "'>It rose.</p>",
    "attributes": lambda n: "<p " + each("a{0}='>' ", n // 2) + ">It rose.</p>",
    "most attributes": lambda n: ("<p " + each("a{0}=b ", 249) + ">a</p>") * (n // 100),
    "unknown": lambda n: "<p>" + "&foo;" * 3 * n,
    "twice": lambda n: "<p>" + "&amp;amp;" * 2 * n,
    "chain": lambda n: f"<!DOCTYPE a [<!ENTITY e0 'x'>{chained(30)}]><p>&e29;It rose.</p>",
    "declared": lambda n: "<!DOCTYPE a [" + each('<!ENTITY e{0} "x">', n // 3) + "]><p>&e1; rose.",
    "undone": lambda n: "<!DOCTYPE a [" + "<!ENTITY " * n + "<p>It rose.</p>",
    "nul": lambda n: "<p>It rose" + "\0" * 10 * n,
    "misnested": lambda n: "<b>" * (n // 300) + "<p>x</b>" * (n // 300),
    "adopted": lambda n: "<a><b><p>" * (n // 110),
    "deep": lambda n: "<div>a " * min(9_900, n) + "x",
    "comment": lambda n: "<p>It rose.<!--" + "x" * 10 * n,
    "sheet": lambda n: "<style>" + "@a{" * (n // 3) + "</style><p>It rose.",
    "sheets": lambda n: each("<style>.a{0}{{display:none}}</style>", n // 10) + "<p>It rose.",
    "closed": lambda n: "<p/>a" * (n * 24 // 100),
    "drop caps": lambda n: "<p>" + "<span class='drop'>T</span>" * (n * 12 // 100),
    "hyphens": lambda n: "<p>ab-\ncd</p>" * (n * 12 // 100),
    "notes": lambda n: (
        each("<p>a<a href='#n{0}'><sup>1</sup></a></p>", n * 3 // 100)
        + each("<p id='n{0}'>1. note</p>", n * 3 // 100)
    ),
    "links": lambda n: (
        "<ul>"
        + each("<li><a href='#x{0}'>T</a>", n * 4 // 100)
        + "</ul>"
        + each("<p id='x{0}'>a</p>", n * 4 // 100)
    ),
    "utf-16 said": lambda n: "<meta charset='utf-16'><p>" + "It rose. " * 2 * n,
    "punycode said": lambda n: (
        "<?xml version='1.0' encoding='punycode'?><p>It rose-" + "abc" * (n // 30)
    ),
}
FICTION: Mapping[str, Make] = {
    "word": lambda n: FB2.replace("Темно.", "x" * 10 * n),
    "sections": lambda n: "<FictionBook><body>" + "<section>" * min(9_000, n) + "<p>x</p>",
    "titled": lambda n: (
        "<FictionBook><body>" + "<section><title><p>A</p></title>x</section>" * (n * 3 // 100)
    ),
    "bodies": lambda n: (
        "<FictionBook>" + "<body name='notes'>" * min(4_900, n) + "<section id='a'>x"
    ),
    "pictures": lambda n: FB2 + "<binary " * (n // 4),
    "authors": lambda n: (
        "<FictionBook><description><title-info>" + "<author><first-name>" * (n // 250)
    ),
}
WORD: Mapping[str, Make] = {
    "word": lambda n: paragraph(run("x" * 10 * n)),
    "paragraph": lambda n: paragraph(run(PROSE * (n // 3))),
    "paragraphs": lambda n: paragraph(run("a")) * (n // 5),
    "runs": lambda n: f"<w:p>{run('a') * (n // 5)}</w:p>",
    "cells": lambda n: f"<w:tbl><w:tr>{CELL * (n // 10)}</w:tr></w:tbl>",
    "notes": lambda n: f"<w:p>{each(CALL, n // 20)}{run('a')}</w:p>",
    "one note": lambda n: f"<w:p>{CALL.format(1) * (n // 20)}{run('a')}</w:p>",
    "deep": lambda n: "<w:p>" + "<w:ins>" * 190 + run("a") + "</w:ins>" * 190 + "</w:p>",
    "attributes": lambda n: "<w:p " + each('a{0}="b" ', n // 2) + ">" + run("a") + "</w:p>",
}


def _text(text: Make, encoding: str = "utf-8") -> Callable[[Path, int], None]:
    """A file of text."""

    def make(path: Path, number: int) -> None:
        made = text(number)
        path.write_bytes(made.encode(encoding, "replace") if isinstance(made, str) else made)

    return make


def _stored(path: Path) -> None:
    """Take the compression off an archive, so that no ratio of sizes gives it away."""
    with zipfile.ZipFile(path) as packed:
        members = [(name, packed.read(name)) for name in packed.namelist()]
    with zipfile.ZipFile(path, "w") as file:
        for name, data in members:
            file.writestr(name, data)


def _epub(inside: Make, nav: Make | None = None) -> Callable[[Path, int], None]:
    """An EPUB of one page."""

    def make(path: Path, number: int) -> None:
        listed = str(nav(number)) if nav else None
        make_epub(path, {"a.xhtml": page(str(inside(number)))}, nav=listed)
        _stored(path)

    return make


def _word(body: Make) -> Callable[[Path, int], None]:
    """A Word document."""

    def make(path: Path, number: int) -> None:
        make_docx(
            path, str(body(number)), notes=each(NOTE, number // 20) if "note" in path.name else ""
        )
        _stored(path)

    return make


def _styled(path: Path, number: int) -> None:
    make_docx(path, paragraph(run("It rose.")))
    _add(path, {"word/styles.xml": STYLES + f"<!--{'x' * 200 * number}-->"})


def _empty_files(path: Path, number: int) -> None:
    make_epub(path, {"a.xhtml": page("<p>It rose.</p>")})
    _add(path, {f"e{n}": "" for n in range(number // 10)})


def _many_pages(path: Path, number: int) -> None:
    pages = {f"p{n}.xhtml": page(f"<p>It rose {n}.</p>") for n in range(number // 100)}
    nav = each('<li><a href="p{0}.xhtml">T{0}</a></li>', len(pages))
    make_epub(path, pages, nav=nav)


def _packed_twice(path: Path, number: int) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("b.fb2", "x" * number)
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("b.fb2", inner.getvalue())


def _add(path: Path, files: Mapping[str, str]) -> None:
    with zipfile.ZipFile(path) as old:
        kept = {name: old.read(name) for name in old.namelist() if name not in files}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, data in [*kept.items(), *files.items()]:
            book.writestr(name, data)


FILES: dict[str, Callable[[Path, int], None]] = {
    **{f"{name}.txt": _text(text) for name, text in PLAIN.items()},
    **{
        f"{name}.txt": _text(lambda n, said=said: said * (n // 2), encoding)
        for name, (said, encoding) in LETTERS.items()
    },
    **{f"{name}.md": _text(text) for name, text in MARKDOWN.items()},
    **{f"{name}.html": _text(text) for name, text in PAGES.items()},
    **{f"{name}.fb2": _text(text, "cp1251") for name, text in FICTION.items()},
    **{f"{name}.docx": _word(body) for name, body in WORD.items()},
    **{f"{name}.epub": _epub(PAGES[name]) for name in ("word", "paragraph", "most breaks")},
    "contents.epub": _epub(
        lambda n: each("<p id='x{0}'>a</p>", n // 10),
        lambda n: each('<li><a href="a.xhtml#x{0}">T</a></li>', n // 10),
    ),
    "astray.epub": _epub(
        lambda n: "<p>It rose.</p>",
        lambda n: each('<li><a href="a.xhtml#x{0}">T</a></li>', n // 11),
    ),
    "long path.epub": _epub(
        lambda n: "<p>It rose.</p>", lambda n: '<li><a href="' + "../" * n + 'a.xhtml">T</a></li>'
    ),
    "styles.docx": _styled,
    "empty files.epub": _empty_files,
    "pages.epub": _many_pages,
    "twice.fb2.zip": _packed_twice,
}
"""How each is made, from where it goes and how many parts it has."""


def _child(work: Callable[[], None]) -> int:
    """Do something in a process of its own; its exit status."""
    child = os.fork()
    if not child:
        try:
            work()
        except BaseException:
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]


def _read(path: Path, told: int) -> None:
    """Read a file under limits, and write what it took."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    started = time.process_time()
    try:
        said = "" if read(path).coverage.unaccounted == 0 else "UNACCOUNTED"
    except BadInput as refused:
        said = str(refused)
    os.write(told, json.dumps([said, time.process_time() - started, peak_mb()]).encode())


def main() -> None:
    """Make and read the files that are named, and print what each took."""
    folder, parts, names = Path(sys.argv[1]), int(float(sys.argv[2]) * M), sys.argv[3:]
    took = {}
    for name in names:
        path = folder / name
        assert _child(lambda path=path: FILES[path.name](path, parts)) == 0, name
        reader, writer = os.pipe()
        status = _child(lambda path=path, writer=writer: _read(path, writer))
        os.close(writer)
        took[name] = json.loads(os.read(reader, 65_536) or "null") if status == 0 else None
        os.close(reader)
        path.unlink()
    print(json.dumps(took))


if __name__ == "__main__":
    main()
