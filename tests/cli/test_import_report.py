"""What an import says: one count of characters, and a line for everything that is not spoken."""

from __future__ import annotations

import re
from pathlib import Path

from studio.commands.importing import new


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
