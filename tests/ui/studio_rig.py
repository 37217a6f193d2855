"""A real project with a director that makes tones and a player without a device."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
from textual.pilot import Pilot

from engine.wire import Card
from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.book.kinds import Kind
from studio.errors import MachineFault
from studio.narration.status import NarrationStatus, WorkerState, WorkerStatus
from studio.project.desk import Desk
from studio.project.model import Change, Failure, NewTake, QueueItem, Segment, Voice
from studio.project.project import Project
from studio.project.recipe import build_of, recipe_for, recipe_id
from studio.project.tokens import TOKENS_BLOB
from studio.project.told import first_time
from studio.sound.source import AudioSource
from studio.ui.app import StudioApp
from studio.ui.screens.studio import StudioScreen

RATE = 24_000
HEART = Voice(id="heart", engine="hibari", speaker="heart", language="en-US")
CARD = Card(
    engine="hibari",
    version="1",
    model="m",
    sample_rate=RATE,
    languages=("en-US",),
    max_chars=300,
    backend="onnxruntime",
    precision="fp32",
    device="cpu",
    build={"onnxruntime": "1.23"},
)
LINES = (
    (Kind.HEADING, "The Landing"),
    (Kind.PROSE, "She had waited eleven years for a letter that would never come to her."),
    (Kind.DIALOGUE, "“Is it true?” he whispered."),
    (Kind.PROSE, "Dr. Harrow counted the coins twice, then pushed them across the table."),
    (Kind.SCENE_BREAK, ""),
    (Kind.PROSE, "Nobody in the village remembered when the mill had stopped."),
)
MIB = 1 << 20
MEMORY = 300 * MIB


def book(chapters: int = 3) -> list[ChapterDraft]:
    """Chapters of six segments, alike but for the number in them."""
    titles = ("The Landing", "Low Water", "The Bell")
    return [
        ChapterDraft(
            titles[number % 3],
            tuple(
                SegmentDraft(
                    kind,
                    text if number == 0 or not text else f"{text} ({number + 1})",
                    text.replace("Dr.", "Doctor"),
                    True,
                    1000 * number + place,
                )
                for place, (kind, text) in enumerate(LINES)
            ),
        )
        for number in range(chapters)
    ]


def make_project(folder: Path, chapters: int = 3) -> Path:
    """A project on disk, closed again."""
    Project.create(
        folder,
        title="The Ferry",
        author="A. Writer",
        language="en-US",
        voice=HEART,
        chapters=book(chapters),
    ).close()
    return folder


def tone(seed: int, text: str) -> np.ndarray:
    """A clip that every seed and text has for itself."""
    frames = 2400 + 100 * (len(text) % 20)
    wave = np.sin(np.arange(frames) * (0.02 + (seed % 997) * 0.0001)) * 9000
    return wave.astype(np.int16).reshape(-1, 1)


class ToneDirector:
    """Serves the queue like the real one, a tONEa line of text, as slowly as `hold` says."""

    def __init__(
        self,
        project: Project,
        desk: Desk,
        on_change: Callable[[Change], None],
        on_status: Callable[[NarrationStatus], None],
    ) -> None:
        self.project, self.desk = project, desk
        self.on_change, self.on_status = on_change, on_status
        self.paused = False
        self.let: set[str] = set()
        self.closed = False
        self.hold = asyncio.Event()
        self.hold.set()
        self.failing: set[str] = set()
        self.drift = 0
        """Another build's other bytes: what is made from now on sounds otherwise."""
        self.tokens = b""
        """What is kept with each take as its speech tokens."""
        self.steps = 0
        """An option of the engine that changes its sound, where it is not nought."""
        self.together = 1
        """Lines that it takes together; above 1 a seed gives something else each time."""
        self.warnings: tuple[str, ...] = ()
        """What it says of voices."""
        self.made = 0
        self._wake = asyncio.Event()
        self._stopping = False

    async def run(self) -> None:
        while not self.closed:
            self._wake.clear()
            only = frozenset(self.let) if self.paused else None
            items = await self.desk(self.project.next_items, 1, (), only)
            if items and (self.serving or only is None):
                await self._narrate(items[0])
            elif not self._wake.is_set():
                self.let.clear()
                await self._wake.wait()

    async def _narrate(self, item: QueueItem) -> None:
        await self.tell(frozenset({item.segment}))
        while not self.hold.is_set() and not self._stopping:
            await asyncio.sleep(0.005)
        if self._stopping:
            self._stopping = False
        elif item.segment in self.failing:
            failure = Failure(item, "the engine cannot say this")
            self.on_change(await self.desk(self.project.record, [], [failure]))
        else:
            self.on_change(await self.desk(self._record, item))
            self.made += 1
        await self.tell(frozenset())

    def _record(self, item: QueueItem) -> Change:
        segment = self.project.segments_by_uid([item.segment])[item.segment]
        if item.remake is not None:
            recorded = self.project.take(item.remake).recipe
            segment = replace(segment, spoken=recorded["spoken"], speed=recorded["speed"])
        company = self.made if self.together > 1 and not item.replay else 0
        pcm = tone(item.seed + self.drift + self.steps + company, segment.spoken)
        card = replace(CARD, options={"steps": self.steps}) if self.steps else CARD
        if self.together > 1:
            card = replace(card, options={**card.options, "batch": self.together})
        voice = self.project.voices()[segment.voice]
        given = self.project.blob(item.remake or 0, TOKENS_BLOB) if item.replay else None
        recipe = recipe_for(segment, voice, card, item.seed, given or b"")
        tokens = given or self.tokens
        take = NewTake(
            item=item,
            recipe_id=recipe_id(recipe),
            recipe=recipe,
            provenance={
                "build": {**build_of(CARD), "script": str(self.drift)},
                "worker": 1,
                "seconds": 0.04,
                "stages": {"speaking": 0.03},
            },
            pcm_hash=self.project.write_clip(pcm, RATE),
            rate=RATE,
            channels=1,
            frames=len(pcm),
            rtf=0.01,
            findings=("it is very quiet",) if "whispered" in segment.spoken else (),
            blobs={TOKENS_BLOB: tokens} if tokens else {},
        )
        return self.project.record([take])

    async def tell(self, narrating: frozenset[str]) -> None:
        worker = WorkerStatus(
            number=1,
            engine="hibari",
            state=WorkerState.NARRATING if narrating else WorkerState.READY,
            pid=1,
            footprint=MEMORY + MIB * self.made,
            baseline=MEMORY,
            budget=512 * MIB,
            device_memory=0,
            clips=self.made,
            loading=1.0,
            device="cpu fp32",
        )
        queued, _ = await self.desk(self.project.queue_size)
        self.on_status(
            NarrationStatus(
                workers=(worker,),
                paused=self.paused,
                queued=queued,
                narrating=narrating,
                rtf_now=0.01,
                rtf_rolling=0.01,
                rtf_chapter=0.01,
                made=self.made,
                audio_made=0.1 * self.made,
                eta=0.0,
                voice_notes=self.warnings,
                free_memory=8_192 * MIB,
            )
        )

    def wake(self) -> None:
        self._wake.set()

    def recast(self) -> None:
        pass

    @property
    def serving(self) -> bool:
        return not self.paused or bool(self.let)

    def pause(self) -> None:
        self.paused = True
        self.let.clear()

    def let_through(self, uids: Collection[str]) -> None:
        if self.paused:
            self.let.update(uids)
        self._wake.set()

    def resume(self) -> None:
        self.paused = False
        self.let.clear()
        self._wake.set()

    async def stop(self) -> None:
        self.pause()
        self._stopping = not self.hold.is_set()
        await self.tell(frozenset())

    async def close(self) -> None:
        self.closed = True
        self._stopping = True
        self._wake.set()


