"""What `rhapsode doctor` names: every file and folder of a person's, and every mistake in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from rhapsode import done, rhapsode


def findings(cwd: Path, *arguments: object) -> list[dict[str, Any]]:
    return list(rhapsode("doctor", *arguments, "--json", cwd=cwd).data["findings"])


def detail(cwd: Path, what: str) -> str:
    return "; ".join(item["detail"] for item in findings(cwd) if item["what"] == what)


def test_it_names_what_belongs_to_the_person(tmp_path: Path, home: Path) -> None:
    assert detail(tmp_path, "configuration") == str(home / "config" / "config.toml")
    assert detail(tmp_path, "own lexicon") == str(home / "config" / "lexicon.csv")
    assert detail(tmp_path, "logs") == str(home / "logs")
    assert detail(tmp_path, "recent projects") == str(home / "data")
    assert detail(tmp_path, "playback")
    assert detail(tmp_path, "kept awake")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[keys]\n'segment.ply' = 'x'", "segment.ply is not an action"),
        ("[keys]\n'segment.play' = 'ctrl-i'", "terminals keep ctrl-i"),
        ("[keys]\n'segment.play' = 'r'", "r cannot be segment.play"),
        ("[ui]\ntheme = 3", "[ui] must be a table, with the theme’s name"),
        ("[ui]\nkeep_awake = 'no'", "keep_awake must be true or false"),
        ("[ui]\ncolour = 'red'", "[ui] has no setting “colour”"),
        ("[ui]\ntheme = 'pink'", "There is no theme “pink”"),
        ("[ears]\n", "[ears] is not a table"),
        ("[engines.hibari]\nworkres = 3", "no setting “workres”"),
        ("[ui\n", "cannot be read"),
    ],
)
def test_mistakes_in_the_configuration(tmp_path: Path, home: Path, text: str, said: str) -> None:
    (home / "config").mkdir()
    (home / "config" / "config.toml").write_text(text, encoding="utf-8")
    ran = rhapsode("doctor", "--json", cwd=tmp_path)
    assert ran.code == 6
    wrong = [item["detail"] for item in ran.data["findings"] if not item["ok"] and item["needed"]]
    assert len(wrong) == 1, "each mistake once"
    assert said in wrong[0]
    assert "\n" not in wrong[0]


def test_a_lexicon_that_cannot_be_read(tmp_path: Path, home: Path) -> None:
    (home / "config").mkdir()
    (home / "config" / "lexicon.csv").write_bytes(b"word,spoken\n\xff\xfe,x\n")
    ran = rhapsode("doctor", "--json", cwd=tmp_path)
    assert ran.code == 6
    wrong = [item for item in ran.data["findings"] if not item["ok"] and item["needed"]]
    assert [item["what"] for item in wrong] == ["own lexicon"]
    assert "lexicon.csv" in wrong[0]["detail"]


def test_where_a_project_lies(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("One line.\n", encoding="utf-8")
    shared = tmp_path / "shared"
    (shared / ".stfolder").mkdir(parents=True)
    ran = rhapsode("new", tmp_path / "b.txt", "--to", shared / "p", cwd=tmp_path)
    assert "note: " in ran.out
    assert "Syncthing keeps in step" in ran.out
    (finding,) = (it for it in findings(tmp_path, shared / "p") if it["what"] == "place")
    assert "Syncthing" in finding["detail"]
    assert not finding["needed"]
    assert done("doctor", shared / "p", cwd=tmp_path)["problems"] == 0
    plain = done("new", tmp_path / "b.txt", "--to", tmp_path / "q", cwd=tmp_path)
    assert not any("Syncthing" in notice for notice in plain["notices"])
    assert not [it for it in findings(tmp_path, tmp_path / "q") if it["what"] == "place"]


def test_a_voice_without_its_reference_is_named(tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text("# One\n\nA line.\n")
    done("new", "one.md", "--to", "one", cwd=tmp_path)
    soundfile.write(tmp_path / "me.wav", np.sin(np.arange(48_000) / 9) / 2, 24_000)
    given = ("--engine", "cosyvoice3", "--reference", "me.wav", "--transcript", "So he said.")
    done("voices", "add", "one", "me", *given, cwd=tmp_path)
    well = rhapsode("doctor", "one", cwd=tmp_path)
    assert "voice me" not in well.out
    (reference,) = (tmp_path / "one" / "voices").iterdir()
    reference.unlink()
    ill = rhapsode("doctor", "one", cwd=tmp_path)
    assert ill.code == 6
    assert "voice me: The reference audio of voice “me” cannot be read at" in ill.out
