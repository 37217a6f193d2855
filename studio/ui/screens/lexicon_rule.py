"""The form for one rule of the lexicon: what is typed, and what it does to the book."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, Static

from studio.book.lexicon import Rule, check, tidied
from studio.book.pronunciation import marked
from studio.errors import BadInput, StudioError
from studio.project.lexicon import Preview
from studio.project.model import Change, Voice
from studio.ui import formats
from studio.ui.action import EVERYWHERE, RULE
from studio.ui.actions import bindings
from studio.ui.keys import Keys
from studio.ui.screens.own_keys import own_keys
from studio.ui.screens.window import Window
from studio.ui.services import Session
from studio.ui.trying import speak_alone
from studio.ui.typing_fields import FormLine
from studio.ui.widgets.reworded_list import RewordedList, first_change
from studio.ui.widgets.turn_field import TurnField

if TYPE_CHECKING:
    from studio.narration.alone import SpokenClip

PAUSE_SECONDS = 0.2
"""So long after the last key the book is looked through."""
NOTHING_YET = "…"
"""What stands for the new words while there are none."""

AS = ("another spelling", "phonemes")
MATCHES = ("the word by itself", "parts of words too", "a pattern (regular expression)")
CASE = ("in any case", "with these capitals only")
SCOPE = ("this book", "all my books")

Play = Callable[["SpokenClip", str], Awaitable[None]]
"""Plays a clip under a name."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A rule, and whose it is."""

    rule: Rule
    user: bool = False
    """Whether it is for all books of the person."""
    kept: bool = True
    """Whether it stands in the lexicon already."""


