"""Moving about."""

from __future__ import annotations

from studio.ui.action import Action, move, pane

ACTIONS: tuple[Action, ...] = (
    move("move.down", ("j", "down"), "down", "Go to the next segment."),
    move("move.up", ("k", "up"), "up", "Go to the segment before."),
    move("move.half-down", ("ctrl-d",), "half page down", "Go half a page down."),
    move("move.half-up", ("ctrl-u",), "half page up", "Go half a page up."),
    move("move.page-down", ("pagedown",), "page down", "Go a page down."),
    move("move.page-up", ("pageup",), "page up", "Go a page up."),
    move("move.first", ("g g", "home"), "first", "Go to the first segment shown."),
    move("move.last", ("G", "end"), "last", "Go to the last segment shown."),
    move("chapter.before", ("[",), "chapter before", "Go to the start of the chapter before."),
    move("chapter.after", ("]",), "chapter after", "Go to the start of the next chapter."),
    move("pane.next", ("tab",), "next pane", "Go to the next pane."),
    move("pane.before", ("shift-tab",), "pane before", "Go to the pane before."),
    move("pane.chapters", ("1",), "chapters", "Go to the chapters."),
    move("pane.segments", ("2",), "segments", "Go to the segments."),
    move("pane.takes", ("3",), "takes", "Go to the takes of the segment."),
    move("pane.engine", ("4",), "engine", "Show the engine’s figures, in a narrow window too."),
    pane("chapters.choose", "enter", "go there", "Go to the chapter.", "Chapters"),
    Action(
        "back",
        ("escape",),
        "back",
        "Go back one layer: the takes, the search, the filter, the listening.",
        "Move",
        palette=False,
    ),
)
