"""A person's recording among narrated takes: heard and exported at the timeline's rate."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile
from bookmaking import make, narrate_all

from studio.project.project import Project
from studio.sound.plan import chosen_timeline
from studio.sound.recording import read_recording


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
