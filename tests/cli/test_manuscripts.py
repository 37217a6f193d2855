"""`rhapsode new` on every manuscript of a folder of cases, judged by its expect.json.

The folder is taken from RHAPSODE_CASES, so that other collections can be run the same way.
"""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from rhapsode import done, rhapsode
from text_cases import books

FOLDER = books()
CASES = json.loads((FOLDER / "expect.json").read_text(encoding="utf-8"))


def folded(text: str) -> str:
    """White space folded, NFC, as the cases are judged."""
    return " ".join(unicodedata.normalize("NFC", text).split())


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_new_reads_what_is_there_and_nothing_else(case: dict[str, Any], tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    book = FOLDER / case["file"]
    ran = rhapsode("new", book, "--to", work / "project", "--json", cwd=work)
    before = {path.name for path in tmp_path.iterdir()}
    assert before == {"work"}, "something was written beside the working folder"

    if case["id"] == "not-epub" or case["chapters"] == 0:
        assert ran.code == 5
        sentence = ran.err.strip()
        assert book.name in sentence
        assert "\n" not in sentence
        assert "Traceback" not in sentence
        assert not (work / "project").exists()
        assert list(work.iterdir()) == []
        return

    assert ran.code == 0, ran.err
    assert {path.name for path in work.iterdir()} == {"project"}
    if case["chapters"] is not None:
        assert len(ran.data["chapters"]) == case["chapters"], ran.data
    segments = done("segments", work / "project", cwd=work)["segments"]
    source = folded(" ".join(row["source"] for row in segments))
    position = 0
    for phrase in map(folded, case["speak"]):
        assert source.count(phrase) == 1, f"{phrase!r} stands {source.count(phrase)} times"
        found = source.index(phrase)
        assert found >= position, f"{phrase!r} comes too early"
        position = found
    for name in case["never_in"]:
        texts = [unicodedata.normalize("NFC", row[name]) for row in segments]
        for bad in case["never"]:
            assert not any(bad in text for text in texts), f"{bad!r} in the {name} text"
    for span in map(folded, case["never_split"]):
        assert any(span in folded(row["source"]) for row in segments), f"{span!r} was cut"


def test_every_word_of_an_endless_sentence_is_there(tmp_path: Path) -> None:
    book = FOLDER / "long-sentence.txt"
    if not book.exists():
        pytest.skip("this collection has no long-sentence.txt")
    done("new", book, "--to", tmp_path / "p", cwd=tmp_path)
    segments = done("segments", tmp_path / "p", cwd=tmp_path)["segments"]
    words = re.findall(r"\w+", book.read_text(encoding="utf-8"))
    assert re.findall(r"\w+", " ".join(row["source"] for row in segments)) == words
    assert len(segments) > 5
