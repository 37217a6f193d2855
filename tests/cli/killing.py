"""Kills studios at random points and looks at what they leave; prints one JSON object.

``python killing.py FOLDER --kills N --seed S``. One process imports everything and forks a studio
for each kill, so that a hundred kills take seconds: the studio opens the project as the commands
do and narrates with a scripted engine, or exports a chapter. Nothing in it knows that it will die.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import soundfile

from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.commands.exporting import ExportOptions, export_chapters
from studio.engines.catalogue import Catalogue, EngineSpec
from studio.errors import MachineFault
from studio.narration import empty_folder
from studio.narration.director import Director
from studio.narration.status import NarrationStatus
from studio.project.clips import clip_files, read_clip
from studio.project.desk import Desk
from studio.project.model import Change, Kind, State, Take, Voice
from studio.project.project import Project

ENGINE = Path(__file__).parents[1] / "fakes" / "scripted_engine.py"
SPEC = EngineSpec("scripted", (sys.executable, "-P", str(ENGINE), "--clip-time", "0"), grace=2.0)
LINES = 400
KILLS_PER_BOOK = 40
ALARM = 120
"""Seconds after which a studio that hangs is ended."""
EXPLAINED = {"leftover", "unreferenced clip"}
OWN = {"book.db", "book.db-wal", "book.db-shm", "project.toml", "lock", "clips", "exports"}


def make_book(folder: Path, lines: int) -> None:
    """A book of short lines in one chapter."""
    texts = [f"Line {number} is short." for number in range(lines)]
    drafts = tuple(SegmentDraft(Kind.PROSE, t, t, True, n) for n, t in enumerate(texts))
    voice = Voice(id="tone", engine="scripted", speaker="tone", language="en-US")
    Project.create(
        folder,
        title="A book",
        author="",
        language="en-US",
        voice=voice,
        chapters=[ChapterDraft("One", drafts)],
    ).close()


# ---- what is killed ------------------------------------------------------------------------------


def narrate(folder: Path, tell: Callable[[str], None]) -> None:
    """Narrate what is missing, and tell of engines and of takes once they are recorded."""

    def changed(change: Change) -> None:
        tell("".join(f"take {uid}\n" for uid in change.segments))

    def status(now: NarrationStatus) -> None:
        tell("".join(f"engine {worker.pid}\n" for worker in now.workers if worker.pid))

    async def work(project: Project) -> None:
        desk = Desk()
        director = Director(
            project, desk, Catalogue({"scripted": SPEC}), on_change=changed, on_status=status
        )
        running = asyncio.create_task(director.run())
        idle = asyncio.create_task(director.until_idle())
        await asyncio.wait({idle, running}, return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            running.result()
        await director.close()
        await running
        desk.close()

    with Project.open(folder) as project:
        missing = [s.uid for s in project.segments() if s.state() is not State.READY]
        project.enqueue(missing)
        asyncio.run(work(project))


def export(folder: Path, tell: Callable[[str], None]) -> None:
    """Export the whole book."""
    with Project.open(folder, read_only=True) as project:
        tell("begun\n")
        export_chapters(project, project.chapters(), ExportOptions())


class Studio:
    """One forked studio, and what it has told."""

    def __init__(self, job: Callable[[Path, Callable[[str], None]], None], folder: Path) -> None:
        self._pipe, writing = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            status = 1
            try:
                signal.alarm(ALARM)
                job(folder, lambda text: os.write(writing, text.encode()) and None)
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        os.close(writing)
        self.told: list[str] = []
        self._rest = b""

    def listen(self, seconds: float) -> bool:
        """Hear what it tells for so long; returns whether there may be more."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if not select.select([self._pipe], [], [], left)[0]:
                return True
            if not self._read():
                return False
        return True

    def end(self, *, kill: bool) -> bool:
        """Kill it, or wait for its end; returns whether it was alive to be killed."""
        if kill:
            os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        while self._read():
            pass
        os.close(self._pipe)
        if os.WIFSIGNALED(status):
            assert os.WTERMSIG(status) == signal.SIGKILL, "the studio hung"
            return True
        assert os.waitstatus_to_exitcode(status) == 0, "the studio itself failed"
        return False

    def _read(self) -> bool:
        data = os.read(self._pipe, 1 << 16)
        *lines, self._rest = (self._rest + data).split(b"\n")
        self.told += [line.decode() for line in lines]
        return bool(data)

    def named(self, what: str) -> set[str]:
        """What it has told of one kind."""
        return {line.split()[1] for line in self.told if line.startswith(f"{what} ")}


# ---- what must be true afterwards ----------------------------------------------------------------


@contextlib.contextmanager
def opened(folder: Path) -> Iterator[Project]:
    """The project, as the next studio opens it."""
    patience = time.monotonic() + 2
    while True:
        try:
            project = Project.open(folder)
            break
        except MachineFault:
            # A process between fork and exec still has a copy of the lock.
            assert time.monotonic() < patience, "a dead owner holds the lock"
            time.sleep(0.01)
    with project:
        yield project


def identity(take: Take) -> tuple[int, str, str, str]:
    """What makes a take this take."""
    return take.id, take.segment, take.recipe_id, take.pcm_hash


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


