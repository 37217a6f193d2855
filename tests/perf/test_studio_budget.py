"""The budgets of the studio screen, on a book of 20,000 segments in a pseudo-terminal of 120 by 36.

``RHAPSODE_BENCH_SEGMENTS=50000`` asks the same of the longest book that is promised to work.

The application is the real one, started as its command starts it, in a process of its own; the
engine is a scripted one. CPU time is judged, not time, and what it is compared with is measured in
the same run, by turns; the best or the middle of several counts.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from studio_bench import (
    DRIVER,
    FIRST_WORDS,
    SEGMENTS,
    Window,
    cpu_seconds,
    make_book,
    narrate_without_sound,
    takes_of,
    use_scripted_engine,
    window,
)

from engine.memory import footprint
from studio.project.project import Project

pytestmark = [pytest.mark.perf, pytest.mark.slow]

ROUNDS = 5
MB = 1_000_000

OPENING_CPU = 0.5
KEY_CPU = 0.005
STALL = 0.05
OPEN_MB = 100
GROWTH_MB = 5
TAKES = int(os.environ.get("RHAPSODE_BENCH_TAKES", "10000"))

CLIP_TIME = 0.03
"""Seconds that a clip takes while keys are measured."""
WINDOW = 1.0
PAIRS = 12
"""Windows with keys, each between two without: what narration costs besides goes up and down."""
KEYS_PER_SECOND = 20


@pytest.fixture(scope="module", autouse=True)
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep bytecode, as an installed program does, wherever this run's environment says not to."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("bytecode")))
        yield


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``fresh``, ``narrated``: a take for each segment, and ``short``: with clips of a second."""
    folder = tmp_path_factory.mktemp("books")
    make_book(folder / "fresh").close()
    make_book(folder / "short", short=True).close()
    shutil.copytree(folder / "fresh", folder / "narrated")
    with Project.open(folder / "narrated") as project:
        narrate_without_sound(project)
    return folder


def painted(log: Path, what: str) -> float:
    """CPU seconds from the start of a process to its first words."""
    with window(str(DRIVER), str(log), what) as opened:
        opened.wait_for(FIRST_WORDS)
    return float(json.loads(log.read_text().splitlines()[0])["painted"])


