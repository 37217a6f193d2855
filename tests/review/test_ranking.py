"""Which take is proposed: real faulty clips, and each criterion by itself."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
import soundfile

from studio.project.model import Take
from studio.review import signal
from studio.review.ranking import best, level_around, level_of

CLIPS = Path(__file__).with_name("clips")
TEXT = "We left the mill before the rain and took the upper road."
RATE = 24_000
EXPECTED = 57 / 14  # seconds: letters and spaces of the text at a calm pace


def take(
    number: int,
    *,
    seconds: float = EXPECTED,
    findings: tuple[str, ...] = (),
    level: float | None = None,
    speed: float = 1.0,
) -> Take:
    """A take as the ranking sees it."""
    return Take(
        id=100 + number,
        segment="s1",
        number=number,
        recipe_id=f"r{number}",
        recipe={"speed": speed},
        provenance={} if level is None else {"level": level},
        seed=number,
        spoken=TEXT,
        voice="heart",
        pcm_hash="0" * 64,
        rate=RATE,
        channels=1,
        frames=round(seconds * RATE),
        rtf=0.01,
        findings=findings,
        star=False,
        made="2026-01-01T00:00:00.000+00:00",
    )


def judged(number: int, name: str) -> Take:
    """A take whose clip is one of the faulty ones, judged as the studio judges it."""
    pcm, rate = soundfile.read(CLIPS / f"{name}.flac", dtype="int16", always_2d=True)
    return take(
        number,
        seconds=len(pcm) / rate,
        findings=signal.check(pcm, rate, TEXT),
        level=signal.level(pcm, rate),
    )


def number(takes: list[Take], level: float | None = None) -> int:
    """The best one's number, whatever the order they come in."""
    found = {one.number for order in permutations(takes) if (one := best(order, level))}
    assert len(found) == 1, "the order decided"
    return found.pop()


@pytest.mark.parametrize("fault", ["short", "gap", "cut_end", "quiet", "tail_blank"])
def test_a_clean_clip_comes_before_every_faulty_one(fault: str) -> None:
    assert number([judged(1, fault), judged(2, "good")]) == 2


def test_fewer_findings_come_before_a_better_pace() -> None:
    takes = [take(1, findings=("click", "clipped")), take(2, seconds=9, findings=("click",))]
    assert number(takes) == 2


def test_a_runaway_comes_after_whatever_else_is_wrong() -> None:
    away = take(1, findings=("runaway: it had not ended after 40 s",))
    faulty = take(2, findings=("0.9 s of silence inside", "it is very quiet"), seconds=9.0)
    assert best([away, faulty]) == faulty
    assert best([away, take(3, findings=away.findings)]) == away


def test_the_pace_decides_among_clean_takes() -> None:
    takes = [take(1, seconds=2 * EXPECTED), take(2, seconds=1.1 * EXPECTED), take(3, seconds=1.9)]
    assert number(takes) == 2


def test_a_voice_that_was_asked_to_read_faster_may_be_short() -> None:
    takes = [take(1, seconds=EXPECTED, speed=1.5), take(2, seconds=EXPECTED / 1.5, speed=1.5)]
    assert number(takes) == 2


def test_paces_that_no_ear_tells_apart_leave_it_to_the_level_of_the_neighbours() -> None:
    takes = [take(1, level=-30.0), take(2, seconds=EXPECTED * 1.01, level=-18.5)]
    assert number(takes) == 1, "without neighbours the earliest is as good"
    assert number(takes, level=-18.0) == 2


def test_a_level_that_was_never_measured_speaks_for_no_other() -> None:
    assert number([take(1), take(2, level=-18.0)], level=-18.0) == 1
    assert level_of(take(1)) is None
    assert level_around([take(1)]) is None
    assert level_around([take(1), take(2, level=-20.0), take(3, level=-18.0)]) == -19.0


def test_the_earliest_of_equals_and_nothing_of_nothing() -> None:
    assert number([take(3), take(2), take(5)]) == 2
    assert best([]) is None


def test_a_clip_without_sound_has_no_level() -> None:
    pcm, rate = soundfile.read(CLIPS / "good.flac", dtype="int16", always_2d=True)
    assert signal.level(pcm * 0, rate) is None
    assert signal.level(pcm[:0], rate) is None
    loud, soft = signal.level(pcm, rate), signal.level(pcm // 4, rate)
    assert loud is not None
    assert soft is not None
    assert loud - soft == pytest.approx(12.0, abs=0.3)
