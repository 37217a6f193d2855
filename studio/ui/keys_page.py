"""docs/keys.md, made from the table of actions."""

from __future__ import annotations

from studio.ui.actions import ACTIONS, SCREENS, Action
from studio.ui.keys import show_key


def keys_page() -> str:
    """docs/keys.md, from the table."""
    lines = [
        "# Keys",
        "",
        "Made from the table in `studio/ui/actions.py` by `python -m studio.ui.actions`;"
        " the same table feeds the `?` page, the palette and the footer.",
        "",
        "To change a key, put the action and its keys into the `[keys]` table of `config.toml`"
        " (`rhapsode doctor` says where it is). A list gives an action several keys, a space makes"
        " a sequence, an empty list leaves it to the palette:",
        "",
        "```toml",
        "[keys]",
        '"segment.play" = ["space", "f5"]',
        '"narrate.chapter" = "g n"',
        "```",
        "",
        "Terminals cannot tell ctrl-i from tab, ctrl-m and ctrl-j from enter, ctrl-h from"
        " backspace or ctrl-[ from escape; those are refused.",
    ]
    for screen, heading in SCREENS.items():
        lines += ["", f"## {heading}", "", "| keys | action | what it does |", "|---|---|---|"]
        lines += [
            f"| {_keys_cell(action)} | `{action.id}` | {action.help} |"
            for action in ACTIONS
            if action.screen == screen
        ]
    return "\n".join(lines) + "\n"


def _keys_cell(action: Action) -> str:
    """The keys as a Markdown cell."""
    return " · ".join(f"`{show_key(key)}`" for key in action.keys) or "palette"
