"""A take's recipe page: what it shows of a narration and of a recording, at two sizes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from screens_text import assert_golden, assert_rows_fill, screen_text, settle
from textual.app import App
from ui_fakes import BASE, TEXTS, take

from studio.project.model import RECORDING, Take, Voice
from studio.ui.actions import ACTIONS
from studio.ui.keys import resolve
from studio.ui.recipe_text import Details, groups
from studio.ui.screens.recipe import RecipeScreen

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
HASH = "0123456789abcdef" * 4
RECIPE = {
    "spoken": TEXTS[0],
    "language": "en-US",
    "voice": HASH,
    "engine": "hibari",
    "engine_version": "0.4.1",
    "model": "hibari-82m",
    "backend": "onnxruntime",
    "precision": "fp32",
    "threads": 1,
    "settings": {"strength": 1.5},
    "seed": 48_213,
    "speed": 1.0,
}
MADE = {
    "build": {"onnxruntime": "1.23.0", "numpy": "2.3.4", "device": "cpu"},
    "worker": 3,
    "seconds": 0.031,
    "cpu_seconds": 0.058,
    "stages": {"speaking": 0.028},
    "footprint": 312 << 20,
    "device_memory": 0,
    "level": -18.4,
}
NARRATED = take(
    2,
    recipe=RECIPE,
    provenance=MADE,
    seed=48_213,
    recipe_id=HASH[::-1],
    pcm_hash=HASH,
    findings=("0.9 s of silence inside",),
    star=True,
)
VOICES = {"heart": Voice(id="heart", engine="hibari")}


def about(shown: Take, *differs: str, **segment: Any) -> Details:
    """What the page is given."""
    path = f"/books/the-ferry/clips/{shown.pcm_hash[:2]}/{shown.pcm_hash}.flac"
    return Details(replace(BASE, **segment), shown, differs, VOICES, path, NOW)


class Host(App[None]):
    """An application that shows one page."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-tall")]  # noqa: RUF012

    def __init__(self, details: Details) -> None:
        super().__init__()
        self.details = details
        self.answer: str | None = "not yet"
        self.plays = 0

    async def on_mount(self) -> None:
        async def star() -> Details:
            starred = replace(self.details.take, star=not self.details.take.star)
            self.details = replace(self.details, take=starred)
            return self.details

        def play() -> None:
            self.plays += 1

        def answered(answer: str | None) -> None:
            self.answer = answer

        screen = RecipeScreen(self.details, resolve(ACTIONS, {}), play=play, star=star)
        await self.push_screen(screen, answered)


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 36)])
async def test_the_page_looks_as_it_did(width: int, height: int) -> None:
    app = Host(about(NARRATED, "text", "seed", spoken="Another text.", seed=7))
    async with app.run_test(size=(width, height)) as pilot:
        await settle(pilot)
        assert_rows_fill(app, width)
        assert_golden(app, f"recipe_{width}")


async def test_a_low_page_scrolls_to_its_end() -> None:
    app = Host(about(NARRATED))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "PCM hash" not in screen_text(app)
        await pilot.press("ctrl+d", "ctrl+d", "ctrl+d")
        await settle(pilot)
        assert "PCM hash" in screen_text(app)
        before = screen_text(app)
        await pilot.press("k")
        await settle(pilot)
        assert screen_text(app) != before
        await pilot.press("j")
        await settle(pilot)
        assert screen_text(app) == before


def test_every_part_of_recipe_and_provenance_is_told() -> None:
    told = " ".join(
        f"{name} {value}" for _, facts in groups(about(NARRATED)) for name, value in facts
    )
    build, stages, settings = MADE["build"], MADE["stages"], RECIPE["settings"]
    assert isinstance(build, dict)
    assert isinstance(stages, dict)
    assert isinstance(settings, dict)
    for key, value in {**RECIPE, **build, **stages, **settings}.items():
        if not isinstance(value, dict):
            shown = f"{value:.2f}" if key in stages else f"{value:g}" if key == "speed" else value
            assert str(shown) in told, key
    for fact in ("312 MB", "-18.4 dBFS", "0.03 s", "2 h ago", NARRATED.recipe_id, "24,000 Hz"):
        assert fact in told, fact
    assert "It is what the segment asks for." in told


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("2026-03-01T11:59:30.000+00:00", "2026-03-01 11:59:30 UTC, just now"),
        ("2026-03-01T11:30:00.000+00:00", "2026-03-01 11:30:00 UTC, 30 min ago"),
        ("2025-03-01T11:30:00.000+00:00", "2025-03-01 11:30:00 UTC"),
    ],
)
def test_when_it_was_made(made: str, told: str) -> None:
    facts = {
        name: value
        for _, group in groups(about(replace(NARRATED, made=made)))
        for name, value in group
    }
    assert facts["when"] == told


def test_each_difference_says_what_is_asked_for_now() -> None:
    details = about(
        NARRATED,
        *("text", "voice", "language", "speed", "seed", "engine"),
        spoken="Another text.",
        voice="nova",
        speed=1.25,
        seed=7,
    )
    (_, facts), *_ = groups(details)
    told = dict(facts)
    assert told["text"] == "≠ Another text."
    assert told["voice"] == "≠ nova, not heart"
    assert told["speed"] == "≠ ×1.25"
    assert told["seed"] == "≠ 7"
    assert "made elsewhere" in told["engine"]
    assert told["checks"] == "! 0.9 s of silence inside"


async def test_a_recording_tells_its_file_and_cannot_be_made_again() -> None:
    recipe = {
        "engine": RECORDING,
        "file": "mine.wav",
        "sha256": HASH,
        "spoken": TEXTS[0],
        "voice": "",
        "language": "",
        "speed": 0.0,
        "seed": 7,
    }
    recorded = take(3, recipe=recipe, provenance={"level": None}, voice=RECORDING, rtf=0.0)
    app = Host(about(recorded))
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        shown = screen_text(app)
        assert "mine.wav" in shown
        assert "engine" not in shown
        await pilot.press("r")
        await settle(pilot)
        assert "no engine can make it again" in screen_text(app)
        assert app.answer == "not yet"


@pytest.mark.parametrize(
    ("key", "answer"), [("enter", "choose"), ("r", "remake"), ("escape", None), ("I", None)]
)
async def test_keys_that_leave_the_page(key: str, answer: str | None) -> None:
    app = Host(about(NARRATED))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("space", "asterisk", key)
        await settle(pilot)
        assert app.answer == answer
        assert app.plays == 1
        assert not app.details.take.star
