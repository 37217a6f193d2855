"""Changing what is spoken, and taking changes back."""

from __future__ import annotations

from studio.ui.action import Action, pane


def _word(name: str, keys: tuple[str, ...], label: str, sentence: str) -> Action:
    """An action of the word cursor."""
    group = "In the words"
    return Action(f"words.{name}", keys, label, sentence, group, palette=False, pane="words")


def _typing(name: str, keys: tuple[str, ...], label: str, sentence: str) -> Action:
    """An action of the editor that moves in the text; no news for the footer."""
    group = "In the editor"
    return Action(f"editor.{name}", keys, label, sentence, group, palette=False, pane="editor")


ACTIONS: tuple[Action, ...] = (
    _word("choose", ("enter",), "take it", "Take the word or the phrase under the cursor."),
    _word("leave", ("escape",), "leave", "Give up the phrase, then leave the words."),
    _word("after", ("l", "right"), "next word", "Go to the next word."),
    _word("before", ("h", "left"), "word before", "Go to the word before."),
    _word("down", ("j", "down"), "line down", "Go to the line below."),
    _word("up", ("k", "up"), "line up", "Go to the line above."),
    _word("first", ("home",), "first word", "Go to the first word."),
    _word("last", ("end",), "last word", "Go to the last word."),
    _word("more", ("shift-right",), "longer", "Take the next word into the phrase."),
    _word("less", ("shift-left",), "shorter", "Take the word before into the phrase."),
    _word("phrase", ("v",), "phrase", "Begin a phrase here, or give it up."),
    pane("editor.save", "enter", "keep", "Keep the text.", "Editor"),
    pane("editor.leave", "escape", "leave", "Leave the text as it was.", "Editor"),
    pane("editor.outside", "ctrl-o", "$EDITOR", "Go on in $VISUAL or $EDITOR.", "Editor"),
    _typing("word-before", ("ctrl-left", "alt-left"), "word left", "Go to the word before."),
    _typing("word-after", ("ctrl-right", "alt-right"), "word right", "Go to the next word."),
    _typing("erase-word", ("ctrl-w", "alt-backspace"), "rub out", "Rub out the word before."),
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
        "Edit what is spoken in $VISUAL or $EDITOR, also from inside the segment’s editor.",
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
        "segment.split",
        ("s",),
        "split",
        "Split the segment before a word: choose it with ← →, enter splits.",
        "Edit",
    ),
    Action(
        "segment.join",
        ("J",),
        "join",
        "Join the segment with the next, or the selected ones with each other.",
        "Edit",
    ),
    Action(
        "segment.insert",
        ("i",),
        "insert",
        "Insert a segment of your own after this one.",
        "Edit",
    ),
    Action(
        "segment.delete",
        ("d",),
        "delete",
        "Delete the segment, or the selected ones; undo brings them back.",
        "Edit",
    ),
    Action(
        "segment.shape",
        ("c",),
        "kind, pause, speed",
        "Change kind, pause and speed of the segment, or of the selected ones.",
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
