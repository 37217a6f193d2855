"""Kept speech tokens voiced again in the studio, what engines say of voices, and two stages."""

from __future__ import annotations

from array import array
from dataclasses import replace
from pathlib import Path

import pytest
from screens_text import screen_text
from studio_rig import MIB, Rig, make_project, open_rig

from studio.narration.status import NarrationStatus, WorkerState, WorkerStatus
from studio.project.model import Take
from studio.project.tokens import TOKENS_BLOB, tokens_hash
from studio.ui.screens.recipe import RecipeScreen
from studio.ui.widgets.engine_panel import EnginePanel

TOKENS = array("i", range(1_250)).tobytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_project(tmp_path / "ferry")


def takes(rig: Rig) -> tuple[Take, ...]:
    return rig.project.takes(rig.line.uid)


async def with_tokens(rig: Rig) -> None:
    """Give the segment under the cursor a take that keeps its tokens."""
    assert rig.director is not None
    rig.director.tokens, rig.director.steps = TOKENS, 10
    await rig.press("r")
    await rig.narrated()
    await rig.until(lambda: len(rig.screen.takes) == 1)
    rig.screen.forget_answer()


async def test_other_steps_give_another_take_that_nobody_chose(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await with_tokens(rig)
        assert rig.director is not None
        rig.director.steps = 4
        await rig.press("g", "s")
        await rig.until(lambda: "voiced again is take 2" in rig.notice)
        assert "(steps 4, not 10)" in rig.notice
        old, new = takes(rig)
        assert rig.line.chosen == old.id
        assert new.recipe["tokens"] == tokens_hash(TOKENS)
        assert rig.project.blob(new.id, TOKENS_BLOB) == TOKENS
        await rig.press("t", "end", "I")
        await rig.until(lambda: isinstance(rig.app.screen, RecipeScreen))
        page = screen_text(rig.app)
        assert "steps 4" in page
        assert "speech tokens of an earlier take" in page
        assert "1,250 are kept" in page
        await rig.press("v")
        await rig.until(lambda: "the same bytes" in rig.notice)
        assert len(takes(rig)) == 2


@pytest.mark.parametrize("together", [1, 4])
async def test_r_makes_a_lost_clip_again_of_what_it_follows_from(
    folder: Path, together: int
) -> None:
    """Its seed, or where it was said together with others its tokens."""
    async with open_rig(folder) as rig:
        assert rig.director is not None
        rig.director.together = together
        await with_tokens(rig)
        (take,) = takes(rig)
        clip = rig.project.clip_path(take)
        before = clip.read_bytes()
        for _ in range(2):  # missing, and damaged
            clip.unlink()
            await rig.press("r")
            if together > 1:
                await rig.until(lambda: "Take 1 of segment 1 voiced again" in rig.notice)
                rig.screen.forget_answer()
            await rig.narrated()
            await rig.until(clip.is_file, "for the clip")
            assert clip.read_bytes() == before
            assert [it.id for it in takes(rig)] == [take.id] == [rig.line.chosen]
            clip.write_bytes(before[:100])
        await rig.press("r")
        await rig.until(lambda: clip.read_bytes() == before, "for the clip")


async def test_a_take_without_tokens_says_so(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("g", "s")
        assert "no take yet" in rig.notice
        await rig.press("r")
        await rig.narrated()
        await rig.press("g", "s")
        await rig.until(lambda: "keeps no speech tokens" in rig.notice)
        assert rig.line.state().value == "ready"
        await rig.press("I")
        await rig.until(lambda: isinstance(rig.app.screen, RecipeScreen))
        await rig.press("v")
        await rig.until(lambda: "keeps no speech tokens" in screen_text(rig.app))


async def test_what_an_engine_says_of_a_voice_is_said_once(folder: Path) -> None:
    async with open_rig(folder) as rig:
        assert rig.director is not None
        rig.director.warnings = ("Voice “heart”: The reference is clipped.",)
        await rig.press("r")
        await rig.until(lambda: rig.notice == "! Voice “heart”: The reference is clipped.")
        await rig.narrated()
        rig.screen.say("something else", lasting=True)
        await rig.press("j", "R")
        await rig.narrated()
        assert "clipped" not in rig.notice


WORKER = WorkerStatus(
    1, "cosyvoice3", WorkerState.NARRATING, 1, MIB, MIB, MIB, 0, 1, 1.0, "cuda fp32"
)


@pytest.mark.parametrize("columns", [24, 30, 60, 100])
def test_two_stages_stand_where_one_state_does(columns: int) -> None:
    panel = EnginePanel()

    def shown(worker: WorkerStatus) -> str:
        panel._status = NarrationStatus(workers=(worker,), queued=3)
        lines = panel.lines(columns)
        assert all(line.cell_length <= columns for line in lines)
        return lines[0].plain

    assert "▶ narrating" in shown(WORKER)
    assert "▶ narrating" in shown(replace(WORKER, stages=("flow",)))
    assert "▶ flow+llm" in shown(replace(WORKER, stages=("flow", "llm")))
    assert "draining" in shown(replace(WORKER, stages=("flow", "llm"), state=WorkerState.DRAINING))
    tall = shown(replace(WORKER, stages=("vocoder", "speech tokens of the next")))
    assert "▶ voc" in tall
