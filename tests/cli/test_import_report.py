"""What an import says: one count of characters, and a line for everything that is not spoken."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from text_cases import books

from studio.commands.importing import new
from studio.errors import BadInput

CASES = books()
FILES = [case["file"] for case in json.loads((CASES / "expect.json").read_text("utf-8"))]


def test_the_lines_add_up_to_what_is_skipped(tmp_path: Path) -> None:
    book = tmp_path / "book.md"
    book.write_text(
        "---\ntitle: The Kelp Year\n---\n\n# One\n\nShe *said* it.[^1]\n\n[^1]: A note.\n",
        encoding="utf-8",
    )
    lines = new(book, to=tmp_path / "project", voice=None, language=None).lines
    assert sum("without white space" in line for line in lines) == 1
    assert "character" not in lines[0], "two counts of one thing puzzle"
    total, spoken, skipped = map(int, re.findall(r"\d+", lines[1]))
    assert total == spoken + skipped
    told = [line for line in lines if line.startswith("  left out: ")]
    assert any("marks of Markdown" in line for line in told)
    counts = [
        int(found[1]) for line in told if (found := re.search(r"\((\d+) characters?\)", line))
    ]
    assert len(counts) == len(told)
    assert sum(counts) == skipped
    assert len(told) == len({line.partition("(")[0] for line in told}), "nothing is told twice"


@pytest.mark.parametrize("file", FILES)
def test_the_lines_of_every_book_add_up(file: str, tmp_path: Path) -> None:
    try:
        reply = new(CASES / file, to=tmp_path / "project", voice=None, language=None)
    except BadInput:
        return
    told = [line for line in reply.lines if line.startswith("  left out: ")]
    counts = [re.search(r"\(([\d,]+) characters?\)$", line) for line in told]
    left = sum(item["characters"] for item in reply.data["coverage"]["skipped"])
    assert sum(int(found[1].replace(",", "")) for found in counts if found) == left
    assert len(told) == len(set(told)) == sum(map(bool, counts))


def test_a_page_is_told_once_and_a_piece_by_its_title(tmp_path: Path) -> None:
    book = CASES / "front-matter.epub"
    lines = new(book, to=tmp_path / "plain", voice=None, language=None).lines
    for page in ("cov.xhtml", "copy.xhtml", "toc.xhtml"):
        assert sum(page in line for line in lines) == 1
    manuscript = tmp_path / "ferry.md"
    manuscript.write_text("# One\n\nIt rained.\n\n# Two\n\nNobody came.\n", encoding="utf-8")
    lines = new(manuscript, to=tmp_path / "less", voice=None, language=None, skip=[2]).lines
    assert "  left out: Two: it is not ticked (14 characters)" in lines