class Book:
    """A book whose studios are killed."""

    def __init__(self, folder: Path, lines: int) -> None:
        self.folder = folder
        self.takes: set[tuple[int, str, str, str]] = set()
        self.seen: set[tuple[str, str]] = set()
        """What doctor has said, kind and sentence."""
        self.whole: set[str] = set()
        """Names of clips that have been read."""
        make_book(folder, lines)

    def check(self, studio: Studio) -> None:
        """It opens, nothing finished is lost, nothing is doubled, all that lies about is known."""
        gone = time.monotonic() + 5
        for engine in studio.named("engine"):
            while alive(int(engine)):
                assert time.monotonic() < gone, f"engine {engine} outlives its studio"
                time.sleep(0.005)
        with opened(self.folder) as project:
            takes = list(project.all_takes())
            now = {identity(take) for take in takes}
            assert self.takes <= now, "a finished take is lost"
            assert len({(take.segment, take.recipe_id) for take in takes}) == len(takes), "doubled"
            chosen = {s.uid for s in project.segments() if s.chosen}
            assert studio.named("take") <= chosen, "a take that was told of is lost"
            for take in takes:
                if identity(take) not in self.takes:
                    project.read_clip(take)
            problems = project.problems()
            assert {problem.kind for problem in problems} <= EXPLAINED, problems
            self.explained(project, len(problems), len({take.pcm_hash for take in takes}))
            self.seen.update((problem.kind, problem.what) for problem in problems)
            self.takes = now

    def explained(self, project: Project, told: int, clips: int) -> None:
        """Every file is the project's own, a clip of a take, or one that doctor names."""
        names = {path.name for path in self.folder.iterdir()}
        others = len({name for name in names if name not in OWN})
        files = sum(path.is_file() for path in (self.folder / "clips").rglob("*"))
        parts = len(list((self.folder / "exports").glob(".*")))
        for path in clip_files(self.folder):
            if path.name not in self.whole:
                read_clip(self.folder, path.stem)  # What has a clip's name is a whole clip.
                self.whole.add(path.name)
        assert others + files - clips + parts == told, "a file that nobody explains"

    def mend(self) -> list[str]:
        """What doctor and clean leave: nothing; returns the hashes of the chosen takes."""
        with opened(self.folder) as project:
            project.fix()
            assert {problem.kind for problem in project.problems(deep=True)} <= EXPLAINED
            project.clean(dry_run=False)
            assert project.problems(deep=True) == []
            segments = project.segments()
            assert [segment.takes for segment in segments] == [1] * len(segments)
            return [project.take(segment.chosen or 0).pcm_hash for segment in segments]


def kill_narrations(book: Book, kills: int, chance: random.Random) -> int:
    """Kill studios that narrate; returns how many were alive when it came."""
    killed = 0
    while killed < kills:
        studio = Studio(narrate, book.folder)
        if chance.random() < 0.5:
            studio.listen(chance.uniform(0, 0.35))
        else:
            # After some transactions, and then anywhere in what comes next.
            wanted = len(studio.named("take")) + chance.randrange(1, 12)
            patience = time.monotonic() + 20
            while len(studio.named("take")) < wanted and time.monotonic() < patience:
                if not studio.listen(0.002):
                    break
            time.sleep(chance.uniform(0, 0.02))
        killed += studio.end(kill=True)
        book.check(studio)
        if len(book.takes) == LINES:
            break
    return killed


def finish(book: Book) -> list[str]:
    """Narrate the rest in peace."""
    studio = Studio(narrate, book.folder)
    while studio.listen(10):
        pass
    assert not studio.end(kill=False)
    book.check(studio)
    return book.mend()


def kill_exports(book: Book, kills: int, chance: random.Random) -> Counter[str]:
    """Kill studios that export a finished book; an export is whole or not there."""
    exports = book.folder / "exports"
    started = time.monotonic()
    assert not Studio(export, book.folder).end(kill=False)
    span = time.monotonic() - started
    (wav,) = exports.glob("*.wav")
    whole = wav.read_bytes()
    assert soundfile.info(wav).frames > 24_000
    seen: Counter[str] = Counter()
    while seen["killed"] < kills:
        if chance.random() < 0.5:
            wav.unlink(missing_ok=True)
        studio = Studio(export, book.folder)
        if chance.random() < 0.7:
            while not studio.told and studio.listen(0.001):
                pass
        time.sleep(chance.uniform(0, span))
        seen["killed"] += studio.end(kill=True)
        book.check(studio)
        seen["parts"] += len(list(exports.glob(".rhapsode-*.part")))
        assert not wav.exists() or wav.read_bytes() == whole
        if chance.random() < 0.3:
            with opened(book.folder) as project:
                project.fix()
            assert list(exports.glob(".*")) == []
    assert not Studio(export, book.folder).end(kill=False)
    assert wav.read_bytes() == whole
    return seen


def main() -> None:
    """Kill, look, and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tempfile.tempdir = str(options.folder / "temporary")
    os.mkdir(tempfile.tempdir)
    chance = random.Random(options.seed)
    started = time.monotonic()
    exports = options.kills * 4 // 10
    left, narrations, leftovers = options.kills - exports, 0, Counter[str]()
    hashes: set[tuple[str, ...]] = set()
    book = Book(options.folder / "calm", LINES)
    hashes.add(tuple(finish(book)))
    while narrations < left:
        shutil.rmtree(book.folder)
        book = Book(options.folder / f"book{narrations}", LINES)
        narrations += kill_narrations(book, min(left - narrations, KILLS_PER_BOOK), chance)
        hashes.add(tuple(finish(book)))
        leftovers.update(kind for kind, _ in book.seen)
    assert len(hashes) == 1, "the same bytes, killed or not"
    exported = kill_exports(book, exports, chance)
    folders = {path.name for path in Path(tempfile.gettempdir()).iterdir()}
    explained = {path.name for path in empty_folder.leftovers(Path(tempfile.gettempdir()))}
    assert folders == explained, "a temporary folder that nobody explains"
    report = {
        "narrations": narrations,
        "exports": exported["killed"],
        "leftovers": dict(leftovers),
        "parts": exported["parts"],
        "seconds": round(time.monotonic() - started, 1),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
