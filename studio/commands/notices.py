"""What a project has to say when a command without a screen opens it."""

from __future__ import annotations

import sys

from studio.project.project import Project


def tell(project: Project) -> None:
    """Say on standard error what did not go as it should when the project was opened."""
    for notice in project.notices:
        print(f"note: {notice}", file=sys.stderr)
