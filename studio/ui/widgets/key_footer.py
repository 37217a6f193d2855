"""The keys that matter now, as many as fit."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.widget import Widget

from studio.ui import cells, inks

HELP = ("?", "keys")
"""Always shown, at the right: the way to all the others."""
_BETWEEN = " · "


class KeyFooter(Widget):
    """One line of keys; the least important are left out first."""

    DEFAULT_CSS = """
    KeyFooter { height: 1; width: 1fr; }
    """

    def __init__(
        self,
        keys: Sequence[tuple[str, str]] = (),
        *,
        help_key: tuple[str, str] = HELP,
        id: str | None = None,  # noqa: A002 (Textual's word)
        classes: str | None = None,
    ) -> None:
        """A footer.

        Args:
            keys: See `show`.
            help_key: What stands at the right.
            id: Widget id.
            classes: Widget classes.
        """
        super().__init__(id=id, classes=classes)
        self._keys = tuple(keys)
        self._help = help_key

    def show(
        self, keys: Sequence[tuple[str, str]], *, help_key: tuple[str, str] | None = None
    ) -> None:
        """Show other keys.

        Args:
            keys: Pairs of a key's label and one or two words, the most important first; it is
                also the order from left to right.
            help_key: What stands at the right; None leaves it as it is.
        """
        self._keys = tuple(keys)
        self._help = help_key or self._help
        self.refresh()

    def fitting(self, columns: int) -> list[tuple[str, str]]:
        """The keys that fit beside the help, from the first to the first that does not."""
        room = columns - 2 - cells.width(" ".join(self._help)) - 2
        fitting: list[tuple[str, str]] = []
        for key, label in self._keys:
            room -= cells.width(f"{key} {label}") + (len(_BETWEEN) if fitting else 0)
            if room < 0:
                break
            fitting.append((key, label))
        return fitting

    def render(self) -> Content:
        """The line."""
        columns = self.content_size.width
        parts: list[Content | tuple[str, str]] = [(" ", "")]
        for number, (key, label) in enumerate(self.fitting(columns)):
            if number:
                parts.append((_BETWEEN, inks.FAINT))
            parts += [(key, "bold $footer-key-foreground"), (f" {label}", inks.MUTED)]
        line = Content.assemble(*parts)
        key, label = self._help
        help_ = Content.assemble((key, "bold $footer-key-foreground"), (f" {label} ", inks.MUTED))
        space = columns - line.cell_length - help_.cell_length
        return line + Content(" " * max(0, space)) + help_
