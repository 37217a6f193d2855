"""One chapter, voices of three engines: narrated, exported and verified by one studio."""

from __future__ import annotations

from pathlib import Path

import pytest
import soundfile
from rhapsode import done, rhapsode
from three_engines import BOOK, TRANSCRIPT, VOICES, Watch, machine, models, record

from studio.project.project import Project

__all__ = ["machine", "models"]

pytestmark = pytest.mark.slow


def test_a_chapter_of_three_engines(machine: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "water.md").write_text(BOOK, encoding="utf-8")
    done("new", "water.md", "--to", "book", cwd=tmp_path)
    given = ("--reference", record(tmp_path / "me.wav"), "--transcript", TRANSCRIPT)
    for voice in ("cosy", "qwen"):
        done("voices", "add", "book", voice, "--engine", VOICES[voice], *given, cwd=tmp_path)
    done("voices", "book", "--assign", "cosy", "--segments", "2", cwd=tmp_path)
    done("voices", "book", "--assign", "qwen", "--segments", "3", cwd=tmp_path)
    with Watch() as watch:
        told = done("narrate", "book", cwd=tmp_path, timeout=400)
    assert told["failed"] == []
    assert told["crashes"] == 0
    assert set(watch.seen.values()) == set(machine.values()), "each in its own interpreter"
    assert watch.left == []
    with Project.open(tmp_path / "book", read_only=True) as project:
        takes = [project.take(it.chosen) for it in project.segments() if it.chosen is not None]
        engines = [take.recipe["engine"] for take in takes]
        backends = [take.recipe["backend"] for take in takes]
    assert engines == ["hibari", "cosyvoice3", "qwen3-tts", "hibari"]
    assert backends == ["onnxruntime", "torch", "mlx", "onnxruntime"]
    exported = done("export", "book", cwd=tmp_path)
    assert {(level["voice"], level["engine"]) for level in exported["levels"]} == {*VOICES.items()}
    (file,) = exported["files"]
    assert soundfile.info(tmp_path / file["path"]).duration == pytest.approx(
        file["seconds"], abs=0.01
    )
    verified = done("verify", "book", cwd=tmp_path, timeout=400)
    assert (verified["differences"], verified["same"]) == ([], 4)
    assert watch.left == []


def test_a_blank_transcript_is_told_before_a_book_is_read(
    machine: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "water.md").write_text(BOOK, encoding="utf-8")
    done("new", "water.md", "--to", "book", cwd=tmp_path)
    reference = ("--reference", record(tmp_path / "me.wav"), "--transcript", "")
    done("voices", "add", "book", "mute", "--engine", "qwen3-tts", *reference, cwd=tmp_path)
    ran = rhapsode("voices", "check", "book", "mute", cwd=tmp_path)
    assert ran.code != 0
    assert "no transcript, and would say garbled words" in ran.err + ran.out
