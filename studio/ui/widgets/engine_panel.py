"""The engine: its workers, what they cost, how fast they are and how long it will take."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, zip_longest

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from studio.narration.status import NarrationStatus, WorkerState, WorkerStatus
from studio.ui import cells, formats, inks

BLOCKS = "▁▂▃▄▅▆▇█"
_FULL_FROM = 56
"""Cells from which on a worker has one line and the figures stand in two columns."""
_WORKERS_SHOWN = 4
_LABEL = 9
_PROBLEM_LINES = 4
_RTF_OF = ("now", "last 20", "chapter")

WORKER_GLYPHS = {
    WorkerState.STARTING: "…",
    WorkerState.LOADING: "…",
    WorkerState.READY: "●",
    WorkerState.NARRATING: "▶",
    WorkerState.DRAINING: "↻",
    WorkerState.STOPPING: "↻",
    WorkerState.GONE: "✗",
}
WORKER_STYLES = {
    WorkerState.READY: inks.GOOD,
    WorkerState.NARRATING: f"bold {inks.BUSY}",
    WorkerState.GONE: inks.ERROR,
}


class History:
    """A worker's footprint over its whole life in a bounded number of samples.

    When it is full, neighbours are merged to their maximum and the step doubles, so the line
    gets coarser with age but never forgets the beginning or a peak.
    """

    LENGTH = 96

    def __init__(self) -> None:
        """No samples yet."""
        self.samples: list[int] = []
        self._step = 1
        self._pending: list[int] = []

    def add(self, value: int) -> None:
        """Take one sample in bytes."""
        self._pending.append(value)
        if len(self._pending) < self._step:
            return
        self.samples.append(max(self._pending))
        self._pending.clear()
        if len(self.samples) >= self.LENGTH:
            pairs = zip(self.samples[::2], self.samples[1::2], strict=True)
            self.samples = [max(pair) for pair in pairs]
            self._step *= 2

    def draw(self, length: int, low: int, high: int) -> str:
        """The samples as block characters.

        Args:
            length: Cells there are.
            low: Bytes of the lowest block.
            high: Bytes of the full block.

        Returns:
            At most ``length`` characters, the newest at the right.
        """
        samples = self.samples + ([max(self._pending)] if self._pending else [])
        if len(samples) > length > 0:
            cuts = [i * len(samples) // length for i in range(length + 1)]
            samples = [max(samples[a:b]) for a, b in pairwise(cuts)]
        span = max(1, high - low)
        top = len(BLOCKS) - 1
        return "".join(BLOCKS[max(0, min(top, (v - low) * top // span))] for v in samples[:length])


class EnginePanel(Widget):
    """Everything about narration, as lines; compact in a side bar, fuller where there is room."""

    DEFAULT_CSS = """
    EnginePanel { height: auto; width: 1fr; }
    """

    def __init__(
        self,
        *,
        empty: str = "No engine is running. r narrates a segment, g c a chapter.",
        go_on: str = "S",
        id: str | None = None,  # noqa: A002 (Textual's word)
        classes: str | None = None,
    ) -> None:
        """A panel without an engine; see `show`.

        Args:
            empty: What to say where no engine runs.
            go_on: The key that goes on with a paused queue.
            id: Widget id.
            classes: Widget classes.
        """
        super().__init__(id=id, classes=classes)
        self._empty, self._go_on = empty, go_on
        self._status = NarrationStatus()
        self._histories: dict[tuple[str, int], History] = {}
        self._height = 0

    @property
    def status(self) -> NarrationStatus:
        """What is shown."""
        return self._status

    def show(self, status: NarrationStatus) -> None:
        """Show a snapshot, and remember the footprints for the sparkline.

        Args:
            status: The newest snapshot.
        """
        for worker in status.workers:
            if worker.footprint:
                self._histories.setdefault(_key(worker), History()).add(worker.footprint)
        for gone in self._histories.keys() - set(map(_key, status.workers)):
            del self._histories[gone]
        self._status = status
        # The height is laid out again only when a line came or went.
        height = len(self.lines(self.size.width)) if self.size.width else 0
        self.refresh(layout=height != self._height)
        self._height = height

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as there are."""
        return len(self.lines(width))

    def render(self) -> Content:
        """The lines."""
        return Content("\n").join(self.lines(self.content_size.width))

    def lines(self, columns: int) -> list[Content]:
        """Every line of the panel, none wider than told."""
        status = self._status
        if columns <= 0:
            return []
        idle = not (status.workers or status.made or status.queued or status.stopped_because)
        if idle and not status.crashes:
            return _words(self._empty, columns, inks.MUTED)
        lines: list[Content] = []
        for worker in status.workers[:_WORKERS_SHOWN]:
            lines += self._worker(worker, columns)
            if worker.device_memory:  # Only where an accelerator holds some.
                held = f"device {formats.megabytes(worker.device_memory)}"
                lines.append(Content.styled(cells.crop(f" {held}", columns), inks.MUTED))
        if len(status.workers) > _WORKERS_SHOWN:
            more = f" and {formats.count(len(status.workers) - _WORKERS_SHOWN, 'more worker')}"
            lines += _words(more, columns, inks.MUTED)
        lines += _stopped(status, columns, self._go_on)
        lines += _figures(status, columns)
        if status.last_recycle:
            lines += _words(status.last_recycle, columns, inks.MUTED)
        if status.last_problem and status.last_problem not in status.stopped_because:
            # In short: the segment and the log tell all of it, and the chapters need room too.
            problem = _words(f"! {status.last_problem}", columns, "$text-warning")
            if len(problem) > _PROBLEM_LINES:
                last = cells.crop(f"{problem[_PROBLEM_LINES - 1].plain}…", columns - 1)
                problem[_PROBLEM_LINES - 1 :] = [Content.styled(last, "$text-warning")]
            lines += problem
        return lines

    def _worker(self, worker: WorkerStatus, columns: int) -> list[Content]:
        """One worker: a line where there is room, else as many as needed."""
        doing = worker.state.value
        if len(worker.stages) > 1 and worker.state is WorkerState.NARRATING:
            # Two jobs are under way, each in a stage of its own: which ones says more.
            doing = "+".join(worker.stages)
        state = f"{WORKER_GLYPHS[worker.state]} {doing}"
        if worker.state is WorkerState.LOADING and worker.loading > 0:
            state += f" {worker.loading:.0%}"
        style = WORKER_STYLES.get(worker.state, "$text-warning")
        memory = formats.megabytes(worker.footprint)
        growth = _growth(worker)
        many = len(self._status.workers) > 1
        if columns >= _FULL_FROM:
            facts = f"{worker.engine} · {worker.device}" if worker.device else worker.engine
            head = [
                (f" worker {worker.number:<3}", "bold"),
                (cells.fit(state, 14), style),
                (cells.fit(facts, 18) + cells.fit(memory, 9, right=True) + "  ", ""),
                (cells.fit(growth, 19), inks.MUTED),
            ]
            line = Content.assemble(*head)
            return [_cut(line + self._spark(worker, columns - line.cell_length - 1), columns)]
        name = f" worker {worker.number}" if columns >= 22 else f" w{worker.number}"
        if len({it.engine for it in self._status.workers}) > 1:
            # Each engine counts its own workers: the number alone would not tell them apart.
            number = f" {worker.number}"
            room = max(4, columns - cells.width(state) - 2 - len(number))
            name = cells.crop(f" {worker.engine}", room) + number
        head_line = Content.assemble((f"{name:<10} ", "bold"), (state, style))
        if many and growth:
            # One line less for each: growth and budget stand before the curve, in short.
            memory += f" {growth.removesuffix(' MB').replace(' of ', '/')}"
        room = columns - 2 - cells.width(memory) - 1
        spark = Content.assemble(f" {memory} ", self._spark(worker, room))
        if many:
            return [_cut(head_line, columns), _cut(spark, columns)]
        facts = f" {worker.engine} {worker.device}"
        lines = [head_line, Content.styled(cells.crop(facts, columns), inks.MUTED), spark]
        if growth:
            lines.append(Content.styled(f" {growth}", inks.MUTED))
        return [_cut(line, columns) for line in lines]

    def _spark(self, worker: WorkerStatus, length: int) -> Content:
        """The sparkline; a full block means that the budget is used up."""
        history = self._histories.get(_key(worker))
        if history is None or length < 4:
            return Content("")
        low = worker.baseline or min(history.samples, default=0)
        high = low + worker.budget if worker.budget else max(history.samples, default=1)
        near = worker.baseline and worker.footprint - worker.baseline > 0.8 * worker.budget > 0
        style = inks.WARNING if near else inks.ACCENT
        return Content.styled(history.draw(min(length, 32), low, high), style)