class SilentPlayer:
    """Remembers what it was given; `end` is the end of the sound."""

    def __init__(self, refusal: str = "") -> None:
        self.refusal = refusal
        self.stops = 0
        self.played: list[tuple[AudioSource, int]] = []
        self.on_end: Callable[[], None] = lambda: None
        self.on_fault: Callable[[str], None] = lambda reason: None
        self.on_notice: Callable[[str], None] = lambda sentence: None
        self.volume = self.speed = 1.0
        self.device: str | None = None
        self.names: tuple[str, ...] = ("Speakers", "Headset")
        self.position = 0.0
        self.duration = 0.0
        self.playing = False

    def play(self, source: AudioSource, start_frame: int = 0) -> None:
        if self.refusal:
            raise MachineFault(self.refusal)
        self.played.append((source, start_frame))
        self.duration = source.frames / source.rate
        self.position = start_frame / source.rate
        self.playing = True

    def stop(self) -> None:
        self.playing = False
        self.stops += 1

    def seek(self, seconds: float) -> None:
        self.position = seconds

    def set_speed(self, speed: float) -> None:
        self.speed = speed

    def set_device(self, device: str | None) -> None:
        self.device = device

    def devices(self) -> tuple[str, ...]:
        if self.refusal:
            raise MachineFault(self.refusal)
        return self.names

    def close(self) -> None:
        self.stop()

    def end(self) -> None:
        self.playing = False
        self.on_end()


