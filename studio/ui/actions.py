"""Everything a person can do, once: keys, labels and help, from which all the rest is made.

The bindings of every screen, the `?` page, the command palette, the footer and docs/keys.md are
generated from `ACTIONS`. Run ``python -m studio.ui.actions`` to print docs/keys.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from textual.binding import Binding

from studio.ui.keys import binding_key

STUDIO = "studio"
LIBRARY = "library"
EXPORT = "export"
EVERYWHERE = "everywhere"

SCREENS: Mapping[str, str] = {
    EVERYWHERE: "Everywhere",
    STUDIO: "In the studio",
    LIBRARY: "In the library",
    EXPORT: "In the export window",
}
"""Where an action is valid, with the heading it gets."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do."""

    id: str
    """Stable name, used in the ``[keys]`` table of config.toml; dots become `_` in method names."""
    keys: tuple[str, ...]
    """Keys as people write them (``ctrl-d``, ``g c``); empty for the palette alone."""
    label: str
    """A word or two for the footer and the palette."""
    help: str
    """One sentence: what it does."""
    group: str
    screen: str = STUDIO
    footer: int = 0
    """Place in the footer, 1 for the first; 0 keeps it out."""
    palette: bool = True
    """Whether the palette offers it; moving about is quicker by hand."""
    pane: str = ""
    """The one pane it is valid in; its widget binds it under the same id. Empty: everywhere."""

    @property
    def method(self) -> str:
        """The name Textual runs: ``segment.play`` is `action_segment_play`."""
        return self.id.replace(".", "_").replace("-", "_")


def _move(name: str, keys: tuple[str, ...], label: str, sentence: str) -> Action:
    """An action that moves about: for hands, not for the palette."""
    return Action(name, keys, label, sentence, "Move", palette=False)


def _pane(name: str, key: str, label: str, sentence: str, pane: str) -> Action:
    """An action of one pane, which has a key of its own there."""
    group = f"In the {pane.lower()}"
    return Action(name, (key,), label, sentence, group, palette=False, pane=pane.lower())


