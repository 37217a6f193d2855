"""The cast in the studio: voices, and who speaks which segments."""

from __future__ import annotations

from textual import work

from studio.errors import StudioError
from studio.project.model import Kind, Segment, Voice
from studio.ui import formats
from studio.ui.screens.studio_base import StudioBase
from studio.ui.trying import Hearer, Tell

LONGEST_HEARD = 300
"""Characters of a segment that is read to try a voice on it."""


class Casting(StudioBase):
    """The actions of the group Cast."""

    _used: tuple[str, ...] = ()
    """Ids of voices that were given out, the last one first."""

    @work(exclusive=True, group="voice")
    async def action_cast_voice(self) -> None:
        """Choose the voice of the segment or the selection."""
        from studio.ui.screens.voice_pick import VoicePick

        segments = [it for it in self.targets if it.kind is not Kind.SCENE_BREAK]
        if not segments:
            self.say("A scene break is silence; nobody reads it.")
            return
        voices = await self.session.read(self.session.project.voices)
        text = segments[0].spoken[:LONGEST_HEARD]

        hearer = Hearer(self.session, self.listening)

        async def hear(voice: Voice, tell: Tell) -> None:
            await hearer.toggle(voice, text, tell)

        one = len(segments) == 1
        title = (
            f"Voice of segment {segments[0].number}"
            if one
            else f"Voice of {formats.count(len(segments), 'segment')}"
        )
        offered = self.by_use(voices)
        current = segments[0].voice if one else offered[0].id
        chosen = await self.app.push_screen_wait(
            VoicePick(title, offered, hear, current=current, note=self.how_to_get_more(voices))
        )
        await hearer.stop()
        self.show_sound()
        if chosen:
            await self._give(segments, chosen)

    async def _give(self, segments: list[Segment], voice: str) -> None:
        """Let a voice read segments."""
        self.used(voice)
        uids = [it.uid for it in segments if it.voice != voice]
        what = formats.count(len(segments), "segment")
        if not uids:
            self.say(f"{voice} reads {'it' if len(segments) == 1 else 'them'} already.")
            return
        try:
            await self.session.do(self.session.project.set_voice, uids, voice)
        except StudioError as error:
            self.say(str(error), kind="error")
            return
        now = [self.session.rows.get(uid) for uid in uids]
        stale = sum(bool(it and it.stale) for it in now)
        told = f"{voice} reads {what} now"
        if stale:
            told += f"; {stale:,} stale, {self.key('segment.narrate')} narrates anew"
        self.say(f"{told}.{await self.refused([it for it in now if it])}")

    def how_to_get_more(self, voices: dict[str, Voice]) -> str:
        """What to press where there is but one voice."""
        more = f"The book has one voice; {self.key('cast.voices')} makes others out of it."
        return more if len(voices) == 1 else ""

    def by_use(self, voices: dict[str, Voice]) -> list[Voice]:
        """Voices in the order in which they are offered: what was used last comes first."""
        last = [voices[name] for name in self._used if name in voices]
        return last + [voice for name, voice in voices.items() if name not in self._used]

    def used(self, voice: str) -> None:
        """Note that a voice was given out."""
        self._used = (voice, *(name for name in self._used if name != voice))

    async def action_cast_voices(self) -> None:
        """Show the voices of the book."""
        from studio.ui.screens.voices import VoicesScreen

        await self.app.push_screen(VoicesScreen(self.session, self.listening, self.keys))

    @work(exclusive=True, group="voice")
    async def action_cast_open(self) -> None:
        """Show who speaks in the book."""
        from studio.ui.screens.cast import CastScreen

        chapter = self.session.chapter_of(self.current)
        screen = CastScreen(self.session, self.listening, self.keys, chapter, self.by_use)
        told = await self.app.push_screen_wait(screen)
        self.show_sound()
        if told:
            self.say(told, lasting=True)