def _key(worker: WorkerStatus) -> tuple[str, int]:
    """What a worker is known by: each engine counts its own."""
    return worker.engine, worker.number


def _growth(worker: WorkerStatus) -> str:
    """``+44 of 512 MB``, or nothing before the baseline is known."""
    if not worker.baseline:
        return ""
    grown = formats.megabytes(worker.footprint - worker.baseline, sign=True, unit=False)
    return f"{grown} of {formats.megabytes(worker.budget)}" if worker.budget else f"{grown} MB"


def _figures(status: NarrationStatus, columns: int) -> list[Content]:
    """Speed, queue, what was made and what the machine has left, labels and values aligned."""
    rates = [formats.rtf(r) for r in (status.rtf_now, status.rtf_rolling, status.rtf_chapter)]
    eta = formats.duration(status.eta) if status.queued else formats.NONE
    free, swap = formats.gigabytes(status.free_memory), formats.gigabytes(status.swap_used)
    pairs = [
        ("queue", f"{status.queued:,} · eta {eta}"),
        ("made", f"{status.made:,} · {formats.duration(status.audio_made)}"),
        ("recycled", f"{status.recycles} · crash {status.crashes}"),
    ]
    if columns < _FULL_FROM:
        pairs.insert(0, ("rtf", " ".join(f"{rate:<4}" for rate in rates)))
        pairs += [("free", free), ("swap", swap)] if status.free_memory else []
        return [_pair(label, value, columns) for label, value in pairs]
    speed = " · ".join(f"{rate} {of}" for rate, of in zip(rates, _RTF_OF, strict=True))
    lines = [_pair("rtf", speed, columns)]
    pairs += [("free", f"{free} · swap {swap}")] if status.free_memory else []
    half = columns // 2
    for (label, value), right in zip_longest(pairs[::2], pairs[1::2]):
        line = _pair(label, value, half)
        if right is not None:
            other = _pair(right[0], right[1], columns - half)
            line = line.pad_right(half - line.cell_length) + other
        lines.append(line)
    return lines