class RuleScreen(Window[Change | None]):
    """Answers with what saving has changed, or None when it is left."""

    ACTIONS_OF: ClassVar[str] = RULE
    # Before the fields, which have ctrl-e for the end of the line.
    BINDINGS: ClassVar[list[BindingType]] = [
        *(replace(it, priority=True) for it in bindings(RULE)),
        *(replace(it, action=f"app.{it.action}") for it in bindings(EVERYWHERE)),
        Binding("down", "app.focus_next", show=False, id="form.down"),
        Binding("up", "app.focus_previous", show=False, id="form.up"),
    ]
    CSS_PATH = "lexicon.tcss"
    UNKEPT = "The rule as it stands in the form is not kept yet."

    def __init__(
        self,
        session: Session,
        keys: Keys,
        entry: Entry,
        *,
        rules: tuple[Sequence[Rule], Sequence[Rule]],
        voice: Voice | None,
        play: Play,
    ) -> None:
        """Ask for a rule.

        Args:
            session: The open book.
            keys: The keys in force.
            entry: What stands there to begin with.
            rules: The book's rules, and the person's.
            voice: Who speaks it when it is tried.
            play: Plays what was spoken.
        """
        super().__init__()
        self._session, self._keys = session, keys
        self._entry, self._voice, self._play = entry, voice, play
        self._book, self._user = rules
        self._looked: Entry | None = None
        self._found = Preview()
        self._waiting: Timer | None = None

    def compose(self) -> ComposeResult:
        """The fields, what is wrong, what changes, what to press."""
        rule = self._entry.rule
        matches = 2 if rule.regex else 0 if rule.whole else 1
        yield Static(Content("A rule of the lexicon"), classes="lexicon-title")
        with Vertical(id="rule-form"):
            for label, field in (
                ("word", FormLine(rule.word, id="rule-word", compact=True)),
                ("spoken as", FormLine(rule.spoken, id="rule-spoken", compact=True)),
                ("by", TurnField(AS, int(rule.phonemes), id="rule-as")),
                ("hits", TurnField(MATCHES, matches, id="rule-matches")),
                ("", TurnField(CASE, int(rule.match_case), id="rule-case")),
                ("in", TurnField(SCOPE, int(self._entry.user), id="rule-scope")),
            ):
                with Horizontal(classes="lexicon-row"):
                    yield Static(label, classes="lexicon-label")
                    yield field
        yield Static(id="rule-told", markup=False)
        yield Static(id="rule-count", markup=False)
        yield RewordedList(id="rule-changes")
        yield own_keys(RULE, self._keys, typing=True)

    def on_mount(self) -> None:
        """Begin where something is to be typed."""
        self.set_focus(self.query_one("#rule-spoken" if self._entry.rule.word else "#rule-word"))
        self._look()

    # What is typed.

    @property
    def draft(self) -> Entry:
        """The rule as the fields have it."""
        matches = self.query_one("#rule-matches", TurnField).at
        rule = Rule(
            word=self.query_one("#rule-word", FormLine).value,
            spoken=self.query_one("#rule-spoken", FormLine).value,
            regex=matches == 2,
            phonemes=self.query_one("#rule-as", TurnField).at == 1,
            match_case=self.query_one("#rule-case", TurnField).at == 1,
            whole=matches != 1,
        )
        return Entry(tidied(rule), self.query_one("#rule-scope", TurnField).at == 1)

    def _lists(self, draft: Entry) -> tuple[list[Rule] | None, list[Rule] | None]:
        """The book's rules and the person's with the draft in its place; None where none moves."""
        old = self._entry
        both: list[list[Rule] | None] = []
        for user, rules in ((False, self._book), (True, self._user)):
            away = {old.rule.word} if old.kept and old.user is user else set()
            put = [draft.rule] if draft.user is user else []
            away |= {rule.word for rule in put}
            changed = put or any(rule.word in away for rule in rules)
            both.append([*(r for r in rules if r.word not in away), *put] if changed else None)
        return both[0], both[1]

    @on(Input.Submitted)
    def next_field(self, event: Input.Submitted) -> None:
        """Enter goes on to the next field."""
        event.stop()
        self.focus_next()

    @on(Input.Changed)
    @on(TurnField.Changed)
    def look_again(self) -> None:
        """Look through the book once the hands rest."""
        if self._waiting is None:
            self._waiting = self.set_timer(PAUSE_SECONDS, self._look)
        else:
            self._waiting.reset()

    @work(exclusive=True, group="preview", exit_on_error=False)
    async def _look(self) -> None:
        """Find out what the rule changes, off the event loop."""
        self._waiting = None
        draft = self.draft
        if draft == self._looked:
            return  # The answer to a key stays where nothing else was typed.
        self._looked = draft
        if not draft.rule.word:
            self._tell("")
            self._show(Preview(), "Type the word that the rule is for.")
            return
        shown = draft
        if not draft.rule.spoken:
            # Before it is said how, it can be seen already where the word stands.
            rule = replace(draft.rule, spoken=NOTHING_YET, phonemes=False)
            shown = replace(draft, rule=rule)
        try:
            book, user = self._lists(shown)
            found = await self._session.read(self._session.project.previewed, book=book, user=user)
        except StudioError as error:
            self._tell(str(error))
            self._show(Preview(), "")
            return
        self._tell(self._remark(draft))
        self._show(found, "No segment is spoken otherwise than now.")

    def _remark(self, draft: Entry) -> str:
        """What else saving would do."""
        same = draft.rule.word == self._entry.rule.word and draft.user is self._entry.user
        rules = self._user if draft.user else self._book
        there = next((rule for rule in rules if rule.word == draft.rule.word), None)
        if there is not None and not (same and self._entry.kept):
            return f"This takes the place of the rule that says “{there.spoken}”."
        if draft.user and any(rule.word == draft.rule.word for rule in self._book):
            if not (self._entry.kept and not self._entry.user and same):
                return "This book has a rule of its own for the word, which goes before yours."
        return ""

    def _show(self, found: Preview, empty: str) -> None:
        self._found = found
        count = formats.count(len(found.changed), "segment")
        verb = "changes" if len(found.changed) == 1 else "change"
        line = f"{count} {verb}" if found.changed else ""
        if found.typed:
            stay = "stays as it is" if found.typed == 1 else "stay as they are"
            line += f"{' · ' if line else ''}{found.typed:,} typed by hand {stay}"
        self.query_one("#rule-count", Static).update(Content(line))
        self.query_one(RewordedList).show(found.changed, empty)

    def _tell(self, sentence: str) -> None:
        self.query_one("#rule-told", Static).update(Content(sentence))

    # What can be done.

    async def action_rule_save(self) -> None:
        """Keep the rule, as one step, and go back."""
        draft = self.draft
        book, user = self._lists(draft)
        label = f"{'your ' if draft.user else ''}lexicon: {draft.rule.word}"
        project = self._session.project
        try:
            change = await self._session.do(project.set_lexicon, book=book, user=user, label=label)
        except StudioError as error:
            self._tell(str(error))
            return
        self.dismiss(change)

    @work(exclusive=True, group="test", exit_on_error=False)
    async def action_rule_test(self) -> None:
        """Let the voice say it by itself; the book is not touched."""
        if self._voice is None:
            self._tell("The book has no voice to speak with.")
            return
        text = spoken_alone(self.draft.rule, self._found.changed)
        if not text:
            self._tell(why_nothing(self.draft.rule))
            return
        self._tell("speaking…")
        try:
            clip = await speak_alone(self._session, self._voice, text)
            await self._play(clip, f"“{self.draft.rule.word}”")
        except StudioError as error:
            self._tell(str(error))
        else:
            self._tell("")

    def action_rule_close(self) -> None:
        """Leave; nothing is kept."""
        self.dismiss(None)


def spoken_alone(rule: Rule, changed: Sequence[object]) -> str:
    """What a voice is given to try a rule: the new words by themselves.

    Args:
        rule: The rule.
        changed: Segments that it changes; a pattern is tried on the first of them.
    """
    if not rule.spoken:
        return ""
    if rule.regex:
        first = next(iter(changed), None)
        if first is None:
            return ""
        _, _, new, _, _ = first_change(getattr(first, "before", ""), getattr(first, "after", ""))
        return new.strip()
    if not rule.phonemes:
        return rule.spoken
    try:
        return marked(rule.word, rule.spoken)
    except ValueError:
        return ""


def why_nothing(rule: Rule) -> str:
    """Why there is nothing to try a rule with."""
    if not rule.spoken:
        return "Type how it is spoken first."
    try:
        check(rule)
    except BadInput as error:
        return str(error)
    return "The pattern changes no segment, so there is nothing to speak."
