"""Changing the segments themselves: split, join, insert, delete, kind, pause, speed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from textual import on

from studio.project.editable import EditableProject
from studio.project.model import Kind, Segment
from studio.ui import cells, formats
from studio.ui.listening import Playing
from studio.ui.replacing import Replacement, Wanted
from studio.ui.screens.replacing import Agreed, ReplaceScreen, Scope
from studio.ui.screens.reviewing import Reviewing
from studio.ui.screens.shape_form import Shape, ShapeForm
from studio.ui.widgets.segment_panel import SegmentPanel
from studio.ui.widgets.spoken_editor import SpokenEditor
from studio.ui.word_spans import pieces

SPLIT = "split"
"""What the word cursor is asked for here."""


class Shaping(Reviewing):
    """The actions that change what the segments are."""

    # Split and join.

    def action_segment_split(self) -> None:
        """Choose the word that the second part begins with."""
        segment = self.current
        if segment is None:
            return
        if segment.kind is Kind.SCENE_BREAK:
            self.say("A scene break is silence; there is nothing to split.")
            return
        typed = segment.edited or segment.inserted
        text = segment.spoken if typed else segment.source
        spans = pieces(text)
        if len(spans) < 2:
            self.say(f"Segment {segment.number} is one word; there is nothing to split.")
            return
        choose, leave = self.key("words.choose"), self.key("words.leave")
        self.panel.show(segment, state=self.session.rows.state_of(segment))
        self.panel.begin_words(
            SPLIT,
            text,
            spans,
            label="spoken" if typed else "source",
            hint=f"{choose} splits before the word · h l move · {leave} leaves it whole",
            at=_likely_cut(text, spans, self.session.project.info.language),
            settles=True,
        )

    @on(SegmentPanel.WordChosen)
    async def split_at_word(self, event: SegmentPanel.WordChosen) -> None:
        """A word was chosen to split before."""
        if event.purpose != SPLIT:
            return
        event.stop()
        try:
            await self._split(event.uid, event.start)
        finally:
            self.panel.settled.set()

    async def _split(self, uid: str, at: int) -> None:
        """Split a segment at a place in the text that the word cursor was on."""
        segment = self.session.rows.get(uid)
        if segment is None:
            return
        project = self.session.project
        if segment.edited and not segment.inserted:
            from studio.book.joining import aligned

            place = aligned(segment.spoken, segment.source, at)
            done = await self.change(project.split, uid, place, spoken_at=at)
        else:
            done = await self.change(project.split, uid, at)
        if done is not None:
            number = segment.number
            self.say(
                f"Segment {number} is now {number} and {number + 1};"
                f" {self.key('segment.join')} joins them, {self.key('history.undo')} undoes it."
            )

    async def action_segment_join(self) -> None:
        """Join the segment with the next, or all that is selected where it is a run."""
        segments = self.targets
        if not segments:
            return
        if len(segments) == 1:
            (segment,) = segments
            following = self.session.rows.after(segment.uid)
            done = await self.change(self.session.project.join, segment.uid)
            if done is not None and following is not None:
                self.say(f"Joined segments {segment.number} and {following.number}.")
            return
        if problem := _no_run(segments):
            self.say(problem, kind="warning")
            return
        first, last = segments[0], segments[-1]
        label = f"joined segments {first.number} to {last.number}"

        def join_all(project: EditableProject) -> None:
            for _ in segments[1:]:
                project.join(first.uid)

        if await self.change(self.session.project.together, label, join_all) is not None:
            self.grid.move_to_uid(first.uid)
            self.say(f"{label[0].upper()}{label[1:]}.")

    # Insert and delete.

    def action_segment_insert(self) -> None:
        """Open the editor on the text of a new segment after this one."""
        segment = self.current
        if segment is None:
            return
        self.panel.show(segment, state=self.session.rows.state_of(segment))
        self.panel.begin_edit("", insert=True)
        self.set_focus(self.panel.query_one(SpokenEditor))

    @on(SegmentPanel.InsertDone)
    async def take_insert(self, event: SegmentPanel.InsertDone) -> None:
        """The text of a new segment was kept."""
        event.stop()
        try:
            await self.insert_text(event.after, event.text)
        finally:
            self.panel.settled.set()

    async def insert_text(self, after: str, text: str) -> bool:
        """Put in a segment after another; nothing at all inserts nothing.

        Returns:
            False where it could not be done, and the text is in the editor again.
        """
        if not text:
            return True
        if await self.change(self.session.project.insert, after, text) is None:
            if (here := self.current) is not None and here.uid == after:
                self.panel.begin_edit(text, insert=True)
                self.set_focus(self.panel.query_one(SpokenEditor))
            return False
        if (new := self.session.rows.after(after)) is not None:
            self.grid.move_to_uid(new.uid)
            self.say(
                f"Inserted segment {new.number}; {self.key('segment.narrate')} narrates it,"
                f" {self.key('history.undo')} takes it out again."
            )
        return True

    async def action_segment_delete(self) -> None:
        """Delete what is selected, or the segment; undo brings it back."""
        segments = self.targets
        if not segments:
            return
        uids = [segment.uid for segment in segments]
        # Listening onward goes on with what stands there then, wherever it was begun.
        if self.listening.what is not Playing.ONWARD and self.listening.uid in uids:
            await self.listening.stop()
            self.show_sound()
        keep = self._beside(frozenset(uids))
        if await self.change(self.session.project.delete, uids) is None:
            return
        if keep:
            self.grid.reload(keep)
        one = len(segments) == 1
        what = f"segment {segments[0].number}" if one else f"{len(segments):,} segments"
        back = "it" if one else "them"
        self.say(f"Deleted {what}; {self.key('history.undo')} brings {back} back.")

    def _beside(self, gone: frozenset[str]) -> str:
        """The segment that the cursor goes to: the next one that stays, else the one before."""
        rows, here = self.session.rows, self.grid.cursor
        around = (rows.uids(range(here, len(rows))), reversed(rows.uids(range(here))))
        return next((uid for uid in chain(*around) if uid not in gone), "")

    # Find and replace.

    _wanted = Wanted("", "")
    """What was looked for last."""

    async def action_find_replace(self) -> None:
        """Replace a text in what is spoken."""
        rows, chapter = self.session.rows, self.session.chapter_of(self.current)
        scopes = [Scope("the book", rows.all)]
        if chapter is not None:
            here = rows.all[rows.spans()[chapter.id]]
            scopes.append(Scope(f"chapter {chapter.number}", here))
        if rows.filter is not None:
            shown = [rows.row(index) for index in range(len(rows))]
            scopes.insert(0, Scope("what the filter shows", shown))
        if rows.selection:
            scopes.insert(0, Scope("the selection", self.targets))

        async def take(agreed: Agreed | None) -> None:
            if agreed is not None:
                self._wanted = agreed.wanted
                if agreed.changes:
                    await self._replace(agreed.changes)

        await self.app.push_screen(ReplaceScreen(scopes, self._wanted, self.keys), take)

    async def _replace(self, changes: Sequence[Replacement]) -> None:
        """Replace, as one step, and say how many takes are stale by that."""
        texts = {item.uid: item.after for item in changes}
        lines = formats.count(len(changes), "segment")
        label = f"replaced “{cells.crop(self._wanted.find, 24)}” in {lines}"
        if await self.change(self.session.project.replace_spoken, texts, label) is None:
            return
        stale = sum(bool((it := self.session.rows.get(uid)) and it.stale) for uid in texts)
        tell = f"; {stale:,} {'is' if stale == 1 else 'are'} stale now" if stale else ""
        hits = formats.count(sum(item.hits for item in changes), "hit")
        undo = self.key("history.undo")
        self.say(f"Replaced {hits} in {lines}{tell}; {undo} takes it back.")

    # Kind, pause, speed.

    async def action_segment_shape(self) -> None:
        """Ask for kind, pause and speed of what is selected, or of the segment."""
        if segments := self.targets:

            async def take(shape: Shape | None) -> None:
                if shape is not None:
                    await self._shape(segments, shape)

            await self.app.push_screen(ShapeForm(segments), take)

    async def _shape(self, segments: Sequence[Segment], shape: Shape) -> None:
        """Apply what was changed in the form, as one step."""
        spoken = [it.uid for it in segments if it.kind is not Kind.SCENE_BREAK]
        every = [it.uid for it in segments]
        names = [
            name
            for name, changed in (
                ("kind", shape.kind is not None),
                ("pause", shape.pause_changed),
                ("speed", shape.speed is not None),
            )
            if changed
        ]
        one = len(segments) == 1
        of = f"segment {segments[0].number}" if one else formats.count(len(segments), "segment")
        what = f"the {' and the '.join(names)} of {of}"

        def apply(project: EditableProject) -> None:
            if shape.kind is not None:
                project.set_kind(spoken, shape.kind)
            if shape.pause_changed:
                project.set_pause(every, shape.pause_ms)
            if shape.speed is not None:
                project.set_speed(spoken, shape.speed)

        done = await self.change(self.session.project.together, f"changed {what}", apply)
        if not done:
            return
        now = [self.session.rows.get(uid) for uid in every]
        again = ""
        if stale := sum(bool(it and it.stale) for it in now):
            narrate = self.key("segment.narrate")
            again = f"; {'it is' if one else f'{stale:,} are'} stale now, {narrate} narrates"
        self.say(f"Changed {what}{again}.")


def _likely_cut(text: str, spans: Sequence[tuple[int, int]], language: str) -> int:
    """The word to begin with: the first of the second sentence, else one in the middle."""
    from studio.book.sentences import split

    sentences = split(text, language)
    if len(sentences) > 1:
        end = text.find(sentences[0]) + len(sentences[0])
        return next((n for n, (start, _) in enumerate(spans) if start >= end and n), 1)
    return max(1, len(spans) // 2)


def _no_run(segments: Sequence[Segment]) -> str:
    """Why segments cannot be joined, or nothing."""
    numbers = [segment.number for segment in segments]
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return "Only segments that follow one another can be joined; the selection has gaps."
    if len({segment.chapter for segment in segments}) > 1:
        return "Only segments of one chapter can be joined; the selection has more than one."
    if silent := next((it for it in segments if it.kind is Kind.SCENE_BREAK), None):
        return f"Segment {silent.number} is a scene break; it cannot be joined."
    return ""
