"""Every rule of the lexicon: the book's own and the person's for all books."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import ClassVar

from textual import on, work
from textual.binding import BindingType
from textual.widgets import Input

from studio.book.lexicon import Rule, folded
from studio.errors import StudioError
from studio.project.model import Change
from studio.typed_paths import typed_path
from studio.ui import formats
from studio.ui.action import EVERYWHERE, LEXICON
from studio.ui.actions import bindings
from studio.ui.keys import Keys
from studio.ui.screens.findable import Findable
from studio.ui.screens.lexicon_rule import Entry, RuleScreen
from studio.ui.screens.prompt import Prompt
from studio.ui.services import Session
from studio.ui.widgets.column_list import Column, ColumnList

COLUMNS = (
    Column("word"),
    Column("spoken as"),
    Column("kind", 14, ink="muted", from_columns=64),
    Column("for", 9, ink="muted"),
    Column("segments", 8, right=True),
)

Form = Callable[[Entry], Awaitable[RuleScreen]]
"""Makes the form for a rule."""


def saved_sentence(session: Session, change: Change, narrate: str) -> str:
    """What saving a rule has done, and what to press.

    Args:
        session: The open book, whose rows follow the change already.
        change: What was changed.
        narrate: The key that narrates what is stale.
    """
    rows = [row for uid in change.segments if (row := session.rows.get(uid)) is not None]
    spoken = [row for row in rows if not row.edited]
    if not spoken:
        return "Saved; no segment is spoken otherwise."
    stale = sum("text" in row.stale for row in spoken)
    said = f"{formats.count(len(spoken), 'segment')} changed"
    return f"{said}: {stale:,} stale now; {narrate} narrates them." if stale else f"{said}."


class LexiconScreen(Findable[Entry]):
    """A list with the form behind it."""

    ACTIONS_OF: ClassVar[str] = LEXICON
    NAMED: ClassVar[str] = "lexicon"
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(LEXICON),
        *(replace(it, action=f"app.{it.action}") for it in bindings(EVERYWHERE)),
    ]

    def __init__(self, session: Session, keys: Keys, form: Form) -> None:
        """Show the lexicon of a book.

        Args:
            session: The open book.
            keys: The keys in force.
            form: Makes the form for a rule.
        """
        add, read = keys.shown("lexicon.add"), keys.shown("lexicon.import")
        empty = f"No rule yet. {add} adds one for a word, {read} reads them from a file."
        super().__init__(keys, "Lexicon", COLUMNS, empty)
        self._session, self._form = session, form
        self._entries: list[Entry] = []
        self._hits: dict[str, int] = {}

    def on_mount(self) -> None:
        """Read the rules."""
        self.set_focus(self._list)
        self.read_rules()

    @work(exclusive=True, group="rules", exit_on_error=False)
    async def read_rules(self) -> None:
        """Show the rules, then what each of them hits."""
        project = self._session.project
        book = await self._session.read(project.lexicon)
        user = await self._session.read(project.user_lexicon)
        self._entries = sorted(
            [*(Entry(rule) for rule in book), *(Entry(rule, user=True) for rule in user)],
            key=lambda entry: (folded(entry.rule.word), entry.user),
        )
        self._list_rules()
        self._hits = await self._session.read(project.rule_hits)
        self._list_rules()

    @on(Input.Changed)
    def _list_rules(self) -> None:
        """Show the rules that have the letters looked for."""
        wanted = folded(self._letters)
        self._shown = [
            entry
            for entry in self._entries
            if wanted in folded(entry.rule.word) or wanted in folded(entry.rule.spoken)
        ]
        own = {entry.rule.word for entry in self._entries if not entry.user}
        if self._entries:
            self._list.set_empty("No rule has these letters.")
        self._list.show([self._row(entry, own) for entry in self._shown])
        count = formats.count(len(self._shown), "rule")
        of = f" of {len(self._entries):,}" if len(self._shown) != len(self._entries) else ""
        self._entitle(f"{count}{of}")

    def _row(self, entry: Entry, own: set[str]) -> Sequence[str]:
        rule = entry.rule
        hits = self._hits.get(rule.word)
        found = "–" if hits is None else f"{hits:,}"
        if entry.user and rule.word in own:
            found = "–"  # the book's own rule for the word goes before it
        return (rule.word, rule.spoken, kind_of(rule), SCOPES[entry.user], found)

    # What can be done.

    async def action_lexicon_edit(self) -> None:
        """Open the form on the rule under the cursor."""
        if self.here is not None:
            await self._open(self.here)

    async def action_lexicon_add(self) -> None:
        """Open the form on nothing."""
        await self._open(Entry(Rule("", ""), kept=False))

    @on(ColumnList.Activated)
    async def edit_activated(self, event: ColumnList.Activated) -> None:
        """A double click edits a rule."""
        event.stop()
        await self.action_lexicon_edit()

    async def _open(self, entry: Entry) -> None:
        def back(change: Change | None) -> None:
            if change is not None:
                again = self._keys.shown("narrate.failed")
                self._tell(saved_sentence(self._session, change, again))
                self.read_rules()

        await self.app.push_screen(await self._form(entry), back)

    async def action_lexicon_delete(self) -> None:
        """Delete the rule under the cursor."""
        entry = self.here
        if entry is None:
            return
        try:
            change = await self._session.do(
                self._session.project.remove_rules, [entry.rule.word], user=entry.user
            )
        except StudioError as error:
            self._tell(str(error))
            return
        undo = self._keys.shown("lexicon.undo")
        said = formats.count(len(change.segments), "segment")
        self._tell(f"Deleted “{entry.rule.word}”; {said} changed; {undo} brings it back.")
        self.read_rules()

    async def action_lexicon_undo(self) -> None:
        """Undo the last step of the book."""
        try:
            change = await self._session.do(self._session.project.undo)
        except StudioError as error:
            self._tell(str(error))
            return
        self._tell(f"{change.label}." if change else "There is nothing to undo.")
        self.read_rules()

    def action_lexicon_find(self) -> None:
        """Open the line for the letters."""
        self._open_line()

    def action_lexicon_close(self) -> None:
        """Show all again, then close."""
        self._close_line()

    async def action_lexicon_export(self) -> None:
        """Ask for a file and write the book's rules and the person's into it."""
        folder = self._session.project.folder

        async def take(answer: str | None) -> None:
            if answer:
                await self._export(answer)

        hint = ".csv or .pls · enter writes it, esc leaves"
        prompt = Prompt("Write the rules to", value=str(folder / "lexicon.csv"), hint=hint)
        await self.app.push_screen(prompt, take)

    async def _export(self, typed: str) -> None:
        from studio.commands.lexicon import write_rules

        rules = [entry.rule for entry in self._entries]
        project = self._session.project
        info = await self._session.read(lambda: project.info)
        try:
            path = typed_path(typed)
            left_out = await self._session.read(write_rules, path, rules, info.language)
        except StudioError as error:
            self._tell(str(error))
            return
        less = f"; PLS has no patterns, {left_out} left out" if left_out else ""
        self._tell(f"{formats.count(len(rules) - left_out, 'rule')} written to {path}{less}.")

    async def action_lexicon_import(self) -> None:
        """Ask for a file and read its rules into the book."""

        async def take(answer: str | None) -> None:
            if answer:
                await self._import(answer)

        hint = ".csv or .pls, into this book · enter reads it, esc leaves"
        await self.app.push_screen(Prompt("Read rules from", hint=hint), take)

    async def _import(self, typed: str) -> None:
        from studio.commands.lexicon import read_rules

        project = self._session.project
        try:
            path = typed_path(typed)
            rules = await self._session.read(read_rules, path)
            change = await self._session.do(
                project.put_rules, rules, label=f"lexicon read from {path.name}"
            )
        except StudioError as error:
            self._tell(str(error))
            return
        again = self._keys.shown("narrate.failed")
        said = saved_sentence(self._session, change, again)
        self._tell(f"{formats.count(len(rules), 'rule')} read from {path.name}. {said}")
        self.read_rules()


SCOPES = ("this book", "all books")
"""Whose a rule is, in few letters."""


def kind_of(rule: Rule) -> str:
    """What a rule looks for and puts in, in few letters."""
    if rule.regex:
        return "pattern"
    if rule.phonemes:
        return "phonemes"
    return "word" if rule.whole else "part of word"
