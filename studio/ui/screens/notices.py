"""Notices: one sentence above the footer, which the next one or the next key takes away."""

from __future__ import annotations

from textual.content import Content
from textual.timer import Timer

from studio.ui.actions import BY_ID
from studio.ui.keys import show_key
from studio.ui.screens.studio_base import StudioBase

NOTICE_SECONDS = 5.0
"""How long a notice stays."""
WELCOME_SECONDS = 12.0
"""How long the first words stay; in a low window they lie over the keys."""


class Notices(StudioBase):
    """What is said, and for how long it stands."""

    _notice_timer: Timer | None = None
    _answered: bool = False
    """Whether the notice is an answer to a key."""

    def say(self, sentence: str, *, kind: str = "", lasting: bool = False) -> None:
        """One short sentence above the footer; the newest replaces the one before."""
        glyph = {"warning": "! ", "error": "✗ "}.get(kind, "")
        style = {"warning": "bold $text-warning", "error": "bold $text-error"}.get(kind, "")
        stay = NOTICE_SECONDS * (2 if kind else 1)
        self._notify(Content.assemble((glyph, style), (sentence, "")), stay)
        self._answered = not lasting and kind != "error"

    def forget_answer(self) -> None:
        """Hide the answer to the key before."""
        if self._answered:
            self.hide_notice()

    def show_sequences(self, prefix: str, known: dict[str, str]) -> None:
        """What may follow the first key of a sequence, or nothing."""
        if not prefix:
            self.hide_notice()
            return
        lines = [Content.assemble((f"{prefix}:", "bold"))]
        for action_id in known.values():
            keys = next(key for key in self.keys.of[action_id] if " " in key)
            part = Content.assemble(
                (show_key(keys.split()[1]), "bold $accent"), f" {BY_ID[action_id].label}"
            )
            between = "  " if lines[-1].cell_length > len(prefix) + 1 else " "
            # A key and its words stay on one line.
            if lines[-1].cell_length + len(between) + part.cell_length <= self.size.width - 2:
                lines[-1] += Content(between) + part
            else:
                lines.append(Content(" " * (len(prefix) + 2)) + part)
        self._notify(Content("\n").join(lines), None)

    def welcome(self) -> None:
        """What to press first, where nothing was narrated yet or a queue was left over."""
        waiting = self.session.waiting
        edits = self.session.project.reopened_edits
        if warning := self.session.place_warning:
            self.say(warning, kind="warning", lasting=True)
        elif waiting:
            lines = f"{waiting:,} segment{'s wait' if waiting != 1 else ' waits'}"
            self._notify(
                Content(
                    f"The queue is paused and {lines} in it:"
                    f" {self.key('queue.stop')} goes on, {self.key('queue.clear')} empties it."
                ),
                WELCOME_SECONDS,
            )
        elif edits:
            undo = self.key("history.undo")
            self.say(f"project.toml was edited outside; {undo} takes that back.", lasting=True)
        elif notices := self.session.project.notices:
            self.say(" ".join(notices), kind="warning", lasting=True)
        elif not self.session.first_book and not any(
            segment.takes for segment in self.session.rows.all
        ):
            self._notify(
                Content(
                    f"{self.key('segment.narrate')} narrates this segment,"
                    f" {self.key('segment.play')} plays"
                    f" it, {self.key('narrate.chapter')} narrates the chapter."
                ),
                WELCOME_SECONDS,
            )

    def _notify(self, content: Content, seconds: float | None) -> None:
        self._answered = False
        if self._notice_timer is not None:
            self._notice_timer.stop()
            self._notice_timer = None
        self.notice.update(content)
        self.notice.add_class("-shown")
        if seconds is not None:
            self._notice_timer = self.set_timer(seconds, self.hide_notice)

    def hide_notice(self) -> None:
        """Say nothing."""
        self._answered = False
        self.notice.remove_class("-shown")
        self.notice.update("")
