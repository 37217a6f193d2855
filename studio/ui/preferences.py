"""What config.toml says about the interface: the ``[keys]`` and ``[ui]`` tables."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from studio.project.folders import config_folder

DEFAULT_THEME = "rhapsode-dark"


@dataclass(frozen=True, slots=True)
class Preferences:
    """A person's wishes; the engines' tables of the same file belong to the catalogue."""

    keys: Mapping[str, Any] = field(default_factory=dict)
    """Action id → key or list of keys."""
    theme: str = DEFAULT_THEME
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
            problems.append(f"{path}: [ui] must be a table, with the theme's name in it.")
            look = {}
        return cls(keys, look.get("theme", DEFAULT_THEME), tuple(problems))
