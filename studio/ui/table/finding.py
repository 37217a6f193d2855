"""Finding segments."""

from __future__ import annotations

from studio.ui.action import Action

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
)
