"""What config.toml says about the interface: the ``[keys]``, ``[ui]`` and
``[sound]`` tables."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from studio.project.folders import config_folder

DEFAULT_THEME = "rhapsode-dark"
SEEDS, MOST_SEEDS = 3, 8
"""New seeds of a segment that are narrated at once, and how many that may be."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """A person's wishes; the engines' tables of the same file belong to the catalogue."""

    keys: Mapping[str, Any] = field(default_factory=dict)
    """Action id → key or list of keys."""
    theme: str = DEFAULT_THEME
    keep_awake: bool = True
    """Whether the machine is kept from sleeping while it works."""
    narrate_ahead: bool = True
    """Whether what lacks a take is narrated while one listens towards it."""
    seeds: int = SEEDS
    """How many new seeds of a segment are narrated at once."""
    device: str = ""
    """What sound is played on at first; empty for the system's own device."""
    problems: tuple[str, ...] = ()
    """What could not be read, one plain sentence each."""

    @classmethod
    def load(cls) -> Preferences:
        """Read config.toml; without one, or where it cannot be read, the defaults hold."""
        path = config_folder() / "config.toml"
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return cls()
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            return cls(problems=(f"{path} cannot be read ({error}); the defaults are used.",))
        keys, look = table.get("keys", {}), table.get("ui", {})
        problems = []
        if not isinstance(keys, dict):
            problems.append(f"{path}: [keys] must be a table of actions and their keys.")
            keys = {}
        if not isinstance(look, dict) or not isinstance(look.get("theme", ""), str):
            problems.append(f"{path}: [ui] must be a table, with the theme’s name in it.")
            look = {}
        sound = table.get("sound", {})
        if not isinstance(sound, dict) or not isinstance(sound.get("device", ""), str):
            problems.append(f"{path}: [sound] must be a table, with the device’s name in it.")
            sound = {}
        switches = {"keep_awake": True, "narrate_ahead": True}
        for name, default in switches.items():
            switches[name] = look.get(name, default)
            if not isinstance(switches[name], bool):
                problems.append(f"{path}: [ui] {name} must be true or false.")
                switches[name] = default
        known = ("theme", "seeds", *switches)
        problems += [
            f"{path}: [ui] has no setting “{name}”; it has {', '.join(known)}."
            for name in look
            if name not in known
        ]
        seeds = look.get("seeds", SEEDS)
        if type(seeds) is not int or not 1 <= seeds <= MOST_SEEDS:
            problems.append(f"{path}: [ui] seeds must be a number from 1 to {MOST_SEEDS}.")
            seeds = SEEDS
        return cls(
            keys=keys,
            theme=look.get("theme", DEFAULT_THEME),
            seeds=seeds,
            device=sound.get("device", ""),
            problems=tuple(problems),
            **switches,
        )
