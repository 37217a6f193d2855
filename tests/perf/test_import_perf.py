"""A book of a million words is imported in less than a minute of computing, and 600 MB."""

from __future__ import annotations

import os
import random
import sys
import time
import zipfile
from pathlib import Path

import pytest

pytestmark = [pytest.mark.perf, pytest.mark.slow]

WORDS = 1_000_000
IN_CHAPTER = 5_000
SECONDS = 60
MEGABYTES = 600
VOCABULARY = (
    "the of and a to in he was that it his with as had for on at by she her not be him from which "
    "they but all have this were one said would there when what so up out if no about who into "
    "harbour keeper morning lantern river stone weather letter village window garden captain "
    "winter candle evening mountain answer question journey silence carefully remembered kingdom"
).split()
CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
    '<rootfile full-path="c.opf" media-type="application/oebps-package+xml"/>'
    "</rootfiles></container>"
)
PACKAGE = (
    '<package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
    '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Long</dc:title>'
    "<dc:language>en</dc:language></metadata><manifest>{}</manifest><spine>{}</spine></package>"
)


def sentence(chance: random.Random) -> str:
    """Words with what the reading rules have to do with: names, numbers, speech."""
    words = chance.choices(VOCABULARY, k=chance.randint(6, 24))
    words[0] = words[0].capitalize()
    if chance.random() < 0.06:
        words[-1] = str(chance.randint(1, 1999))
    if chance.random() < 0.05:
        words[1] = "Dr. Harrow"
    text = f"{' '.join(words)}."
    return f"“{text}”" if chance.random() < 0.2 else text


def long_chapters() -> list[list[str]]:
    """Paragraphs of chapters, a million words in all."""
    chance = random.Random(5)
    chapters = []
    for _ in range(WORDS // IN_CHAPTER):
        paragraphs: list[str] = []
        words = 0
        while words < IN_CHAPTER:
            paragraphs.append(" ".join(sentence(chance) for _ in range(chance.randint(2, 6))))
            words += paragraphs[-1].count(" ") + 1
        chapters.append(paragraphs)
    return chapters


def write_epub(path: Path, chapters: list[list[str]]) -> None:
    names = [f"c{number}" for number in range(len(chapters))]
    items = "".join(
        f'<item id="{it}" href="{it}.xhtml" media-type="application/xhtml+xml"/>' for it in names
    )
    spine = "".join(f'<itemref idref="{it}"/>' for it in names)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("c.opf", PACKAGE.format(items, spine))
        for number, (name, paragraphs) in enumerate(zip(names, chapters, strict=True), 1):
            body = "".join(f"<p>{text}</p>" for text in paragraphs)
            archive.writestr(
                f"{name}.xhtml",
                f'<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>Chapter {number}</h1>{body}'
                "</body></html>",
            )


def write_markdown(path: Path, chapters: list[list[str]]) -> None:
    parts = (f"# Chapter {number}\n\n" + "\n\n".join(it) for number, it in enumerate(chapters, 1))
    path.write_text("---\nlanguage: en\n---\n\n" + "\n\n".join(parts), encoding="utf-8")


@pytest.mark.parametrize(
    ("suffix", "write"), [("epub", write_epub), ("md", write_markdown)], ids=["epub", "md"]
)
def test_a_million_words_are_imported(tmp_path: Path, suffix: str, write: object) -> None:
    book = tmp_path / f"long.{suffix}"
    assert callable(write)
    write(book, long_chapters())
    started = time.monotonic()
    command = [sys.executable, "-m", "studio", "new", str(book), "--to", str(tmp_path / "made")]
    with (tmp_path / "out").open("wb") as out:
        pid = os.posix_spawn(
            sys.executable,
            command,
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, out.fileno(), 1)],
        )
        _, status, used = os.wait4(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert f"{WORDS // IN_CHAPTER} chapters" in (tmp_path / "out").read_text("utf-8")
    memory = used.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    computing = used.ru_utime + used.ru_stime
    print(f"{suffix}: {time.monotonic() - started:.1f} s, {computing:.1f} s CPU, {memory:.0f} MB")
    assert computing < SECONDS
    assert memory < MEGABYTES
