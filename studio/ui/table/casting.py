"""The cast: who speaks what."""

from __future__ import annotations

from studio.ui.action import CAST, VOICES, Action


def _voices(name: str, key: str, label: str, sentence: str, footer: int = 0) -> Action:
    """An action of the list of voices."""
    return Action(f"voices.{name}", (key,), label, sentence, "Voices", VOICES, footer)


def _cast(name: str, key: str, label: str, sentence: str, footer: int = 0) -> Action:
    """An action of the cast."""
    return Action(f"cast.{name}", (key,), label, sentence, "Cast", CAST, footer)


ACTIONS: tuple[Action, ...] = (
    Action(
        "cast.voice",
        ("V",),
        "voice",
        "Choose the voice that reads the segment or the selection.",
        "Cast",
    ),
    Action(
        "cast.open",
        ("C",),
        "cast",
        "Find who speaks in the book, and give each a voice; reviewed before it is applied.",
        "Cast",
    ),
    Action(
        "cast.voices",
        ("g v",),
        "voices",
        "Hear, make, change and remove the voices of the book.",
        "Cast",
    ),
    _voices("hear", "space", "hear", "Hear the voice read its sample line, or stop the sound.", 1),
    _voices("new", "i", "new voice", "Make a new voice out of the one under the cursor.", 2),
    _voices("edit", "enter", "change", "Change the voice under the cursor.", 3),
    _voices("rename", "r", "rename", "Give the voice another name; what it has read stays."),
    _voices("remove", "d", "remove", "Remove the voice, where it reads nothing.", 6),
    _voices(
        "prepare",
        "p",
        "from a recording",
        "Make a reference out of a recording: trim it, level it, write down what is said.",
        4,
    ),
    _voices("library", "o", "your library", "Bring a voice of your own library into the book.", 5),
    _voices(
        "shelve", "K", "into library", "Put the voice into your own library, for all books.", 7
    ),
    _voices("undo", "u", "undo", "Undo the last change of the book.", 8),
    _voices("redo", "ctrl-r", "redo", "Redo what was undone."),
    _voices("close", "escape", "back", "Go back to the segments.", 9),
    _cast("choose", "enter", "voice", "Choose the speaker’s voice; of a line, who says it.", 1),
    _cast("hear", "space", "hear", "Hear the line read by the voice that is chosen for it.", 3),
    _cast("tick", "x", "leave out", "Leave the line out, or take it in again.", 4),
    _cast(
        "rename", "r", "rename", "Give the speaker another name; one that is there merges both.", 7
    ),
    _cast(
        "split", "m", "split", "Split segments of speech and narration at the quotation marks.", 8
    ),
    _cast("scope", "c", "chapter / book", "Cast the chapter alone, or the whole book.", 9),
    _cast("pane", "tab", "lines", "Go to the lines of the speaker, and back.", 2),
    _cast("apply", "ctrl-e", "apply", "Give every speaker’s lines their voice, as one step.", 5),
    _cast("close", "escape", "back", "Go back; nothing is changed.", 6),
)
