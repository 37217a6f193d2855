"""Uncommon words of the book: what a voice may not know how to say."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import ClassVar

from textual import on, work
from textual.binding import BindingType
from textual.widgets import Input

from studio.book.lexicon import Lexicon, Rule, folded
from studio.book.uncommon import Uncommon, uncommon
from studio.engines.dictionary import dictionary
from studio.project.lexicon import AutomaticText, in_force
from studio.project.model import Change
from studio.ui import formats
from studio.ui.action import EVERYWHERE, UNCOMMON
from studio.ui.actions import bindings
from studio.ui.keys import Keys
from studio.ui.screens.findable import Findable
from studio.ui.screens.lexicon_list import Form, saved_sentence
from studio.ui.screens.lexicon_rule import Entry
from studio.ui.services import Session
from studio.ui.widgets.column_list import Column, ColumnList

COLUMNS = (
    Column("word"),
    Column("times", 7, right=True),
    Column("first", 8, right=True, ink="muted"),
    Column("spoken as", ink="good"),
)


class UncommonScreen(Findable[Uncommon]):
    """A list of words, with the form for how they are spoken."""

    ACTIONS_OF: ClassVar[str] = UNCOMMON
    NAMED: ClassVar[str] = "uncommon"
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(UNCOMMON),
        *(replace(it, action=f"app.{it.action}") for it in bindings(EVERYWHERE)),
    ]

    def __init__(
        self,
        session: Session,
        keys: Keys,
        entry_of: Callable[[str], Awaitable[Entry]],
        form: Form,
        play: Callable[[str], Awaitable[str]],
    ) -> None:
        """List the words of a book.

        Args:
            session: The open book.
            keys: The keys in force.
            entry_of: The rule that a word has, or one to begin with.
            form: Makes the form for a rule.
            play: Goes to the segment of a uid and plays it; gives a sentence about it.
        """
        super().__init__(keys, "Uncommon words", COLUMNS, "Looking through the book…")
        self._session = session
        self._entry_of, self._form, self._play = entry_of, form, play
        self._texts: Sequence[AutomaticText] = ()
        self._words: Sequence[Uncommon] = ()
        self._lexicon = Lexicon(())

    def on_mount(self) -> None:
        """Look through the book."""
        self.set_focus(self._list)
        self._read()

    @work(exclusive=True, group="words", exit_on_error=False)
    async def _read(self) -> None:
        """Find the words, off the event loop."""
        project = self._session.project
        self._texts = await self._session.read(project.automatic_texts)
        info = await self._session.read(lambda: project.info)
        texts = [row.text for row in self._texts]
        self._words = await asyncio.to_thread(uncommon, texts, dictionary(info.language))
        self._list.set_empty("Every word of this book is a common one.")
        await self._read_rules()

    async def _read_rules(self) -> None:
        """Find out which words have a rule already."""
        project = self._session.project
        book = await self._session.read(project.lexicon)
        user = await self._session.read(project.user_lexicon)
        self._lexicon = Lexicon(rule for rule in in_force(book, user) if not rule.regex)
        self._list_words()

    @on(Input.Changed)
    def _list_words(self) -> None:
        """Show the words that have the letters looked for."""
        wanted = folded(self._letters)
        self._shown = [word for word in self._words if wanted in folded(word.word)]
        if self._words:
            self._list.set_empty("No word has these letters.")
        self._list.show(Rows(self._shown, self._texts, self._lexicon))
        self._entitle(formats.count(len(self._shown), "word"))

    # What can be done.

    async def action_uncommon_rule(self) -> None:
        """Open the form for the word under the cursor."""
        if self.here is None:
            return

        async def back(change: Change | None) -> None:
            if change is not None:
                again = self._keys.shown("narrate.failed")
                self._tell(saved_sentence(self._session, change, again))
                await self._read_rules()

        entry = await self._entry_of(self.here.word)
        await self.app.push_screen(await self._form(entry), back)

    @on(ColumnList.Activated)
    async def open_activated(self, event: ColumnList.Activated) -> None:
        """A double click opens the form."""
        event.stop()
        await self.action_uncommon_rule()

    async def action_uncommon_play(self) -> None:
        """Go to the first segment with the word, and play it."""
        if self.here is not None:
            self._tell(await self._play(self._texts[self.here.first].uid))

    def action_uncommon_find(self) -> None:
        """Open the line for the letters."""
        self._open_line()

    def action_uncommon_close(self) -> None:
        """Show all again, then close."""
        self._close_line()


class Rows(Sequence[Sequence[str]]):
    """Words as rows of the list; each is made when it is drawn."""

    def __init__(
        self, words: Sequence[Uncommon], texts: Sequence[AutomaticText], lexicon: Lexicon
    ) -> None:
        """Rows over words that somebody else holds."""
        self._words, self._texts, self._lexicon = words, texts, lexicon

    def __len__(self) -> int:
        """How many words there are."""
        return len(self._words)

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        """One row: word, count, first segment, how it is spoken where a rule says so."""
        word = self._words[index]
        spoken = self._lexicon.apply(word.word)
        number = self._texts[word.first].number
        said = spoken if spoken != word.word else ""
        return (word.word, f"{word.count:,}", f"{number:,}", said)


def rule_for(word: str, book: Sequence[Rule], user: Sequence[Rule]) -> Entry:
    """The rule that a word has, the book's before the person's, or one to begin with.

    Args:
        word: As it stands in the book.
        book: The book's rules.
        user: The person's rules.
    """
    key = folded(word)
    for whose, rules in ((False, book), (True, user)):
        for rule in rules:
            if not rule.regex and folded(rule.word) == key:
                return Entry(rule, user=whose)
    return Entry(Rule(word, ""), kept=False)
