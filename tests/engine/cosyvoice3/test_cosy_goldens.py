"""Goldens of another folder: all that it holds is run, and what cannot be read is no pass."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from zipfile import BadZipFile

import golden
import numpy as np
import pytest


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that the variable names."""
    monkeypatch.setenv("RHAPSODE_GOLDENS", str(tmp_path))
    return tmp_path


def test_every_kind_has_files_among_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RHAPSODE_GOLDENS", raising=False)
    found = [name for kind in golden.KINDS for name in golden.names(kind)]
    assert all(golden.names(kind) for kind in golden.KINDS)
    assert len(found) == len(set(found)), "a file is of one kind"
    there = {path.name for path in golden.OWN.iterdir() if path.suffix in (".npz", ".json")}
    assert set(found) == there - {"index.json"}


def test_a_file_is_known_by_what_it_holds(elsewhere: Path) -> None:
    (elsewhere / "deep" / "er").mkdir(parents=True)
    for name in ("renamed_io.npz", "deep/er/again_io.npz"):
        shutil.copy(golden.OWN / "hift_tiny_io.npz", elsewhere / name)
    np.savez(elsewhere / "one.npz", mel=np.zeros(3), wav=np.ones(2))
    assert golden.names("hift") == ["deep/er/again_io.npz", "one.npz", "renamed_io.npz"]
    assert golden.names("llm") == []
    assert golden.fields("hift", "wav") == [
        *(("deep/er/again_io.npz", "a", "wav"), ("one.npz", "", "wav")),
        ("renamed_io.npz", "a", "wav"),
    ]
    assert golden.load(str(elsewhere / "one.npz"))[golden.key("", "wav")].tolist() == [1, 1]


def test_the_nearest_index_tells_of_a_file(elsewhere: Path) -> None:
    (elsewhere / "deep").mkdir()
    files = {"deep/a.safetensors": {"config": {"n": 1}}, "b.safetensors": {"config": {"n": 2}}}
    (elsewhere / "index.json").write_text(json.dumps({"files": files}), "utf-8")
    assert golden.config("deep/a.safetensors") == {"n": 1}
    assert golden.config("deep/b.safetensors") == {"n": 2}
    with pytest.raises(KeyError):
        golden.config("deep/c.safetensors")


def test_a_folder_with_nothing_in_it_or_nothing_readable_is_no_pass(elsewhere: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no goldens"):
        golden.names("llm")
    (elsewhere / "llm_io.npz").write_bytes(b"PK damaged")
    with pytest.raises(BadZipFile):
        golden.names("flow")
    (elsewhere / "llm_io.npz").unlink()
    (elsewhere / "text.json").write_text("{")
    with pytest.raises(json.JSONDecodeError):
        golden.names("flow")
