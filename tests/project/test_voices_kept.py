"""The voices of a project: added, changed, removed, each one step, each in ``project.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from bookmaking import HEART, make, narrate_all

from studio.errors import BadInput
from studio.project.model import Voice
from studio.project.project import Project

MILLER = Voice(
    id="miller", engine="hibari", speaker="heart", settings={"pitch": -3}, sample="Mind the step."
)


def in_file(project: Project) -> dict[str, dict[str, object]]:
    return tomllib.loads((project.folder / "project.toml").read_text())["voices"]


def test_a_sample_is_kept_and_decides_nothing(tmp_path: Path) -> None:
    with make(tmp_path / "book") as project:
        before = project.voices()["heart"].fingerprint
        project.put_voice(replace(HEART, sample="It was low water."))
        assert project.voices()["heart"].sample == "It was low water."
        assert project.voices()["heart"].fingerprint == before
        assert in_file(project)["heart"]["sample"] == "It was low water."
        assert project.undo()
        assert project.voices()["heart"].sample == ""
        assert "sample" not in in_file(project)["heart"]
        assert project.redo()
        assert project.voices()["heart"].sample == "It was low water."


def test_a_sample_typed_into_the_file_is_taken_over(tmp_path: Path) -> None:
    make(tmp_path / "book").close()
    path = tmp_path / "book" / "project.toml"
    path.write_text(path.read_text().replace("[voices.heart]", '[voices.heart]\nsample = "Hear."'))
    with Project.open(tmp_path / "book") as project:
        assert project.voices()["heart"].sample == "Hear."


def test_a_voice_that_reads_nothing_can_go_and_come_back(tmp_path: Path) -> None:
    with make(tmp_path / "book") as project:
        project.put_voice(MILLER)
        change = project.remove_voice("miller")
        assert change.settings
        assert change.label == "removed the voice miller"
        assert "miller" not in project.voices()
        assert "miller" not in in_file(project)
        assert project.undo()
        assert project.voices()["miller"].sample == "Mind the step."
        assert in_file(project)["miller"]["settings"] == {"pitch": -3}


def test_a_voice_in_use_stays(tmp_path: Path) -> None:
    with make(tmp_path / "book") as project:
        project.put_voice(MILLER)
        spoken = [segment for segment in project.segments() if segment.source]
        project.set_voice([spoken[0].uid, spoken[1].uid], "miller")
        with pytest.raises(BadInput, match="reads 2 segments; give them another voice first"):
            project.remove_voice("miller")
        project.set_voice([segment.uid for segment in project.segments()], "miller")
        with pytest.raises(BadInput, match="narrator"):
            project.remove_voice("heart")
        with pytest.raises(BadInput, match="no voice “ghost”; the project has heart, miller"):
            project.remove_voice("ghost")
        assert set(project.voices()) == {"heart", "miller"}


def test_a_voice_kept_in_the_cast_stays(tmp_path: Path) -> None:
    with make(tmp_path / "book") as project:
        project.put_voice(MILLER)
        project.set_settings(cast={"the miller": "miller"})
        with pytest.raises(BadInput, match="cast for the miller"):
            project.remove_voice("miller")


def test_a_voice_with_another_name_is_the_same_voice(tmp_path: Path) -> None:
    with make(tmp_path / "book") as project:
        project.put_voice(MILLER)
        spoken = [segment.uid for segment in project.segments() if segment.source]
        project.set_voice(spoken[:3], "miller")
        project.set_settings(cast={"the miller": "miller", "Ann": "heart"})
        project.enqueue(spoken)
        narrate_all(project)
        project.approve(spoken[:2])
        print_of_it = project.voices()["miller"].fingerprint
        before = project.segments()
        change = project.rename_voice("miller", "tam")
        assert change.label == "renamed the voice miller to tam"
        assert change.segments == frozenset(spoken[:3])
        assert [replace(it, voice="") for it in project.segments()] == [
            replace(it, voice="") for it in before
        ]
        assert {it.voice for it in project.segments() if it.uid in spoken[:3]} == {"tam"}
        assert set(project.voices()) == {"heart", "tam"}
        assert project.voices()["tam"].fingerprint == print_of_it
        assert project.cast() == {"the miller": "tam", "Ann": "heart"}
        assert "tam" in in_file(project)
        # The takes that it has read are its own still.
        assert {it.voice for it in project.takes(spoken[0])} == {"tam"}
        assert project.undo()
        assert project.segments() == before
        assert project.cast()["the miller"] == "miller"
        assert {it.voice for it in project.takes(spoken[0])} == {"miller"}
        assert project.redo()
        project.rename_voice("heart", "reader")
        assert project.info.voice == "reader"
        project.rename_voice("tam", "miller")
        assert project.voice_names() == {"heart": "reader", "tam": "miller"} | {
            it: it for it in ("reader", "miller")
        }


def test_a_name_that_cannot_be_is_a_sentence(tmp_path: Path) -> None:
    with make(tmp_path / "book") as project:
        project.put_voice(MILLER)
        for old, new, why in (
            ("miller", "heart", "There is a voice “heart” already"),
            ("miller", "a b", "An id is up to"),
            ("ghost", "tam", "There is no voice “ghost”"),
        ):
            with pytest.raises(BadInput, match=why):
                project.rename_voice(old, new)
        steps = len(project.history())
        project.rename_voice("miller", "miller")
        assert len(project.history()) == steps
