"""`rhapsode verify` tells what it could not try apart from what differs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from rhapsode import done, rhapsode

from studio.project.model import Voice
from studio.project.project import Project

ENGINE = Path(__file__).parents[1] / "fakes" / "scripted_engine.py"


def engines(home: Path, hibari: tuple[str, ...] = (), **others: tuple[str, ...]) -> None:
    """Let these engines be what this machine has."""
    (home / "config").mkdir(exist_ok=True)
    text = ""
    for name, switches in {"hibari": hibari, **others}.items():
        command = json.dumps([sys.executable, str(ENGINE), *switches])
        text += f"[engines.{name}]\ncommand = {command}\n"
    (home / "config" / "config.toml").write_text(text, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, home: Path) -> Path:
    """A book whose second and third line two other voices have read."""
    engines(home, away=())
    (tmp_path / "ferry.md").write_text("# The Ferry\n\nOne line.\n\nAnother line.\n")
    done("new", "ferry.md", "--to", "ferry", cwd=tmp_path)
    with Project.open(tmp_path / "ferry") as project:
        uids = [segment.uid for segment in project.segments()]
        for uid, voice in zip(
            uids[1:], (Voice("far", "away"), Voice("old", "hibari")), strict=True
        ):
            project.put_voice(voice)
            project.set_voice([uid], voice.id)
    done("narrate", "ferry", cwd=tmp_path)
    with Project.open(tmp_path / "ferry") as project:
        project.put_voice(Voice("old", "hibari", style="calm"))
    engines(home)
    return tmp_path / "ferry"


def test_what_cannot_be_tried_is_no_difference(folder: Path) -> None:
    ran = rhapsode("verify", folder, cwd=folder.parent)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(
        "1 of 1 takes came out the same, byte for byte.\n2 takes could not be tried.\n"
    )
    assert "Differs" not in ran.out
    assert "Could not be tried: 3 (take 1): The voice “old” that made it has changed" in ran.out
    data = done("verify", folder, cwd=folder.parent)
    assert (data["verified"], data["same"], data["differences"]) == (1, 1, [])
    assert [it["number"] for it in data["untried"]] == [2, 3]
    assert "away" in data["untried"][0]["reason"]


def test_an_engine_that_is_tried_and_cannot_be_heard_is_told(tmp_path: Path, home: Path) -> None:
    engines(home, ("--loud", "0.01"))
    tried = done("engines", "check", "hibari", cwd=tmp_path)
    assert any("very quiet (−" in it for it in tried["objections"])


def test_takes_that_share_a_reason_are_told_in_one_line(tmp_path: Path, home: Path) -> None:
    engines(home, away=())
    (tmp_path / "ferry.md").write_text("# The Ferry\n\nOne line.\n\nAnother line.\n")
    done("new", "ferry.md", "--to", "ferry", cwd=tmp_path)
    with Project.open(tmp_path / "ferry") as project:
        project.put_voice(Voice("far", "away"))
        project.set_voice([segment.uid for segment in project.segments()[1:]], "far")
    done("narrate", "ferry", cwd=tmp_path)
    engines(home)
    ran = rhapsode("verify", "ferry", cwd=tmp_path)
    told = [line for line in ran.out.splitlines() if line.startswith("Could not be tried")]
    assert len(told) == 1
    assert told[0].startswith("Could not be tried: 2–3: ")


def test_what_differs_is_told_beside_it(folder: Path, home: Path) -> None:
    engines(home, ("--fault", "silence"))
    ran = rhapsode("verify", folder, "--json", cwd=folder.parent)
    assert ran.code == 4
    assert [it["number"] for it in ran.data["differences"]] == [1]
    assert ran.data["differences"][0]["now"]
    assert [it["number"] for it in ran.data["untried"]] == [2, 3]
