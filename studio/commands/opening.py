"""`rhapsode open`: the studio on a project, and the sample book on any machine."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

from studio.commands.reply import Reply


def open_folder(folder: Path) -> Reply:
    """Open the studio on a project."""
    # Modules and a book are no garbage; the studio switches it on again when they are there.
    gc.disable()
    from studio.ui.app import run_studio

    return Reply(exit_code=run_studio(folder))


def open_sample(*, quiet: bool = False) -> Reply:
    """Open the studio on the sample book; without a terminal narrate and export its chapter one."""
    from studio.commands.sample import copy_sample

    folder = copy_sample()
    if sys.stdin.isatty() and sys.stdout.isatty():
        return open_folder(folder)
    from studio.commands.exporting import ExportOptions, export
    from studio.commands.narrating import narrate

    made = narrate(folder, chapters=[1], quiet=quiet)
    if made.exit_code:
        return made
    written = export(folder, chapters=[1], options=ExportOptions())
    return Reply(
        {**made.data, **written.data},
        [*made.lines, *written.lines, f"In a terminal this opens the studio on {folder}."],
    )
