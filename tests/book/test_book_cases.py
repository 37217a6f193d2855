"""Every book that the cases list, judged as their README says.

RHAPSODE_CASES names another folder with an expect.json of the same form; keys that are not known
here, and keys that are missing, judge nothing.
"""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from text_cases import books

from studio.book.readers import read
from studio.book.segmenting import Limits, cut
from studio.errors import BadInput

CASES = books()
EXPECTED: list[dict[str, Any]] = json.loads((CASES / "expect.json").read_text("utf-8"))
REFUSED = {"not-epub", "all-images"}


def folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


@pytest.mark.parametrize("case", EXPECTED, ids=lambda case: case["id"])
def test_book_is_read_as_expected(
    case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = CASES / case["file"]
    if case["id"] in REFUSED or case.get("chapters") == 0:
        with pytest.raises(BadInput, match=path.name) as refused:
            read(path)
        assert "\n" not in str(refused.value)
        return
    manuscript = read(path)
    chapters = cut(manuscript, Limits(), manuscript.language or "en")
    segments = [segment for chapter in chapters for segment in chapter.segments]
    source = folded(" ".join(segment.source for segment in segments))
    texts = {"source": source, "spoken": folded(" ".join(s.spoken for s in segments))}

    if case.get("chapters") is not None:
        assert len(chapters) == case["chapters"]
    place = 0
    for phrase in map(folded, case.get("speak", ())):
        assert source.count(phrase) == 1
        place = source.index(phrase, place) + len(phrase)
    for where in case.get("never_in", texts):
        assert not [text for text in case.get("never", ()) if text in texts[where]]
    for span in map(folded, case.get("never_split", ())):
        assert any(span in folded(segment.source) for segment in segments)
    assert all("\n" not in chapter.title for chapter in chapters)
    assert list(tmp_path.iterdir()) == []


def test_every_listed_file_is_here() -> None:
    assert all((CASES / case["file"]).is_file() for case in EXPECTED)
