"""A person's recording among narrated takes: heard and exported at the timeline's rate."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile
from bookmaking import make, narrate_all

from studio.project.model import Kind
from studio.project.project import Project
from studio.sound.plan import chosen_timeline
from studio.sound.recording import read_recording
from studio.ui.onward import rate_of_whole


@pytest.fixture
def project(tmp_path: Path) -> Project:
    book = make(tmp_path / "ferry")
    book.enqueue([segment.uid for segment in book.segments()])
    narrate_all(book)
    return book


def test_a_stereo_recording_of_another_rate_takes_its_place(
    project: Project, tmp_path: Path
) -> None:
    chapter = project.chapters()[0]
    before = project.segments(chapter.id)
    wave = 0.2 * np.sin(np.arange(44_100) * 0.05)
    soundfile.write(tmp_path / "mine.wav", np.stack([wave, wave], axis=1), 44_100)
    mine = read_recording(str(tmp_path / "mine.wav"))
    uid = before[1].uid
    project.add_recording(uid, mine.pcm, mine.rate, mine.name, mine.sha256)
    after = project.segments(chapter.id)
    assert after[1].seconds == 1.0
    assert after[1].stale == ()
    old = chosen_timeline(project, before)
    new = chosen_timeline(project, after)
    assert new.rate == old.rate == 24_000
    longer = 24_000 - round(before[1].seconds * 24_000)
    assert new.frames - old.frames == longer
    project.close()


@pytest.mark.parametrize("rate", [8_000, 48_000])
def test_a_recording_at_the_beginning_does_not_decide_the_rate(
    project: Project, tmp_path: Path, rate: int
) -> None:
    chapter = project.chapters()[0]
    title = project.segments(chapter.id)[0].uid
    soundfile.write(tmp_path / "title.wav", 0.2 * np.sin(np.arange(rate) * 0.3), rate)
    mine = read_recording(str(tmp_path / "title.wav"))
    project.add_recording(title, mine.pcm, mine.rate, mine.name, mine.sha256)
    segments = project.segments(chapter.id)
    assert chosen_timeline(project, segments).rate == 24_000
    assert rate_of_whole(project, [s.chosen for s in segments if s.chosen is not None]) == 24_000
    project.close()


def test_of_recordings_alone_the_finest_decides(project: Project, tmp_path: Path) -> None:
    chapter = project.chapters()[0]
    spoken = [s for s in project.segments(chapter.id) if s.kind is not Kind.SCENE_BREAK][:2]
    for segment, rate in zip(spoken, (8_000, 48_000), strict=True):
        soundfile.write(tmp_path / "mine.wav", 0.2 * np.sin(np.arange(rate) * 0.3), rate)
        mine = read_recording(str(tmp_path / "mine.wav"))
        project.add_recording(segment.uid, mine.pcm, mine.rate, mine.name, mine.sha256)
    recorded = [project.segments_by_uid([s.uid])[s.uid] for s in spoken]
    assert chosen_timeline(project, recorded).rate == 48_000
    project.close()
