"""The parts of a soak: its lines, its record, its curves, its verdict."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.engines.catalogue import Catalogue, EngineSpec
from studio.errors import BadInput, MachineFault
from studio.narration.recycling import MB
from studio.narration.status import NarrationStatus, WorkerState, WorkerStatus
from studio.project.model import Kind, Voice
from studio.project.project import Project
from studio.tools.soak import curves, plan
from studio.tools.soak.comparing import Cost, rows
from studio.tools.soak.drawing import Curve, Marks, Panel, chart
from studio.tools.soak.verdict import Growth, Takes, Verdict
from studio.tools.soak.watching import MOST_POINTS, Record, Watch

SVG = "{http://www.w3.org/2000/svg}"


# ---- the lines -----------------------------------------------------------------------------------


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A book with a break in it and two voices, one of which reads from reference audio."""
    (tmp_path / "reference.wav").write_bytes(b"RIFF of a kind")
    drafts = [
        SegmentDraft(Kind.PROSE, f"Line {n} of the book.", f"Line {n} of the book.", True, n)
        for n in range(10)
    ]
    drafts.insert(4, SegmentDraft(Kind.SCENE_BREAK, "", "", True, 0))
    project = Project.create(
        tmp_path / "book",
        title="The Ferry",
        author="",
        language="en-US",
        voice=Voice(id="heart", engine="hibari", speaker="heart"),
        chapters=[ChapterDraft("One", tuple(drafts))],
    )
    with project:
        other = Voice(id="ruth", engine="other", reference=str(tmp_path / "reference.wav"))
        project.put_voice(other)
        uids = [segment.uid for segment in project.segments()]
        project.set_voice(uids[:2], "ruth")
        project.set_speed(uids[2:4], 1.5)
        project.edit_spoken(uids[5], "Another line altogether.")
    return tmp_path / "book"


def test_the_copy_speaks_as_the_book_does(book: Path, tmp_path: Path) -> None:
    with Project.open(book, read_only=True) as original:
        wanted = {s.source: (s.spoken, s.voice, s.speed) for s in original.segments() if s.source}
    with plan.copy(book, tmp_path / "copy", 25, 1) as project:
        made = project.segments()
        assert len(made) == 25
        assert all((s.spoken, s.voice, s.speed) == wanted[s.source] for s in made)
        assert plan.engines(project) == ["hibari", "other"]
        reference = project.voices()["ruth"].reference
        assert (project.folder / reference).read_bytes() == b"RIFF of a kind"
        assert len({segment.seed for segment in made}) == 25


def test_every_pass_has_every_line_once_and_a_seed_decides_all(book: Path) -> None:
    with Project.open(book, read_only=True) as project:
        segments = project.segments()
    picked = plan.lines(segments, 30, 1)
    passes = [[s.uid for s, _ in picked[n : n + 10]] for n in (0, 10, 20)]
    assert all(len(set(one)) == 10 for one in passes)
    assert passes[0] != passes[1]
    assert plan.lines(segments, 30, 1) == picked
    assert plan.lines(segments, 12, 1) == picked[:12], "a short soak is the beginning of a long one"
    assert plan.lines(segments, 30, 2) != picked


def test_a_book_without_text(book: Path) -> None:
    with Project.open(book, read_only=True) as project:
        breaks = [s for s in project.segments() if s.kind is Kind.SCENE_BREAK]
    with pytest.raises(BadInput, match="nothing to narrate"):
        plan.lines(breaks, 5, 1)


def test_limits_change_what_they_name_and_nothing_else() -> None:
    spec = EngineSpec("hibari", ("x",), budget_mb=512, ceiling_mb=2048, spare=True)
    catalogue = Catalogue({"hibari": spec})

    def under(**limits: object) -> EngineSpec:
        return plan.limited(catalogue, plan.Limits(**limits))["hibari"]

    assert under() == spec
    assert under(budget_mb=64) == replace(spec, budget_mb=64)
    assert under(budget_mb=0) == replace(spec, budget_mb=0, ceiling_mb=0)
    assert under(max_clips=2, spare=False) == replace(spec, max_clips=2, spare=False)


# ---- the record ----------------------------------------------------------------------------------


def status(clips: int, **fields: object) -> NarrationStatus:
    """A studio with one worker that grows by 1 MB with every clip."""
    worker = WorkerStatus(
        number=1,
        engine="hibari",
        state=WorkerState.NARRATING,
        pid=1,
        footprint=(100 + clips) * MB,
        baseline=100 * MB if clips else 0,
        budget=512 * MB,
        device_memory=0,
        clips=clips,
        loading=1.0,
        device="cpu",
    )
    return NarrationStatus(workers=(worker,), made=clips, **fields)


