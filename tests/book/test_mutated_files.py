"""Mutated files of every kind but EPUB are read or refused in a sentence, soon, in little memory.

RHAPSODE_MUTATED names how many of each kind; 1000 is the long form.
"""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from epub_files import page
from office_files import FB2, make_docx, paragraph, run
from peaks import peak_mb

from studio.book.policies import Matter, Notes, Policies, Said
from studio.book.readers import read
from studio.book.segmenting import Limits, cut
from studio.errors import BadInput

COUNT = int(os.environ.get("RHAPSODE_MUTATED", "60"))
SLOWEST = 5.0
"""Seconds of CPU that one file may take."""
SPOKEN = Policies(Notes.INLINE, Said.SKIPPED, Said.SPOKEN, Said.SPOKEN, Matter.TICKED)
PARTS = [
    *(b"<", b">", b"&", b"&#0;", b"\0", b"]]>", b"<![CDATA[", b"<!--", b"</p>", b"<b>" * 300),
    *(b"[[pause: 1 s]]", b"[^1]", b"[^1]: ", b"> " * 200, b"| a |", b"\n|-|\n", b"`" * 9, b"- "),
    *(b"\f", b"\r", b"\n\n", b"12\n", b"CHAPTER II", b"\xff\xfe", b"\xef\xbb\xbf", b"\x85"),
    *(b"encoding='utf-16'", b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&b;", b"\xe2\x80\x9c", b"*", b"#"),
]
WHOLE: dict[str, bytes] = {
    "b.fb2": FB2.encode("cp1251"),
    "b.html": page(
        "<ul><li><a href='#a'>One</a></li><li><a href='#b'>Two</a></li></ul>"
        "<h1 id='a'>One</h1><p>It <i>rose</i>.<a href='#n'><sup>1</sup></a></p>"
        "<table><tr><td>x</td></tr></table>"
        "<h1 id='b'>Two</h1><p lang='fr'>Oui<br/>non.</p><p id='n'>1. Note.</p>"
    ).encode(),
    "b.md": b"---\ntitle: A\n---\n# One\n\nIt *rose*.[^1]\n\n- a\n- b\n\n|a|b|\n|-|-|\n|c|d|\n\n"
    b"[^1]: Note.\n\n```\ncode\n```\n\n> Said.\n",
    "b.txt": "CONTENTS\n\nCHAPTER I\nCHAPTER II\n\nCHAPTER I\n\nIt rose[1] and\f12\n"
    "fell—\n\n[1] So.\n\n"
    "* * *\n\n“No.” He was won-\nderful.\n\nCHAPTER II\n\nEnd.\n".encode(),
}


def document() -> bytes:
    """A Word document with notes and changes."""
    body = paragraph(run("One"), "berschrift1") + paragraph(
        run("It rose.")
        + '<w:r><w:footnoteReference w:id="2"/></w:r>'
        + f"<w:ins>{run('And')}</w:ins><w:del><w:r><w:delText>no</w:delText></w:r></w:del>"
    )
    made = io.BytesIO()
    make_docx(made, body, notes=f'<w:footnote w:id="2">{paragraph(run("So."))}</w:footnote>')  # type: ignore[arg-type]
    return made.getvalue()


def changed(rnd: random.Random, whole: bytes) -> bytes:
    """A file with a few things wrong."""
    data = bytearray(whole)
    for _ in range(rnd.randint(1, 6)):
        at = rnd.randrange(len(data) + 1)
        end = at + rnd.choice([0, 0, 1, rnd.randint(0, 60)])
        data[at:end] = rnd.choice(
            [b"", rnd.choice(PARTS), rnd.randbytes(3), bytes(data[at : at + 40]) * 20]
        )
    return bytes(data)


def mutated(kind: str, seed: int) -> bytes:
    """One file; of a Word document one member is changed, or now and then the archive itself."""
    rnd = random.Random(f"{kind} {seed}")
    if kind != "b.docx":
        return changed(rnd, WHOLE[kind])
    whole = document()
    if rnd.random() < 0.1:
        return changed(rnd, whole)
    with zipfile.ZipFile(io.BytesIO(whole)) as old:
        members = [(name, old.read(name)) for name in old.namelist()]
    chosen = rnd.randrange(len(members))
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as book:
        for at, (name, data) in enumerate(members):
            book.writestr(name, changed(rnd, data) if at == chosen else data)
    return made.getvalue()


def main() -> None:
    """Read files of a kind and print how many were read, the slowest, and the memory."""
    path, number = Path(sys.argv[1]), int(sys.argv[2])
    was_read, slowest = 0, 0.0
    for seed in range(number):
        path.write_bytes(mutated(path.name, seed))
        started = time.process_time()
        try:
            book = read(path, SPOKEN if seed % 3 == 0 else None)
            assert book.coverage.unaccounted == 0, f"seed {seed}: {book.coverage.unaccounted}"
            cut(book, Limits(), book.language or "en")
            was_read += 1
        except BadInput as refused:
            said = str(refused)
            assert said.endswith(".") and "\n" not in said, f"seed {seed}: {said}"  # noqa: PT018
        slowest = max(slowest, time.process_time() - started)
    print(json.dumps({"read": was_read, "slowest": slowest, "peak": peak_mb()}))


@pytest.mark.parametrize("kind", [*WHOLE, "b.docx"])
def test_mutated_files_are_read_or_refused(tmp_path: Path, kind: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", __file__, tmp_path / kind, str(COUNT)],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    report = json.loads(ran.stdout)
    assert report["read"] > 0
    assert report["slowest"] < SLOWEST, report
    assert report["peak"] < 500, report


if __name__ == "__main__":
    main()
