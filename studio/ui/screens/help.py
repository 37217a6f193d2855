"""The `?` page: every key of the screen it was opened from, filtered as one types."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from studio.ui import cells, inks
from studio.ui.actions import Action, by_group, for_screen
from studio.ui.help import LEGEND
from studio.ui.keys import Keys, show_key
from studio.ui.screens.window import Window
from studio.ui.typing_fields import Line

MARGIN = 8
"""Cells beside the list: the screen's edges and the scroll bar."""
KEYS = 20
"""Cells of the keys at the left."""


class HelpScreen(Window[None]):
    """All keys in a full screen; typing filters, escape leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "close", id="help.close"),
        Binding("down", "scroll('down')", show=False, id="help.down"),
        Binding("up", "scroll('up')", show=False, id="help.up"),
        Binding("pagedown,ctrl+d", "scroll('page_down')", show=False, id="help.page_down"),
        Binding("pageup,ctrl+u", "scroll('page_up')", show=False, id="help.page_up"),
    ]
    CSS_PATH = "help.tcss"

    def __init__(self, screen: str, keys: Keys) -> None:
        """Show the keys of ``screen`` as they are in force."""
        super().__init__()
        self._actions = for_screen(screen)
        self._keys = keys

    def compose(self) -> ComposeResult:
        """The filter, then the list."""
        yield Static(Content("Keys"), id="help-title")
        yield Line(placeholder="type to search: a key, a word", id="help-filter")
        with VerticalScroll(id="help-body", can_focus=False):
            yield Static(id="help-keys")
        yield Static(
            Content("esc back · ↑ ↓ pgup pgdn scroll · config.toml, [keys] changes keys"),
            id="help-foot",
        )

    def on_mount(self) -> None:
        """Show everything and listen for letters."""
        self.set_focus(self.query_one(Input))
        self._show("")

    def on_resize(self) -> None:
        """There is room for other things now."""
        self._show(self.query_one(Input).value.strip())

    @on(Input.Changed)
    def filter_keys(self, event: Input.Changed) -> None:
        """Show what matches."""
        event.stop()
        self._show(event.value.strip())

    def _show(self, text: str) -> None:
        words = text.casefold().split()
        shown = [action for action in self._actions if self._matches(action, text, words)]
        body = self._page(shown)
        if not shown:
            body = Content(f"No key does “{text}”. Delete it to see them all.")
        elif not text:
            body = Content("\n").join([body, Content(""), LEGEND])
        self.query_one("#help-keys", Static).update(body)
        self.query_one("#help-body").scroll_home(animate=False)

    def _matches(self, action: Action, text: str, words: list[str]) -> bool:
        if text in self._keys.of[action.id]:
            return True
        hay = f"{action.label} {action.help} {action.group} {action.id}".casefold()
        return all(word in hay for word in words)

    def _page(self, actions: list[Action]) -> Content:
        lines: list[Content] = []
        for group, members in by_group(actions).items():
            lines += [Content(""), Content.styled(group, "bold $accent")]
            for action in members:
                keys = " · ".join(show_key(key) for key in self._keys.of[action.id]) or ": palette"
                lines += self._entry(keys, action)
        return Content("\n").join(lines[1:])

    def _entry(self, keys: str, action: Action) -> list[Content]:
        """The keys and what they do, wrapped beside them; then its name in config.toml."""
        room = self.size.width - MARGIN
        head = f"  {keys}".ljust(KEYS - 1) + " "
        first, *rest = cells.wrap(action.help, max(1, room - len(head)))
        more = cells.wrap(" ".join(rest), max(1, room - KEYS))
        lines = [Content.assemble((head, "bold $primary"), first)]
        lines += [Content(" " * KEYS + line) for line in more]
        name = f"  {action.id} "
        if lines[-1].cell_length + len(name) <= room:
            gap = " " * (room - lines[-1].cell_length - len(name))
            lines[-1] = Content.assemble(lines[-1], gap, (name, inks.MUTED))
        else:
            gap = " " * max(0, room - len(name))
            lines.append(Content.assemble(gap, (name, inks.MUTED)))
        return lines

    def action_scroll(self, way: str) -> None:
        """Move the list while the filter keeps the focus."""
        getattr(self.query_one("#help-body"), f"scroll_{way}")(animate=False)

    def action_close(self) -> None:
        """Back to work."""
        self.dismiss(None)