def _pair(label: str, value: str, columns: int) -> Content:
    """A label and its value."""
    text = cells.crop(value, columns - _LABEL - 1)
    return Content.assemble((cells.fit(f" {label}", _LABEL) + " ", inks.MUTED), text)


def _stopped(status: NarrationStatus, columns: int, go_on: str) -> list[Content]:
    """Why nothing happens, if nothing happens."""
    if status.stopped_because:
        again = f" {go_on} tries again." if status.queued else ""
        return _words(f"✗ stopped: {status.stopped_because}{again}", columns, inks.ERROR)
    if status.paused and status.queued:
        waiting = f"{status.queued:,} waiting"
        return _words(f"❚❚ paused, {waiting}. {go_on} goes on.", columns, inks.WARNING)
    return []


def _words(text: str, columns: int, style: str) -> list[Content]:
    """A sentence over as many lines as it needs."""
    return [Content.styled(f" {line}", style) for line in cells.wrap(text, max(1, columns - 2))]


def _cut(line: Content, columns: int) -> Content:
    """A line that is not wider than told."""
    return line.truncate(columns) if line.cell_length > columns else line


def summary(workers: Sequence[WorkerStatus]) -> str:
    """The workers in a few words for one line: ``w3 ● ready 312 MB``, ``4 workers 1,204 MB``."""
    if not workers:
        return ""
    memory = formats.megabytes(sum(worker.footprint for worker in workers))
    if len(workers) > 1:
        return f"{len(workers)} workers {memory}"
    worker = workers[0]
    return f"w{worker.number} {WORKER_GLYPHS[worker.state]} {worker.state.value} {memory}"
