"""A window with a long list, a line for letters to find in it, and a line for what is answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, Static

from studio.ui.keys import Keys
from studio.ui.screens.own_keys import own_keys
from studio.ui.screens.window import Window
from studio.ui.typing_fields import Line
from studio.ui.widgets.column_list import Column, ColumnList

R = TypeVar("R")


class Findable(Window[None], Generic[R]):
    """What the lists of the lexicon have in common; ``R`` is what stands in a row."""

    CSS_PATH = "lexicon.tcss"

    ACTIONS_OF: ClassVar[str]
    NAMED: ClassVar[str]
    """How the ids of the lines begin."""

    def __init__(self, keys: Keys, title: str, columns: Sequence[Column], empty: str) -> None:
        """An empty list.

        Args:
            keys: The keys in force.
            title: What stands above it, before the count.
            columns: Of the list.
            empty: What it says while nothing is in it.
        """
        super().__init__()
        self._keys, self._title, self._columns, self._empty = keys, title, columns, empty
        self._shown: Sequence[R] = ()

    def compose(self) -> ComposeResult:
        """Title, list, what to find, the answer to the last key, the keys."""
        yield Static(Content(self._title), classes="lexicon-title", id=f"{self.NAMED}-title")
        yield ColumnList(self._columns, empty=self._empty, id=f"{self.NAMED}-list")
        yield Line(placeholder="letters to find", classes="lexicon-find", compact=True)
        yield Static(classes="lexicon-told", id=f"{self.NAMED}-told", markup=False)
        yield own_keys(self.ACTIONS_OF, self._keys)

    @property
    def _list(self) -> ColumnList:
        return self.query_one(ColumnList)

    @property
    def _letters(self) -> str:
        """What is looked for."""
        return self.query_one(Line).value.strip()

    @property
    def here(self) -> R | None:
        """What is under the cursor."""
        return self._shown[self._list.cursor] if self._shown else None

    def _entitle(self, count: str) -> None:
        """Put a count behind the title."""
        title = Content(f"{self._title} · {count}")
        self.query_one(f"#{self.NAMED}-title", Static).update(title)

    def _tell(self, sentence: str) -> None:
        self.query_one(f"#{self.NAMED}-told", Static).update(Content(sentence))

    def _open_line(self) -> None:
        """Open the line for the letters."""
        line = self.query_one(Line)
        line.add_class("-open")
        self.set_focus(line)

    @on(Input.Submitted)
    def found(self, event: Input.Submitted) -> None:
        """Enter goes to the list."""
        event.stop()
        self.set_focus(self._list)

    def _close_line(self) -> None:
        """Show all again, then close the window."""
        line = self.query_one(Line)
        if line.has_class("-open"):
            line.value = ""
            line.remove_class("-open")
            self.set_focus(self._list)
        else:
            self.dismiss(None)
