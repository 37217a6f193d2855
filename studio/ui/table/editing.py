"""Changing what is spoken, and taking changes back."""

from __future__ import annotations

from studio.ui.action import Action, pane

ACTIONS: tuple[Action, ...] = (
    pane("editor.save", "enter", "keep", "Keep the text.", "Editor"),
    pane("editor.leave", "escape", "leave", "Leave the text as it was.", "Editor"),
    pane("editor.outside", "ctrl-o", "$EDITOR", "Go on in $VISUAL or $EDITOR.", "Editor"),
    Action(
        "segment.edit",
        ("e", "enter"),
        "edit",
        "Edit what is spoken, in place; the source stays as it is.",
        "Edit",
        footer=4,
    ),
    Action(
        "segment.editor",
        ("ctrl-o",),
        "edit in $EDITOR",
        "Edit what is spoken in $VISUAL or $EDITOR, also from inside the segment's editor.",
        "Edit",
    ),
    Action(
        "segment.automatic",
        (),
        "automatic text",
        "Drop the typed text: speak what the rules make of the source.",
        "Edit",
    ),
    Action(
        "history.undo",
        ("u",),
        "undo",
        "Undo the last change, narration included.",
        "Edit",
        footer=13,
    ),
    Action("history.redo", ("ctrl-r",), "redo", "Redo what was undone.", "Edit"),
    Action("history.list", ("H",), "history", "Show what was done and undone.", "Edit"),
)
