"""Chapter lines of plain texts in other languages, and navigation that is not told."""

from __future__ import annotations

import pytest

from studio.book.readers import read_bytes
from studio.book.readers.headings import is_chapter_line


@pytest.mark.parametrize(
    "line",
    [
        "第一章 雨",
        "第十二回　风雪山神庙",
        "第3章：雨",
        "序章",
        "エピローグ",
        "Siebzehntes Kapitel",
        "Drittes Buch",
        "Capítulo segundo",
        "Chapitre deuxième",
        "Capitolo primo",
        "Capitolo XII",
        "Глава 1",
        "Глава вторая",
        "Chapter the Twenty-First",
    ],
)
def test_a_line_that_names_a_chapter(line: str) -> None:
    assert is_chapter_line(line)


@pytest.mark.parametrize(
    "line",
    ["第二天早上，他走了。", "第一章他读完了，很好。", "Ein gutes Buch liegt hier", "Частью 1"],
)
def test_a_line_that_does_not(line: str) -> None:
    assert not is_chapter_line(line)


def test_chapters_of_a_chinese_text_have_their_titles() -> None:
    book = read_bytes("第一章 雨\n\n下雨了。\n\n第二章 雪\n\n下雪了。\n".encode())
    assert [chapter.title for chapter in book.chapters] == ["第一章 雨", "第二章 雪"]


@pytest.mark.parametrize(
    "links",
    [
        '<a href="#a">One</a><a href="#b">Two</a>',
        '<ul><li><a href="#a">One</a></li></ul>',
        '<a href="/">Home</a> | <a href="/more.html">More</a>',
    ],
)
def test_navigation_is_not_told_however_short(links: str) -> None:
    page = (
        f"<html><body><nav>{links}</nav><h1 id='a'>One</h1><p>It rained.</p>"
        "<h1 id='b'>Two</h1><p>It snowed.</p></body></html>"
    )
    book = read_bytes(page.encode())
    told = [block.text for chapter in book.chapters for block in chapter.blocks]
    assert told == ["One", "It rained.", "Two", "It snowed."]
    assert book.coverage.unaccounted == 0