class Rig:
    """An application on a project, for one test."""

    def __init__(self, folder: Path | None, refusal: str = "", tour: bool = False) -> None:
        if not tour:
            first_time("tour")
        self.player = SilentPlayer(refusal)
        self.app = StudioApp(folder, make_director=self._director, make_player=lambda: self.player)
        self.director: ToneDirector | None = None
        self.pilot: Pilot[int]

    def _director(
        self,
        project: Project,
        desk: Desk,
        on_change: Callable[[Change], None],
        on_status: Callable[[NarrationStatus], None],
    ) -> ToneDirector:
        self.director = ToneDirector(project, desk, on_change, on_status)
        return self.director

    @property
    def screen(self) -> StudioScreen:
        return next(it for it in self.app.screen_stack if isinstance(it, StudioScreen))

    @property
    def project(self) -> Project:
        assert self.app.session is not None
        return self.app.session.project

    @property
    def line(self) -> Segment:
        """The segment under the cursor."""
        assert self.screen.current is not None
        return self.screen.current

    @property
    def notice(self) -> str:
        return str(self.screen.notice.content)

    async def until(self, condition: Callable[[], object], what: str = "") -> None:
        """Wait for a condition, a minute at the most."""
        deadline = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < deadline, f"waited in vain {what}; notice: {self._notice()}"
            await self.pilot.pause(0.01)
        await self.pilot.pause()

    def _notice(self) -> str:
        try:
            return self.notice
        except StopIteration:
            return ""

    async def opened(self) -> None:
        """Wait for the book to be shown."""
        await self.until(
            lambda: any(isinstance(it, StudioScreen) for it in self.app.screen_stack), "to open"
        )
        await self.until(lambda: self.screen.grid.uid is not None)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def narrated(self, uids: Iterable[str] | None = None) -> None:
        """Wait until nothing is queued or narrated any more."""
        rows = self.screen.session.rows
        await self.until(
            lambda: not rows.narrating and not any(row.queued for row in rows.all), "for the takes"
        )


class open_rig:
    """The application, running in a window of a size; closed with everything it started."""

    def __init__(
        self,
        folder: Path | None,
        size: tuple[int, int] = (120, 36),
        refusal: str = "",
        tour: bool = False,
    ) -> None:
        self.rig = Rig(folder, refusal, tour)
        self._running = self.rig.app.run_test(size=size)
        self._folder = folder

    async def __aenter__(self) -> Rig:
        self.rig.pilot = await self._running.__aenter__()
        if self._folder is not None:
            await self.rig.opened()
        return self.rig

    async def __aexit__(self, *error: object) -> None:
        await self.rig.app.close_session()
        await self._running.__aexit__(*error)  # type: ignore[arg-type]