ACTIONS: tuple[Action, ...] = (
    _move("move.down", ("j", "down"), "down", "Go to the next segment."),
    _move("move.up", ("k", "up"), "up", "Go to the segment before."),
    _move("move.half-down", ("ctrl-d",), "half page down", "Go half a page down."),
    _move("move.half-up", ("ctrl-u",), "half page up", "Go half a page up."),
    _move("move.page-down", ("pagedown",), "page down", "Go a page down."),
    _move("move.page-up", ("pageup",), "page up", "Go a page up."),
    _move("move.first", ("g g", "home"), "first", "Go to the first segment shown."),
    _move("move.last", ("G", "end"), "last", "Go to the last segment shown."),
    _move("chapter.before", ("[",), "chapter before", "Go to the start of the chapter before."),
    _move("chapter.after", ("]",), "chapter after", "Go to the start of the next chapter."),
    _move("pane.next", ("tab",), "next pane", "Go to the next pane."),
    _move("pane.before", ("shift-tab",), "pane before", "Go to the pane before."),
    _move("pane.chapters", ("1",), "chapters", "Go to the chapters."),
    _move("pane.segments", ("2",), "segments", "Go to the segments."),
    _move("pane.takes", ("3",), "takes", "Go to the takes of the segment."),
    _move("pane.engine", ("4",), "engine", "Show the engine's figures, in a narrow window too."),
    _pane("chapters.choose", "enter", "go there", "Go to the chapter.", "Chapters"),
    _pane(
        "takes.choose",
        "enter",
        "choose",
        "Choose the take; its seed becomes the segment's.",
        "Takes",
    ),
    _pane("takes.play", "space", "play", "Hear the take without choosing it.", "Takes"),
    _pane("editor.save", "enter", "keep", "Keep the text.", "Editor"),
    _pane("editor.leave", "escape", "leave", "Leave the text as it was.", "Editor"),
    _pane("editor.outside", "ctrl-o", "$EDITOR", "Go on in $VISUAL or $EDITOR.", "Editor"),
    Action(
        "back",
        ("escape",),
        "back",
        "Go back one layer: the takes, the search, the filter, the listening.",
        "Move",
        palette=False,
    ),
    Action(
        "segment.play",
        ("space",),
        "play",
        "Play the chosen take of the segment, or stop the sound.",
        "Listen",
        footer=1,
    ),
    Action(
        "listen.on",
        ("p",),
        "from here on",
        "Listen from the segment on, with the pauses of the export; the cursor follows.",
        "Listen",
        footer=12,
    ),
    Action(
        "listen.join",
        ("P",),
        "the join",
        "Listen to the join: the end of the segment, its pause, the start of the next.",
        "Listen",
    ),
    Action(
        "listen.back",
        ("h", "left"),
        "2 s back",
        "Go back two seconds in what is playing.",
        "Listen",
        palette=False,
    ),
    Action(
        "listen.forward",
        ("l", "right"),
        "2 s forward",
        "Go forward two seconds in what is playing.",
        "Listen",
        palette=False,
    ),
    Action(
        "segment.narrate",
        ("r",),
        "again",
        "Narrate the segment with its seed: when it has no take, failed or is stale.",
        "Narrate",
        footer=2,
    ),
    Action(
        "segment.reseed",
        ("R",),
        "new seed",
        "Narrate the segment anew with another seed; the takes before it are kept.",
        "Narrate",
        footer=3,
    ),
    Action(
        "narrate.chapter",
        ("g c",),
        "narrate chapter",
        "Narrate what the chapter still lacks.",
        "Narrate",
        footer=11,
    ),
    Action(
        "narrate.book", ("g b",), "narrate book", "Narrate what the book still lacks.", "Narrate"
    ),
    Action(
        "narrate.failed",
        ("g f",),
        "narrate failed",
        "Narrate every failed and every stale segment again.",
        "Narrate",
    ),
    Action(
        "queue.clear",
        ("g x",),
        "empty queue",
        "Take all waiting segments out of the queue.",
        "Narrate",
    ),
    Action(
        "queue.stop",
        ("S",),
        "stop / go on",
        "Stop the sound and the narration at once and keep the queue; pressed again, go on.",
        "Narrate",
        footer=10,
    ),
    Action(
        "takes.list",
        ("t",),
        "takes",
        "Go to the segment's takes: ↑ ↓ to move, space to hear one, enter to choose it.",
        "Takes",
    ),
    Action(
        "takes.before",
        (",",),
        "take before",
        "Choose the take before; its seed becomes the segment's.",
        "Takes",
        footer=6,
    ),
    Action(
        "takes.after",
        (".",),
        "take after",
        "Choose the next take; its seed becomes the segment's.",
        "Takes",
    ),
    Action(
        "segment.approve",
        ("a",),
        "approve",
        "Approve the chosen take and go to the next segment that is not approved.",
        "Review",
        footer=5,
    ),
    Action(
        "segment.mark",
        ("m",),
        "mark",
        "Mark the segment for later, or take the mark off.",
        "Review",
    ),
    Action("segment.note", ("o",), "note", "Write a note on the segment.", "Review"),
    Action(
        "go.problem",
        ("!",),
        "next problem",
        "Go to the next segment that failed, is flagged or is stale.",
        "Review",
        footer=7,
    ),
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
    Action(
        "find.filter", ("f",), "filter", "Show only segments in one state, or marked ones.", "Find"
    ),
    Action(
        "find.search",
        ("/",),
        "search",
        "Search source and spoken text; a regular expression, capitals matter once you type one.",
        "Find",
    ),
    Action(
        "find.after", ("n",), "next hit", "Go to the next hit of the search.", "Find", palette=False
    ),
    Action("find.before", ("N",), "hit before", "Go to the hit before.", "Find", palette=False),
    Action("book.export", ("E",), "export", "Write chapters as WAV files.", "Book", footer=8),
    Action("book.library", (), "library", "Close this book and show the library.", "Book"),
    Action(
        "library.open",
        ("enter",),
        "open",
        "Open the project under the cursor.",
        "Library",
        LIBRARY,
        footer=1,
        palette=False,
    ),
    Action(
        "library.down", ("j",), "down", "Go to the next project.", "Library", LIBRARY, palette=False
    ),
    Action(
        "library.up", ("k",), "up", "Go to the project before.", "Library", LIBRARY, palette=False
    ),
    Action(
        "library.new",
        ("n",),
        "new book",
        "Make a project of a manuscript: EPUB, text or Markdown.",
        "Library",
        LIBRARY,
        footer=2,
    ),
    Action(
        "library.folder",
        ("o",),
        "open a folder",
        "Open a project that the list does not have.",
        "Library",
        LIBRARY,
        footer=3,
    ),
    Action(
        "library.sample",
        ("s",),
        "sample book",
        "Copy the sample book and open it.",
        "Library",
        LIBRARY,
        footer=4,
    ),
    Action(
        "export.start",
        ("ctrl-e",),
        "write",
        "Write the chosen chapters.",
        "Export",
        EXPORT,
        footer=1,
    ),
    Action(
        "export.close",
        ("escape",),
        "close",
        "Close the window; while it writes, stop and leave nothing half-written.",
        "Export",
        EXPORT,
        footer=2,
        palette=False,
    ),
    Action(
        "app.keys",
        ("?", "f1"),
        "keys",
        "Show every key; type to search.",
        "Studio",
        EVERYWHERE,
        footer=9,
        palette=True,
    ),
    Action(
        "app.palette",
        (":", "ctrl-p"),
        "commands",
        "Find a command by its name.",
        "Studio",
        EVERYWHERE,
        palette=False,
    ),
    Action("app.theme", (), "theme", "Choose the colours.", "Studio", EVERYWHERE),
    Action("app.log", (), "log folder", "Say where the logs are kept.", "Studio", EVERYWHERE),
    Action(
        "app.quit",
        ("q", "ctrl-q"),
        "quit",
        "Quit; asks only while work is running.",
        "Studio",
        EVERYWHERE,
        footer=14,
    ),
    Action(
        "app.interrupt",
        ("ctrl-c",),
        "copy, or how to quit",
        "Copy the selected text; without one, say how to quit.",
        "Studio",
        EVERYWHERE,
        palette=False,
    ),
)

BY_ID: Mapping[str, Action] = {action.id: action for action in ACTIONS}


def for_screen(screen: str) -> tuple[Action, ...]:
    """The actions valid in one screen, those valid everywhere included."""
    return tuple(action for action in ACTIONS if action.screen in (screen, EVERYWHERE))


def bindings(screen: str) -> list[Binding]:
    """Textual's bindings of the actions that belong to one screen (or to `EVERYWHERE`).

    A two-key sequence is one binding on a key that no terminal sends (``g+c``): the application
    sees to it, and by its id it is remapped like any other.
    """
    return [
        Binding(
            binding_key(key),
            action.method,
            action.label,
            show=action.footer > 0,
            tooltip=action.help,
            id=action.id,
            priority=key in ("ctrl-q", "ctrl-p"),
        )
        for action in ACTIONS
        if action.screen == screen and not action.pane
        for key in action.keys
    ]


def by_group(actions: Iterable[Action]) -> dict[str, list[Action]]:
    """Actions under their group's name, in the order of the table."""
    groups: dict[str, list[Action]] = {}
    for action in actions:
        groups.setdefault(action.group, []).append(action)
    return groups


if __name__ == "__main__":
    from studio.ui.keys_page import keys_page

    print(keys_page(), end="")