def test_a_long_book_is_soon_on_the_screen(books: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    cases = ["empty", str(books / "fresh"), str(books / "narrated")]
    for case in cases:
        painted(log, case)  # compiles, and brings files into memory
    seconds: dict[str, list[float]] = {case: [] for case in cases}
    for _ in range(ROUNDS):
        for case in cases:
            seconds[case].append(painted(log, case))
    bare = min(seconds["empty"])
    print()
    for case in cases:
        best = min(seconds[case])
        print(
            f"first paint, {Path(case).name:<9} {best:.3f} s CPU, beyond Textual {best - bare:.3f}"
        )
    for case in cases[1:]:
        assert min(seconds[case]) - bare < OPENING_CPU


class Watched:
    """A studio at work, and what its watch has seen."""

    def __init__(self, opened: Window, log: Path) -> None:
        self.window = opened
        self._log = log

    def stalls(self, since: float) -> list[tuple[float, float]]:
        """Gaps of the event loop since a time: seconds, and the CPU used in them, at most that."""
        seen = [json.loads(line) for line in self._log.read_text().splitlines()]
        return [
            (fact["gap"], min(fact["gap"], fact["cpu"]))
            for fact in seen
            if fact.get("at", 0.0) > since
        ]

    def cpu_of(self, act: Callable[[int], None] | None) -> tuple[float, int]:
        """CPU seconds of a stretch of time with this done many times a second, or with nothing."""
        cpu, start, done = cpu_seconds(self.window.pid), time.monotonic(), 0
        while (now := time.monotonic()) < start + WINDOW:
            if act is not None:
                act(done)
                done += 1
                time.sleep(max(0.0, start + done / KEYS_PER_SECOND - now))
            else:
                time.sleep(0.05)
        rate = (cpu_seconds(self.window.pid) - cpu) / (time.monotonic() - start)
        return rate * WINDOW, done

    def per_act(self, what: str, act: Callable[[int], None]) -> tuple[float, float]:
        """Print and return CPU seconds per act beyond the background, and the longest stall."""
        since = time.monotonic()
        costs = []
        before, _ = self.cpu_of(None)
        backgrounds = [before]
        for _ in range(PAIRS):
            with_acts, done = self.cpu_of(act)
            after, _ = self.cpu_of(None)
            costs.append((with_acts - (backgrounds[-1] + after) / 2) / done)
            backgrounds.append(after)
        stalls = self.stalls(since)
        cost, longest = statistics.median(costs), max((own for _, own in stalls), default=0.0)
        print(
            f"{what:<22} {cost * 1000:6.2f} ms CPU each"
            f" ({min(costs) * 1000:.2f} to {max(costs) * 1000:.2f}),"
            f" background {statistics.median(backgrounds) / WINDOW:.0%},"
            f" stalls {sum(own > STALL for _, own in stalls)}, longest {longest * 1000:.0f} ms"
            f" ({max((gap for gap, _ in stalls), default=0.0) * 1000:.0f} with the machine's)"
        )
        return cost, longest

    def once(self, what: str, keys: str, shows: str) -> None:
        """Print what one act costs that is not repeated, until its text is on the screen."""
        since, cpu = time.monotonic(), cpu_seconds(self.window.pid)
        self.window.press_for(shows, keys)
        spent = cpu_seconds(self.window.pid) - cpu
        time.sleep(0.2)
        longest = max((own for _, own in self.stalls(since)), default=0.0)
        print(f"{what:<22} {spent * 1000:6.1f} ms CPU, longest stall {longest * 1000:.0f} ms")


@pytest.fixture
def at_work(books: Path, tmp_path: Path, home: Path) -> Iterator[Watched]:
    """The studio while it narrates the book."""
    use_scripted_engine(CLIP_TIME)
    shutil.copytree(books / "fresh", tmp_path / "book")
    log = tmp_path / "log"
    with window(str(DRIVER), str(log), str(tmp_path / "book"), "--watch") as opened:
        opened.wait_for(FIRST_WORDS)
        opened.settle()
        opened.press_for(f"Narrate {SEGMENTS:,}", "gb")
        opened.press("y")
        opened.until(lambda: takes_of(tmp_path / "book") > 30)
        yield Watched(opened, log)
        print(f"footprint at the end   {footprint(opened.pid) / MB:6.1f} MB")


def test_keys_while_narrating(at_work: Watched) -> None:
    print()
    press = at_work.window.press
    down, stall = at_work.per_act("key down, scrolling", lambda _: press("j"))
    at_work.per_act("key up and down", lambda n: press("jk"[n % 2]))
    at_work.per_act("page down", lambda _: press("\x1b[6~"))
    at_work.per_act("chapter after, before", lambda n: press("]["[n % 2]))
    at_work.once("search", "/shutters\r", "shutters”: ")
    at_work.per_act("next hit", lambda _: press("n"))
    at_work.once("filter, the list", "f", "everything")
    at_work.once("filter, one state", "jj\r", "only ")
    filtered, stall_filtered = at_work.per_act("key down, filtered", lambda _: press("j"))
    at_work.once("end of the search", "\x1b", "search is over")
    at_work.once("filter, everything", "\x1b", "of 500 ")
    at_work.once("select all", "\x01", f"{SEGMENTS:,} selected")
    selected, stall_selected = at_work.per_act("key down, all selected", lambda _: press("j"))
    at_work.once("select nothing", "\x1b", "of 500 ")
    assert max(down, filtered, selected) < KEY_CPU
    assert max(stall, stall_filtered, stall_selected) < STALL


def test_the_studio_stays_small(books: Path, tmp_path: Path, home: Path) -> None:
    use_scripted_engine(0.0)
    shutil.copytree(books / "short", tmp_path / "book")
    imports = "import studio.ui.app; from engine.memory import footprint; print(footprint())"
    print(f"\nbare imports           {footprint_of(imports) / MB:6.1f} MB")
    for case in ("fresh", "narrated"):
        with window("-m", "studio", "open", str(books / case)) as opened:
            opened.wait_for(FIRST_WORDS)
            opened.settle()
            print(f"open, {case:<17}{footprint(opened.pid) / MB:6.1f} MB")
            assert footprint(opened.pid) < OPEN_MB * MB
    with window("-m", "studio", "open", str(tmp_path / "book")) as opened:
        opened.wait_for(FIRST_WORDS)
        opened.settle()
        opened.press_for(f"Narrate {SEGMENTS:,}", "gb")
        opened.press("y")
        warm = TAKES // 20
        opened.until(lambda: takes_of(tmp_path / "book") >= warm)
        before, started = footprint(opened.pid), time.monotonic()
        opened.until(lambda: takes_of(tmp_path / "book") >= warm + TAKES)
        after, seconds = footprint(opened.pid), time.monotonic() - started
        print(
            f"narrating              {before / MB:6.1f} MB after {warm:,} takes,"
            f" {after / MB:.1f} MB {TAKES:,} takes later ({TAKES / seconds:.0f} a second)"
        )
    assert after < OPEN_MB * MB
    assert after - before < GROWTH_MB * MB


def footprint_of(code: str) -> int:
    """What a process of this code says its footprint is."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(done.stdout)
