"""Finding segments."""

from __future__ import annotations

from studio.ui.action import REPLACE, Action

ACTIONS: tuple[Action, ...] = (
    Action(
        "go.problem",
        ("!",),
        "next problem",
        "Go to the next segment that failed, is flagged or is stale.",
        "Review",
        footer=7,
    ),
    Action(
        "find.filter",
        ("f",),
        "filter",
        "Show only some segments: by state, voice, mark, text, length and more.",
        "Find",
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
    Action(
        "find.replace",
        ("F",),
        "find and replace",
        "Replace a text in what is spoken, seen before it is done; one step to undo.",
        "Find",
    ),
    Action(
        "replace.apply",
        ("enter",),
        "replace",
        "Replace the text in all segments that are ticked.",
        "Find and replace",
        REPLACE,
        footer=1,
        palette=False,
    ),
    Action(
        "replace.toggle",
        ("space",),
        "leave out",
        "Leave the segment out, or take it in again.",
        "Find and replace",
        REPLACE,
        footer=2,
        palette=False,
    ),
    Action(
        "replace.close",
        ("escape",),
        "leave",
        "Leave every text as it is.",
        "Find and replace",
        REPLACE,
        footer=3,
        palette=False,
    ),
)
