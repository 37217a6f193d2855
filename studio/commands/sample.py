"""The sample book: found in a clone or an installed package; copied, never used in place."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from studio.commands.importing import default_folder, voice_named
from studio.errors import MachineFault
from studio.project.importing import import_book
from studio.project.project import is_project

TITLE = "The Ferry"
"""Title of the sample book."""


def manuscript() -> Path:
    """The sample manuscript's file.

    Raises:
        MachineFault: The installation lacks it.
    """
    package = Path(str(files("studio")))
    for folder in (package / "sample", package.parent / "projects" / "sample"):
        path = folder / "the-ferry.md"
        if path.is_file():
            return path
    raise MachineFault(
        f"The sample book is missing from the installation at {package}; install Rhapsode again."
    )


def copy_sample() -> Path:
    """The folder of the sample project, made from the manuscript where it does not exist yet."""
    folder = default_folder(TITLE)
    if not is_project(folder):
        project, _ = import_book(manuscript(), folder, voice=voice_named(None))
        project.close()
    return folder
