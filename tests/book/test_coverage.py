"""Every character of a book is spoken or skipped by a rule: the sum is exact, by another count."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from epub_files import make_epub, page
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from naive_count import characters, of_epub, of_markup, of_text
from text_cases import books

from studio.book.coverage import Coverage, Skipped, count, report, settled, totals
from studio.book.manuscript import Manuscript
from studio.book.policies import Matter, Notes, Policies, Said
from studio.book.readers import read, read_bytes
from studio.book.segmenting import Limits, cut
from studio.errors import BadInput

CASES = books()
FILES = [case["file"] for case in json.loads((CASES / "expect.json").read_text("utf-8"))]
ALL_SPOKEN = Policies(Notes.CHAPTER_END, Said.SPOKEN, Said.SPOKEN, Said.SPOKEN, Matter.TICKED)
LEAST_SPOKEN = Policies(Notes.INLINE, Said.SKIPPED, Said.SKIPPED)


def in_blocks(book: Manuscript) -> int:
    return sum(count(block.text) for chapter in book.chapters for block in chapter.blocks)


def is_exact(book: Manuscript, total: int) -> None:
    """The sum holds, and nothing of ours was used for one side of it."""
    coverage = book.coverage
    added = sum(item.characters for item in coverage.added)
    assert coverage.total == total
    assert coverage.spoken + sum(item.characters for item in coverage.skipped) == total
    assert coverage.spoken + added == in_blocks(book)
    assert coverage.unaccounted == 0
    assert all(item.characters > 0 and item.why for item in coverage.skipped)


def is_covered(book: Manuscript, most: int = 120) -> None:
    """The segments of each chapter are its blocks, to the last character."""
    for chapter in book.chapters:
        said = "".join("".join(block.text.split()) for block in chapter.blocks)
        drafts = cut(replace(book, chapters=(chapter,)), Limits(most, most), book.language or "en")
        segments = [segment for draft in drafts for segment in draft.segments]
        assert "".join("".join(segment.source.split()) for segment in segments) == said


@pytest.mark.parametrize("file", FILES)
def test_the_account_of_every_case_is_exact(file: str) -> None:
    path = CASES / file
    try:
        book = read(path)
    except BadInput:
        return
    if path.suffix == ".epub":
        is_exact(book, of_epub(path))
    elif path.suffix == ".txt":
        is_exact(book, of_text(path.read_bytes()))
    else:
        assert book.coverage.unaccounted == 0
    if path.stem != "huge":
        is_covered(book)
    drafts = cut(book, Limits(), book.language or "en")
    segments = sum(count(s.source) for chapter in drafts for s in chapter.segments)
    assert settled(book.coverage, segments).unaccounted == 0


WORDS = st.sampled_from(
    [
        *("alder", "birch —", "“Cedar,”", "elm’s", "1914", "fi\ufb01r", "e\u0301clair", "Å"),
        *("* * *", "x\u00adyz", "\u200b", "a-\nb", "&amp;mdash;", "&#146;", "&nbsp;", "&eacute;"),
        *("I", "漢字", "<![CDATA[raw & <b>]]>", "<!-- none -->", "[1]", "C H A P T E R"),
        *("&amp;amp;lt;", "<br/>"),
        *("www.example.org", "…", "\u202fn", "&unknown;", "👩\u200d🚀", "10", "feet"),
    ]
)  # fmt: skip
INLINE = ["b", "i", "span", "em", "q", "sup", "sub", "a", "ruby", "rt", "del", "script", "small"]
BLOCK = ["p", "div", "h1", "h2", "ul", "li", "table", "td", "pre", "blockquote", "aside", "svg"]
ATTRIBUTES = st.sampled_from(
    [
        *("", "", "", 'class="x"', 'id="n1"', 'id="n2"', 'hidden=""', 'lang="fr"'),
        *('epub:type="footnote"', 'epub:type="noteref" href="#n1"', 'href="#n2"'),
        *('class="dropcap"', 'style="display:none"', 'epub:type="pagebreak"'),
        *('class="verse"', 'role="doc-toc"'),
        *('href="http://x.example"', 'class="pg-boilerplate"'),
    ]
)  # fmt: skip


@st.composite
def xhtml(draw: st.DrawFn, depth: int = 0) -> str:
    """A well-formed stretch of a page."""
    parts = []
    for _ in range(draw(st.integers(0, 4))):
        if depth < 4 and draw(st.booleans()):
            tag = draw(st.sampled_from(INLINE + BLOCK if depth else BLOCK))
            inside = draw(xhtml(depth + 1))
            if tag == "script":
                inside = "var x = 1;"
            parts.append(f"<{tag} {draw(ATTRIBUTES)}>{inside}</{tag}>")
        else:
            parts.append(f" {draw(WORDS)}")
    return "".join(parts)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(xhtml(), st.sampled_from([Policies(), ALL_SPOKEN, LEAST_SPOKEN]))
def test_the_account_of_any_page_is_exact(tmp_path: Path, inside: str, policies: Policies) -> None:
    text = page(f'<p>Begin.<a epub:type="noteref" href="#n1">1</a></p>{inside}<p>End.</p>')
    book = read(make_epub(tmp_path / "b.epub", {"a.xhtml": text}), policies)
    is_exact(book, of_markup(text.encode()))
    is_covered(book)
    alone = read_bytes(text.encode(), policies=policies)
    is_exact(alone, of_markup(text.encode()))


LINES = st.lists(
    st.sampled_from(
        [
            *("", "", "\f", "Chapter 1", "IV.", "The sea was wide,", "“Yes.”", "* * *"),
            *("and so on", "12", "13", "14", "[Pg 7]", "THE FERRY", "x[1] y", "[1] A note."),
            *("[Illustration: z]", "CONTENTS", "C H A P T E R", "```", "extra-"),
            *("ordinary day", "soft\u00adhyphen", "---"),
            *("&amp;", "# A head", "- item", "[^a]: Foot.", "Call[^a].", "<b>raw</b>", "`code`"),
            *("[[chapter: Two]]", "A. [[pause: 1 s]] B.", "[[voice: anna]]", "[[vioce: x]]"),
            "![alt](p.png)",
            "A line that is rather longer than the others are and goes on a while.",
        ]
    ),
    max_size=25,
)  # fmt: skip


@given(LINES, st.sampled_from(["a.txt", "# Markdown\n\n"]))
def test_the_account_of_any_text_is_exact(lines: list[str], start: str) -> None:
    text = f"{start}\n\nStart here now.\n\n" + "\n".join(lines) + "\n\nStop here now.\n"
    book = read_bytes(text.encode())
    is_exact(book, characters(text))
    is_covered(book)


def test_pieces_that_a_person_leaves_out_are_in_the_account(tmp_path: Path) -> None:
    pages = {"a.xhtml": page("<h1>One</h1><p><q>A</q></p>"), "b.xhtml": page("<p>Two.</p>")}
    path = make_epub(tmp_path / "b.epub", pages)
    for left in ("OPS/a.xhtml", "OPS/b.xhtml"):
        book = read(path, ticks={left: False})
        is_exact(book, of_epub(path))
        assert [item.where for item in book.coverage.skipped if item.rule == "unticked piece"] == [
            left
        ]


def test_the_account_is_told_in_lines(tmp_path: Path) -> None:
    inside = "<p>Said.<sup>1</sup></p><p hidden=''>Not.</p><script>x()</script>"
    coverage = read(make_epub(tmp_path / "b.epub", {"a.xhtml": page(inside)})).coverage
    assert totals(coverage)[0] == "14 characters, without white space: 5 are spoken, 9 skipped."
    assert "  4 hidden text: the book hides it from readers too" in totals(coverage)
    told = "\n".join(report(coverage))
    assert "note reference, once: it only calls a note" in told
    assert "in OPS/a.xhtml" in told
    wrong = Coverage(10, 8, (Skipped("note", "so", "", 1),))
    assert "1 character not accounted for" in totals(wrong)[-1]
