"""The user's folders: configuration, data and logs, by the custom of the operating system."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

HOME_VARIABLE = "RHAPSODE_HOME"
"""Environment variable; where set, all three folders lie below it."""


def config_folder() -> Path:
    """Where ``config.toml`` is looked for. It may not exist."""
    return _folder("config", platformdirs.user_config_dir("rhapsode", appauthor=False))


def data_folder() -> Path:
    """Where the list of recent projects and downloaded parts are kept. It may not exist."""
    return _folder("data", platformdirs.user_data_dir("rhapsode", appauthor=False))


def log_folder() -> Path:
    """Where logs are kept. It may not exist."""
    return _folder("logs", platformdirs.user_log_dir("rhapsode", appauthor=False))


def _folder(name: str, custom: str) -> Path:
    home = os.environ.get(HOME_VARIABLE)
    return Path(home).expanduser() / name if home else Path(custom)
