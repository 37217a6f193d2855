"""The studio's own cost: narrating a queue against the bare narrator, and recycling against never.

``RHAPSODE_BENCH_SEGMENTS`` and ``RHAPSODE_BENCH_ROUNDS`` make the runs shorter for a look; the
budgets are judged at their defaults, on a machine that does nothing else.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from narrating_bench import BareEngine, Headless, spread, texts

from studio.engines.catalogue import EngineSpec, built_in, usable_cores

pytestmark = [pytest.mark.perf, pytest.mark.slow]

SEGMENTS = int(os.environ.get("RHAPSODE_BENCH_SEGMENTS", "500"))
ROUNDS = int(os.environ.get("RHAPSODE_BENCH_ROUNDS", "5"))

SCRIPT = Path(__file__).parent.parent / "fakes" / "scripted_engine.py"


async def test_headless_narration_keeps_the_narrator_busy(tmp_path: Path) -> None:
    lines = texts(SEGMENTS)
    bare = BareEngine(built_in(), "heart")
    studios = {}
    for workers in (1, 2):
        studios[workers] = Headless(tmp_path / f"book{workers}", built_in(), "heart", lines)
        await studios[workers].start(workers)
    bare.narrate(lines[:8])
    seconds: dict[str, list[float]] = {"bare": [], "1": [], "2": []}
    busy: list[float] = []
    for _ in range(ROUNDS):
        seconds["bare"].append(bare.narrate(lines))
        before = time.process_time()
        seconds["1"].append(await studios[1].narrate())
        busy.append(time.process_time() - before)
        seconds["2"].append(await studios[2].narrate())
    bare.close()
    for studio in studios.values():
        await studio.close()
    one = min(seconds["bare"]) / min(seconds["1"])
    two = min(seconds["bare"]) / min(seconds["2"])
    for name, values in seconds.items():
        print(f"{name:>5}: {spread([v / SEGMENTS * 1000 for v in values])} ms per segment")
    print(f"studio: {min(busy) / SEGMENTS * 1000:.2f} ms of CPU per segment")
    print(f"speed of the bare narrator: {one:.3f} with one worker, {two:.3f} with two")
    assert one >= 0.95
    if usable_cores() >= 2:
        assert two >= 1.5


async def test_recycling_costs_little(tmp_path: Path) -> None:
    clips = max(50, SEGMENTS * 2 // 5)
    command = (sys.executable, "-P", str(SCRIPT), "--load-time", "3", "--clip-time", "0.6")
    never = EngineSpec(name="scripted", command=command)
    spare = replace(never, max_clips=25)
    alone = replace(spare, spare=False)
    seconds = {}
    for name, spec in (("never", never), ("spare", spare), ("alone", alone)):
        studio = Headless(tmp_path / name, spec, "tone", texts(clips))
        await studio.start(1)
        seconds[name] = await studio.narrate()
        print(f"{name:>5}: {seconds[name]:.1f} s, {studio.director.status.last_recycle}")
        await studio.close()
    assert seconds["spare"] <= 1.05 * seconds["never"]
    assert seconds["alone"] <= 1.25 * seconds["never"]
