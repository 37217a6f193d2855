"""The pieces of a manuscript: what of it is narrated."""

from __future__ import annotations

from studio.ui.action import PICKING, Action


def _pick(name: str, key: str, label: str, sentence: str, footer: int = 0) -> Action:
    return Action(f"picking.{name}", (key,), label, sentence, "Import", PICKING, footer)


ACTIONS: tuple[Action, ...] = (
    _pick("take", "enter", "import", "Import the book with the pieces that are ticked.", 2),
    _pick("tick", "space", "tick", "Tick the piece under the cursor, or leave it out.", 1),
    _pick("all", "a", "all", "Tick every piece; where all are ticked, none.", 3),
    _pick("reset", "r", "as it was", "Tick again what starts ticked.", 4),
    _pick("notes", "1", "notes", "Read footnotes and endnotes, or not; once more: where."),
    _pick("addresses", "2", "addresses", "Read links that are nothing but an address, or not."),
    _pick("tables", "3", "tables", "Read tables, or not."),
    _pick("images", "4", "texts of pictures", "Read what pictures say of themselves, or not."),
    _pick("front", "5", "front matter", "Tick the pages before the story by content, all or none."),
    _pick("back", "6", "back matter", "Tick the pages behind it by content, all or none."),
    _pick("dates", "7", "dates", "Read 03/04/2021 by the book’s language, day or month first."),
    _pick("close", "escape", "leave", "Leave without importing anything.", 5),
)
