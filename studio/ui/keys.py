"""The names of keys, and the keys a person chose: from config.toml to Textual's keymap."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from textual.keys import KEY_NAME_REPLACEMENTS
from textual.keys import Keys as TextualKeys

EATEN = frozenset({"ctrl-i", "ctrl-m", "ctrl-j", "ctrl-h", "ctrl-[", "ctrl-s", "ctrl-z", "ctrl-\\"})
"""Keys that terminals turn into others (tab, enter, backspace, escape) or keep for themselves."""

_NAMES = {
    "esc": "escape",
    "pgdn": "pagedown",
    "pgup": "pageup",
    "return": "enter",
}
"""Textual's names where people write another."""

_NAMED = frozenset(it.value for it in TextualKeys) | frozenset(KEY_NAME_REPLACEMENTS.values())
_MODIFIERS = frozenset("ctrl alt shift super hyper meta".split())
_SOME_KEYS = "space, enter, esc, f5, home, up"

_SHOWN = {
    "down": "↓",
    "up": "↑",
    "left": "←",
    "right": "→",
    "escape": "esc",
    "pagedown": "pgdn",
    "pageup": "pgup",
}
"""How a key is shown, where that is shorter."""


class _Bound(Protocol):
    """What a keymap needs to know of an action."""

    @property
    def id(self) -> str: ...
    @property
    def keys(self) -> tuple[str, ...]: ...
    @property
    def screen(self) -> str: ...
    @property
    def pane(self) -> str: ...


def binding_key(key: str) -> str:
    """Textual's name of a key or a two-key sequence: ``ctrl+d``, ``g+c``."""
    return "+".join(_one(part) for part in key.split())


def _one(key: str) -> str:
    """The name that Textual's event carries for one key: punctuation by its Unicode name."""
    *modifiers, last = key.split("-") if len(key) > 1 else [key]
    last = last or "-"  # ``ctrl--``: the key is the dash itself
    if len(last) == 1 and not last.isalnum():
        name = unicodedata.name(last).lower().replace("-", "_").replace(" ", "_")
        last = KEY_NAME_REPLACEMENTS.get(name, name)
    return "+".join([*modifiers, _NAMES.get(last, last)])


def show_key(key: str) -> str:
    """The key as the screen shows it."""
    return " ".join(_SHOWN.get(part, part) for part in key.split())


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys in force: the table's own, overlaid with a person's."""

    of: Mapping[str, tuple[str, ...]]
    """Action id → keys as people write them."""
    changed: Mapping[str, str] = field(default_factory=dict)
    """Action id → Textual's keymap entry, for what a person changed."""
    problems: tuple[str, ...] = ()
    """What could not be used, one plain sentence each."""

    def shown(self, action_id: str) -> str:
        """The first key of an action as the screen shows it, or nothing."""
        keys = self.of.get(action_id, ())
        return show_key(keys[0]) if keys else ""

    def sequences(self, action_ids: Iterable[str]) -> dict[str, dict[str, str]]:
        """First key → second key → action id, in Textual's names, for the actions given."""
        found: dict[str, dict[str, str]] = {}
        for action_id in action_ids:
            for key in self.of.get(action_id, ()):
                parts = key.split()
                if len(parts) == 2:
                    found.setdefault(_one(parts[0]), {})[_one(parts[1])] = action_id
        return found


def resolve(actions: Iterable[_Bound], chosen: Mapping[str, Any]) -> Keys:
    """Overlay a person's keys on the table's.

    Args:
        actions: The table.
        chosen: The ``[keys]`` table of config.toml: action id → a key or a list of keys.

    Returns:
        The keys in force. An entry that cannot be used is left out and named in `Keys.problems`.
    """
    table = {action.id: action for action in actions}
    problems: list[str] = []
    wanted: dict[str, tuple[str, ...]] = {}
    for action_id, value in chosen.items():
        keys = _as_keys(value)
        complaint = _complaint(action_id, keys, table)
        if complaint or keys is None:
            problems.append(complaint)
        else:
            wanted[action_id] = keys
    while (clash := _clash(table, wanted)) is not None:
        action_id, key, other = clash
        del wanted[action_id]
        problems.append(
            f"config.toml [keys]: {key} cannot be {action_id}, because it is {other} already;"
            f" {action_id} keeps its own keys."
        )
    return Keys(
        of={**{name: action.keys for name, action in table.items()}, **wanted},
        changed={
            # An entry must name some key: one that no terminal sends takes the key away.
            name: ",".join(map(binding_key, keys)) or f"never+{name}"
            for name, keys in wanted.items()
        },
        problems=tuple(problems),
    )


def _as_keys(value: Any) -> tuple[str, ...] | None:
    """The keys of one entry, or None where it is neither a string nor a list of strings."""
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list) or not all(isinstance(key, str) for key in value):
        return None
    return tuple(" ".join(_spelled(part) for part in key.split()) for key in value if key.strip())


def _spelled(key: str) -> str:
    """One spelling for all: ``Ctrl+D`` is ``ctrl-d``."""
    if len(key) == 1:
        return key
    head, _, last = key.replace("+", "-").rpartition("-")
    if not head:
        return key.lower()
    return f"{head.lower()}-{last.lower()}"


def _complaint(action_id: str, keys: tuple[str, ...] | None, table: Mapping[str, _Bound]) -> str:
    """Why an entry cannot be used, or nothing."""
    where = f"config.toml [keys]: {action_id}"
    if action_id not in table:
        return f"{where} is not an action; the ? page and docs/keys.md name them all."
    if keys is None:
        return f'{where} must be a key or a list of keys, such as "r" or ["r", "f5"].'
    for key in keys:
        parts = key.split()
        if len(parts) > 2:
            return f"{where}: {key} has more than two keys; two are the most."
        if eaten := next((part for part in parts if part in EATEN), ""):
            return f"{where}: terminals keep {eaten} for themselves; choose another key."
        if strange := next((part for part in parts if not _is_key(part)), ""):
            return (
                f"{where}: there is no key {strange}; keys are letters, signs, {_SOME_KEYS},"
                " with ctrl-, alt- or shift- before them."
            )
    return ""


def _is_key(key: str) -> bool:
    """Whether a key is one that a keyboard has, by its name here or Textual's."""
    # ``ctrl--``: the key is the dash itself
    *modifiers, last = key.removesuffix("-").split("-") if len(key) > 1 else [key]
    if not _MODIFIERS.issuperset(modifiers):
        return False
    if len(last) <= 1 or last in _NAMES or last in _NAMED:
        return True
    try:
        return bool(unicodedata.lookup(last.replace("_", " ")))
    except KeyError:
        return False


def _clash(
    table: Mapping[str, _Bound], wanted: Mapping[str, tuple[str, ...]]
) -> tuple[str, str, str] | None:
    """The first chosen key that another action of the same screen has: (chosen, key, other)."""
    owners = [
        (key, action, name)
        for name, action in table.items()
        for key in wanted.get(name, action.keys)
    ]
    for name, keys in reversed(list(wanted.items())):
        for key in keys:
            for other_key, action, other in owners:
                rivals = other != name and _meet(table[name], action)
                if rivals and _collide(key.split(), other_key.split()):
                    return name, show_key(key), other
    return None


def _meet(one: _Bound, other: _Bound) -> bool:
    """Whether two actions are valid at once; a pane's own keys go before the screen's."""
    screens = one.screen == other.screen or "everywhere" in (one.screen, other.screen)
    return screens and one.pane == other.pane


def _collide(one: list[str], other: list[str]) -> bool:
    """Whether two keys cannot live side by side: equal, or one begins the other."""
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]