class Clock:
    """Time that a test moves on."""

    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


def test_a_record_is_cut_at_its_cap_and_never_inside_a_line(tmp_path: Path) -> None:
    path = tmp_path / "soak.jsonl"
    record = Record(path, cap=4096)
    for number in range(200):
        record.write("sample", {"number": number, "what": "é" * 20})
    record.close()
    older = path.with_name("soak.jsonl.1")
    assert path.stat().st_size <= 4096
    assert older.stat().st_size <= 4096
    numbers = [
        json.loads(line)["number"]
        for file in (older, path)
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    assert numbers == list(range(200 - len(numbers), 200))


def test_a_record_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(MachineFault, match=r"none.*r\.jsonl"):
        Record(tmp_path / "none" / "r.jsonl")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_a_full_disk_ends_the_record_and_not_the_run(tmp_path: Path) -> None:
    record = Record(tmp_path / "r.jsonl")
    record.close()
    record._file = open("/dev/full", "wb", buffering=0)  # Nothing fits on it.
    watch = Watch(10, 1.0, record)
    for clip in range(3):
        watch.sample(status(clip), clip)
    record.close()
    assert "No space left" in watch.fault
    assert len(watch.points) == 3
    verdict = replace(GOOD, unwritten=watch.fault)
    assert any("No space left" in line for line in verdict.lines())


def test_samples_come_with_clips_and_with_time(tmp_path: Path) -> None:
    clock = Clock()
    path = tmp_path / "r.jsonl"
    record = Record(path)
    watch = Watch(100, 1.0, record, clock)
    for tick in range(10):
        watch.status(status(tick), tick)
        clock.now += 0.25
    watch.sample(status(10), 10)
    record.close()
    samples = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [sample["seconds"] for sample in samples] == [0.0, 1.0, 2.0, 2.5]
    assert samples[-1]["workers"][0]["footprint"] == 110 * MB
    assert watch.baselines == {("hibari", 1): 100 * MB}


def test_each_recycle_is_told_once_with_the_kind_of_its_reason(tmp_path: Path) -> None:
    watch = Watch(10, 1.0)
    grew, made = "recycled worker 1: grew 9 MB over 8 MB", "recycled worker 2: made 5 clips of 5"
    watch.status(status(1, recycles=1, recent_recycles=(grew,)), 1)
    watch.status(status(2, recycles=2, crashes=1, recent_recycles=(grew, made)), 2)
    watch.status(status(3, recycles=2, crashes=1, recent_recycles=(grew, made)), 3)
    assert watch.reasons == {"for growth": 1, "after its clips": 1}
    assert (len(watch.recycled), len(watch.crashed)) == (2, 1)


def test_memory_of_a_watch_does_not_grow_with_the_run() -> None:
    clock = Clock()
    watch = Watch(50_000, 0.1, None, clock)
    for clip in range(7 * MOST_POINTS):
        watch.sample(status(clip), clip)
        clock.now += 1
    assert MOST_POINTS // 2 <= len(watch.points) <= MOST_POINTS
    gaps = {b.clips - a.clips for a, b in zip(watch.points, watch.points[1:], strict=False)}
    assert len(gaps) == 1, "evenly from the beginning to the end"
    assert watch.points[0].clips == 0
    assert watch.points[-1].clips > 6.9 * MOST_POINTS


def test_growth_of_the_studio_is_no_single_peak() -> None:
    watch = Watch(500, 0.1)
    for clip in range(500):
        watch.sample(status(clip), clip)
    chance = random.Random(1)
    watch.points = [
        replace(p, studio=40 * MB + p.clips * MB // 100 + chance.choice([0, 0, 0, 9 * MB]))
        for p in watch.points
    ]
    assert watch.studio_growth == pytest.approx(3.6 * MB, abs=0.5 * MB)


# ---- the curves ----------------------------------------------------------------------------------


def test_a_chart_is_valid_and_everything_lies_inside() -> None:
    line = [(0.0, 0.0), (30.0, 140.0), (60.0, 90.0)]
    panel = Panel(
        "Memory <of> it & more", "MB", [Curve("worker", "#00f", [line, [(45.0, 1.0)], []])]
    )
    marked = replace(panel, marks=[Marks("recycled", "#f00", [10.0, 20.0])])
    root = ElementTree.fromstring(chart("A & B", "1 < 2", [panel, marked], 60.0))
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    words = " ".join(root.itertext())
    for word in ("A & B", "1 < 2", "Memory <of> it & more (MB)", "worker", "recycled", "time (s)"):
        assert word in words
    numbers = []
    for curve in root.iter(f"{SVG}polyline"):
        numbers += [tuple(map(float, point.split(","))) for point in curve.attrib["points"].split()]
    numbers += [(float(t.attrib["x"]), float(t.attrib["y"])) for t in root.iter(f"{SVG}text")]
    assert len(numbers) > 20
    assert all(0 <= x <= width and 0 <= y <= height for x, y in numbers)


def test_the_axis_has_round_steps_that_hold_the_highest_value() -> None:
    panel = Panel("M", "MB", [Curve("c", "#000", [[(0.0, 0.0), (9000.0, 531.0)]])])
    words = list(ElementTree.fromstring(chart("t", "s", [panel], 9000.0)).itertext())
    labels = [float(word.replace(",", "")) for word in words if re.fullmatch(r"[\d,.]+", word)]
    assert {0.0, 200.0, 400.0, 600.0} <= set(labels)
    assert "time (min)" in words


@pytest.mark.parametrize("clips", [0, 1, 300])
def test_the_curves_of_a_run_of_any_length(clips: int) -> None:
    watch = Watch(max(1, clips), 0.1)
    for clip in range(clips):
        watch.sample(status(clip, rtf_now=0.1, rtf_rolling=0.1, recycles=clip // 50), clip)
    root = ElementTree.fromstring(curves.draw(watch, "title", "subtitle"))
    words = " ".join(root.itertext())
    for label in ("Worker footprint (MB)", "Studio footprint (MB)", "swap in use", "last 20 clips"):
        assert label in words


# ---- the verdict ---------------------------------------------------------------------------------

TAKES = Takes(
    made=10,
    audio=30.0,
    synthesis=3.0,
    digest="d" * 64,
    lost=(),
    doubled=(),
    failures=(),
    rtf_first=0.1,
    rtf_last=0.1,
    footprints={},
)

GOOD = Verdict(
    asked=10,
    takes=TAKES,
    seconds=4.0,
    status_recycles=2,
    crashes=0,
    reasons={"for growth": 2},
    growth=Growth("hibari", 1, 100 * MB, 90 * MB, 128 * MB, 6 * MB),
    studio_growth=MB,
    studio_highest=50 * MB,
    swap_highest=0,
    checked=5,
    differences=(),
    problems=(),
)


def test_a_good_verdict() -> None:
    assert GOOD.faults == []
    assert GOOD.lines()[-1] == "Nothing was lost, doubled or different."
    assert replace(GOOD, expected="d" * 64).faults == []
    assert GOOD.data()["well"] is True


@pytest.mark.parametrize(
    ("verdict", "fault"),
    [
        (replace(GOOD, takes=replace(TAKES, lost=(3, 4))), "2 lost"),
        (replace(GOOD, takes=replace(TAKES, doubled=(7,))), "1 doubled"),
        (replace(GOOD, differences=("line 3: other bytes",)), "1 different"),
        (replace(GOOD, problems=("a clip is missing",)), "1 damaged"),
        (replace(GOOD, expected="e" * 64), "other bytes than expected"),
    ],
)
def test_a_bad_verdict(verdict: Verdict, fault: str) -> None:
    assert verdict.faults == [fault]
    assert verdict.lines()[-1] == f"Not as it must be: {fault}."
    assert verdict.data()["well"] is False


def test_how_far_a_worker_went_over_is_said() -> None:
    over = replace(GOOD, growth=replace(GOOD.growth, growth=131 * MB))
    assert over.growth.over == 3 * MB
    assert any("3.0 MB over its budget of 128 MB" in line for line in over.lines())
    free = replace(GOOD, growth=replace(GOOD.growth, budget=0))
    assert any("without a budget" in line for line in free.lines())


def test_costs_are_told_against_the_first_policy() -> None:
    off = Cost("budget off", TAKES, wall=33.0, steady=30.0, steady_audio=27.0)
    often = replace(off, name="every 2 clips", steady=45.0, recycles=5)
    assert off.rtf_whole == pytest.approx(1.1)
    assert often.data(off)["cost_steady"] == pytest.approx(0.5)
    assert often.data(off)["cost_synthesis"] == 0
    assert often.data(off)["seconds_per_recycle"] == pytest.approx(3)
    assert "+50.0%" in rows([off, often])[2]
    assert off.plus(often).recycles == 5
