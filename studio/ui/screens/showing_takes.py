"""The list of takes: what it is given once the cursor rests on a segment."""

from __future__ import annotations

from datetime import UTC, datetime

from textual import work

from studio.errors import StudioError
from studio.project.model import Kind, Segment, Take
from studio.project.project import Project
from studio.ui.screens.studio_base import StudioBase
from studio.ui.take_facts import Standing, standing
from studio.ui.widgets.take_list import TakeFacts

WAVE_CELLS = 96
"""Columns of a waveform before the list fits it to its own width."""
WAVES_KEPT = 400


class ShowingTakes(StudioBase):
    """Reads the takes of the segment under the cursor and shows them."""

    def __init__(self) -> None:
        """Nothing is known of any take."""
        super().__init__()
        self._waves: dict[str, str] = {}
        self._standing = Standing()

    @work(exclusive=True, group="takes", exit_on_error=False)
    async def read_takes(self) -> None:
        """Read the takes of the segment under the cursor, then what is slower to know of them."""
        segment = self.current
        if segment is None:
            return
        project = self.session.project
        self.takes = await self.session.takes(segment.uid)
        self._standing = await self.session.read(standing, project, segment, self.takes)
        self.list_takes()
        for take in reversed(self.takes):
            if take.pcm_hash not in self._waves:
                await self._draw_wave(take)
                self.list_takes()

    def list_takes(self) -> None:
        """Show what is known of the takes by now."""
        segment = self.session.rows.get(self.takes_of)
        if segment is None:
            return
        facts = TakeFacts(
            chosen=segment.chosen,
            approved=segment.approved,
            best=self._standing.best.id if self._standing.best else None,
            differs=self._standing.differs,
            peaks={take.id: self._waves.get(take.pcm_hash, "") for take in self.takes},
            now=datetime.now(UTC),
        )
        self.take_list.show(self.takes, facts)

    async def aimed_take(self) -> tuple[Segment, Take] | None:
        """The take that an action is for: among the takes the one under the cursor, else the
        chosen one. Where there is none, says what to press."""
        segment = self.current
        if segment is None:
            return None
        takes = await self.session.takes(segment.uid)
        here = self.focused is self.take_list
        wanted = self.take_list.take_id if here else segment.chosen
        take = next((take for take in takes if take.id == wanted), None)
        if take is not None:
            return segment, take
        if segment.kind is Kind.SCENE_BREAK:
            self.say("A scene break is silence; it has no takes.")
        elif takes:
            there = self.key("takes.list")
            self.say(f"Segment {segment.number} has no chosen take; {there} goes to its takes.")
        else:
            self.say_no_take(segment)
        return None

    async def _draw_wave(self, take: Take) -> None:
        """Draw a waveform, once per clip."""
        try:
            wave = await self.session.read(_wave, self.session.project, take)
        except StudioError:
            return  # the segment's own play and export say what is wrong with the clip
        if len(self._waves) >= WAVES_KEPT:
            self._waves.pop(next(iter(self._waves)))
        self._waves[take.pcm_hash] = wave


def _wave(project: Project, take: Take) -> str:
    """A take's waveform as block characters; for the desk."""
    from studio.sound.waveform import draw, peaks

    pcm, _ = project.read_clip(take)
    return draw(peaks(pcm, WAVE_CELLS))
