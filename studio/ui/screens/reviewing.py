"""Judging and changing segments in the studio: approval, notes, text, history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from textual import on

from studio.errors import StudioError
from studio.project.beside import kept_line
from studio.project.model import Change, Kind, Segment, State
from studio.ui import formats
from studio.ui.outside_editor import edit_outside
from studio.ui.screens.past import PastScreen
from studio.ui.screens.prompt import Prompt
from studio.ui.screens.studio_base import StudioBase
from studio.ui.widgets.segment_panel import SegmentPanel
from studio.ui.widgets.spoken_editor import SpokenEditor

ALL_STEPS = 1_000_000
"""More steps than any history has."""
STEPS_AT_ONCE = 25
"""Steps of the history that are turned without a pause for others."""
MANY = 2_000
"""Segments above which a change is of the whole book, and has no place to go to."""


class Reviewing(StudioBase):
    """The actions of the groups Review and Edit."""

    async def change(
        self, command: Callable[..., Any], *args: Any, **options: Any
    ) -> Change | None:
        """Run a command; what cannot be done is said in its own words."""
        try:
            result = await self.session.do(command, *args, **options)
        except StudioError as error:
            self.say(str(error), kind="error")
            return None
        if not isinstance(result, Change):
            return None
        if result.structure:
            self.grid.reload()  # The key behind this one is for what the cursor is on now.
        return result

    # Judgement.

    async def action_segment_approve(self) -> None:
        """Approve what is selected; else the segment, and go to the next not approved."""
        if self.session.rows.selection:
            await self._approve_all(self.targets)
            return
        segment = self.current
        if segment is None:
            return
        if segment.kind is not Kind.SCENE_BREAK and not await self._approve(segment):
            return
        if self.grid.following:
            return  # The cursor is where the ear is, and goes on with it.
        # Only ahead: at the end of the list a person wants to know that they are through.
        rows = self.session.rows
        for index in range(self.grid.cursor + 1, len(rows)):
            row = rows.row(index)
            if row.kind is not Kind.SCENE_BREAK and rows.state_of(row) is not State.APPROVED:
                self.grid.move_to(index)
                return
        left = len(rows.in_state(frozenset(State) - {State.APPROVED, State.READY}))
        self.say(
            f"No segment after this one waits for approval; {left} elsewhere are not ready."
            if left
            else "No segment after this one waits for approval."
        )

    async def _approve(self, segment: Segment) -> bool:
        """Approve a segment; says why where it cannot be approved."""
        if segment.chosen is None:
            again = self.key("segment.narrate")
            self.say(f"Segment {segment.number} has no take to approve; {again} narrates it.")
            return False
        seen = self._seen(segment)
        if seen is None:
            play = self.key("segment.play")
            self.say(f"Segment {segment.number} has just got its take; {play} plays it.")
            return False
        if self.session.seen.came_under(segment.uid, self.listening.take_of(segment.uid)):
            keep, again = self.key("takes.keep"), self.key("segment.approve")
            self.say(
                f"Another take of segment {segment.number} has come and is the chosen one;"
                f" {keep} chooses the one that sounds, {again} approves the new one.",
                kind="warning",
            )
            return False
        if segment.stale:
            what = " and ".join(segment.stale)
            self.say(
                f"Segment {segment.number} is stale: its {what} changed since the take;"
                f" {self.key('segment.narrate')} narrates it anew.",
                kind="warning",
            )
            return False
        if segment.approved == segment.chosen == seen and not segment.queued:
            return True  # Of one that is narrated anew it says that this take is to stay.
        return await self._approve_seen({segment.uid: seen})

    def _seen(self, segment: Segment) -> int | None:
        """The take that was on the screen as the chosen one when the key was pressed."""
        return self.session.seen.chosen(segment.uid, segment.chosen, self.pressed)

    async def _approve_seen(self, seen: Mapping[str, int], told: str = "") -> bool:
        """Approve takes as they were seen; what has come in their place is told."""
        project, kept = self.session.project, list[int]()

        def approve() -> Change:
            before = project.segments_by_uid(seen).values()
            change = project.approve(seen, seen=seen)
            kept.extend(it.number for it in before if it.chosen != seen[it.uid])
            return change

        if await self.change(approve) is None:
            return False
        if kept:
            told = f"{told} {kept_line(sorted(kept))}".lstrip()
        if told:
            self.say(told, lasting=bool(kept))
        return True

    async def _approve_all(self, segments: Sequence[Segment]) -> None:
        """Approve what can be approved, as one step; the others are counted and named."""
        wanted: dict[str, int] = {}
        left: Counter[tuple[str, str]] = Counter()
        for segment in segments:
            if segment.kind is Kind.SCENE_BREAK:
                continue
            seen = self._seen(segment)
            if segment.chosen is None:
                left["has no take", "have no take"] += 1
            elif seen is None:
                left["has just got its take", "have just got their takes"] += 1
            elif segment.stale:
                left["is stale", "are stale"] += 1
            elif segment.approved == segment.chosen == seen and not segment.queued:
                left["was approved already", "were approved already"] += 1
            else:
                wanted[segment.uid] = seen
        reasons = formats.reasons(left)
        if not wanted:
            self.say(f"Nothing to approve: {reasons or 'a scene break needs no approval'}.")
            return
        rest = f"; {reasons}" if reasons else ""
        await self._approve_seen(wanted, f"Approved {formats.count(len(wanted), 'segment')}{rest}.")

    async def action_segment_mark(self) -> None:
        """Mark what is selected, or the segment; where all of it is marked, take the marks off."""
        if segments := self.targets:
            on = not all(segment.mark for segment in segments)
            changed = [segment.uid for segment in segments if segment.mark is not on]
            done = await self.change(self.session.project.mark, changed, on)
            if done is not None and len(segments) > 1:
                verb = "Marked" if on else "Unmarked"
                self.say(f"{verb} {formats.count(len(changed), 'segment')}.")

    async def action_segment_note(self) -> None:
        """Write a note on the segment under the cursor; an empty one is none."""
        segment = self.current
        if segment is None:
            return

        async def take(text: str | None) -> None:
            if text is not None and text != segment.note:
                await self.change(self.session.project.set_note, segment.uid, text)

        title = f"Note on segment {segment.number}"
        await self.app.push_screen(Prompt(title, value=segment.note, work=True), take)

    # Text.

    def action_segment_edit(self) -> None:
        """Open the editor in place."""
        segment = self.current
        if segment is None:
            return
        if segment.kind is Kind.SCENE_BREAK:
            self.say("A scene break has no text.")
            return
        self.panel.show(segment, state=self.session.rows.state_of(segment))
        self.panel.begin_edit()
        # At once: the keys that follow may be on their way already.
        self.set_focus(self.panel.query_one(SpokenEditor))

    @on(SegmentPanel.EditDone)
    async def take_edit(self, event: SegmentPanel.EditDone) -> None:
        """The text was kept."""
        event.stop()
        try:
            if not await self.set_spoken(event.uid, event.text):
                self._give_back(event.uid, event.text)
        finally:
            self.panel.settled.set()

    def _give_back(self, uid: str, text: str) -> None:
        """What could not be kept goes back into the editor: nobody types it twice."""
        if (here := self.current) is not None and here.uid == uid:
            self.panel.begin_edit(text)
            self.set_focus(self.panel.query_one(SpokenEditor))

    @on(SegmentPanel.EditCancelled)
    def drop_edit(self, event: SegmentPanel.EditCancelled) -> None:
        """The text was left as it was."""
        event.stop()

    async def set_spoken(self, uid: str, text: str) -> bool:
        """Keep a spoken text; nothing at all goes back to the automatic text.

        Returns:
            False where it could not be kept; why was said.
        """
        segment = self.session.rows.get(uid)
        if segment is None or text == segment.spoken:
            return True
        if await self.change(self.session.project.edit_spoken, uid, text or None) is None:
            return False
        now = self.session.rows.get(uid)
        if not text:
            self.say(f"Segment {segment.number} speaks the automatic text again.")
        elif now is not None and now.stale:
            self.say(
                f"Segment {now.number} is stale now; {self.key('segment.narrate')} narrates it."
            )
        return True

    async def action_segment_automatic(self) -> None:
        """Drop what was typed, in all that is selected or in the segment."""
        if self.session.rows.selection:
            typed = [it.uid for it in self.targets if it.edited and not it.inserted]
            texts = dict.fromkeys(typed)
            lines = formats.count(len(typed), "segment")
            if not typed:
                self.say("No selected segment has a typed text in place of the automatic one.")
            elif await self.change(
                self.session.project.replace_spoken, texts, f"automatic text of {lines}"
            ):
                self.say(f"{lines} speak{'s' * (len(typed) == 1)} the automatic text again.")
            return
        segment = self.current
        if segment is not None and segment.edited:
            await self.change(self.session.project.edit_spoken, segment.uid, None)
        elif segment is not None:
            self.say(f"Segment {segment.number} speaks the automatic text already.")

    async def action_segment_editor(self) -> None:
        """Edit what is spoken in $EDITOR."""
        segment = self.current
        if segment is None or segment.kind is Kind.SCENE_BREAK:
            self.say("A scene break has no text.")
            return
        text = self._outside(segment.spoken)
        if text == segment.spoken:
            self.say("The text is unchanged.")
        elif text is not None and not await self.set_spoken(segment.uid, text):
            self._give_back(segment.uid, text)

    @on(SegmentPanel.OpenInEditor)
    def go_on_outside(self, event: SegmentPanel.OpenInEditor) -> None:
        """From inside the editor; what comes back is still to be kept or left."""
        event.stop()
        text = self._outside(event.text)
        self.panel.begin_edit(event.text if text is None else text)

    def _outside(self, text: str) -> str | None:
        """Hand the terminal to $EDITOR; None, and a notice, where that did not work."""
        try:
            return edit_outside(self.app, text)
        except StudioError as error:
            self.say(str(error), kind="warning")
            return None

    async def keep_edit(self) -> bool:
        """Keep what stands in an open editor: before quitting, and when a click leaves it.

        Returns:
            False where it could not be kept, and is in the editor still.
        """
        if self.panel.editing and (segment := self.panel.segment) is not None:
            text = " ".join(self.panel.query_one(SpokenEditor).text.split())
            inserting = self.panel.inserting
            self.panel.end_edit()
            if inserting:
                return await self.insert_text(segment.uid, text)
            if not await self.set_spoken(segment.uid, text):
                self._give_back(segment.uid, text)
                return False
        return True

    async def insert_text(self, after: str, text: str) -> bool:
        """Put in a segment after another; False where that could not be done."""
        raise NotImplementedError

    # History.

    async def action_history_undo(self) -> None:
        """Undo, and show where."""
        await self._through_history(self.session.project.undo, "Nothing to undo.")

    async def action_history_redo(self) -> None:
        """Redo, and show where."""
        await self._through_history(self.session.project.redo, "Nothing to redo.")

    async def _through_history(self, step: Callable[[], Change | None], nothing: str) -> None:
        change = await self.change(step)
        if change is None:
            self.say(nothing)
            return
        self.say(f"{change.label[:1].upper()}{change.label[1:]}.")
        self._show_change(change)

    def _show_change(self, change: Change) -> None:
        """Go to the first of the segments that changed, unless the cursor is on one of them."""
        here, rows = self.current, self.session.rows
        if (here is not None and here.uid in change.segments) or len(change.segments) > MANY:
            return
        places = [place for uid in change.segments if (place := rows.index_of(uid)) is not None]
        if places:
            self.grid.move_to(min(places), center=True)

    async def action_history_list(self) -> None:
        """Show what was done; choosing a step goes back or forward to it."""
        entries = await self.session.read(self.session.project.history, ALL_STEPS)
        if not entries:
            self.say("Nothing was changed yet.")
            return

        async def take(steps: int | None) -> None:
            if steps:
                await self._go_in_history(steps)

        await self.app.push_screen(PastScreen(entries), take)

    async def _go_in_history(self, steps: int) -> None:
        """Undo so many steps, or redo them where the number is below 0."""
        project = self.session.project
        turn = project.undo if steps > 0 else project.redo
        left, change = abs(steps), Change()
        while left:
            # A few at a time: what is narrated meanwhile is kept, and waits only for those.
            turned = await self.change(_turned, turn, min(left, STEPS_AT_ONCE))
            if turned is None:
                break
            change |= turned
            left -= STEPS_AT_ONCE if left > STEPS_AT_ONCE else left
        self._show_change(change)
        last = await self.session.read(lambda: project.can_undo)
        self.say(f"Back at: {last}." if last else "Back at the beginning; nothing is left to undo.")


def _turned(turn: Callable[[], Change | None], steps: int) -> Change | None:
    """Several steps of the history; for the desk."""
    change = None
    for _ in range(steps):
        turned = turn()
        if turned is None:
            break
        change = turned if change is None else change | turned
    return change
