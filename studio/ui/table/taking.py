"""Takes: hearing, comparing, choosing."""

from __future__ import annotations

from studio.ui.action import RECIPE, Action, pane


def _recipe(name: str, keys: tuple[str, ...], label: str, sentence: str, footer: int = 0) -> Action:
    """An action of the window that shows a take's recipe."""
    return Action(name, keys, label, sentence, "Recipe", RECIPE, footer=footer, palette=False)


ACTIONS: tuple[Action, ...] = (
    pane(
        "takes.choose",
        "enter",
        "choose",
        "Choose the take; its seed becomes the segment’s.",
        "Takes",
    ),
    pane("takes.play", "space", "play", "Hear the take without choosing it.", "Takes"),
    Action(
        "takes.list",
        ("t",),
        "takes",
        "Go to the segment’s takes: ↑ ↓ to move, space to hear one, enter to choose it.",
        "Takes",
    ),
    Action(
        "takes.before",
        (",",),
        "take before",
        "Choose the take before; its seed becomes the segment’s.",
        "Takes",
        footer=6,
    ),
    Action(
        "takes.after",
        (".",),
        "take after",
        "Choose the next take; its seed becomes the segment’s.",
        "Takes",
    ),
    Action(
        "takes.compare",
        ("=",),
        "A/B",
        "Hear the last two takes in turn from the same place; among the takes, the chosen one"
        " and the one under the cursor.",
        "Takes",
        footer=7,
    ),
    Action("takes.keep", ("K",), "choose heard", "Choose the take that is heard now.", "Takes"),
    Action(
        "takes.turn",
        ("g t",),
        "hear all takes",
        "Hear all takes of the segment in turn.",
        "Takes",
    ),
    Action(
        "segment.seeds",
        ("+",),
        "several seeds",
        "Narrate several new seeds at once, and say which the checks like best; the chosen take"
        " stays.",
        "Takes",
    ),
    Action(
        "takes.star",
        ("*",),
        "star",
        "Star the take, so that cleaning keeps it, or take the star off.",
        "Takes",
    ),
    Action(
        "takes.recipe",
        ("I",),
        "recipe",
        "Show everything that made the take, and how it differs from what is asked for now.",
        "Takes",
    ),
    Action(
        "takes.remake",
        ("g r",),
        "make again",
        "Make the take again from its recipe, and say whether the same bytes came out.",
        "Takes",
    ),
    Action(
        "takes.replay",
        ("g s",),
        "voice again",
        "Voice the take’s kept speech tokens again, by its engine as it is configured now; the"
        " chosen take stays.",
        "Takes",
    ),
    Action(
        "segment.recording",
        ("g i",),
        "recording",
        "Take a sound file of your own as a take of the segment.",
        "Takes",
    ),
    Action("segment.copy", ("y",), "copy text", "Copy the spoken text.", "Takes"),
    Action("takes.path", ("Y",), "copy path", "Copy the path of the take’s clip.", "Takes"),
    _recipe("recipe.down", ("j", "down"), "down", "Scroll a line down."),
    _recipe("recipe.up", ("k", "up"), "up", "Scroll a line up."),
    _recipe("recipe.page-down", ("ctrl-d", "pagedown"), "page down", "Scroll a page down."),
    _recipe("recipe.page-up", ("ctrl-u", "pageup"), "page up", "Scroll a page up."),
    _recipe("recipe.copy", ("y",), "copy", "Copy the recipe as JSON.", 5),
    _recipe("recipe.path", ("Y",), "path", "Copy the path of the clip.", 7),
    _recipe("recipe.play", ("space",), "play", "Hear the take, or stop it.", 1),
    _recipe("recipe.choose", ("enter",), "choose", "Choose the take and go back.", 2),
    _recipe("recipe.star", ("*",), "star", "Star the take, or take the star off.", 3),
    _recipe("recipe.remake", ("r",), "make again", "Make the take again and go back.", 4),
    _recipe("recipe.replay", ("v",), "voice again", "Voice the kept speech tokens again.", 8),
    _recipe("recipe.close", ("escape", "I"), "back", "Go back to the segments.", 6),
)
