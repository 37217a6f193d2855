"""The lexicon in the studio: a word and how it is spoken, and what that changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on, work

from studio.project.model import Change, Kind
from studio.ui.screens.lexicon_list import LexiconScreen, saved_sentence
from studio.ui.screens.lexicon_rule import Entry, RuleScreen
from studio.ui.screens.lexicon_words import UncommonScreen, rule_for
from studio.ui.screens.studio_base import StudioBase
from studio.ui.widgets.segment_panel import SegmentPanel
from studio.ui.word_spans import words

if TYPE_CHECKING:
    from studio.narration.alone import SpokenClip

LEXICON = "lexicon"
"""What the word cursor is asked for here."""


class Wording(StudioBase):
    """The actions of the group Words."""

    @work(exclusive=True, group="explain", exit_on_error=False)
    async def explain(self) -> None:
        """Show what the lexicon has changed in the segment, beside its texts."""
        segment = self.current
        if segment is None or segment.spoken == segment.source:
            return
        changes = await self.session.read(self.session.project.explained, segment.uid)
        here = self.current
        if (
            changes
            and here is not None
            and (here.uid, here.spoken) == (segment.uid, segment.spoken)
        ):
            self.panel.show(here, changes, state=self.session.rows.state_of(here))

    async def action_segment_word(self) -> None:
        """Choose a word or a phrase of the segment, then say how it is spoken."""
        segment = self.current
        if segment is None:
            return
        # What the lexicon sees: a rule for what it has put in already would never hit.
        text = await self.session.read(self.session.project.automatic_text, segment.uid)
        spans = words(text)
        if segment.kind is Kind.SCENE_BREAK or not spans:
            why = "was typed by hand" if segment.inserted else "has no word"
            self.say(f"Segment {segment.number} {why}; the lexicon is for what the book says.")
            return
        choose, leave = self.key("words.choose"), self.key("words.leave")
        self.panel.show(segment, state=self.session.rows.state_of(segment))
        more, stays = ("v", " · typed text stays") if segment.edited else ("shift or v", "")
        self.panel.begin_words(
            LEXICON,
            text,
            spans,
            label="word",
            hint=f"{choose} takes it · h l move · {more} more · {leave} leaves{stays}",
            phrases=True,
            settles=True,
        )
        self._words_of = text

    _words_of: str = ""
    """The text that the word cursor moves over."""

    @on(SegmentPanel.WordChosen)
    async def open_chosen_word(self, event: SegmentPanel.WordChosen) -> None:
        """A word was chosen: open the form for it."""
        if event.purpose != LEXICON:
            return
        event.stop()
        try:
            word = self._words_of[event.start : event.end]
            if word[-2:].lower() in ("’s", "'s"):
                word = word[:-2]
            await self._open_rule(await self._entry_of(word))
        finally:
            self.panel.settled.set()

    async def action_lexicon_open(self) -> None:
        """Show every rule."""
        await self.app.push_screen(LexiconScreen(self.session, self.keys, self._form))

    async def action_lexicon_uncommon(self) -> None:
        """List names and odd words."""
        screen = UncommonScreen(
            self.session, self.keys, self._entry_of, self._form, self._go_to_and_play
        )
        await self.app.push_screen(screen)

    # What the screens are given.

    async def _entry_of(self, word: str) -> Entry:
        """The rule that a word has, or one to begin with."""
        project = self.session.project
        book = await self.session.read(project.lexicon)
        return rule_for(word, book, await self.session.read(project.user_lexicon))

    async def _open_rule(self, entry: Entry) -> None:
        def back(change: Change | None) -> None:
            if change is not None:
                self.say(saved_sentence(self.session, change, self.key("narrate.failed")))

        await self.app.push_screen(await self._form(entry), back)

    async def _form(self, entry: Entry) -> RuleScreen:
        """The form for a rule; tried, it is spoken by the voice of the segment here."""
        project = self.session.project
        rules = (
            await self.session.read(project.lexicon),
            await self.session.read(project.user_lexicon),
        )
        voices = await self.session.read(project.voices)
        here = self.current
        voice = voices.get(here.voice) if here is not None else next(iter(voices.values()), None)
        return RuleScreen(
            self.session, self.keys, entry, rules=rules, voice=voice, play=self.play_spoken
        )

    async def play_spoken(self, clip: SpokenClip, label: str) -> None:
        """Play what was spoken beside the book."""
        from studio.sound.source import ClipSource

        await self.listening.play_alone(ClipSource.from_pcm(clip.pcm, clip.rate), label)
        self.show_sound()

    async def _go_to_and_play(self, uid: str) -> str:
        """Put the cursor on a segment and play its take."""
        segment = self.session.rows.get(uid)
        if segment is None:
            return "That segment is not there any more."
        self.grid.move_to_uid(uid)
        if segment.chosen is None:
            return f"Segment {segment.number} has no take yet; the cursor is on it."
        self.play_segment(segment)
        return f"Segment {segment.number}: {segment.spoken}"
